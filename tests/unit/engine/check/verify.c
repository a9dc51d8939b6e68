// SPDX-License-Identifier: Apache-2.0
// Verified results: any change in any of the three files is found, with its place; a correct
// result passes, whole or a shard, compressed or plain.
#include "tests/unit/support/engine/verifying.h"

#include "engine/check/verify.h"
#include "tests/unit/support/engine/toy_kernel.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const atomic_bool never; // a stop flag

TestSuite(verify, .init = enter, .fini = leave);

Test(verify, a_result_that_is_right_passes)
{
    static const char *const codecs[] = {"zlib:1", "zlib:9", "none"};
    for (int c = 0; c < 3; c++) {
        const char *path = c < 2 ? "r.csv.gz" : "p.csv";
        const struct result_plan plan = {path, SMALL, codecs[c], 5, 0, 0, NULL, NULL};
        struct pps_verified verified;
        write_result(&plan);
        passes(path, 1, &verified);
        cr_assert(verified.in_order && verified.counts.rows > 0);
        cr_assert_eq(verified.computed, verified.counts.rows);
        cr_assert(verified.points > verified.counts.rows);
        cr_assert_eq(verified.blocks, (verified.points + 4) / 5);
        passes(path, 0, &verified);
        cr_assert_eq(verified.computed, 0);
        cr_assert(verified.in_order);
        // A small fraction of a small result still checks some rows.
        passes(path, 1e-9, &verified);
        cr_assert(verified.computed >= 5, "%d", (int)verified.computed);
    }
}

