// SPDX-License-Identifier: Apache-2.0
// Interrupted results: which blocks are kept, what is refused, and that the finished result is
// the same as without interruption. Journals and data are damaged in every way an interruption
// can.
#include "engine/store/output_private.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER   "n,total_time\n"
#define MANIFEST "{\"rows\": 3}\n"
#define SKELETON "{\"digest\": \"d1\"}\n"

enum { N_BLOCKS = 6, N_REASONS = 2 };

// ---- a result of six blocks -------------------------------------------------------------------

static struct pps_output_plan plan_for(const char *path)
{
    return (struct pps_output_plan){.path = path,
                                    .codec = {PPS_CODEC_ZLIB, 1},
                                    .header = HEADER,
                                    .digest = 0xd1,
                                    .n_points = N_BLOCKS * 100 - 30,
                                    .block_points = 100,
                                    .n_reasons = N_REASONS,
                                    .manifest = SKELETON};
}

// Appends block i; block 2 has no rows.
static void append(struct pps_output *output, int i)
{
    static char text[1 << 14];
    static unsigned char data[1 << 15];
    struct pps_codec *codec;
    struct pps_error err;
    struct pps_block block = {.index = (uint64_t)i, .counts.rows = i == 2 ? 0 : 50};
    size_t n = 0;
    for (int row = 0; i != 2 && row < 50; row++)
        n += (size_t)sprintf(text + n, "%d,%d.%04d\n", i, row, i * row);
    cr_assert_eq(pps_codec_open(&codec, (struct pps_codec_choice){PPS_CODEC_ZLIB, 1}, &err),
                 PPS_OK);
    pps_block_set_text(&block, text, n);
    block.data = data;
    block.data_bytes = pps_codec_block(codec, text, n, data, sizeof data);
    block.counts.left_out[1].n = i >= 3 ? 7 : 0;
    block.counts.failed = i >= 4 ? 1 : 0;
    pps_codec_close(codec);
    cr_assert_eq(pps_output_append(output, &block, &err), PPS_OK, "%s", err.text);
}

static struct pps_output *open_output(const struct pps_output_plan *plan)
{
    struct pps_error err;
    struct pps_output *output;
    cr_assert_eq(pps_output_open(&output, plan, &err), PPS_OK, "%s", err.text);
    return output;
}

// Writes the first n blocks, then stops as after an interrupt.
static void write_some(const char *path, int n)
{
    struct pps_output_plan plan = plan_for(path);
    struct pps_error err;
    struct pps_output *output = open_output(&plan);
    for (int i = 0; i < n; i++)
        append(output, i);
    cr_assert_eq(pps_output_stop(output, &err), PPS_OK);
}

static void end(struct pps_output *output, int first)
{
    struct pps_error err;
    for (int i = first; i < N_BLOCKS; i++)
        append(output, i);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK, "%s", err.text);
}

static void write_whole(const char *path)
{
    struct pps_output_plan plan = plan_for(path);
    end(open_output(&plan), 0);
}

// Resumes a.csv.gz, which must keep `kept` blocks (-1: not even the header line), and finishes
// it.
static void resumes(int kept, const char *what)
{
    struct pps_output_plan plan = plan_for("a.csv.gz");
    plan.resume = true;
    struct pps_output *output = open_output(&plan);
    const struct pps_whole_prefix *prefix = pps_output_prefix(output);
    cr_assert_eq((int)prefix->n_records, kept + 1, "%s: %d records are kept", what,
                 (int)prefix->n_records);
    end(output, kept < 0 ? 0 : kept);
    same_files("a.csv.gz", "whole.csv.gz");
    same_files("a.csv.gz.idx", "whole.csv.gz.idx");
    has_text("a.csv.gz.json", MANIFEST);
    cr_assert(!is_there("a.csv.gz.part") && !is_there("a.csv.gz.idx.part") &&
              !is_there("a.csv.gz.json.part"));
    cr_assert_eq(system("rm -f a.csv.gz*"), 0);
}

static void is_refused(const struct pps_output_plan *plan, const char *why)
{
    struct pps_error err;
    struct pps_output *output;
    cr_assert_eq(pps_output_open(&output, plan, &err), PPS_E_INPUT, "'%s' was not refused",
                 why);
    cr_assert(strstr(err.text, why) != NULL, "'%s' lacks '%s'", err.text, why);
}

static void enter_with_whole(void)
{
    enter();
    write_whole("whole.csv.gz");
}

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

