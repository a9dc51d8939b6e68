// SPDX-License-Identifier: Apache-2.0
// Refused outputs: existing files are kept.
#include "tests/unit/support/engine/output_files.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Asserts that opening returns PPS_E_INPUT with a message that contains `remedy`.
static void is_refused(const struct pps_output_plan *plan, const char *remedy)
{
    struct pps_error err;
    struct pps_output *output;
    enum pps_status status = pps_output_open(&output, plan, &err);
    cr_assert_eq(status, PPS_E_INPUT, "%s was not refused", plan->path);
    cr_assert(output == NULL);
    cr_assert(strstr(err.text, remedy) != NULL, "'%s' lacks '%s'", err.text, remedy);
    cr_assert(strchr(err.text, '\n') == NULL);
}

// Catches any change to a complete result without force.
Test(output_refused, complete_result_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    spill("a.csv.gz", "precious");
    is_refused(&plan, "a.csv.gz exists; --force replaces it");
    has_text("a.csv.gz", "precious");
    cr_assert(!is_there("a.csv.gz.part") && !is_there("a.csv.gz.idx.part"));
}

// Catches an index or manifest that is overwritten although its data is elsewhere.
Test(output_refused, lone_manifest_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    spill("a.csv.gz.json", "precious");
    is_refused(&plan, "--force");
    has_text("a.csv.gz.json", "precious");
    cr_assert(!is_there("a.csv.gz.part"));
}

// Catches an interrupted run that is discarded without force; with force it is replaced.
Test(output_refused, interrupted_run_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    char *text = whole_text();
    char *old = calloc(1, 200001);
    memset(old, 'h', 200000); // much longer than the new text
    spill("a.csv.gz.part", old);
    spill("a.csv.gz.idx.part", "records");
    is_refused(&plan, "a.csv.gz.part exists (an interrupted run)");
    has_text("a.csv.gz.part", old);
    has_text("a.csv.gz.idx.part", "records");
    plan.force = true;
    write_all(&plan);
    is_one_member("a.csv.gz", text);
    journal_matches("a.csv.gz.idx", "a.csv.gz", N_BLOCKS);
    free(old);
    free(text);
}

// Catches force removing the old result before the new result is complete.
Test(output_refused, force_keeps_the_old_until_the_end, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    char *text = whole_text();
    spill("a.csv.gz", "old");
    spill("a.csv.gz.idx", "old index");
    spill("a.csv.gz.json", "old manifest");
    plan.force = true;
    struct pps_output *output = open_output(&plan);
    append_all(output, &plan);
    has_text("a.csv.gz", "old");
    has_text("a.csv.gz.idx", "old index");
    has_text("a.csv.gz.json", "old manifest");
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    is_one_member("a.csv.gz", text);
    has_text("a.csv.gz.json", MANIFEST);
    free(text);
}

// Catches two writers of one file, with and without force.
Test(output_refused, one_writer_a_file, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1"), second = plan;
    struct pps_error err;
    char *text = whole_text();
    struct pps_output *output = open_output(&plan);
    cr_assert(pps_output_is_locked(output));
    is_refused(&second, "is being written by another run");
    second.force = true;
    is_refused(&second, "is being written by another run");
    append_all(output, &plan);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    is_one_member("a.csv.gz", text);
    free(text);
}

// Catches overwriting a result that appeared while this one was computed.
Test(output_refused, late_result_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    struct pps_output *output = open_output(&plan);
    append_all(output, &plan);
    spill("a.csv.gz", "precious");
    cr_assert_neq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    has_text("a.csv.gz", "precious");
    cr_assert(is_there("a.csv.gz.part") && is_there("a.csv.gz.idx.part"));
    cr_assert(!is_there("a.csv.gz.idx") && !is_there("a.csv.gz.json"));
}

// Catches names that can never be a file: the error is one line and nothing is created.
Test(output_refused, impossible_names, .init = enter, .fini = leave)
{
    char long_name[320];
    memset(long_name, 'a', sizeof long_name);
    strcpy(long_name + 250, ".csv.gz");
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_assert_eq(symlink("nowhere", "dangling.csv.gz"), 0);
    cr_assert_eq(mkfifo("pipe.csv.gz", 0666), 0);
    cr_assert_eq(mkdir("b.csv.gz.part", 0777), 0);
    spill("file", "");
    static const struct {
        const char *path, *remedy;
    } cases[] = {{"folder", "is a folder"},
                 {"dangling.csv.gz", "broken symbolic link"},
                 {"pipe.csv.gz", "not a regular file"},
                 {"/dev/null", "not a regular file"},
                 {"missing/a.csv.gz", "create the folder first"},
                 {"file/a.csv.gz", "file"},
                 {"b.csv.gz", "is a folder"},
                 {"", "is not a file name"},
                 {"folder/", "is not a file name"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int force = 0; force < 2; force++) {
            struct pps_output_plan plan = plan_for(cases[i].path, "zlib:1");
            plan.force = force;
            is_refused(&plan, cases[i].remedy);
        }
    struct pps_output_plan plan = plan_for(long_name, "zlib:1");
    is_refused(&plan, "too long");
    cr_assert(!is_there("dangling.csv.gz.part") && !is_there("nowhere"));
}

// Catches force replacing a link and leaving its target unchanged.
Test(output_refused, links_are_not_replaced, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("link.csv.gz", "zlib:1");
    spill("real.csv.gz", "precious");
    cr_assert_eq(symlink("real.csv.gz", "link.csv.gz"), 0);
    is_refused(&plan, "exists");
    plan.force = true;
    is_refused(&plan, "is a symbolic link");
    has_text("real.csv.gz", "precious");
}

// Catches an unwritable folder reported as a machine failure. Does not test anything as root,
// who may write anywhere.
Test(output_refused, unwritable_folder, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("closed/a.csv.gz", "zlib:1");
    cr_assert_eq(mkdir("closed", 0555), 0);
    if (geteuid() != 0)
        is_refused(&plan, "cannot write into closed");
}
