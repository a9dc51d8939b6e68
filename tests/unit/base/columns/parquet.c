// SPDX-License-Identifier: Apache-2.0
// Blocks of rows as row groups of Parquet, and back: the text is the same, byte by byte. (What other
// readers see in the files is tested by tests/cli/run-formats.)
#include "base/columns/hybrid.h"
#include "base/columns/parquet_layout_private.h"
#include "base/columns/parquet_read.h"
#include "base/columns/parquet_write.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char names[] = "i,r,b,t\n";

static struct pps_schema make_schema(void)
{
    struct pps_schema schema;
    struct pps_error err;
    cr_assert_eq(pps_schema_open(&schema, names, strlen(names), &err), PPS_OK);
    schema.kinds[0] = PPS_CELLS_INTEGER;
    schema.kinds[1] = PPS_CELLS_REAL;
    schema.kinds[2] = PPS_CELLS_BOOLEAN;
    return schema;
}

// Checks that the cells of a block, joined, are the text. The columns are decoded in any order.
static void expect_cells(struct pps_parquet_reader *reader, const struct text_buffer *block,
                         const char *text, size_t n)
{
    struct text_buffer again = {.text = NULL};
    struct pps_parquet_cells cells;
    uint32_t n_columns, n_rows;
    cr_assert(pps_parquet_block_open(reader, (const unsigned char *)block->text, block->n,
                                     &n_columns, &n_rows));
    cr_assert(pps_parquet_block_cells(reader, n_columns - 1, &cells));
    for (uint32_t row = 0; row < n_rows; row++)
        for (uint32_t c = 0; c < n_columns; c++) {
            size_t bytes;
            cr_assert(pps_parquet_block_cells(reader, c, &cells));
            const char *cell = pps_parquet_cell(&cells, row, &bytes);
            text_buffer_add_bytes(&again, cell, bytes);
            text_buffer_add_bytes(&again, c + 1 < n_columns ? "," : "\n", 1);
        }
    cr_assert_eq(again.n, n);
    cr_assert_eq(memcmp(text, again.text, n), 0, "%.*s", 300, again.text);
    text_buffer_free(&again);
}

// Encodes and decodes the text, and checks that it is unchanged.
static void expect_same(struct pps_parquet *writer, const char *text, size_t n)
{
    struct text_buffer out = {.text = NULL};
    struct pps_error err;
    const char *again;
    size_t n_again;
    cr_assert_eq(pps_parquet_block(writer, text, n, 1, &out, &err), PPS_OK, "%s", err.text);
    struct pps_parquet_reader *reader = pps_parquet_reader_open(NULL);
    cr_assert(pps_parquet_block_text(reader, (const unsigned char *)out.text, out.n, &again,
                                     &n_again));
    cr_assert_eq(n_again, n);
    cr_assert_eq(memcmp(text, again, n), 0, "%.*s\n%.*s", 300, text, 300, again);
    if (n > 0)
        expect_cells(reader, &out, text, n);
    pps_parquet_reader_close(reader);
    text_buffer_free(&out);
}

static struct pps_parquet *open_writer(const struct pps_schema *schema)
{
    struct pps_parquet *writer;
    struct pps_error err;
    cr_assert_eq(pps_parquet_open(&writer, schema, 1, &err), PPS_OK);
    return writer;
}

// Would catch digits, signs, zeros and exponents that are written otherwise than they were read.
Test(parquet, spellings)
{
    static const char *const texts[] = {
        "1,0.50,true,a\n2,0.25,false,b\n",
        "1,0.5,true,a\n2,1.0,false,b\n3,1e-09,,\n",
        "-0,-0.0,true,\n+1,00.5,true,x\n",
        "8.0,5,true,a\n1e3,7,true,a\n",
        ",,,\n,,,\n",
        "1,0.1000000000000000055511151231257827,,\n",
        "999999999999999999,12345678901234567.5,,\"q\"\n",
        "1,-0.0000,,\n2,12.3456,,\n",
        "007,1.,true,\n",
        "1,.5,true,\n",
        "-3,4e20,false, blank \n",
    };
    struct pps_schema schema = make_schema();
    struct pps_parquet *writer = open_writer(&schema);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_same(writer, texts[i], strlen(texts[i]));
    pps_parquet_close(writer);
    pps_schema_free(&schema);
}

