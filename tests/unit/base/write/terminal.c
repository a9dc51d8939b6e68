// SPDX-License-Identifier: Apache-2.0
// What a terminal gets.
#include "base/write/terminal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Writes the text in pieces, since a control character may lie on the border of two.
Test(terminal, control_characters)
{
    static const char text[] = "a\tb\x1b[31m\a\x7f\xc2\x9b\xc2\xa0\xe2\x82\xac\xc3\xa9\r\n\xc2";
    static const char wanted[] = "a\tb?[31m???\xc2\xa0\xe2\x82\xac\xc3\xa9?\n\xc2";
    for (size_t piece = 1; piece < sizeof text; piece++) {
        char *got = NULL;
        size_t n = 0;
        FILE *memory = open_memstream(&got, &n), *terminal = pps_terminal_open(memory);
        for (size_t at = 0; at < sizeof text - 1; at += piece) {
            fwrite(text + at, 1, at + piece < sizeof text ? piece : sizeof text - 1 - at,
                   terminal);
            fflush(terminal);
        }
        cr_assert_eq(fclose(terminal), 0);
        fclose(memory);
        cr_assert_str_eq(got, wanted, "pieces of %zu bytes", piece);
        free(got);
    }
}
