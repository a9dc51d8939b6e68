// SPDX-License-Identifier: Apache-2.0
// Digits w and a power of ten e stand for w * 10^e. If w and 10^|e| are exact doubles, one
// multiplication or division rounds correctly (W. D. Clinger, How to Read Floating Point
// Numbers Accurately, 1990). Up to 19 digits and |e| = 27, w and 5^|e| fit in 64 bits, and
// their product or quotient in 128 bits determines the rounding exactly. strtod reads all other
// numbers.
#include "base/text/decimal_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 19, CLINGER_POWER = 22, MOST_POWER = 27 };

struct number {
    bool negative;
    bool cut;     // the number has more digits than `digits` holds
    int n_digits; // digits in `digits`, possibly with leading zeros
    uint64_t digits;
    int power;
};

// ---- scanning ---------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

// Returns true if all 8 bytes are digits: the high half of each is 3, also after 6 is added.
static bool are_digits(uint64_t bytes)
{
    const uint64_t high = 0xF0F0F0F0F0F0F0F0u;
    return ((bytes & high) | (((bytes + 0x0606060606060606u) & high) >> 4)) ==
           0x3333333333333333u;
}

// Returns the number that 8 digits stand for, the first in the lowest byte: joins digits to
// pairs, then pairs to groups of four.
static uint64_t eight_digits(uint64_t bytes)
{
    bytes = (bytes & 0x0F0F0F0F0F0F0F0Fu) * (10 * 256 + 1) >> 8;
    bytes = (bytes & 0x00FF00FF00FF00FFu) * (100 * 65536 + 1) >> 16;
    return (bytes & 0x0000FFFF0000FFFFu) * (10000 * ((uint64_t)1 << 32) + 1) >> 32;
}

// Reads 1 to 7 digits up to `end`, which at least 8 characters precede. Returns false if there
// is another character.
static inline __attribute__((always_inline)) bool take_last(const char *c, const char *end,
                                                            uint64_t *digits)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    const size_t n = (size_t)(end - c);
    const uint64_t before = ~(uint64_t)0 >> 8 * n;
    uint64_t bytes;
    memcpy(&bytes, end - 8, 8);
    bytes = (bytes & ~before) | (0x3030303030303030u & before);
    *digits = *digits * tens[n] + eight_digits(bytes);
    return are_digits(bytes);
}

// Reads digits from *at; each digit changes the power by `step`. Returns true if there is a
// digit.
static inline __attribute__((always_inline)) bool take_digits(const char **at, const char *end,
                                                              int step, struct number *number)
{
    const char *const begin = *at;
    const char *c = begin;
    uint64_t digits = number->digits;
    int n = number->n_digits;
    for (uint64_t bytes; end - c >= 8 && n <= MOST_DIGITS - 8; c += 8, n += 8) {
        memcpy(&bytes, c, 8);
        if (!are_digits(bytes))
            break;
        digits = digits * 100000000 + eight_digits(bytes);
    }
    uint64_t all = digits;
    if (c > begin && c < end && end - c < 8 && n + (end - c) <= MOST_DIGITS &&
        take_last(c, end, &all)) {
        digits = all;
        n += (int)(end - c);
        c = end;
    }
    number->power += step * (int)(c - begin);
    for (; c < end && is_digit(*c); c++) {
        if (n == MOST_DIGITS) {
            number->cut = true;
            number->power += 1 + step; // a dropped digit
            continue;
        }
        digits = 10 * digits + (uint64_t)(*c - '0');
        n += digits > 0;
        number->power += step;
    }
    number->digits = digits;
    number->n_digits = n;
    *at = c;
    return c > begin;
}

static bool take_exponent(const char **at, const char *end, int *power)
{
    const char *c = *at + 1;
    const bool negative = c < end && *c == '-';
    int exponent = 0;
    if (c < end && (*c == '-' || *c == '+'))
        c++;
    const char *const begin = c;
    for (; c < end && is_digit(*c); c++)
        if (exponent < 100000)
            exponent = 10 * exponent + (*c - '0');
    *power += negative ? -exponent : exponent;
    *at = c;
    return c > begin;
}