static void flip(const char *path, size_t at)
{
    size_t n;
    char *bytes = slurp(path, &n);
    cr_assert(at < n);
    bytes[at] ^= 0x10;
    spill_bytes(path, bytes, n);
    free(bytes);
}

static size_t record_at(int i) // offset of the record of block i; -1: of the header line
{
    return sizeof(struct pps_index_head) + (size_t)(i + 1) * pps_index_record_bytes(N_REASONS);
}

// ---- kept blocks ----------------------------------------------------------------------------

// Catches a block written twice or skipped, and sums that ignore the kept blocks.
Test(resume, any_number_of_blocks, .init = enter_with_whole, .fini = leave)
{
    for (int n = 0; n <= N_BLOCKS; n++) {
        write_some("a.csv.gz", n);
        resumes(n, "whole blocks");
    }
}

Test(resume, nothing_there, .init = enter_with_whole, .fini = leave)
{
    resumes(-1, "nothing");
}

// Catches a torn record that is accepted, or that discards a whole record, for every length of
// the file.
Test(resume, torn_journal, .init = enter_with_whole, .fini = leave)
{
    const long last = (long)record_at(4);
    for (long bytes = 0; bytes <= last; bytes++) {
        const long head = (long)sizeof(struct pps_index_head);
        const long record = (long)pps_index_record_bytes(N_REASONS);
        write_some("a.csv.gz", 4);
        cut("a.csv.gz.idx.part", bytes);
        resumes(bytes < head ? -1 : (int)((bytes - head) / record) - 1, "torn journal");
    }
}

// After a power loss a file may have its length but not its content.
Test(resume, journal_of_zeros, .init = enter_with_whole, .fini = leave)
{
    char zeros[1000] = {0};
    for (size_t n = 1; n <= sizeof zeros; n += 37) {
        write_some("a.csv.gz", 2);
        spill_bytes("a.csv.gz.idx.part", zeros, n);
        resumes(-1, "zeros");
    }
}

// Catches data that are kept although the file ends early, for every length.
Test(resume, short_data, .init = enter_with_whole, .fini = leave)
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
    write_some("a.csv.gz", N_BLOCKS);
    cr_assert_eq(stat("a.csv.gz.part", &at), 0);
    cr_assert_eq((uint64_t)at.st_size, ends[N_BLOCKS]);
    resumes(N_BLOCKS, "all data");
    for (uint64_t bytes = 0; bytes < ends[N_BLOCKS]; bytes++) {
        int kept = -1;
        write_some("a.csv.gz", N_BLOCKS);
        cut("a.csv.gz.part", (long)bytes);
        for (int i = 0; i <= N_BLOCKS; i++)
            kept = bytes >= ends[i] ? i : kept;
        resumes(kept, "short data");
    }
}

// Catches bytes of an unfinished block that stay in the file.
Test(resume, long_data, .init = enter_with_whole, .fini = leave)
{
    write_some("a.csv.gz", 3);
    add("a.csv.gz.part", "half a block");
    resumes(3, "long data");
    write_some("a.csv.gz", 3);
    add("a.csv.gz.idx.part", "half a record");
    add("a.csv.gz.part", "half a block");
    resumes(3, "both long");
}

// Catches data or records that are accepted although one bit is wrong.
Test(resume, flipped_bits, .init = enter_with_whole, .fini = leave)
{
    for (int i = 0; i < N_BLOCKS; i++) {
        struct pps_index_record record;
        size_t n;
        char *index = slurp("whole.csv.gz.idx", &n);
        memcpy(&record, index + record_at(i), sizeof record);
        free(index);
        write_some("a.csv.gz", N_BLOCKS);
        flip("a.csv.gz.idx.part", record_at(i) + 20);
        resumes(i, "a record");
        if (record.data_bytes == 0)
            continue;
        write_some("a.csv.gz", N_BLOCKS);
        flip("a.csv.gz.part", record.offset + record.data_bytes / 2);
        resumes(i, "data");
    }
    write_some("a.csv.gz", 2);
    flip("a.csv.gz.part", 3); // the gzip header
    resumes(-1, "the gzip header");
}

// Catches valid records of other blocks.
Test(resume, records_out_of_order, .init = enter_with_whole, .fini = leave)
{
    const size_t record = pps_index_record_bytes(N_REASONS);
    size_t n;
    write_some("a.csv.gz", 5);
    char *index = slurp("a.csv.gz.idx.part", &n);
    memmove(index + record_at(2), index + record_at(3), 2 * record);
    spill_bytes("a.csv.gz.idx.part", index, n - record);
    free(index);
    resumes(2, "a record is missing");
}

