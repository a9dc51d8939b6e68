// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8: every one there is, and bytes that are none.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/text/near_name.h"
#include "base/text/utf8.h"

Test(utf8, every_character)
{
    for (uint32_t code = 0; code <= 0x110000; code++) {
        char text[5] = "";
        const size_t n = utf8_write(text, code);
        const bool exists = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        cr_assert_eq(n > 0, exists, "U+%04X", (unsigned)code);
        if (exists)
            cr_assert_eq(utf8_length(text), n, "U+%04X", (unsigned)code);
    }
}

Test(utf8, no_character)
{
    static const char *const rows[] = {
        "\x80",
        "\xbf",
        "\xc0\x80",
        "\xc1\xbf",
        "\xc3",
        "\xc3\x28",
        "\xe0\x9f\xbf",
        "\xe2\x82",
        "\xe2\x28\xa1",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xf0\x9f\x98",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(utf8_length(rows[i]), 0, "row %zu", i);
}

Test(nearname, distances)
{
    static const struct {
        const char *a, *b;
        int distance;
    } rows[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"hidden_size", "hidden-SIZE", 0},
        {"hiden_size", "hidden_size", 1},
        {"hidden_sise", "hidden_size", 1},
        {"hidden_szie", "hidden_size", 1}, // neighbours changed places
        {"kitten", "sitting", 3},
        {"ab", "ba", 1},
        {"abc", "cab", 2},
    };
    static char longest[NEARNAME_LONGEST + 2];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(nearname_distance(rows[i].a, rows[i].b), rows[i].distance, "row %zu", i);
        cr_expect_eq(nearname_distance(rows[i].b, rows[i].a), rows[i].distance, "row %zu", i);
    }
    memset(longest, 'x', sizeof longest - 1);
    cr_expect_eq(nearname_distance(longest, "x"), NEARNAME_FAR);
    longest[NEARNAME_LONGEST] = '\0';
    cr_expect_eq(nearname_distance(longest, longest), 0);
    cr_expect(nearname_limit("gbs") == 1 && nearname_limit("hidden_size") == 3);
}
