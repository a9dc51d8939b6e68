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

// ---- names of files ---------------------------------------------------------------------------------

// Catches a name of a document that leads to another folder.
Test(file_name, names_of_documents)
{
    static const char *const rows[][2] = {{"llama3-8b", "llama3-8b"},
                                          {"../../evil3", "_._.._evil3"},
                                          {"..", "_."},
                                          {"/etc/passwd", "_etc_passwd"},
                                          {".hidden", "_hidden"},
                                          {"a b\xc3\xa9", "a b\xc3\xa9"},
                                          {"a\nb\x1b[1m", "a_b_[1m"},
                                          {"\xff", "_"},
                                          {"", ""}};
    char name[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pps_file_name(rows[i][0], name, sizeof name);
        cr_assert_str_eq(name, rows[i][1]);
    }
}

// Long names with the same start stay different, and no character is cut.
Test(file_name, long_names)
{
    char one[32], other[32];
    pps_file_name("12345678901234567890123456789012345", one, sizeof one);
    pps_file_name("12345678901234567890123456789012346", other, sizeof other);
    cr_assert_eq(strlen(one), sizeof one - 1);
    cr_assert_eq(strncmp(one, other, 22), 0);
    cr_assert_str_neq(one, other);
    pps_file_name("123456789012345678901\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", one,
                  sizeof one);
    cr_assert_eq(one[21], '-');
}
