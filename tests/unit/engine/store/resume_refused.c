// SPDX-License-Identifier: Apache-2.0
// Interrupted results that cannot be resumed: another run, a lost journal, another writer.
#include "tests/unit/support/engine/six_blocks.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void is_refused(const struct pps_output_plan *plan, const char *why)
{
    struct pps_error err;
    struct pps_output *output;
    cr_assert_eq(pps_output_open(&output, plan, &err), PPS_E_INPUT, "'%s' was not refused",
                 why);
    cr_assert(strstr(err.text, why) != NULL, "'%s' lacks '%s'", err.text, why);
}

// Catches a result continued by another run, and a message that does not name the difference.
Test(resume, other_runs, .init = six_enter, .fini = leave)
{
    struct pps_output_plan plan = six_plan("a.csv.gz"), other;
    six_write_some("a.csv.gz", 3);
    size_t n, n_index;
    char *data = slurp("a.csv.gz.part", &n), *index = slurp("a.csv.gz.idx.part", &n_index);
    plan.resume = true;
    other = plan;
    other.codec.level = 6;
    is_refused(&other, "--compress was zlib:1, is zlib:6");
    other = plan;
    other.shard = 1;
    other.n_shards = 3;
    is_refused(&other, "--shard was 0/1, is 1/3");
    other = plan;
    other.n_points = 500;
    is_refused(&other, "(--limit) was 570, is 500");
    other = plan;
    other.digest = 0xd2;
    is_refused(&other, "belongs to another experiment");
    other = plan;
    other.n_reasons++;
    is_refused(&other, "reasons to skip points (another version) was");
    other = plan;
    other.block_points = 99;
    is_refused(&other, "was 100, is 99");
    other = plan;
    other.resume = false;
    other.resume_hint = "ppsweep --resume";
    is_refused(&other, "to continue it: ppsweep --resume");
    spill_bytes("was.part", data, n);
    spill_bytes("was.idx", index, n_index);
    same_files("a.csv.gz.part", "was.part");
    same_files("a.csv.gz.idx.part", "was.idx");
    free(data);
    free(index);
    six_resumes(3, "after refusals");
}

// Catches a foreign file that is truncated, and a damaged journal that is discarded.
Test(resume, lost_journal, .init = six_enter, .fini = leave)
{
    struct pps_output_plan plan = six_plan("a.csv.gz");
    plan.resume = true;
    spill("a.csv.gz.part", "mine");
    is_refused(&plan, "journal a.csv.gz.idx.part is missing");
    has_text("a.csv.gz.part", "mine");
    cr_assert_eq(unlink("a.csv.gz.part"), 0);
    six_write_some("a.csv.gz", 3);
    flip_bit("a.csv.gz.idx.part", 40);
    is_refused(&plan, "journal a.csv.gz.idx.part is damaged");
    // An index with the final name that belongs to other data.
    cr_assert_eq(unlink("a.csv.gz.idx.part"), 0);
    cr_assert_eq(system("cp whole.csv.gz.idx a.csv.gz.idx"), 0);
    spill("a.csv.gz.part", "mine");
    is_refused(&plan, "journal a.csv.gz.idx.part is missing");
    has_text("a.csv.gz.part", "mine");
    same_files("a.csv.gz.idx", "whole.csv.gz.idx");
}

// Catches two writers of one file.
Test(resume, one_writer, .init = six_enter, .fini = leave)
{
    struct pps_output_plan plan = six_plan("a.csv.gz");
    six_write_some("a.csv.gz", 3);
    plan.resume = true;
    struct pps_output *output = six_open(&plan);
    is_refused(&plan, "is being written by another run");
    plan.force = true;
    is_refused(&plan, "is being written by another run");
    plan.resume = false;
    is_refused(&plan, "is being written by another run");
    six_end(output, 3);
    same_files("a.csv.gz", "whole.csv.gz");
}

// Catches a complete result that is replaced without force.
Test(resume, beside_a_complete_one, .init = six_enter, .fini = leave)
{
    struct pps_output_plan plan = six_plan("a.csv.gz");
    six_write_some("a.csv.gz", 3);
    spill("a.csv.gz", "precious");
    plan.resume = true;
    is_refused(&plan, "--resume --force continues that run");
    has_text("a.csv.gz", "precious");
    plan.force = true;
    struct pps_output *output = six_open(&plan);
    cr_assert_eq(pps_output_prefix(output)->n_records, 4);
    has_text("a.csv.gz", "precious");
    six_end(output, 3);
    same_files("a.csv.gz", "whole.csv.gz");
}
