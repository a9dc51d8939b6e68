// SPDX-License-Identifier: Apache-2.0
// Collects cells, and chooses and writes their form.
#include "engine/report/column.h"

#include "base/system/codec.h"
#include "base/text/decimal.h"
#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- pack ---------------------------------------------------------------------------------------

enum { BLOCK = 1 << 20 };

// Bytes that wait until they are three.
struct base64 {
    FILE *out;
    uint32_t waiting;
    int n;
};

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_byte(struct base64 *base, unsigned char byte)
{
    base->waiting = base->waiting << 8 | byte;
    if (++base->n < 3)
        return;
    for (int shift = 18; shift >= 0; shift -= 6)
        putc_unlocked(base64_digits[base->waiting >> shift & 63], base->out);
    base->waiting = 0;
    base->n = 0;
}

static void put_bytes(struct base64 *base, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_byte(base, bytes[i]);
}

static void put_u32(struct base64 *base, uint32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
        put_byte(base, (unsigned char)(value >> shift));
}

static void put_end(struct base64 *base)
{
    const int n = base->n;
    if (n == 0)
        return;
    base->waiting <<= 8 * (3 - n);
    for (int k = 0; k < 4; k++)
        putc_unlocked(k <= n ? base64_digits[base->waiting >> (18 - 6 * k) & 63] : '=',
                      base->out);
}

static enum pps_status put_deflated(struct pps_codec *codec, const char *bytes, size_t n,
                                    const atomic_bool *stop, struct base64 *base,
                                    struct pps_error *err)
{
    const size_t cap = pps_codec_bound(codec, BLOCK);
    unsigned char *room = malloc(cap);
    if (room == NULL)
        return pps_fail_memory(err, "the data of the page");
    size_t at = 0;
    for (; at < n && (stop == NULL || !atomic_load(stop)); at += BLOCK) {
        const size_t length = n - at < BLOCK ? n - at : BLOCK;
        put_bytes(base, room, pps_codec_block(codec, bytes + at, length, room, cap));
    }
    free(room);
    return at < n ? pps_fail(err, PPS_E_STOPPED, "stopped while writing the page") : PPS_OK;
}

enum pps_status pps_pack_write(const char *bytes, size_t n, const atomic_bool *stop, FILE *out,
                               struct pps_error *err)
{
    static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    static const unsigned char last_block[] = {0x03, 0x00};
    const struct pps_codec_choice choice = {PPS_CODEC_ZLIB, 6};
    struct base64 base = {.out = out};
    struct pps_codec *codec;
    enum pps_status status = pps_codec_open(&codec, choice, err);
    if (status != PPS_OK)
        return status;
    put_bytes(&base, head, sizeof head);
    status = put_deflated(codec, bytes, n, stop, &base, err);
    put_bytes(&base, last_block, sizeof last_block);
    put_u32(&base, pps_crc32(bytes, n));
    put_u32(&base, (uint32_t)n);
    put_end(&base);
    pps_codec_close(codec);
    return status;
}

// ---- column -------------------------------------------------------------------------------------

enum { MAX_DIGITS = 9 };

void pps_page_column_free(struct pps_page_column *column)
{
    pps_string_pool_free(&column->labels);
    free(column->codes);
    free(column->numbers);
    *column = (struct pps_page_column){.numeric = false};
}

// ---- cells ------------------------------------------------------------------------------------

enum pps_status pps_page_column_set(struct pps_page_column *column, size_t row,
                                    struct pps_cell cell, struct pps_error *err)
{
    if (column->numeric) {
        double *numbers = pps_grow(column->numbers, &column->room, row + 1, sizeof *numbers);
        if (numbers == NULL)
            return pps_fail_memory(err, "the rows of the page");
        column->numbers = numbers;
        if (!pps_cell_number(cell, &numbers[row]))
            numbers[row] = (double)NAN;
        return PPS_OK;
    }
    uint32_t *codes = pps_grow(column->codes, &column->room, row + 1, sizeof *codes);
    if (codes == NULL)
        return pps_fail_memory(err, "the rows of the page");
    column->codes = codes;
    return pps_string_pool_add(&column->labels, cell.text, cell.n, &codes[row], err);
}

size_t pps_page_column_text(const struct pps_page_column *column, size_t row, char *text,
                            size_t cap)
{
    if (column->numeric)
        return isnan(column->numbers[row]) ? 0 : pps_decimal_full(text, column->numbers[row]);
    return (size_t)snprintf(text, cap, "%s",
                            pps_string_pool_text(&column->labels, column->codes[row]));
}