// Catches sums that do not match the kept blocks.
Test(resume, sums_of_the_prefix, .init = enter_with_whole, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz");
    write_some("a.csv.gz", 5);
    plan.resume = true;
    struct pps_output *output = open_output(&plan);
    const struct pps_whole_prefix *prefix = pps_output_prefix(output);
    cr_assert_eq(prefix->counts.rows, 200);
    cr_assert_eq(prefix->counts.failed, 1);
    cr_assert_eq(prefix->first_failed, 4);
    cr_assert_eq(prefix->counts.left_out[0].n, 0);
    cr_assert_eq(prefix->counts.left_out[1].n, 14);
    cr_assert_eq(prefix->first_left_out[0], PPS_NO_BLOCK);
    cr_assert_eq(prefix->first_left_out[1], 3);
    cr_assert_eq(prefix->header_bytes, strlen(HEADER));
    end(output, 5);
}

// ---- interruption between the renames -------------------------------------------------------

// A run that is killed between the last renames. Catches a result that can never be finished.
Test(resume, between_the_renames, .init = enter_with_whole, .fini = leave)
{
    for (int renamed = 1; renamed <= 2; renamed++) {
        write_some("a.csv.gz", N_BLOCKS);
        add("a.csv.gz.part", "0123456789"); // stands for the end of the file
        spill("a.csv.gz.json.part", MANIFEST);
        cr_assert_eq(rename("a.csv.gz.idx.part", "a.csv.gz.idx"), 0);
        if (renamed == 2)
            cr_assert_eq(rename("a.csv.gz.json.part", "a.csv.gz.json"), 0);
        resumes(N_BLOCKS, "between the renames");
    }
}

// A run that replaces an older result and is killed between the renames. Catches an old index
// that is used for the new data.
Test(resume, between_the_renames_with_force, .init = enter_with_whole, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz");
    plan.resume = plan.force = true;
    write_some("a.csv.gz", N_BLOCKS);
    cr_assert_eq(rename("a.csv.gz.idx.part", "a.csv.gz.idx"), 0);
    spill("a.csv.gz", "old");
    spill("a.csv.gz.json", "old");
    end(open_output(&plan), N_BLOCKS);
    same_files("a.csv.gz", "whole.csv.gz");
    same_files("a.csv.gz.idx", "whole.csv.gz.idx");
    has_text("a.csv.gz.json", MANIFEST);
    // Nothing is written yet: the old index belongs to the old result.
    spill("a.csv.gz.part", "");
    struct pps_output *output = open_output(&plan);
    cr_assert_eq(pps_output_prefix(output)->n_records, 0);
    same_files("a.csv.gz.idx", "whole.csv.gz.idx");
    end(output, 0);
    same_files("a.csv.gz", "whole.csv.gz");
}

// ---- refused results ------------------------------------------------------------------------

// Catches a result continued by another run, and a message that does not name the difference.
Test(resume, other_runs, .init = enter_with_whole, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz"), other;
    write_some("a.csv.gz", 3);
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
    resumes(3, "after refusals");
}

// Catches a foreign file that is truncated, and a damaged journal that is discarded.
Test(resume, lost_journal, .init = enter_with_whole, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz");
    plan.resume = true;
    spill("a.csv.gz.part", "mine");
    is_refused(&plan, "journal a.csv.gz.idx.part is missing");
    has_text("a.csv.gz.part", "mine");
    cr_assert_eq(unlink("a.csv.gz.part"), 0);
    write_some("a.csv.gz", 3);
    flip("a.csv.gz.idx.part", 40);
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
Test(resume, one_writer, .init = enter_with_whole, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz");
    write_some("a.csv.gz", 3);
    plan.resume = true;
    struct pps_output *output = open_output(&plan);
    is_refused(&plan, "is being written by another run");
    plan.force = true;
    is_refused(&plan, "is being written by another run");
    plan.resume = false;
    is_refused(&plan, "is being written by another run");
    end(output, 3);
    same_files("a.csv.gz", "whole.csv.gz");
}

// Catches a complete result that is replaced without force.
Test(resume, beside_a_complete_one, .init = enter_with_whole, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz");
    write_some("a.csv.gz", 3);
    spill("a.csv.gz", "precious");
    plan.resume = true;
    is_refused(&plan, "--resume --force continues that run");
    has_text("a.csv.gz", "precious");
    plan.force = true;
    struct pps_output *output = open_output(&plan);
    cr_assert_eq(pps_output_prefix(output)->n_records, 4);
    has_text("a.csv.gz", "precious");
    end(output, 3);
    same_files("a.csv.gz", "whole.csv.gz");
}
