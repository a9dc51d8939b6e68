// SPDX-License-Identifier: Apache-2.0
// Files that remain of a result when its run does not end.
#include "engine/store/whole_prefix.h"
#include "tests/unit/support/engine/output_files.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>

// Reads the whole blocks of a .part file; like zcat, accepts a missing end.
static void yields(const char *path, const char *text)
{
    gzFile file = gzopen(path, "rb");
    char *found = calloc(1, 1 << 20);
    size_t n = 0;
    for (int got = 1; got > 0; n += got > 0 ? (size_t)got : 0)
        got = gzread(file, found + n, 1000);
    cr_assert_str_eq(found, text);
    gzclose(file);
    free(found);
}

// Catches blocks that are readable only after the file is finished, and a journal that is
// behind its data.
Test(output_stopped, stopped_run_keeps_its_blocks, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    char *text = whole_text();
    struct pps_output *output = open_output(&plan);
    append_all(output, &plan);
    cr_assert_eq(pps_output_stop(output, &err), PPS_OK);
    cr_assert(!is_there("a.csv.gz") && !is_there("a.csv.gz.idx") && !is_there("a.csv.gz.json"));
    yields("a.csv.gz.part", text);
    journal_matches("a.csv.gz.idx.part", "a.csv.gz.part", N_BLOCKS);
    free(text);
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// More blocks than are read without a look at the stop flag.
static void interrupt_many(const char *path)
{
    struct pps_output_plan plan = plan_for(path, "none");
    struct pps_error err;
    plan.n_points = 50 * plan.block_points;
    struct pps_output *output = open_output(&plan);
    for (int i = 0; i < 50; i++)
        cr_assert_eq(append(output, &plan, i, &err), PPS_OK);
    cr_assert_eq(pps_output_stop(output, &err), PPS_OK);
}

// Catches a run that reads an interrupted result to its end though it was stopped, and one that
// loses some of the result then.
Test(output_stopped, stopped_while_it_reads_what_is_there, .init = enter, .fini = leave)
{
    atomic_bool stop = true;
    struct pps_output_plan plan = plan_for("a.csv", "none");
    struct pps_error err;
    struct pps_output *output;
    interrupt_many("a.csv");
    cr_assert_eq(system("cp a.csv.part data && cp a.csv.idx.part index"), 0);
    plan.n_points = 50 * plan.block_points;
    plan.resume = true;
    plan.stop = &stop;
    cr_assert_eq(pps_output_open(&output, &plan, &err), PPS_E_STOPPED);
    cr_assert(strstr(err.text, "stopped while reading a.csv.part") != NULL, "%s", err.text);
    same_files("a.csv.part", "data");
    same_files("a.csv.idx.part", "index");
    atomic_store(&stop, false);
    output = open_output(&plan);
    cr_assert_eq(pps_output_prefix(output)->n_records, 51);
    pps_output_abandon(output);
}

// A disk that fills up, played by a limit on file sizes. Catches half a block left at the end,
// a fault without its path, and a run that goes on regardless.
Test(output_stopped, full_disk_keeps_whole_blocks, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv", "none");
    struct pps_error err;
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, HEADER);
    struct pps_output *output = open_output(&plan);
    cr_assert_eq(append(output, &plan, 0, &err), PPS_OK);
    n += block_text(0, text + n);
    limit_file_size(n + 100);
    cr_assert_eq(append(output, &plan, 1, &err), PPS_E_MACHINE);
    cr_assert_str_eq(err.text, "cannot write a.csv.part: File too large");
    cr_assert_eq(append(output, &plan, 1, &err), PPS_E_MACHINE);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_E_MACHINE);
    limit_file_size(RLIM_INFINITY);
    text[n] = '\0';
    has_text("a.csv.part", text);
    cr_assert(!is_there("a.csv"));
    size_t n_index;
    char *index = slurp("a.csv.idx.part", &n_index);
    size_t expected = sizeof(struct pps_index_head) + 2 * pps_index_record_bytes(2);
    cr_assert_eq(n_index, expected, "the records of whole blocks are kept");
    free(index);
    free(text);
}

// Catches files left behind by a run that could not begin.
Test(output_stopped, failed_opening_leaves_nothing, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    struct pps_output *output;
    limit_file_size(20); // less than the head of the journal
    cr_assert_eq(pps_output_open(&output, &plan, &err), PPS_E_MACHINE);
    limit_file_size(RLIM_INFINITY);
    cr_assert(strstr(err.text, "a.csv.gz.idx.part") != NULL, "%s", err.text);
    cr_assert(!is_there("a.csv.gz.part") && !is_there("a.csv.gz.idx.part"));
    pps_output_abandon(NULL);
}