// ---- forms ------------------------------------------------------------------------------------

// Returns whether the codes of n rows are those of an axis of a grid: each code for `stride` rows,
// all codes in turn.
static bool is_grid(const struct pps_page_column *column, size_t n, size_t *stride)
{
    const size_t count = column->labels.n;
    size_t s = 1;
    while (s < n && column->codes[s] == column->codes[0])
        s++;
    for (size_t i = 0; i < n; i++)
        if (column->codes[i] != i / s % count)
            return false;
    *stride = s;
    return true;
}

static void write_planes(const uint32_t *codes, size_t n, int width, struct text_buffer *bytes)
{
    char plane[4096];
    for (int k = 0; k < width; k++)
        for (size_t at = 0; at < n; at += sizeof plane) {
            const size_t length = n - at < sizeof plane ? n - at : sizeof plane;
            for (size_t i = 0; i < length; i++)
                plane[i] = (char)(unsigned char)(codes[at + i] >> (8 * k));
            text_buffer_add_bytes(bytes, plane, length);
        }
}

static int width_of(uint64_t most)
{
    return most < 256 ? 1 : most < 65536 ? 2 : most < 16777216 ? 3 : 4;
}

static struct pps_page_cells write_labels(const struct pps_page_column *column, size_t n,
                                          struct text_buffer *bytes)
{
    struct pps_page_cells cells = {.form = PPS_PAGE_GRID, .count = column->labels.n};
    if (is_grid(column, n, &cells.stride))
        return cells;
    cells.form = PPS_PAGE_CODES;
    cells.width = width_of(column->labels.n - 1);
    write_planes(column->codes, n, cells.width, bytes);
    return cells;
}

// Returns whether all numbers are whole multiples of 10^-digits within 32 bits of the least.
static bool is_scaled(const double *numbers, size_t n, int digits, double *least, double *most)
{
    const double scale = pow(10.0, digits);
    *least = HUGE_VAL;
    *most = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        const double whole = round(numbers[i] * scale);
        if (isnan(numbers[i]))
            continue;
        if (fabs(whole) > 9e15 || whole / scale != numbers[i] ||
            (whole == 0 && signbit(numbers[i])))
            return false;
        *least = fmin(*least, whole);
        *most = fmax(*most, whole);
    }
    return *most - *least < 4294967295.0;
}

static bool write_scaled(const struct pps_page_column *column, size_t n,
                         struct pps_page_cells *cells, struct text_buffer *bytes)
{
    double least = 0, most = 0;
    int digits = 0;
    while (digits <= MAX_DIGITS && !is_scaled(column->numbers, n, digits, &least, &most))
        digits++;
    if (digits > MAX_DIGITS)
        return false;
    if (least > most)
        least = most = 0; // every cell is empty
    uint32_t *codes = malloc((n + 1) * sizeof *codes);
    if (codes == NULL) {
        bytes->failed = true;
        return true;
    }
    const int width = width_of((uint64_t)(most - least) + 1);
    const uint32_t empty = (uint32_t)(((uint64_t)1 << (8 * width)) - 1);
    const double scale = pow(10.0, digits);
    for (size_t i = 0; i < n; i++)
        codes[i] = isnan(column->numbers[i])
                       ? empty
                       : (uint32_t)(round(column->numbers[i] * scale) - least);
    write_planes(codes, n, width, bytes);
    free(codes);
    *cells = (struct pps_page_cells){.form = PPS_PAGE_SCALED,
                                     .width = width,
                                     .digits = digits,
                                     .least = least};
    return true;
}

static void write_doubles(const double *numbers, size_t n, struct text_buffer *bytes)
{
    for (int k = 0; k < 8; k++)
        for (size_t i = 0; i < n; i++) {
            uint64_t bits;
            memcpy(&bits, &numbers[i], sizeof bits);
            const char byte = (char)(unsigned char)(bits >> (8 * k));
            text_buffer_add_bytes(bytes, &byte, 1);
        }
}

struct pps_page_cells pps_page_column_write(const struct pps_page_column *column, size_t n,
                                            struct text_buffer *bytes)
{
    struct pps_page_cells cells = {.form = PPS_PAGE_DOUBLE, .width = 8};
    if (!column->numeric)
        return write_labels(column, n, bytes);
    if (!write_scaled(column, n, &cells, bytes))
        write_doubles(column->numbers, n, bytes);
    return cells;
}
