// SPDX-License-Identifier: Apache-2.0
// Interrupted results: which blocks are kept, and that the finished result is the same as without
// interruption. Journals and data are damaged in every way an interruption can.
#include "engine/store/output_private.h"
#include "tests/unit/support/engine/six_blocks.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void cut(const char *path, long bytes)
{
    struct stat at;
    cr_assert_eq(stat(path, &at), 0);
    cr_assert_eq(truncate(path, bytes >= 0 ? bytes : at.st_size + bytes), 0);
}

static void add(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "ab");
    fputs(bytes, file);
    fclose(file);
}

static size_t record_at(int i) // offset of the record of block i; -1: of the header line
{
    return sizeof(struct pps_index_head) + (size_t)(i + 1) * pps_index_record_bytes(N_REASONS);
}

// ---- kept blocks ----------------------------------------------------------------------------

// Catches a block written twice or skipped, and sums that ignore the kept blocks.
Test(resume, any_number_of_blocks, .init = six_enter, .fini = leave)
{
    for (int n = 0; n <= N_BLOCKS; n++) {
        six_write_some("a.csv.gz", n);
        six_resumes(n, "whole blocks");
    }
}

Test(resume, nothing_there, .init = six_enter, .fini = leave)
{
    six_resumes(-1, "nothing");
}

// Catches a torn record that is accepted, or that discards a whole record, for every length of
// the file.
Test(resume, torn_journal, .init = six_enter, .fini = leave)
{
    const long last = (long)record_at(4);
    const long n_lengths = n_cases((int)last);
    for (long length = 0; length <= n_lengths; length++) {
        const long bytes = length * last / n_lengths;
        const long head = (long)sizeof(struct pps_index_head);
        const long record = (long)pps_index_record_bytes(N_REASONS);
        six_write_some("a.csv.gz", 4);
        cut("a.csv.gz.idx.part", bytes);
        six_resumes(bytes < head ? -1 : (int)((bytes - head) / record) - 1, "torn journal");
    }
}

// After a power loss a file may have its length but not its content.
Test(resume, journal_of_zeros, .init = six_enter, .fini = leave)
{
    char zeros[1000] = {0};
    for (size_t n = 1; n <= sizeof zeros; n += 37) {
        six_write_some("a.csv.gz", 2);
        spill_bytes("a.csv.gz.idx.part", zeros, n);
        six_resumes(-1, "zeros");
    }
}

// Catches data that are kept although the file ends early, for every length.
Test(resume, short_data, .init = six_enter, .fini = leave)
{
    struct stat at;
    uint64_t ends[N_BLOCKS + 1];
    size_t n;
    char *index = slurp("whole.csv.gz.idx", &n);
    for (int i = -1; i < N_BLOCKS; i++) {
        struct pps_index_record record;
        memcpy(&record, index + record_at(i), sizeof record);
        ends[i + 1] = record.offset + record.data_bytes;
    }
    free(index);
    six_write_some("a.csv.gz", N_BLOCKS);
    cr_assert_eq(stat("a.csv.gz.part", &at), 0);
    cr_assert_eq((uint64_t)at.st_size, ends[N_BLOCKS]);
    six_resumes(N_BLOCKS, "all data");
    const uint64_t n_lengths = (uint64_t)n_cases((int)ends[N_BLOCKS]);
    for (uint64_t length = 0; length < n_lengths; length++) {
        const uint64_t bytes = length * ends[N_BLOCKS] / n_lengths;
        int kept = -1;
        six_write_some("a.csv.gz", N_BLOCKS);
        cut("a.csv.gz.part", (long)bytes);
        for (int i = 0; i <= N_BLOCKS; i++)
            kept = bytes >= ends[i] ? i : kept;
        six_resumes(kept, "short data");
    }
}

// Catches bytes of an unfinished block that stay in the file.
Test(resume, long_data, .init = six_enter, .fini = leave)
{
    six_write_some("a.csv.gz", 3);
    add("a.csv.gz.part", "half a block");
    six_resumes(3, "long data");
    six_write_some("a.csv.gz", 3);
    add("a.csv.gz.idx.part", "half a record");
    add("a.csv.gz.part", "half a block");
    six_resumes(3, "both long");
}