Test(verify, the_reference_computes_as_well)
{
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 7, 0, 0, NULL, NULL};
    const struct pps_verify_ask ask = {"r.csv.gz", test_kernels, TEST_VERSION, 1,        true,
                                       2,          &never,       {NULL, NULL}, {NULL, 0}};
    struct pps_verified verified;
    struct pps_error err;
    write_result(&plan);
    cr_assert_eq(verify_with(&ask, &verified, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(verified.audited.rows, verified.counts.rows);
    cr_assert(verified.audited.largest < 1e-9);
}

Test(verify, threads_find_the_same)
{
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 1, 0, 0, NULL, NULL};
    struct pps_verify_ask ask = {"r.csv.gz", test_kernels, TEST_VERSION, 1,        false,
                                 4,          &never,       {NULL, NULL}, {NULL, 0}};
    struct pps_verified verified;
    struct pps_error err, first;
    size_t n;
    write_result(&plan);
    cr_assert_eq(verify_with(&ask, &verified, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(verified.computed, verified.counts.rows);
    char *bytes = slurp("r.csv.gz", &n);
    for (size_t i = n / 4; i < n - 20; i += 3)
        bytes[i] ^= 4;
    spill_bytes("r.csv.gz", bytes, n);
    ask.threads = 1;
    cr_assert_eq(verify_with(&ask, &verified, &first), PPS_E_WRONG);
    for (ask.threads = 2; ask.threads <= 5; ask.threads++) {
        cr_assert_eq(verify_with(&ask, &verified, &err), PPS_E_WRONG);
        cr_assert_str_eq(err.text, first.text);
    }
    free(bytes);
}

// ---- damage -----------------------------------------------------------------------------------

static void every_flip_is_found(const char *path, const char *file)
{
    struct pps_verified verified;
    struct pps_error err;
    size_t n;
    char *bytes = slurp(file, &n);
    const size_t step = n / (size_t)n_cases((int)n); // some of the bytes under sanitizers
    for (size_t i = 0; i < n; i += step)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            const int fd = open(file, O_WRONLY);
            cr_assert_eq(pwrite(fd, bytes + i, 1, (off_t)i), 1);
            const enum pps_status status = verify(path, 0, &verified, &err);
            cr_assert_eq(status, PPS_E_WRONG, "%s: byte %zu of %zu, bit %d: %s", file, i, n,
                         bit, err.text);
            bytes[i] ^= (unsigned char)(1 << bit);
            cr_assert_eq(pwrite(fd, bytes + i, 1, (off_t)i), 1);
            close(fd);
        }
    passes(path, 0, &verified);
    free(bytes);
}

static void every_end_is_found(const char *path, const char *file)
{
    struct pps_verified verified;
    struct pps_error err;
    size_t n;
    char *bytes = slurp(file, &n);
    const size_t step = n / (size_t)n_cases((int)n);
    for (size_t i = 0; i < n; i += step) {
        spill_bytes(file, bytes, i);
        cr_assert_eq(verify(path, 0, &verified, &err), PPS_E_WRONG, "%s: %zu bytes of %zu: %s",
                     file, i, n, err.text);
    }
    bytes[n] = '\n';
    spill_bytes(file, bytes, n + 1);
    cr_assert_eq(verify(path, 0, &verified, &err), PPS_E_WRONG, "%s: a byte more", file);
    spill_bytes(file, bytes, n);
    passes(path, 0, &verified);
    free(bytes);
}

Test(verify, every_flipped_bit_and_every_end_is_found)
{
    const struct result_plan gzip = {"r.csv.gz", SMALL, NULL, 9, 0, 0, NULL, NULL};
    const struct result_plan plain = {"p.csv", SMALL, "none", 9, 0, 0, NULL, NULL};
    write_result(&gzip);
    write_result(&plain);
    every_flip_is_found("r.csv.gz", "r.csv.gz");
    every_flip_is_found("r.csv.gz", "r.csv.gz.idx");
    every_flip_is_found("r.csv.gz", "r.csv.gz.json");
    every_flip_is_found("p.csv", "p.csv");
    every_end_is_found("r.csv.gz", "r.csv.gz");
    every_end_is_found("r.csv.gz", "r.csv.gz.idx");
    every_end_is_found("r.csv.gz", "r.csv.gz.json");
    every_end_is_found("p.csv", "p.csv");
}

Test(verify, the_place_is_told)
{
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 5, 0, 0, NULL, NULL};
    struct pps_index_record record;
    size_t n, n_index;
    write_result(&plan);
    char *bytes = slurp("r.csv.gz", &n), *index = slurp("r.csv.gz.idx", &n_index);
    struct pps_index_head head;
    memcpy(&head, index, sizeof head);
    memcpy(&record, index + sizeof head + 3 * head.record_bytes, sizeof record); // block 2
    bytes[record.offset + 7] ^= 1;
    spill_bytes("r.csv.gz", bytes, n);
    char words[64];
    snprintf(words, sizeof words, "r.csv.gz: block 2 (bytes %d to", (int)record.offset);
    fails("r.csv.gz", 0, PPS_E_WRONG, words);
    bytes[record.offset + 7] ^= 1;
    bytes[3] ^= 1;
    spill_bytes("r.csv.gz", bytes, n);
    fails("r.csv.gz", 0, PPS_E_WRONG, "gzip header");
    bytes[3] ^= 1;
    bytes[n - 1] ^= 1;
    spill_bytes("r.csv.gz", bytes, n);
    fails("r.csv.gz", 0, PPS_E_WRONG, "gzip end");
    bytes[n - 1] ^= 1;
    spill_bytes("r.csv.gz", bytes, n);
    index[sizeof head + 2 * head.record_bytes + 20] ^= 1;
    spill_bytes("r.csv.gz.idx", index, n_index);
    fails("r.csv.gz", 0, PPS_E_WRONG, "r.csv.gz.idx: record 2 (bytes ");
    free(index);
    free(bytes);
}

// Catches whole records in the wrong positions.
Test(verify, swapped_and_repeated_blocks_are_found)
{
    const struct result_plan plan = {"p.csv", SMALL, "none", 5, 0, 0, NULL, NULL};
    struct pps_index_head head;
    size_t n;
    write_result(&plan);
    char *index = slurp("p.csv.idx", &n), *changed = malloc(n);
    memcpy(&head, index, sizeof head);
    char *second = changed + sizeof head + 2 * head.record_bytes;
    memcpy(changed, index, n);
    memcpy(second, index + sizeof head + 3 * head.record_bytes, head.record_bytes);
    memcpy(second + head.record_bytes, index + sizeof head + 2 * head.record_bytes,
           head.record_bytes);
    spill_bytes("p.csv.idx", changed, n);
    fails("p.csv", 0, PPS_E_WRONG, "record 2 is block 2, but block 1 is expected");
    memcpy(changed, index, n);
    memcpy(second + head.record_bytes, second, head.record_bytes);
    spill_bytes("p.csv.idx", changed, n);
    fails("p.csv", 0, PPS_E_WRONG, "record 3 is block 1, but block 2 is expected");
    free(changed);
    free(index);
}

