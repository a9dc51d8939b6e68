// SPDX-License-Identifier: Apache-2.0
// Measures what a cell of a result costs in each format: bytes, writing and reading back. Prints one JSON
// line per format: CPU time of this thread per row and column, best of several rounds. Checks that the
// text comes back.
//   bench_formats RESULT       (any result; its first 4 MiB of typed text are one block)
#include "base/columns/arrow_write.h"
#include "base/columns/parquet_read.h"
#include "base/columns/parquet_write.h"
#include "base/system/codec.h"
#include "base/system/machine.h"
#include "base/table/cell.h"
#include "engine/convert/typed_rows.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ROUNDS = 5, BLOCK_BYTES = 4 << 20 };

struct input {
    struct pps_typed_rows rows;
    struct text_buffer text;
    double cells;
};

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "bench_formats: %s\n", what);
    exit(1);
}

static void ok(enum pps_status status, const struct pps_error *err)
{
    require(status == PPS_OK, err->text);
}

static void show(const struct input *in, const char *name, double bytes, double write_s,
                 double read_s)
{
    printf("{\"name\":\"%s\",\"bytes\":%.2f,\"write_ns\":%.1f", name, bytes / in->cells,
           write_s / in->cells * 1e9);
    if (read_s > 0)
        printf(",\"read_ns\":%.1f", read_s / in->cells * 1e9);
    printf(",\"cells\":%.0f}\n", in->cells);
}

static double best(double one, double other)
{
    return one < other ? one : other;
}

// ---- CSV --------------------------------------------------------------------------------------

// Reads every number of the text, as a reader of CSV has to.
static double sum_of(const char *text, size_t n)
{
    double sum = 0, value;
    for (const char *at = text, *end = text + n; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        struct pps_cell cell;
        for (const char *rest = at; rest != NULL;) {
            rest = pps_cell_next(rest, line_end, &cell);
            if (pps_cell_number(cell, &value))
                sum += value;
        }
        at = line_end + 1;
    }
    return sum;
}

static void expand(const unsigned char *data, size_t n, char *out, size_t n_out)
{
    z_stream z = {.avail_in = (uInt)n, .avail_out = (uInt)n_out};
    memcpy(&z.next_in, &data, sizeof data);
    z.next_out = (unsigned char *)out;
    require(inflateInit2(&z, -15) == Z_OK, "no memory");
    inflate(&z, Z_SYNC_FLUSH);
    require(z.avail_out == 0, "the text is shorter");
    inflateEnd(&z);
}

static void measure_csv(const struct input *in)
{
    struct pps_codec *codec;
    struct pps_error err;
    ok(pps_codec_open(&codec, (struct pps_codec_choice){PPS_CODEC_ZLIB, 1}, &err), &err);
    const size_t cap = pps_codec_bound(codec, in->text.n);
    unsigned char *data = malloc(cap);
    char *again = malloc(in->text.n);
    double write_s = 1e9, read_s = 1e9, sum = 0;
    size_t n = 0;
    require(data != NULL && again != NULL, "no memory");
    for (int round = 0; round < ROUNDS; round++) {
        const double start = pps_thread_seconds();
        n = pps_codec_block(codec, in->text.text, in->text.n, data, cap);
        const double middle = pps_thread_seconds();
        expand(data, n, again, in->text.n);
        sum += sum_of(again, in->text.n);
        write_s = best(write_s, middle - start);
        read_s = best(read_s, pps_thread_seconds() - middle);
    }
    require(memcmp(again, in->text.text, in->text.n) == 0 && sum == sum, "the text differs");
    show(in, "csv.gz", (double)n, write_s, read_s);
    show(in, "csv", (double)in->text.n, 0, 0);
    free(data);
    free(again);
    pps_codec_close(codec);
}

// ---- Parquet, Arrow ---------------------------------------------------------------------------

static void measure_parquet(const struct input *in, int level, const char *name)
{
    struct pps_parquet *parquet;
    struct pps_parquet_reader *reader = pps_parquet_reader_open(NULL);
    struct pps_error err;
    struct text_buffer out = {.text = NULL};
    double write_s = 1e9, read_s = 1e9;
    ok(pps_parquet_open(&parquet, &in->rows.schema, level, &err), &err);
    for (int round = 0; round < ROUNDS; round++) {
        const char *again;
        size_t n = 0;
        text_buffer_clear(&out);
        const double start = pps_thread_seconds();
        ok(pps_parquet_block(parquet, in->text.text, in->text.n, 1, &out, &err), &err);
        const double middle = pps_thread_seconds();
        require(reader != NULL &&
                    pps_parquet_block_text(reader, (const unsigned char *)out.text, out.n,
                                           &again, &n),
                "the block is wrong");
        write_s = best(write_s, middle - start);
        read_s = best(read_s, pps_thread_seconds() - middle);
        require(n == in->text.n && memcmp(again, in->text.text, n) == 0, "the text differs");
    }
    show(in, name, (double)out.n, write_s, read_s);
    text_buffer_free(&out);
    pps_parquet_reader_close(reader);
    pps_parquet_close(parquet);
}

static void measure_arrow(const struct input *in)
{
    struct pps_arrow *arrow;
    struct pps_error err;
    struct text_buffer out = {.text = NULL};
    double write_s = 1e9;
    ok(pps_arrow_open(&arrow, &in->rows.schema, "", &err), &err);
    for (int round = 0; round < ROUNDS; round++) {
        text_buffer_clear(&out);
        const double start = pps_thread_seconds();
        ok(pps_arrow_batch(arrow, in->text.text, in->text.n, 1, &out, &err), &err);
        write_s = best(write_s, pps_thread_seconds() - start);
    }
    show(in, "arrow", (double)out.n, write_s, 0);
    text_buffer_free(&out);
    pps_arrow_close(arrow);
}

int main(int argc, char **argv)
{
    struct input in = {.cells = 0};
    struct pps_error err;
    require(argc == 2, "usage: bench_formats RESULT");
    const struct pps_view_ask ask = {.path = argv[1], .kernels = pps_kernels};
    ok(pps_typed_rows_open(&in.rows, &ask, NULL, &err), &err);
    ok(pps_typed_rows_next(&in.rows, UINT64_MAX, BLOCK_BYTES, &in.text, &err), &err);
    require(in.rows.n_rows > 0, "the result has no rows");
    in.cells = (double)in.rows.n_rows * in.rows.schema.n;
    measure_csv(&in);
    measure_parquet(&in, 1, "parquet:1");
    measure_parquet(&in, 6, "parquet:6");
    measure_arrow(&in);
    text_buffer_free(&in.text);
    pps_typed_rows_close(&in.rows);
    return 0;
}
