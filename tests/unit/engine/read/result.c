// SPDX-License-Identifier: Apache-2.0
// Result files as read: rows, cells and numbers, and every kind of invalid file.
#include "engine/read/result.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/random.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// Writes one gzip member of text to out and returns its length. Without `end`: whole blocks, no
// trailer.
static size_t gzip_text(unsigned char *out, size_t cap, const char *text, size_t n,
                        bool with_end)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)cap;
    int rc = deflate(&z, with_end ? Z_FINISH : Z_FULL_FLUSH);
    cr_assert_eq(rc, with_end ? Z_STREAM_END : Z_OK);
    size_t bytes = z.total_out;
    deflateEnd(&z);
    return bytes;
}

// Catches rows, errors and ends that differ when a file is decompressed on a thread of its own.
static void expect_same_ahead(const char *path)
{
    const struct pps_read_watch watch = {.ahead = true};
    struct pps_error err[2] = {{0}};
    struct pps_result *result[2];
    enum pps_status status[2];
    const struct pps_cell *cells[2];
    cr_assert_eq(pps_result_open(&result[0], path, &err[0]), PPS_OK);
    cr_assert_eq(pps_result_open_watched(&result[1], path, &watch, &err[1]), PPS_OK);
    const int columns = pps_result_columns(result[0]);
    cr_assert_eq(pps_result_columns(result[1]), columns);
    do {
        for (int k = 0; k < 2; k++)
            status[k] = pps_result_next(result[k], &cells[k], &err[k]);
        cr_assert_eq(status[0], status[1]);
        cr_assert_eq(status[0] == PPS_OK && cells[0] != NULL,
                     status[1] == PPS_OK && cells[1] != NULL);
        for (int c = 0; c < columns && status[0] == PPS_OK && cells[0] != NULL; c++)
            cr_assert(cells[0][c].n == cells[1][c].n &&
                      memcmp(cells[0][c].text, cells[1][c].text, cells[0][c].n) == 0);
    } while (status[0] == PPS_OK && cells[0] != NULL);
    cr_assert_str_eq(err[0].text, err[1].text);
    cr_assert_eq(err[0].line, err[1].line);
    pps_result_close(result[0]);
    pps_result_close(result[1]);
    cr_assert_eq(pps_result_open_watched(&result[1], path, &watch, &err[1]), PPS_OK);
    pps_result_close(result[1]); // before the end
}

static struct pps_result *open_result(const char *path)
{
    if (strcmp(path, "-") != 0)
        expect_same_ahead(path);
    struct pps_error err = {0};
    struct pps_result *result;
    cr_assert_eq(pps_result_open(&result, path, &err), PPS_OK, "%s: %s", path, err.text);
    return result;
}

// Reads to the end or to the first error; cells go to `seen` as "a|b;c|d;".
static enum pps_status read_rows(struct pps_result *result, char *seen, size_t cap,
                                 struct pps_error *err)
{
    const struct pps_cell *cells;
    size_t n = 0;
    for (;;) {
        enum pps_status status = pps_result_next(result, &cells, err);
        seen[n] = '\0';
        if (status != PPS_OK || cells == NULL)
            return status;
        int columns = pps_result_columns(result);
        for (int i = 0; i < columns && n + cells[i].n + 2 < cap; i++) {
            memcpy(seen + n, cells[i].text, cells[i].n);
            n += cells[i].n;
            seen[n++] = i + 1 < columns ? '|' : ';';
        }
    }
}

static void reads_as(const char *path, const char *expected)
{
    char seen[4096];
    struct pps_error err = {0};
    struct pps_result *result = open_result(path);
    cr_assert_eq(read_rows(result, seen, sizeof seen, &err), PPS_OK, "%s: %s", path, err.text);
    cr_assert_str_eq(seen, expected, "%s", path);
    pps_result_close(result);
}

// Asserts the rows before the error, then PPS_E_INPUT at this line with these words.
static void breaks_off(const char *path, const char *expected, int line, const char *words)
{
    char seen[4096];
    struct pps_error err = {0};
    struct pps_result *result = open_result(path);
    cr_assert_eq(read_rows(result, seen, sizeof seen, &err), PPS_E_INPUT, "%s", path);
    cr_assert_str_eq(seen, expected, "%s", path);
    cr_assert_str_eq(err.file, path);
    cr_assert_eq(err.line, line, "%s: line %d", path, err.line);
    cr_assert(strstr(err.text, words) != NULL, "'%s' lacks '%s'", err.text, words);
    pps_result_close(result);
}

