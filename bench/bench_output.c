// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a row after its simulation: digits, text, compression. Prints one JSON line
// per measurement: CPU time of this thread, best of several rounds. Checks every result.
#include "base/system/codec.h"
#include "base/system/machine.h"
#include "base/table/csv_line.h"
#include "base/text/decimal.h"
#include "base/text/decimal_read.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define N_VALUES    4096
#define BLOCK_ROWS  21845 // about 1 MiB of text
#define ROUNDS      7
#define MAX_ROW     64
#define PREFIX_ROWS 66 // the combinations of the innermost axes

struct rows {
    double values[N_VALUES]; // results, as a simulation over a 0.05 grid gives them
    char prefix[PREFIX_ROWS][MAX_ROW];
    size_t prefix_bytes[PREFIX_ROWS];
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

// Axis cells as the engine keeps them, rendered once; results near the results of the example.
static void make_rows(struct rows *rows)
{
    uint64_t state = 1;
    int n = 0;
    for (int i = 0; i < N_VALUES; i++)
        rows->values[i] = 52.0 + (double)(next_random(&state) % 480000) * 1e-4 +
                          0.05 * (double)(next_random(&state) % 3);
    for (int p = 0; p <= 10; p++)
        for (int q = 0; p + q <= 10; q++, n++)
            rows->prefix_bytes[n] = (size_t)snprintf(
                rows->prefix[n], MAX_ROW, "8,2,1.0,2.5,1.0,2.0,0.2,0.2,%.1f,%.1f,%.1f,",
                p / 10.0, q / 10.0, (10 - p - q) / 10.0);
}

static size_t write_fixed(char *out, double value)
{
    return pps_decimal_fixed(out, value, 4);
}

static size_t write_full(char *out, double value)
{
    return pps_decimal_full(out, value);
}

static size_t write_printf(char *out, double value)
{
    return (size_t)snprintf(out, PPS_DECIMAL_CAP, "%.4f", value);
}

// ns a value; *sum makes the work count.
static double time_writer(const struct rows *rows, size_t (*write)(char *, double), int repeats,
                          size_t *sum)
{
    char out[PPS_DECIMAL_CAP];
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = pps_thread_seconds();
        for (int k = 0; k < repeats; k++)
            for (int i = 0; i < N_VALUES; i++)
                *sum += write(out, rows->values[i]);
        best = fmin(best, (pps_thread_seconds() - start) / ((double)repeats * N_VALUES) * 1e9);
    }
    return best;
}

static size_t write_rows(const struct rows *rows, char *text)
{
    char *at = text;
    for (int i = 0; i < BLOCK_ROWS; i++) {
        int p = i % PREFIX_ROWS;
        memcpy(at, rows->prefix[p], MAX_ROW); // constant size; what is too much is overwritten
        at += rows->prefix_bytes[p];
        at += pps_decimal_fixed(at, rows->values[i % N_VALUES], 4);
        *at++ = '\n';
    }
    return (size_t)(at - text);
}

static bool inflates_to(const unsigned char *data, size_t n, const char *text,
                        size_t text_bytes, char *scratch)
{
    z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)data,
                  .avail_in = (uInt)n,
                  .next_out = (Bytef *)scratch,
                  .avail_out = (uInt)text_bytes + 1};
    if (inflateInit2(&z, -15) != Z_OK)
        return false;
    int rc = inflate(&z, Z_SYNC_FLUSH);
    bool same =
        rc == Z_OK && z.total_out == text_bytes && memcmp(text, scratch, text_bytes) == 0;
    inflateEnd(&z);
    return same;
}

static int bench_digits(const struct rows *rows)
{
    size_t ours = 0, theirs = 0, full = 0;
    double fixed_ns = time_writer(rows, write_fixed, 100, &ours);
    double printf_ns = time_writer(rows, write_printf, 10, &theirs);
    double full_ns = time_writer(rows, write_full, 20, &full);
    if (ours != 10 * theirs)
        return 1;
    printf("{\"name\": \"decimal_fixed_4\", \"ns_per_value\": %.2f, \"snprintf_ns\": %.1f, "
           "\"ratio\": %.1f}\n",
           fixed_ns, printf_ns, printf_ns / fixed_ns);
    printf("{\"name\": \"decimal_full\", \"ns_per_value\": %.2f}\n", full_ns);
    return 0;
}

