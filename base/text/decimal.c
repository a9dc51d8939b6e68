// SPDX-License-Identifier: Apache-2.0
// Converts doubles to text. Fixed decimals are exact: a double is m * 2^-s, and its fraction
// times 10^decimals fits in 128 bits, so rounding is exact below 2^64. If one multiplication of
// doubles provably rounds the same way, it is used instead.
#include "base/text/decimal.h"

#include "base/text/decimal_read.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

static const uint64_t POW10[20] = {1u,
                                   10u,
                                   100u,
                                   1000u,
                                   10000u,
                                   100000u,
                                   1000000u,
                                   10000000u,
                                   100000000u,
                                   1000000000u,
                                   10000000000u,
                                   100000000000u,
                                   1000000000000u,
                                   10000000000000u,
                                   100000000000000u,
                                   1000000000000000u,
                                   10000000000000000u,
                                   100000000000000000u,
                                   1000000000000000000u,
                                   10000000000000000000u};

// The same powers as doubles; all are exact.
static const double TENS[19] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

static const char PAIRS[201] = "00010203040506070809101112131415161718192021222324"
                               "25262728293031323334353637383940414243444546474849"
                               "50515253545556575859606162636465666768697071727374"
                               "75767778798081828384858687888990919293949596979899";

// |value| = mantissa * 2^exponent.
struct parts {
    uint64_t mantissa;
    int exponent;
    bool negative;
};

static inline struct parts take_apart(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct parts p = {.mantissa = bits & ((UINT64_C(1) << 52) - 1),
                      .negative = bits >> 63 != 0};
    int biased = (int)(bits >> 52 & 0x7ff);
    p.exponent = (biased == 0 ? 1 : biased) - 1075;
    if (biased != 0)
        p.mantissa |= UINT64_C(1) << 52;
    return p;
}

// Returns the number of digits of n; 1 for 0.
static inline size_t count_digits(uint64_t n)
{
    // 1233 / 4096 is slightly below log10(2). The comparison makes the result right for every
    // n.
    unsigned bits = 64u - (unsigned)__builtin_clzll(n | 1);
    unsigned guess = bits * 1233u >> 12;
    return guess + ((n | 1) >= POW10[guess]);
}

// Writes exactly `width` digits of n, two at a time from the right.
static inline void write_digits(char *out, uint64_t n, size_t width)
{
    while (width >= 2) {
        width -= 2;
        memcpy(out + width, PAIRS + 2 * (n % 100), 2);
        n /= 100;
    }
    if (width == 1)
        out[0] = (char)('0' + n % 10);
}

// Writes [-]whole[.fraction] with `decimals` digits of fraction.
static inline size_t write_number(char *out, bool negative, uint64_t whole, uint64_t fraction,
                                  int decimals)
{
    size_t n = negative;
    out[0] = '-';
    size_t width = count_digits(whole);
    write_digits(out + n, whole, width);
    n += width;
    if (decimals == 0)
        return n;
    out[n] = '.';
    write_digits(out + n + 1, fraction, (size_t)decimals);
    return n + 1 + (size_t)decimals;
}

// Returns fraction * 10^decimals / 2^shift, rounded to nearest, ties to even. shift >= 1;
// fraction is below 2^53 and below 2^shift. `odd` is true if the digit before the point is odd;
// it decides a tie if there are no decimals.
static inline uint64_t round_fraction(uint64_t fraction, int shift, int decimals, bool odd)
{
    if (shift >= 128) // the result is below 2^(53 + 57 - 128)
        return 0;
    uint128 product = (uint128)fraction * POW10[decimals];
    uint64_t quotient = (uint64_t)(product >> shift);
    uint128 rest = product - ((uint128)quotient << shift);
    uint128 half = (uint128)1 << (shift - 1);
    bool up = rest > half || (rest == half && (decimals == 0 ? odd : (quotient & 1) != 0));
    return quotient + up;
}

// Computes magnitude times 10^decimals, rounded to a whole number. Returns false if exact
// arithmetic is necessary. The product is below 2^40, so its error is at most 2^-14. If the
// product is further than that from the middle of two whole numbers, its side is certain.
static inline bool scale_quickly(double magnitude, int decimals, int64_t *scaled)
{
    const double product = magnitude * TENS[decimals];
    if (!(product < 0x1p40))
        return false;
    *scaled = (int64_t)product;                                 // signed: one instruction
    const double past_middle = product - (double)*scaled - 0.5; // exact
    *scaled += past_middle > 0;
    return __builtin_fabs(past_middle) > 0x1p-13;
}

__attribute__((noinline)) static size_t write_exactly(char *out, double value, int decimals)
{
    struct parts p = take_apart(value);
    if (p.exponent >= 12) // 2^64 and above
        return (size_t)snprintf(out, PPS_DECIMAL_CAP, "%.*f", decimals, value);
    if (p.exponent >= 0)
        return write_number(out, p.negative, p.mantissa << p.exponent, 0, decimals);
    int shift = -p.exponent;
    uint64_t whole = shift < 53 ? p.mantissa >> shift : 0;
    uint64_t fraction = shift < 53 ? p.mantissa & ((UINT64_C(1) << shift) - 1) : p.mantissa;
    uint64_t scaled = round_fraction(fraction, shift, decimals, (whole & 1) != 0);
    if (scaled >= POW10[decimals]) {
        whole++;
        scaled = 0;
    }
    return write_number(out, p.negative, whole, scaled, decimals);
}

