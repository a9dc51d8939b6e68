// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/output_files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- writing --------------------------------------------------------------------------------

size_t block_text(int i, char *out)
{
    size_t n = 0;
    for (int row = 0; i != 2 && row < 400 + 10 * i; row++)
        n += (size_t)sprintf(out + n, "%d,0.%d,%d.1234\n", i, row % 10, row);
    return n;
}

char *whole_text(void)
{
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, "%s", HEADER);
    for (int i = 0; i < N_BLOCKS; i++)
        n += block_text(i, text + n);
    text[n] = '\0';
    return text;
}

struct pps_output_plan plan_for(const char *path, const char *codec)
{
    struct pps_error err;
    struct pps_output_plan plan = {.path = path,
                                   .header = HEADER,
                                   .digest = 0xd1,
                                   .n_points = 5000,
                                   .block_points = 1000,
                                   .n_reasons = 2};
    cr_assert_eq(pps_codec_parse(codec, &plan.codec, &err), PPS_OK);
    return plan;
}

enum pps_status append(struct pps_output *output, const struct pps_output_plan *plan, int i,
                       struct pps_error *err)
{
    static char text[1 << 16];
    static unsigned char data[1 << 17];
    struct pps_codec *codec;
    struct pps_block block = {.index = (uint64_t)i,
                              .counts.rows = 400,
                              .counts.failed = (uint64_t)i};
    cr_assert_eq(pps_codec_open(&codec, plan->codec, err), PPS_OK);
    size_t n = block_text(i, text);
    pps_block_set_text(&block, text, n);
    block.data = n == 0 ? NULL : data;
    block.data_bytes = pps_codec_block(codec, text, n, data, sizeof data);
    block.counts.left_out[1].n = 7;
    pps_codec_close(codec);
    return pps_output_append(output, &block, err);
}

struct pps_output *open_output(const struct pps_output_plan *plan)
{
    struct pps_error err;
    struct pps_output *output;
    cr_assert_eq(pps_output_open(&output, plan, &err), PPS_OK, "%s", err.text);
    return output;
}

void append_all(struct pps_output *output, const struct pps_output_plan *plan)
{
    struct pps_error err;
    for (int i = 0; i < N_BLOCKS; i++)
        cr_assert_eq(append(output, plan, i, &err), PPS_OK);
}

void write_all(const struct pps_output_plan *plan)
{
    struct pps_error err;
    struct pps_output *output = open_output(plan);
    append_all(output, plan);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK, "%s", err.text);
}

// ---- reading --------------------------------------------------------------------------------

void is_one_member(const char *path, const char *text)
{
    size_t n;
    char *bytes = slurp(path, &n);
    char *found = calloc(1, 1 << 20);
    z_stream z = {.next_in = (unsigned char *)bytes,
                  .avail_in = (uInt)n,
                  .next_out = (unsigned char *)found,
                  .avail_out = 1 << 20};
    cr_assert_eq(inflateInit2(&z, 15 + 16), Z_OK);
    cr_assert_eq(inflate(&z, Z_FINISH), Z_STREAM_END, "%s: %s", path, z.msg);
    cr_assert_eq(z.avail_in, 0, "%s: bytes after the member", path);
    cr_assert_str_eq(found, text);
    inflateEnd(&z);
    free(found);
    free(bytes);
}

void journal_matches(const char *index_path, const char *data_path, int n_blocks)
{
    size_t n_index, n_data;
    char *index = slurp(index_path, &n_index), *data = slurp(data_path, &n_data);
    struct pps_index_head head;
    memcpy(&head, index, sizeof head);
    cr_assert(pps_index_head_is_valid(&head));
    cr_assert(head.digest == 0xd1 && head.n_points == 5000 && head.block_points == 1000);
    cr_assert(head.n_reasons == 2 && head.n_shards == 1);
    cr_assert_eq(n_index, head.head_bytes + (size_t)(n_blocks + 1) * head.record_bytes);
    uint64_t offset = 10;
    for (int i = -1; i < n_blocks; i++) {
        char text[1 << 16] = HEADER;
        size_t n_text = i < 0 ? strlen(HEADER) : block_text(i, text);
        const char *at = index + head.head_bytes + (size_t)(i + 1) * head.record_bytes;
        struct pps_index_record record;
        uint64_t left_out[2];
        memcpy(&record, at, sizeof record);
        memcpy(left_out, at + sizeof record, sizeof left_out);
        cr_assert(pps_index_record_is_valid(at, head.record_bytes), "record %d", i);
        cr_assert_eq(record.index, i < 0 ? UINT64_MAX : (uint64_t)i);
        cr_assert_eq(record.offset, offset, "record %d", i);
        cr_assert_eq(record.text_bytes, n_text, "record %d", i);
        cr_assert_eq(record.text_crc, crc32(0, (unsigned char *)text, (uInt)n_text));
        cr_assert_eq(record.data_xxh64, XXH64(data + offset, record.data_bytes, 0));
        cr_assert(i < 0 || (record.failed == (uint64_t)i && left_out[1] == 7));
        offset += record.data_bytes;
    }
    cr_assert(offset <= n_data);
    free(index);
    free(data);
}