// Rows to text to compressed bytes, as a worker does it.
static int bench_codec(const struct rows *rows, const char *name, char *text, char *scratch)
{
    struct pps_codec_choice choice;
    struct pps_codec *codec;
    struct pps_error err;
    if (pps_codec_parse(name, &choice, &err) != PPS_OK)
        return 0; // not in this build
    if (pps_codec_open(&codec, choice, &err) != PPS_OK) {
        pps_error_print(&err);
        return 1;
    }
    size_t cap = pps_codec_bound(codec, (size_t)BLOCK_ROWS * MAX_ROW), n = 0, bytes = 0;
    unsigned char *data = malloc(cap);
    double best = 1e9, best_text = 1e9;
    for (int round = 0; round < ROUNDS && data != NULL; round++) {
        double start = pps_thread_seconds();
        n = write_rows(rows, text);
        double middle = pps_thread_seconds();
        bytes = pps_codec_block(codec, text, n, data, cap);
        best = fmin(best, pps_thread_seconds() - start);
        best_text = fmin(best_text, middle - start);
    }
    int failed = data == NULL ||
                 (choice.kind != PPS_CODEC_NONE && !inflates_to(data, bytes, text, n, scratch));
    printf("{\"name\": \"rows+%s\", \"us_per_row\": %.4f, \"text_us_per_row\": %.4f, "
           "\"row_bytes\": %.1f, \"text_mb_per_s\": %.0f, \"ratio\": %.2f, \"ok\": %s}\n",
           name, best / BLOCK_ROWS * 1e6, best_text / BLOCK_ROWS * 1e6, (double)n / BLOCK_ROWS,
           (double)n / best * 1e-6, (double)n / (double)bytes, failed ? "false" : "true");
    free(data);
    pps_codec_close(codec);
    return failed;
}

// Rows of 14 numbers as people give points, all distinct, with this number of digits: split and
// read, against strtod.
static int bench_reading(char *text, int digits)
{
    enum { READ_ROWS = 4096, COLUMNS = 14, ROW_CAP = 512 };
    static char room[ROW_CAP + PPS_CSV_LINE_ROOM];
    static struct pps_csv_row row;
    uint64_t state = 1;
    char *end = text;
    for (int i = 0; i < READ_ROWS * COLUMNS; i++)
        end += sprintf(end, "%.*g%c", digits, (double)next_random(&state) * 0x1p-31 * 3,
                       i % COLUMNS == COLUMNS - 1 ? '\n' : ',');
    double best = 1e9;
    int failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0, wanted = 0, value;
        const double start = pps_thread_seconds();
        for (const char *line = text, *next; line < end; line = next) {
            next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
            failed |= !pps_csv_line_split(line, (size_t)(next - line), room, &row);
            for (int c = 0; c < row.n; c++) {
                failed |= !pps_decimal_read(row.text[c], row.length[c], &value);
                sum += value;
            }
        }
        best = fmin(best, pps_thread_seconds() - start);
        for (char *at = text; at < end; at++)
            wanted += strtod(at, &at);
        failed |= sum < wanted || sum > wanted;
    }
    printf("{\"name\": \"reading points\", \"columns\": %d, \"digits\": %d, \"ns_per_row\": "
           "%.1f, \"ok\": %s}\n",
           COLUMNS, digits, best / READ_ROWS * 1e9, failed ? "false" : "true");
    return failed;
}

int main(void)
{
    static const char *const codecs[] = {"none", "zlib:1", "zlib:6", "isal:0", "isal:1"};
    static struct rows rows;
    size_t cap = (size_t)(BLOCK_ROWS + 1) * MAX_ROW;
    char *text = malloc(cap), *scratch = malloc(cap);
    int failed = text == NULL || scratch == NULL;
    if (!failed) {
        make_rows(&rows);
        failed = bench_digits(&rows);
        failed |= bench_reading(text, 12) | bench_reading(text, 15) | bench_reading(text, 17);
        for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
            failed |= bench_codec(&rows, codecs[i], text, scratch);
    }
    free(text);
    free(scratch);
    return failed;
}