// Catches data or records that are accepted although one bit is wrong.
Test(resume, flipped_bits, .init = six_enter, .fini = leave)
{
    for (int i = 0; i < N_BLOCKS; i++) {
        struct pps_index_record record;
        size_t n;
        char *index = slurp("whole.csv.gz.idx", &n);
        memcpy(&record, index + record_at(i), sizeof record);
        free(index);
        six_write_some("a.csv.gz", N_BLOCKS);
        flip_bit("a.csv.gz.idx.part", record_at(i) + 20);
        six_resumes(i, "a record");
        if (record.data_bytes == 0)
            continue;
        six_write_some("a.csv.gz", N_BLOCKS);
        flip_bit("a.csv.gz.part", record.offset + record.data_bytes / 2);
        six_resumes(i, "data");
    }
    six_write_some("a.csv.gz", 2);
    flip_bit("a.csv.gz.part", 3); // the gzip header
    six_resumes(-1, "the gzip header");
}

// Catches valid records of other blocks.
Test(resume, records_out_of_order, .init = six_enter, .fini = leave)
{
    const size_t record = pps_index_record_bytes(N_REASONS);
    size_t n;
    six_write_some("a.csv.gz", 5);
    char *index = slurp("a.csv.gz.idx.part", &n);
    memmove(index + record_at(2), index + record_at(3), 2 * record);
    spill_bytes("a.csv.gz.idx.part", index, n - record);
    free(index);
    six_resumes(2, "a record is missing");
}

// Catches sums that do not match the kept blocks.
Test(resume, sums_of_the_prefix, .init = six_enter, .fini = leave)
{
    struct pps_output_plan plan = six_plan("a.csv.gz");
    six_write_some("a.csv.gz", 5);
    plan.resume = true;
    struct pps_output *output = six_open(&plan);
    const struct pps_whole_prefix *prefix = pps_output_prefix(output);
    cr_assert_eq(prefix->counts.rows, 200);
    cr_assert_eq(prefix->counts.failed, 1);
    cr_assert_eq(prefix->first_failed, 4);
    cr_assert_eq(prefix->counts.left_out[0].n, 0);
    cr_assert_eq(prefix->counts.left_out[1].n, 14);
    cr_assert_eq(prefix->first_left_out[0], PPS_NO_BLOCK);
    cr_assert_eq(prefix->first_left_out[1], 3);
    cr_assert_eq(prefix->header_bytes, strlen(HEADER));
    six_end(output, 5);
}

// ---- interruption between the renames -------------------------------------------------------

// A run that is killed between the last renames. Catches a result that can never be finished.
Test(resume, between_the_renames, .init = six_enter, .fini = leave)
{
    for (int renamed = 1; renamed <= 2; renamed++) {
        six_write_some("a.csv.gz", N_BLOCKS);
        add("a.csv.gz.part", "0123456789"); // stands for the end of the file
        spill("a.csv.gz.json.part", MANIFEST);
        cr_assert_eq(rename("a.csv.gz.idx.part", "a.csv.gz.idx"), 0);
        if (renamed == 2)
            cr_assert_eq(rename("a.csv.gz.json.part", "a.csv.gz.json"), 0);
        six_resumes(N_BLOCKS, "between the renames");
    }
}

// A run that replaces an older result and is killed between the renames. Catches an old index
// that is used for the new data.
Test(resume, between_the_renames_with_force, .init = six_enter, .fini = leave)
{
    struct pps_output_plan plan = six_plan("a.csv.gz");
    plan.resume = plan.force = true;
    six_write_some("a.csv.gz", N_BLOCKS);
    cr_assert_eq(rename("a.csv.gz.idx.part", "a.csv.gz.idx"), 0);
    spill("a.csv.gz", "old");
    spill("a.csv.gz.json", "old");
    six_end(six_open(&plan), N_BLOCKS);
    same_files("a.csv.gz", "whole.csv.gz");
    same_files("a.csv.gz.idx", "whole.csv.gz.idx");
    has_text("a.csv.gz.json", MANIFEST);
    // Nothing is written yet: the old index belongs to the old result.
    spill("a.csv.gz.part", "");
    struct pps_output *output = six_open(&plan);
    cr_assert_eq(pps_output_prefix(output)->n_records, 0);
    same_files("a.csv.gz.idx", "whole.csv.gz.idx");
    six_end(output, 0);
    same_files("a.csv.gz", "whole.csv.gz");
}