// ---- wrong rows with valid checksums --------------------------------------------------------

static void change_result(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)counts;
    if (block == 5) // the last digit of the block's last row
        text[*n - 2] = text[*n - 2] == '7' ? '8' : '7';
}

static void change_cell(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)n, (void)counts;
    if (block == 1)
        text[0] = '9';
}

static void swap_rows(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    char row[256];
    (void)n, (void)counts;
    if (block != 1)
        return;
    char *second = strchr(text, '\n') + 1;
    const size_t a = (size_t)(second - text), b = (size_t)(strchr(second, '\n') + 1 - second);
    memcpy(row, text, a);
    memmove(text, second, b);
    memcpy(text + b, row, a);
}

static void drop_row(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    if (block != 1)
        return;
    char *second = strchr(text, '\n') + 1;
    *n -= (size_t)(second - text);
    memmove(text, second, *n);
    counts->rows--;
    counts->left_out[0].n++; // keeps the number of points
}

static void repeat_row(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)counts;
    if (block != 1)
        return;
    const size_t a = (size_t)(strchr(text, '\n') + 1 - text);
    memmove(text + a, text, *n);
    *n += a;
}

static void empty_result(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)counts;
    if (block != 2)
        return;
    while (text[*n - 2] != ',')
        *n -= 1;
    text[*n - 1] = '\n';
}

static void cut_newline(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)text, (void)counts;
    if (block == 2)
        *n -= 1;
}

static void add_cell(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)counts;
    if (block != 0)
        return;
    memcpy(text + *n - 1, ",1\n", 3);
    *n += 2;
}

static void strange_reason(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)text, (void)n;
    for (int r = 0; block == 4 && r < 2; r++)
        if (counts->left_out[r].n > 0) {
            counts->left_out[r].n--;
            counts->left_out[r + 1].n++;
            return;
        }
}

Test(verify, wrong_rows_under_right_checksums_are_found)
{
    static const struct {
        void (*spoil)(uint64_t block, char *text, size_t *n, struct pps_counts *counts);
        double sample;
        const char *words;
    } cases[] = {
        {change_result, 1, "block 5: row 18: total_time is \""},
        {change_cell, 0, "block 1: row 6: n is \"9\", but should be \"2\""},
        {swap_rows, 0, "block 1: row 6: "},
        {drop_row, 0, "block 1: row 6: "},
        {repeat_row, 0, "block 1: row 7: "},
        {empty_result, 0, "block 2: 1 rows are without results, but 0 failed"},
        {cut_newline, 0, "has no end"},
        {add_cell, 1, "block 0: row 5 has another number of cells than the header line"},
        {strange_reason, 0, "points not satisfying n > 2 || sync_freq < 2, the experiment "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result_plan plan = {"r.csv.gz", SMALL, NULL, 5, 0, 0, cases[i].spoil, NULL};
        write_result(&plan);
        fails("r.csv.gz", cases[i].sample, PPS_E_WRONG, cases[i].words);
        fails("r.csv.gz", 1, PPS_E_WRONG, "");
    }
}

// ---- shards, versions, missing files ----------------------------------------------------------

Test(verify, shards_pass_and_know_their_blocks)
{
    uint64_t rows = 0, blocks = 0;
    struct pps_verified verified;
    for (uint32_t k = 0; k < 3; k++) {
        char path[32];
        snprintf(path, sizeof path, "r%d.csv.gz", (int)k);
        const struct result_plan plan = {path, SMALL, NULL, 4, k, 3, NULL, NULL};
        write_result(&plan);
        passes(path, 1, &verified);
        cr_assert_eq(verified.shard, k);
        cr_assert_eq(verified.n_shards, 3);
        cr_assert_eq(verified.computed, verified.counts.rows);
        rows += verified.counts.rows;
        blocks += verified.blocks;
    }
    const struct result_plan whole = {"r.csv.gz", SMALL, NULL, 4, 0, 1, NULL, NULL};
    write_result(&whole);
    passes("r.csv.gz", 0, &verified);
    cr_assert_eq(rows, verified.counts.rows);
    cr_assert_eq(blocks, verified.blocks);
    // A shard under the name of another shard.
    cr_assert_eq(rename("r1.csv.gz.idx", "r2.csv.gz.idx"), 0);
    fails("r2.csv.gz", 0, PPS_E_WRONG, "");
}

Test(verify, shards_are_counted)
{
    struct pps_verified v[4] = {{.shard = 3, .n_shards = 4, .digest = 7},
                                {.shard = 0, .n_shards = 4, .digest = 7},
                                {.shard = 1, .n_shards = 4, .digest = 7},
                                {.shard = 2, .n_shards = 4, .digest = 7}};
    uint32_t here, missing;
    cr_assert(pps_shards_together(v, 3, &here, &missing)); // leaves 0, 1, 3
    cr_assert(here == 3 && missing == 2);
    cr_assert(pps_shards_together(v, 4, &here, &missing));
    cr_assert_eq(here, 4);
    v[1] = v[2];
    cr_assert(pps_shards_together(v, 4, &here, &missing)); // 0, 2, 2, 3
    cr_assert(here == 3 && missing == 1);
    v[3].digest = 8;
    cr_assert(!pps_shards_together(v, 4, &here, &missing));
    v[0].n_shards = 1;
    cr_assert(!pps_shards_together(v, 1, &here, &missing));
}

// With more shards than blocks, one file has no rows.
Test(verify, an_empty_shard_passes)
{
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 1000, 2, 3, NULL, NULL};
    struct pps_verified verified;
    write_result(&plan);
    passes("r.csv.gz", 1, &verified);
    cr_assert_eq(verified.counts.rows, 0);
    cr_assert_eq(verified.blocks, 0);
}

