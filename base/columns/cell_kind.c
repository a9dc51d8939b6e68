// SPDX-License-Identifier: Apache-2.0
// Reads cells as typed values and writes them again.
#include "base/columns/cell_kind.h"

#include "base/text/decimal.h"
#include "base/text/decimal_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXACT_DIGITS = 15 }; // decimal digits that every double keeps

const char *pps_cell_kind_name(enum pps_cell_kind kind)
{
    static const char *const names[PPS_CELLS_KINDS] = {"int64", "float64", "bool", "text"};
    return names[kind];
}

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- reading ----------------------------------------------------------------------------------

static bool plain_integer(const char *text, size_t n, uint64_t *value)
{
    const bool minus = text[0] == '-';
    uint64_t sum = 0;
    if (n <= (size_t)minus || n > 18)
        return false;
    for (size_t i = minus; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        sum = sum * 10 + (uint64_t)(text[i] - '0');
    }
    *value = minus ? -sum : sum;
    return true;
}

static bool finite_number(const char *text, size_t n, double *value)
{
    return pps_decimal_read(text, n, value) && isfinite(*value);
}

static bool read_integer(const char *text, size_t n, uint64_t *value)
{
    double number;
    if (plain_integer(text, n, value))
        return true;
    if (!finite_number(text, n, &number) || number != floor(number) || fabs(number) >= 0x1p53)
        return false;
    *value = (uint64_t)(int64_t)number;
    return true;
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(text, word, n) == 0;
}

bool pps_cell_value(enum pps_cell_kind kind, const char *text, size_t n, uint64_t *value)
{
    double number;
    switch (kind) {
    case PPS_CELLS_INTEGER:
        return read_integer(text, n, value);
    case PPS_CELLS_REAL:
        if (!finite_number(text, n, &number))
            return false;
        *value = bits_of(number);
        return true;
    case PPS_CELLS_BOOLEAN:
        *value = is_word(text, n, "true");
        return *value == 1 || is_word(text, n, "false");
    case PPS_CELLS_TEXT:
    case PPS_CELLS_KINDS:
        break;
    }
    return false;
}

// ---- spelling ---------------------------------------------------------------------------------

struct pps_spelling pps_spelling_first(enum pps_cell_kind kind, const char *text, size_t n)
{
    if (kind != PPS_CELLS_REAL)
        return (struct pps_spelling){PPS_SPELLED_PLAIN, 0};
    const char *point = memchr(text, '.', n);
    const size_t decimals = point == NULL ? 0 : n - (size_t)(point - text) - 1;
    if (decimals > PPS_MAX_DIGITS)
        return (struct pps_spelling){PPS_SPELLED_MEANT, 0};
    return (struct pps_spelling){PPS_SPELLED_FIXED, (int)decimals};
}

struct pps_spelling pps_spelling_next(struct pps_spelling spelling, enum pps_cell_kind kind)
{
    if (kind != PPS_CELLS_REAL || spelling.form == PPS_SPELLED_FULL)
        return (struct pps_spelling){PPS_SPELLED_OTHER, 0};
    return (struct pps_spelling){
        spelling.form == PPS_SPELLED_FIXED ? PPS_SPELLED_MEANT : PPS_SPELLED_FULL, 0};
}

// Returns whether the text has `decimals` decimals, no needless zero in front and so few digits
// that printf gives them again.
static bool is_short_fixed(const char *text, size_t n, size_t decimals)
{
    const size_t minus = n > 0 && text[0] == '-', tail = decimals > 0 ? decimals + 1 : 0;
    if (n <= minus + tail || n - minus > EXACT_DIGITS + (decimals > 0))
        return false;
    const char *digits = text + minus;
    const size_t whole = n - minus - tail;
    if ((decimals > 0 && digits[whole] != '.') || (whole > 1 && digits[0] == '0'))
        return false;
    for (size_t i = 0; i < n - minus; i++)
        if ((digits[i] < '0' || digits[i] > '9') && i != whole)
            return false;
    return true;
}

// Returns whether the text has a decimal point, no needless zero and so few digits that
// pps_decimal_meant gives it again. Only for numbers that are certainly written without an exponent.
static bool is_short_meant(const char *text, size_t n, uint64_t value)
{
    const double size = fabs(real_of(value));
    const char *point = memchr(text, '.', n);
    if (point == NULL || !(size >= 1e-4 && size < 1e14))
        return false;
    const size_t decimals = n - (size_t)(point - text) - 1;
    return is_short_fixed(text, n, decimals) && (text[n - 1] != '0' || decimals == 1);
}

size_t pps_spell(struct pps_spelling spelling, enum pps_cell_kind kind, uint64_t value,
                 char *out)
{
    if (kind == PPS_CELLS_BOOLEAN) {
        memcpy(out, value != 0 ? "true" : "false", 5);
        return value != 0 ? 4 : 5;
    }
    if (kind == PPS_CELLS_INTEGER)
        return (size_t)snprintf(out, PPS_SPELLED_CAP, "%" PRId64, (int64_t)value);
    const double number = real_of(value);
    if (!isfinite(number))
        return 0;
    if (spelling.form == PPS_SPELLED_FIXED)
        return pps_decimal_fixed(out, number, spelling.decimals);
    return spelling.form == PPS_SPELLED_MEANT ? pps_decimal_meant(out, number, 1)
                                              : pps_decimal_full(out, number);
}

bool pps_spelling_fits(struct pps_spelling spelling, enum pps_cell_kind kind, const char *text,
                       size_t n, uint64_t value)
{
    char again[PPS_SPELLED_CAP];
    if (kind == PPS_CELLS_TEXT || spelling.form == PPS_SPELLED_OTHER)
        return true;
    if (kind == PPS_CELLS_INTEGER && plain_integer(text, n, &value) &&
        (n == 1 || (text[0] >= '1' && text[0] <= '9')))
        return true;
    if (spelling.form == PPS_SPELLED_FIXED &&
        is_short_fixed(text, n, (size_t)spelling.decimals))
        return true;
    if (spelling.form == PPS_SPELLED_MEANT && is_short_meant(text, n, value))
        return true;
    const size_t length = pps_spell(spelling, kind, value, again);
    return length == n && memcmp(again, text, n) == 0;
}