static void does_not_open(const char *path, const char *words)
{
    struct pps_error err = {0};
    struct pps_result *result;
    cr_assert_eq(pps_result_open(&result, path, &err), PPS_E_INPUT, "%s", path);
    cr_assert(result == NULL);
    cr_assert(strstr(err.text, words) != NULL, "'%s' lacks '%s'", err.text, words);
}

// Catches lost empty cells, \r or a byte-order mark in names or cells, and a count that
// includes the header.
Test(result, plain, .init = enter, .fini = leave)
{
    spill("a.csv", "\xef\xbb\xbfn,x,time\r\n8,,1.5\r\n\"16\",\"\",2.5\n,,\n");
    reads_as("a.csv", "8||1.5;16||2.5;||;");
    struct pps_result *result = open_result("a.csv");
    cr_assert_eq(pps_result_columns(result), 3);
    cr_assert_str_eq(pps_result_column_name(result, 0), "n");
    cr_assert_str_eq(pps_result_column_name(result, 2), "time");
    cr_assert(pps_result_find(result, "x") == 1 && pps_result_find(result, "N") == -1);
    cr_assert_eq(pps_result_row(result), 0);
    const struct pps_cell *cells;
    struct pps_error err;
    cr_assert_eq(pps_result_next(result, &cells, &err), PPS_OK);
    cr_assert_eq(pps_result_row(result), 1);
    pps_result_close(result);
    spill("b.csv", "one\n\n1\n");
    reads_as("b.csv", ";1;");
    spill("c.csv", "a,b\n");
    reads_as("c.csv", "");
}

// Catches invalid rows that pass as data, and wrong places in errors.
Test(result, wrong_rows, .init = enter, .fini = leave)
{
    spill("short.csv", "a,b\n1,2\n3\n5,6\n");
    breaks_off("short.csv", "1|2;", 3, "1 cells, but the header line has 2");
    spill("long.csv", "a,b\n1,2,3\n");
    breaks_off("long.csv", "", 2, "3 cells, but the header line has 2");
    spill("blank.csv", "a,b\n1,2\n\n");
    breaks_off("blank.csv", "1|2;", 3, "1 cells");
    spill("quoted.csv", "a,b\n1,2\n\"x,y\",2\n");
    breaks_off("quoted.csv", "1|2;", 3, "3 cells");
    spill("quote.csv", "a,b\n1,2\n\"x,2\n");
    breaks_off("quote.csv", "1|2;", 3, "quoted cell");
    spill_bytes("nul.csv", "a,b\n1,2\n3,\0\n", 12);
    breaks_off("nul.csv", "1|2;", 3, "NUL");
    spill("cut.csv", "a,b\n1,2\n3,4");
    breaks_off("cut.csv", "1|2;", 3, "truncated");
}