// Returns the eight digits of n < 10^8 as characters, the first in the lowest byte. Splits n
// into numbers of four, two and one digits, all numbers of a size at once, in 32, 16 and 8 bits
// each. The factors approximate 1/100 and 1/10 from above, precisely enough for four and two
// digits.
static inline uint64_t eight_digits(uint32_t n)
{
    const uint64_t fours = n / 10000 | (uint64_t)(n % 10000) << 32;
    const uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return (tens | (twos - 10 * tens) << 8) + UINT64_C(0x3030303030303030);
}

// Writes n / 10^decimals for n < 10^8 and decimals < 8. Requires a little-endian processor.
// Writes up to 9 characters more than it returns.
static inline size_t write_small(char *out, bool negative, uint32_t n, int decimals)
{
    const uint64_t digits = eight_digits(n);
    const size_t least = (size_t)decimals + 1, needed = count_digits(n);
    const size_t whole = (needed > least ? needed : least) - (size_t)decimals;
    const uint64_t first = digits >> (64 - 8 * (whole + (size_t)decimals));
    out[0] = '-';
    out += negative;
    memcpy(out, &first, 8);
    if (decimals == 0)
        return negative + whole;
    const uint64_t fraction = digits >> (64 - 8 * decimals);
    out[whole] = '.';
    memcpy(out + whole + 1, &fraction, 8);
    return negative + whole + 1 + (size_t)decimals;
}

size_t pps_decimal_fixed(char *out, double value, int decimals)
{
    const bool lowest_first = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    int64_t scaled;
    if (!lowest_first || decimals >= 8 ||
        !scale_quickly(__builtin_fabs(value), decimals, &scaled) || scaled >= 100000000)
        return write_exactly(out, value, decimals);
    return write_small(out, __builtin_signbit(value) != 0, (uint32_t)scaled, decimals);
}

size_t pps_decimal_integer(char *out, double value)
{
    return pps_decimal_fixed(out, value, 0);
}

// Returns the length without zeros at the end of a fraction, and without a trailing point.
static size_t strip_zeros(const char *out, size_t n)
{
    if (memchr(out, '.', n) == NULL)
        return n;
    while (out[n - 1] == '0')
        n--;
    return out[n - 1] == '.' ? n - 1 : n;
}

// Returns true if "%.*g" with 15 ... 17 digits certainly writes magnitude without an exponent.
static bool is_plain(double magnitude)
{
    return magnitude >= 1e-4 && magnitude < 1e14;
}

// Returns the decimals that show `digits` significant digits of a plain magnitude.
static int decimals_for(double magnitude, int digits)
{
    static const double below_one[3] = {0.1, 0.01, 0.001};
    if (magnitude >= 1.0)
        return digits - (int)count_digits((uint64_t)magnitude);
    int zeros = 0; // between the point and the first digit
    while (zeros < 3 && magnitude < below_one[zeros])
        zeros++;
    return digits + zeros;
}

// Writes "%.*g" of a finite value without a NUL, with the exact writer if possible.
static size_t write_significant(char *out, double value, int digits)
{
    double magnitude = __builtin_fabs(value);
    if (is_plain(magnitude)) {
        int decimals = decimals_for(magnitude, digits);
        if (decimals <= PPS_MAX_DIGITS)
            return strip_zeros(out, pps_decimal_fixed(out, value, decimals));
    }
    char text[40];
    int n = snprintf(text, sizeof text, "%.*g", digits, value);
    memcpy(out, text, (size_t)n);
    return (size_t)n;
}

static bool reads_back(const char *text, size_t n, double value)
{
    double read;
    return pps_decimal_read(text, n, &read) && read == value;
}

// Returns the smallest number of digits to try. A normal double with a text of at most 15
// digits is found with 15 digits, because two such texts never mean the same double. Subnormal
// doubles may need any number of digits.
static int first_digits(double value)
{
    return __builtin_fabs(value) < 2.2250738585072014e-308 ? 1 : 15;
}

// Writes a value of at most 15 significant digits. strtod computes n / 10^k with both exact, so
// one division checks the text. Returns 0 if the value is of another kind.
static size_t write_short(char *out, double value)
{
    double magnitude = __builtin_fabs(value);
    if (!is_plain(magnitude))
        return 0;
    int decimals = decimals_for(magnitude, 15);
    if (decimals > 18)
        return 0;
    uint64_t n = (uint64_t)(magnitude * TENS[decimals] + 0.5);
    if ((double)n / TENS[decimals] != magnitude)
        return 0;
    for (; decimals > 0 && n % 10 == 0; decimals--)
        n /= 10;
    uint64_t one = POW10[decimals];
    return write_number(out, value < 0, n / one, n % one, decimals);
}

size_t pps_decimal_full(char *out, double value)
{
    size_t n = write_short(out, value);
    if (n > 0)
        return n;
    int digits = is_plain(__builtin_fabs(value)) ? 16 : first_digits(value);
    for (; digits < 17; digits++) {
        n = write_significant(out, value, digits);
        if (reads_back(out, n, value))
            return n;
    }
    return write_significant(out, value, 17);
}

size_t pps_decimal_write(char *out, double value, int decimals)
{
    return decimals == PPS_FULL_DIGITS ? pps_decimal_full(out, value)
                                       : pps_decimal_fixed(out, value, decimals);
}

static bool is_real_text(const char *text, size_t n)
{
    return memchr(text, '.', n) != NULL || memchr(text, 'e', n) != NULL;
}

size_t pps_decimal_meant(char *out, double value, int real)
{
    double meant = value == 0.0 ? 0.0 : value; // nobody means -0
    size_t n = write_short(out, meant);
    if (n == 0)
        n = write_significant(out, meant, 15);
    if (real && !is_real_text(out, n)) {
        memcpy(out + n, ".0", 2);
        n += 2;
    }
    return n;
}
