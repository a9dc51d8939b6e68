// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/six_blocks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#define SKELETON "{\"digest\": \"d1\"}\n"

struct pps_output_plan six_plan(const char *path)
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
static void six_append(struct pps_output *output, int i)
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

struct pps_output *six_open(const struct pps_output_plan *plan)
{
    struct pps_error err;
    struct pps_output *output;
    cr_assert_eq(pps_output_open(&output, plan, &err), PPS_OK, "%s", err.text);
    return output;
}

void six_write_some(const char *path, int n)
{
    struct pps_output_plan plan = six_plan(path);
    struct pps_error err;
    struct pps_output *output = six_open(&plan);
    for (int i = 0; i < n; i++)
        six_append(output, i);
    cr_assert_eq(pps_output_stop(output, &err), PPS_OK);
}

void six_end(struct pps_output *output, int first)
{
    struct pps_error err;
    for (int i = first; i < N_BLOCKS; i++)
        six_append(output, i);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK, "%s", err.text);
}

static void six_write_whole(const char *path)
{
    struct pps_output_plan plan = six_plan(path);
    six_end(six_open(&plan), 0);
}

void six_resumes(int kept, const char *what)
{
    struct pps_output_plan plan = six_plan("a.csv.gz");
    plan.resume = true;
    struct pps_output *output = six_open(&plan);
    const struct pps_whole_prefix *prefix = pps_output_prefix(output);
    cr_assert_eq((int)prefix->n_records, kept + 1, "%s: %d records are kept", what,
                 (int)prefix->n_records);
    six_end(output, kept < 0 ? 0 : kept);
    same_files("a.csv.gz", "whole.csv.gz");
    same_files("a.csv.gz.idx", "whole.csv.gz.idx");
    has_text("a.csv.gz.json", MANIFEST);
    cr_assert(!is_there("a.csv.gz.part") && !is_there("a.csv.gz.idx.part") &&
              !is_there("a.csv.gz.json.part"));
    cr_assert_eq(system("rm -f a.csv.gz*"), 0);
}

void six_enter(void)
{
    enter();
    six_write_whole("whole.csv.gz");
}

void flip_bit(const char *path, size_t at)
{
    size_t n;
    char *bytes = slurp(path, &n);
    cr_assert(at < n);
    bytes[at] ^= 0x10;
    spill_bytes(path, bytes, n);
    free(bytes);
}