// Catches files that are not results but pass as empty results.
Test(result, what_does_not_open, .init = enter, .fini = leave)
{
    spill("empty.csv", "");
    does_not_open("empty.csv", "is empty");
    spill("line.csv", "\n1\n");
    does_not_open("line.csv", "header line is empty");
    spill("cut.csv", "a,b");
    does_not_open("cut.csv", "truncated");
    spill_bytes("head.csv.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
    does_not_open("head.csv.gz", "truncated");
    spill("half.csv.gz.part", "");
    does_not_open("half.csv.gz.part", "is empty");
    cr_assert_eq(mkdir("folder", 0777), 0);
    does_not_open("folder", "is a folder");
    does_not_open("missing.csv.gz", "missing.csv.gz does not exist");
    does_not_open("half.csv.gz", "half.csv.gz.part of an interrupted run");
}

// Makes a table of n rows with its header line.
static char *make_table(int n, size_t *bytes)
{
    char *text = malloc(64 + 40 * (size_t)n);
    *bytes = (size_t)sprintf(text, "i,j,value\n");
    for (int i = 0; i < n; i++)
        *bytes +=
            (size_t)sprintf(text + *bytes, "%d,%d,%d.%04d\n", i, i % 7, i % 1000, i % 9973);
    return text;
}

// Reads a table, asserts every cell, and returns the number of rows.
static int count_table(const char *path, enum pps_status expected)
{
    const struct pps_cell *cells;
    struct pps_error err = {0};
    struct pps_result *result = open_result(path);
    for (int i = 0;; i++) {
        char text[64];
        enum pps_status status = pps_result_next(result, &cells, &err);
        if (status != PPS_OK || cells == NULL) {
            cr_assert_eq(status, expected, "%s: %s", path, err.text);
            pps_result_close(result);
            return i;
        }
        int n = snprintf(text, sizeof text, "%d.%04d", i % 1000, i % 9973);
        cr_assert((int)cells[2].n == n && memcmp(cells[2].text, text, (size_t)n) == 0,
                  "%s row %d", path, i);
    }
}

// Catches lines torn where the window slides or a buffer of compressed bytes ends.
Test(result, larger_than_any_buffer, .init = enter, .fini = leave)
{
    size_t n, n_gz;
    int rows = 400000; // 8 MiB of text
    char *text = make_table(rows, &n);
    unsigned char *gz = malloc(n + 4096);
    spill_bytes("a.csv", text, n);
    n_gz = gzip_text(gz, n + 4096, text, n, true);
    spill_bytes("a.csv.gz", gz, n_gz);
    cr_assert_eq(count_table("a.csv", PPS_OK), rows);
    cr_assert_eq(count_table("a.csv.gz", PPS_OK), rows);
    free(gz);
    free(text);
}

// Catches readers that stop after the first member, here in the middle of a line.
Test(result, several_members, .init = enter, .fini = leave)
{
    unsigned char gz[4096];
    size_t n = gzip_text(gz, sizeof gz, "a,b\n1,2\n3", 9, true);
    n += gzip_text(gz + n, sizeof gz - n, "", 0, true);
    n += gzip_text(gz + n, sizeof gz - n, ",4\n5,6\n", 7, true);
    spill_bytes("a.csv.gz", gz, n);
    reads_as("a.csv.gz", "1|2;3|4;5|6;");
    memcpy(gz + n, "more", 4);
    spill_bytes("b.csv.gz", gz, n + 4);
    breaks_off("b.csv.gz", "1|2;3|4;5|6;", 0, "damaged");
}

// Catches a file truncated at any place that passes as whole, and a .part whose whole blocks
// are lost.
Test(result, truncated_anywhere, .init = enter, .fini = leave)
{
    size_t n, n_gz;
    char *text = make_table(300, &n);
    unsigned char *gz = malloc(n + 4096);
    n_gz = gzip_text(gz, n + 4096, text, n, true);
    for (size_t cut = 200; cut < n_gz; cut += cut < n_gz - 20 ? 97 : 1) {
        spill_bytes("a.csv.gz", gz, cut);
        spill_bytes("a.csv.gz.part", gz, cut);
        int rows = count_table("a.csv.gz", PPS_E_INPUT);
        cr_assert(count_table("a.csv.gz.part", PPS_OK) == rows, "cut at %zu", cut);
    }
    n_gz = gzip_text(gz, n + 4096, text, n, false);
    spill_bytes("b.csv.gz.part", gz, n_gz);
    cr_assert_eq(count_table("b.csv.gz.part", PPS_OK), 300);
    spill_bytes("b.csv.part", text, n - 3);
    cr_assert_eq(count_table("b.csv.part", PPS_OK), 299);
    free(gz);
    free(text);
}

// Catches ignored checksums, also in a .part.
Test(result, damage_is_seen, .init = enter, .fini = leave)
{
    size_t n, n_gz;
    char *text = make_table(300, &n);
    unsigned char *gz = malloc(n + 4096);
    n_gz = gzip_text(gz, n + 4096, text, n, true);
    for (size_t back = 1; back <= 8; back++) { // checksum and length
        gz[n_gz - back] ^= 1;
        spill_bytes("a.csv.gz", gz, n_gz);
        spill_bytes("a.csv.gz.part", gz, n_gz);
        cr_assert_eq(count_table("a.csv.gz", PPS_E_INPUT), 300);
        cr_assert_eq(count_table("a.csv.gz.part", PPS_E_INPUT), 300);
        gz[n_gz - back] ^= 1;
    }
    free(gz);
    free(text);
}

// Catches memory that grows with the uncompressed size of a small file: 64 MiB in one line.
Test(result, bomb, .init = enter, .fini = leave)
{
    size_t n = (size_t)64 << 20;
    char *text = malloc(n);
    unsigned char *gz = malloc(1 << 20);
    memset(text, '7', n);
    memcpy(text, "a\n1\n", 4);
    spill_bytes("a.csv.gz", gz, gzip_text(gz, 1 << 20, text, n, true));
    breaks_off("a.csv.gz", "1;", 3, "longer than 1 MiB");
    spill_bytes("a.csv", text + 4, n - 4);
    does_not_open("a.csv", "longer than 1 MiB");
    memset(text, '7', (1 << 20) + 5);
    memcpy(text, "a\n", 2);
    text[(1 << 20) + 2] = '\n'; // the longest accepted line
    spill_bytes("b.csv", text, (1 << 20) + 3);
    pps_result_close(open_result("b.csv"));
    struct pps_result *result = open_result("b.csv");
    const struct pps_cell *cells;
    struct pps_error err;
    cr_assert_eq(pps_result_next(result, &cells, &err), PPS_OK);
    cr_assert_eq(cells[0].n, 1 << 20);
    pps_result_close(result);
    free(gz);
    free(text);
}

// Catches "-" opened as a file name, and gzip detected by the name alone.
Test(result, stdin_plain_and_gzip, .init = enter, .fini = leave)
{
    unsigned char gz[256];
    spill("a.csv", "a,b\n1,2\n");
    cr_assert(freopen("a.csv", "rb", stdin) != NULL);
    reads_as("-", "1|2;");
    spill_bytes("b.csv", gz, gzip_text(gz, sizeof gz, "a,b\n3,4\n", 8, true));
    cr_assert(freopen("b.csv", "rb", stdin) != NULL);
    reads_as("-", "3|4;");
}

// Catches a fast path that rounds differently from strtod.
Test(result, numbers_as_strtod)
{
    struct random random = {9};
    for (int i = 0; i < 300000; i++) {
        char text[40];
        double value, expected;
        const uint64_t bits = random_bits(&random);
        const double drawn = ldexp((double)(bits >> 11), -53 + (int)(bits >> 3 & 31));
        int n = i % 3 == 0 ? snprintf(text, sizeof text, "%.17g", drawn)
                           : snprintf(text, sizeof text, "%.*f", i % 12, -drawn);
        struct pps_cell cell = {text, (size_t)n};
        expected = strtod(text, NULL);
        cr_assert(pps_cell_number(cell, &value), "%s", text);
        cr_assert(memcmp(&value, &expected, sizeof value) == 0, "%s", text);
    }
}

// Catches text that strtod accepts but that is not a number in a table.
Test(result, what_is_no_number)
{
    static const char *const wrong[] = {"",    " 1",    "1 ",    "1,2", "0x10", "inf",
                                        "nan", "1e999", "1.2.3", "-",   ".",    "--1",
                                        "1e",  "abc",   "1-2",   "1d5"};
    static const char *const right[] = {"0",  "-0",      "1e5",    "1.",
                                        "+5", "-2.5E-3", "1e-400", "007"};
    double value;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct pps_cell cell = {wrong[i], strlen(wrong[i])};
        cr_assert(!pps_cell_number(cell, &value), "'%s'", wrong[i]);
    }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct pps_cell cell = {right[i], strlen(right[i])};
        cr_assert(pps_cell_number(cell, &value), "'%s'", right[i]);
        cr_assert_eq(value, strtod(right[i], NULL), "'%s'", right[i]);
    }
    cr_assert(!pps_cell_number((struct pps_cell){"1\0", 2}, &value));
    cr_assert(pps_cell_number((struct pps_cell){"12345", 2}, &value) && value == 12);
    char long_text[500];
    memset(long_text, '1', sizeof long_text);
    cr_assert(!pps_cell_number((struct pps_cell){long_text, sizeof long_text}, &value));
}
