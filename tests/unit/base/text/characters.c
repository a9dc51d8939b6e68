// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8: every valid character, invalid bytes, places in a text.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/text/characters.h"

Test(utf8, every_character)
{
    for (uint32_t code = 0; code <= 0x110000; code++) {
        char text[5] = "";
        const size_t n = pps_utf8_write(text, code);
        const bool exists = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        cr_assert_eq(n > 0, exists, "U+%04X", (unsigned)code);
        if (exists)
            cr_assert_eq(pps_utf8_length(text), n, "U+%04X", (unsigned)code);
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
        cr_expect_eq(pps_utf8_length(rows[i]), 0, "row %zu", i);
}

// Catches a column that counts bytes, and CRLF counted as two line ends.
Test(utf8, places)
{
    static const char text[] = "a\xc3\xa4"
                               "b\r\nc\rd\n\xe2\x82\xac"
                               "e";
    static const struct {
        size_t at;
        int line, column;
    } rows[] = {{0, 1, 1}, {1, 1, 2}, {3, 1, 3}, {6, 2, 1}, {8, 3, 1}, {10, 4, 1}, {13, 4, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int line, column;
        pps_find_place(text, rows[i].at, &line, &column);
        cr_expect(line == rows[i].line && column == rows[i].column, "byte %zu: %d:%d",
                  rows[i].at, line, column);
    }
    cr_expect_eq(pps_utf8_count(text, sizeof text - 1), 11);
}
