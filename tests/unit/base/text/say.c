// SPDX-License-Identifier: Apache-2.0
// One-line messages: each stays on one line, and a shell reads printed words back.
#include "base/text/say.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Test(oneline, control_characters_are_cleared)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"a b", "a b"},
        {"a\nb\r\n", "a?b??"},
        {"\t\x1b[31m\x7f", "??[31m?"},
        {"a\xc2\x85"
         "b\u2028c\u2029d",
         "a?b?c?d"},
        // neighbours of the replaced characters
        {"d\u00e9j\u00e0 \u2026 \u2027", "d\u00e9j\u00e0 \u2026 \u2027"},
        {"\xc2", "\xc2"}, // broken UTF-8
        {"\xe2\x80", "\xe2\x80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", rows[i].text);
        pps_one_line(text);
        cr_expect_str_eq(text, rows[i].wanted, "row %zu: %s", i, text);
    }
}

Test(oneline, a_line_is_one)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    cr_assert_not_null(out);
    pps_say_part(out, "%s of ", "1\n2");
    pps_say(out, "%s\n%d", "a\tb", 7);
    fclose(out);
    cr_expect_str_eq(text, "1?2 of a?b?7\n");
    free(text);
}

// Catches a write beyond the buffer: long lines are truncated.
Test(oneline, long_lines)
{
    static char name[40000];
    char *text = NULL;
    size_t n;
    memset(name, 'x', sizeof name - 1);
    FILE *out = open_memstream(&text, &n);
    cr_assert_not_null(out);
    pps_say(out, "wrote %s", name);
    fclose(out);
    cr_expect(n > 15000 && n <= 16001, "%zu bytes", n);
    cr_expect_eq(text[n - 1], '\n');
    free(text);
}

static char *word_of(const char *word, size_t n)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_not_null(out);
    pps_say_word(out, word, n);
    fclose(out);
    return text;
}

Test(oneline, words_of_a_shell)
{
    static const struct {
        const char *word;
        size_t n;
        const char *wanted;
    } rows[] = {
        {"outputs/a-1.csv.gz", SIZE_MAX, "outputs/a-1.csv.gz"},
        {"", SIZE_MAX, "''"},
        {"a b", SIZE_MAX, "'a b'"},
        {"a b", 1, "a"},
        {"a\nb", 1, "a"},
        {"it's", SIZE_MAX, "'it'\\''s'"},
        {"a*", SIZE_MAX, "'a*'"},
        {"\\n", SIZE_MAX, "'\\n'"},
        {"a\nb", SIZE_MAX, "$'a\\nb'"},
        {"it's\t\\\x1b"
         "1",
         SIZE_MAX, "$'it\\'s\\011\\\\\\0331'"},
        {"\xc2\x85\u2028\u00e9", SIZE_MAX, "$'\\302\\205\\342\\200\\250\u00e9'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = word_of(rows[i].word, rows[i].n);
        cr_expect_str_eq(text, rows[i].wanted, "row %zu: %s", i, text);
        free(text);
    }
}