static inline __attribute__((always_inline)) bool scan(const char *text, size_t n,
                                                       struct number *number)
{
    const char *at = text, *const end = text + n;
    *number = (struct number){.negative = n > 0 && text[0] == '-'};
    if (n > 0 && (*at == '-' || *at == '+'))
        at++;
    bool any = take_digits(&at, end, 0, number);
    if (at < end && *at == '.') {
        at++;
        any |= take_digits(&at, end, -1, number);
    }
    if (any && at < end && (*at == 'e' || *at == 'E'))
        any = take_exponent(&at, end, &number->power);
    return any && at == end;
}

// ---- exact arithmetic -------------------------------------------------------------------------

// Returns 2^power, a normal double.
static double power_of_two(int power)
{
    const uint64_t bits = (uint64_t)(power + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Returns bits * 2^power for bits >= 2^62, rounded to nearest, ties to even. `more` is true if
// the exact number is slightly larger than bits.
static double round_bits(uint64_t bits, bool more, int power)
{
    const int shift = 11 - __builtin_clzll(bits);
    const uint64_t rest = bits & (((uint64_t)1 << shift) - 1),
                   half = (uint64_t)1 << (shift - 1);
    uint64_t kept = bits >> shift;
    // No branch: whether a number is rounded up cannot be predicted.
    kept += (uint64_t)(rest > half) | ((uint64_t)(rest == half) & (more | kept));
    return (double)kept * power_of_two(power + shift);
}

static const uint64_t fives[MOST_POWER + 1] = {1u,
                                               5u,
                                               25u,
                                               125u,
                                               625u,
                                               3125u,
                                               15625u,
                                               78125u,
                                               390625u,
                                               1953125u,
                                               9765625u,
                                               48828125u,
                                               244140625u,
                                               1220703125u,
                                               6103515625u,
                                               30517578125u,
                                               152587890625u,
                                               762939453125u,
                                               3814697265625u,
                                               19073486328125u,
                                               95367431640625u,
                                               476837158203125u,
                                               2384185791015625u,
                                               11920928955078125u,
                                               59604644775390625u,
                                               298023223876953125u,
                                               1490116119384765625u,
                                               7450580596923828125u};

// Returns digits * 10^power.
static double multiply(uint64_t digits, int power)
{
    const __uint128_t product = (__uint128_t)digits * fives[power];
    const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if (high == 0) {
        const int left = __builtin_clzll(low);
        return round_bits(low << left, false, power - left);
    }
    const int left = __builtin_clzll(high);
    const __uint128_t whole = product << left;
    return round_bits((uint64_t)(whole >> 64), (uint64_t)whole != 0, power + 64 - left);
}

// Returns digits / 10^power. Both are shifted to 64 bits without leading zeros, so the quotient
// has 63 or 64 bits.
static double divide(uint64_t digits, int power)
{
    const int left = __builtin_clzll(digits);
    const uint64_t five = fives[power];
    const int five_left = __builtin_clzll(five);
    const uint64_t divisor = five << five_left;
    const __uint128_t dividend = (__uint128_t)(digits << left) << 63;
    const uint64_t quotient = (uint64_t)(dividend / divisor);
    const bool more = (__uint128_t)quotient * divisor != dividend;
    return round_bits(quotient, more, five_left - left - 63 - power);
}

// ---- entry points -----------------------------------------------------------------------------

static bool is_exact(const struct number *number)
{
    return !number->cut && number->power >= -MOST_POWER && number->power <= MOST_POWER;
}

static inline __attribute__((always_inline)) double exact_value(const struct number *number)
{
    static const double tens[CLINGER_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint64_t digits = number->digits;
    const int power = number->power;
    if (digits == 0)
        return 0;
    if (digits <= (uint64_t)1 << 53 && power >= -CLINGER_POWER && power <= CLINGER_POWER)
        return power < 0 ? (double)digits / tens[-power] : (double)digits * tens[power];
    return power < 0 ? divide(digits, -power) : multiply(digits, power);
}

bool pps_decimal_read(const char *text, size_t n, double *value)
{
    struct number number;
    if (n > PPS_DECIMAL_LONGEST || !scan(text, n, &number))
        return false;
    if (is_exact(&number)) {
        const double size = exact_value(&number);
        *value = number.negative ? -size : size;
        return true;
    }
    char copy[PPS_DECIMAL_LONGEST + 1];
    memcpy(copy, text, n);
    copy[n] = '\0';
    *value = strtod(copy, NULL);
    return true;
}