static void add_row(struct random *random, int kind, struct text_buffer *text)
{
    const uint64_t bits = random_bits(random);
    const int few = kind & 1, decimals = (int)(kind >> 1 & 7);
    if (bits % 7 != 0)
        text_buffer_add(text, "%d", (int)(few ? bits % 5 : bits >> 33));
    text_buffer_add(text, ",");
    if (bits % 11 != 0)
        text_buffer_add(text, "%.*f", decimals,
                        few ? (double)(bits >> 8 & 3) / 8 : (double)(bits >> 20) / 1e7);
    text_buffer_add(text, ",%s,", bits % 13 == 0 ? "" : bits & 64 ? "true" : "false");
    text_buffer_add(text, "%.*s\n", (int)(bits >> 40 & 3), few ? "abc" : "xyz");
}

Test(parquet, random_blocks_there_and_back)
{
    struct random random = {11};
    struct pps_schema schema = make_schema();
    struct pps_parquet *writer = open_writer(&schema);
    for (int round = 0; round < 400; round++) {
        struct text_buffer text = {.text = NULL};
        const size_t rows = 1 + random_bits(&random) % (round % 10 == 0 ? 5000 : 40);
        for (size_t i = 0; i < rows; i++)
            add_row(&random, round, &text);
        expect_same(writer, text.text, text.n);
        text_buffer_free(&text);
    }
    pps_parquet_close(writer);
    pps_schema_free(&schema);
}

// A block depends on its rows alone. Would catch memory of an earlier block that shows.
Test(parquet, the_same_bytes_again)
{
    static const char one[] = "1,0.5,true,a\n", other[] = "1,77.5,false,\n2,,true,word\n";
    struct pps_schema schema = make_schema();
    struct pps_parquet *writer = open_writer(&schema);
    struct pps_error err;
    struct text_buffer first = {.text = NULL}, second = {.text = NULL},
                       between = {.text = NULL};
    cr_assert_eq(pps_parquet_block(writer, one, strlen(one), 1, &first, &err), PPS_OK);
    cr_assert_eq(pps_parquet_block(writer, other, strlen(other), 1, &between, &err), PPS_OK);
    cr_assert_eq(pps_parquet_block(writer, one, strlen(one), 1, &second, &err), PPS_OK);
    cr_assert_eq(first.n, second.n);
    cr_assert_eq(memcmp(first.text, second.text, first.n), 0);
    text_buffer_free(&first);
    text_buffer_free(&second);
    text_buffer_free(&between);
    pps_parquet_close(writer);
    pps_schema_free(&schema);
}

// Any change of a byte is either noticed or harmless, never a crash.
Test(parquet, damaged_blocks)
{
    struct random random = {5};
    struct pps_schema schema = make_schema();
    struct pps_parquet *writer = open_writer(&schema);
    struct text_buffer text = {.text = NULL}, out = {.text = NULL};
    struct pps_error err;
    for (int i = 0; i < 200; i++)
        add_row(&random, i % 2 ? 5 : 4, &text);
    cr_assert_eq(pps_parquet_block(writer, text.text, text.n, 1, &out, &err), PPS_OK);
    struct pps_parquet_reader *reader = pps_parquet_reader_open(NULL);
    unsigned char *bytes = malloc(out.n);
    for (int round = 0; round < 20000; round++) {
        const char *again;
        size_t n;
        memcpy(bytes, out.text, out.n);
        bytes[random_bits(&random) % (round % 2 ? out.n : 340)] ^= 1
                                                                   << random_bits(&random) % 8;
        if (pps_parquet_block_text(reader, bytes, out.n, &again, &n))
            cr_assert_eq(n, text.n);
    }
    for (size_t n = 1; n < out.n; n += 7) {
        const char *again;
        size_t n_again;
        cr_assert_not(
            pps_parquet_block_text(reader, (unsigned char *)out.text, n, &again, &n_again));
    }
    free(bytes);
    pps_parquet_reader_close(reader);
    pps_parquet_close(writer);
    pps_schema_free(&schema);
    text_buffer_free(&text);
    text_buffer_free(&out);
}

// ---- blocks made to do harm -------------------------------------------------------------------

enum { BOMB_COLUMNS = 24, BOMB_TEXT = 32 << 20 };

