// SPDX-License-Identifier: Apache-2.0
// Numbers as people and programs write them, compared with strtod bit by bit.
#include "base/text/decimal_read.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MILLIONS = 3 };

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Du;
}

static void expect_as_strtod(const char *text)
{
    const size_t n = strlen(text);
    double value = -1;
    char behind[128];
    // Characters after the number must not matter.
    snprintf(behind, sizeof behind, "%s7", text);
    cr_assert(pps_decimal_read(behind, n, &value), "%s", text);
    const double wanted = strtod(text, NULL);
    cr_assert(memcmp(&value, &wanted, sizeof value) == 0, "%s: %a, expected %a", text, value,
              wanted);
}

static void expect_refused(const char *text, size_t n)
{
    double value;
    cr_expect_not(pps_decimal_read(text, n, &value), "\"%s\"", text);
}

// Writes a number with digits, point and exponent at random places.
static void random_text(char out[64])
{
    const int n = 1 + (int)(random_bits() % 24), point = (int)(random_bits() % 26);
    size_t at = 0;
    if (random_bits() % 4 == 0)
        out[at++] = random_bits() % 2 ? '-' : '+';
    for (int i = 0; i < n; i++) {
        if (i == point)
            out[at++] = '.';
        out[at++] = (char)('0' + (random_bits() % 8 == 0 ? 0 : random_bits() % 10));
    }
    out[at] = '\0';
    if (random_bits() % 2 == 0)
        sprintf(out + at, "%c%d", random_bits() % 2 ? 'e' : 'E',
                (int)(random_bits() % 81) - 40);
}

Test(decimalread, random_decimals)
{
    char text[64];
    for (int i = 0; i < n_cases(MILLIONS * 1000000); i++) {
        random_text(text);
        expect_as_strtod(text);
    }
}

// Numbers halfway between two doubles, and numbers one digit from there. Catches double
// rounding.
Test(decimalread, ties)
{
    for (int i = 0; i < 300000; i++) {
        const uint64_t odd = ((uint64_t)1 << 53) + (random_bits() >> 11) % ((uint64_t)1 << 53);
        char text[64];
        // 54 to 63 bits, so neither neighbour is a double.
        const uint64_t tie = (odd | 1) << (random_bits() % 9);
        snprintf(text, sizeof text, "%llu", (unsigned long long)tie);
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%llu.%s", (unsigned long long)tie,
                 random_bits() % 2 ? "0000001" : "5");
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%llue-1", (unsigned long long)(5 * (odd >> 4 | 1)));
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%llue-%d", (unsigned long long)(random_bits() >> 1),
                 (int)(random_bits() % 28));
        expect_as_strtod(text);
    }
}

// Doubles as programs print them, with 15, 16 and 17 digits.
Test(decimalread, printed_doubles)
{
    for (int i = 0; i < 300000; i++) {
        double value;
        char text[64];
        const uint64_t bits = random_bits();
        memcpy(&value, &bits, sizeof value);
        const double small = (double)(random_bits() >> 11) * 0x1p-53 * 1000;
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, small);
            expect_as_strtod(text);
            snprintf(text, sizeof text, "%.*e", digits - 1, value);
            if (value - value == 0)
                expect_as_strtod(text);
        }
    }
}

Test(decimalread, edges)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "00000000000000000000000001",
        "0e999999999999",
        "1e999999999999",
        "-1e99999",
        "1e-99999",
        "0.000000000000000000000000000000000000000000000000000000001",
        "1.",
        ".5",
        "-.5e+3",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993e0",
        "9007199254740993.0",
        "9007199254740993.00000000000000000000001",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "1e22",
        "1e23",
        "1e27",
        "1e28",
        "1e-22",
        "1e-23",
        "1e-27",
        "1e-28",
        "9999999999999999999",
        "9999999999999999999e27",
        "9999999999999999999e-27",
        "99999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "1844674407370955161.6",
        "123456789012345678901234567890",
        "0.1000000000000000055511151231257827021181583404541015625",
        "100000000000000000000000000000000000000000000000000000000000000",
        "0.30000000000000004",
        "8.5",
        "5e-1",
        "1e0",
        "1E+05",
        "8589934592e27",
        "3e-27"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_as_strtod(texts[i]);
}

Test(decimalread, other_text_is_refused)
{
    static const char *const texts[] = {"",    "+",    "-",   ".",     "e5",   "1e",   "1e+",
                                        "1.e", "--1",  "+-1", "1.2.3", "1 ",   " 1",   "0x10",
                                        "inf", "nan",  "1,5", "1_0",   "1e5.", "1e5e", "1-",
                                        "٣",   "1e 5", "-e1", ".e1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_refused(texts[i], strlen(texts[i]));
    expect_refused("1\0", 2);
    char longest[80];
    memset(longest, '1', sizeof longest);
    double value;
    cr_expect(pps_decimal_read(longest, PPS_DECIMAL_LONGEST, &value));
    expect_refused(longest, PPS_DECIMAL_LONGEST + 1);
}

// Catches digits that are read in groups of 8 and a shorter last group without a look at each
// character: neighbours of the digits in ASCII, and a second point, are refused at any place.
Test(decimalread, other_characters_are_refused_at_any_place)
{
    static const char others[] = "/:.,-+ e\x01\xb0";
    for (int n = 1; n <= 24; n++)
        for (int place = 0; place < n; place++)
            for (size_t i = 0; i + 1 < sizeof others; i++) {
                char text[40] = "7.";
                for (int digit = 0; digit < n; digit++)
                    text[2 + digit] = (char)('0' + (digit + n) % 10);
                expect_as_strtod(text);
                text[2 + place] = others[i];
                if (others[i] == 'e' && place < n - 1)
                    expect_as_strtod(text);
                else
                    expect_refused(text, strlen(text));
            }
}