Test(verify, another_version_cannot_compute_again)
{
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 5, 0, 0, NULL, "0"};
    const struct pps_verify_ask older = {"r.csv.gz", test_kernels, "9.8",    1, false, 1,
                                         &never,     {NULL, NULL}, {NULL, 0}};
    struct pps_verified verified;
    struct pps_error err;
    write_result(&plan);
    fails("r.csv.gz", 1, PPS_E_INPUT, "it was made by version 0 of contention");
    passes("r.csv.gz", 0, &verified);
    cr_assert(!verified.in_order && verified.why_not[0] != '\0');
    const struct result_plan now = {"r.csv.gz", SMALL, NULL, 5, 0, 0, NULL, NULL};
    write_result(&now);
    cr_assert_eq(verify_with(&older, &verified, &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, TEST_VERSION ", and this is ppsweep 9.8") != NULL, "%s",
              err.text);
}

Test(verify, what_is_missing_is_said)
{
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 5, 0, 0, NULL, NULL};
    write_result(&plan);
    cr_assert_eq(rename("r.csv.gz.idx", "idx"), 0);
    fails("r.csv.gz", 0, PPS_E_INPUT, "r.csv.gz.idx does not exist: without its index");
    cr_assert_eq(rename("idx", "r.csv.gz.idx"), 0);
    cr_assert_eq(rename("r.csv.gz.json", "json"), 0);
    fails("r.csv.gz", 0, PPS_E_INPUT, "r.csv.gz.json does not exist: without its manifest");
    cr_assert_eq(mkfifo("r.csv.gz.json", 0600), 0);
    fails("r.csv.gz", 0, PPS_E_INPUT, "is not a regular file");
    cr_assert_eq(rename("r.csv.gz", "r.csv.gz.part"), 0);
    fails("r.csv.gz", 0, PPS_E_INPUT, "only r.csv.gz.part of an interrupted run");
    fails("r.csv.gz.part", 0, PPS_E_INPUT, "an unfinished run");
    fails("none.csv", 0, PPS_E_INPUT, "none.csv does not exist");
    fails("-", 0, PPS_E_INPUT, "stdin has none");
    cr_assert_eq(mkdir("d.csv", 0700), 0);
    fails("d.csv", 0, PPS_E_INPUT, "is not a regular file");
}