// Appends the gzip of the page of one row with one long text; returns its unpacked size.
static uint32_t add_long_page(struct text_buffer *out)
{
    struct text_buffer levels = {.text = NULL}, raw = {.text = NULL};
    const uint32_t length = BOMB_TEXT;
    pps_hybrid_run(&levels, 1, 1, 1);
    const uint32_t n_levels = (uint32_t)levels.n;
    text_buffer_add_bytes(&raw, (const char *)&n_levels, sizeof n_levels);
    text_buffer_add_bytes(&raw, levels.text, levels.n);
    text_buffer_add_bytes(&raw, (const char *)&length, sizeof length);
    char *text = calloc(1, length);
    memset(text, 'x', length);
    text_buffer_add_bytes(&raw, text, length);
    z_stream z = {.next_in = (unsigned char *)raw.text, .avail_in = (uInt)raw.n};
    deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    z.avail_out = (uInt)deflateBound(&z, raw.n);
    unsigned char *packed = malloc(z.avail_out);
    z.next_out = packed;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    text_buffer_add_bytes(out, (const char *)packed, z.total_out);
    const uint32_t n_raw = (uint32_t)raw.n;
    deflateEnd(&z);
    free(packed);
    free(text);
    text_buffer_free(&levels);
    text_buffer_free(&raw);
    return n_raw;
}

// A small block whose columns have long texts, as many as fit into the promised text twice over.
static void make_bomb(struct text_buffer *block)
{
    struct text_buffer page = {.text = NULL};
    const uint32_t raw = add_long_page(&page);
    struct pps_parquet_block_head head = {.magic = "PPSB",
                                          .n_columns = BOMB_COLUMNS,
                                          .n_rows = 1,
                                          .text_bytes = PPS_PARQUET_TEXT_MAX};
    const struct pps_parquet_chunk chunk = {.kind = PPS_CELLS_TEXT,
                                            .is_packed = 1,
                                            .n_items = 1,
                                            .data = {0, (uint32_t)page.n, raw}};
    head.bytes = sizeof head + BOMB_COLUMNS * (sizeof chunk + page.n);
    text_buffer_add_bytes(block, (const char *)&head, sizeof head);
    for (int c = 0; c < BOMB_COLUMNS; c++)
        text_buffer_add_bytes(block, (const char *)&chunk, sizeof chunk);
    for (int c = 0; c < BOMB_COLUMNS; c++)
        text_buffer_add_bytes(block, page.text, page.n);
    const size_t at = offsetof(struct pps_parquet_block_head, checksum);
    const uint32_t checksum = pps_parquet_checksum(block->text, block->n, at);
    memcpy(block->text + at, &checksum, sizeof checksum);
    text_buffer_free(&page);
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

// Would catch a limit on the text of each column instead of their sum: 24 columns of 32 MiB each took 1.6 GB.
Test(parquet, columns_share_the_promised_text)
{
    struct text_buffer block = {.text = NULL};
    struct pps_error err;
    const char *text;
    size_t n;
    make_bomb(&block);
    struct pps_parquet_reader *reader = pps_parquet_reader_open(NULL);
    const double before = peak_mib();
    cr_assert_not(
        pps_parquet_block_text(reader, (unsigned char *)block.text, block.n, &text, &n));
    cr_assert_eq(pps_parquet_reader_fail(reader, PPS_E_INPUT, "damaged", &err), PPS_E_INPUT);
    cr_assert_lt(peak_mib() - before, 400.0);
    pps_parquet_reader_close(reader);
    text_buffer_free(&block);
}

// Would catch a stop that is not seen inside a block.
Test(parquet, stops_between_columns)
{
    struct text_buffer block = {.text = NULL};
    struct pps_error err;
    atomic_bool stop = true;
    const char *text;
    size_t n;
    make_bomb(&block);
    struct pps_parquet_reader *reader = pps_parquet_reader_open(&stop);
    cr_assert_not(
        pps_parquet_block_text(reader, (unsigned char *)block.text, block.n, &text, &n));
    cr_assert_eq(pps_parquet_reader_fail(reader, PPS_E_INPUT, "damaged", &err), PPS_E_STOPPED);
    pps_parquet_reader_close(reader);
    text_buffer_free(&block);
}
