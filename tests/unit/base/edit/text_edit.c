// SPDX-License-Identifier: Apache-2.0
// Edits of a document's bytes: what is written, what stays, and which edits are refused.
#include <criterion/criterion.h>
#include <string.h>

#include "base/edit/text_edit.h"

static void check(const struct text_edit *edit, const char *original, const char *wanted)
{
    struct text_buffer out = {.text = NULL};
    text_edit_apply(edit, original, strlen(original), &out);
    cr_assert_not(out.failed);
    cr_assert_str_eq(out.text, wanted);
    text_buffer_free(&out);
}

Test(text_edit, changes_are_applied_in_order_of_place)
{
    struct text_edit edit = {.n = 0};
    cr_assert(text_edit_replace(&edit, 8, 9, "22", 2));
    cr_assert(text_edit_replace(&edit, 2, 3, "1", 1));
    cr_assert(text_edit_replace(&edit, 4, 4, "x\n", 2));
    cr_assert(text_edit_replace(&edit, 4, 4, "y\n", 2));
    check(&edit, "a=9\nbbb=7 # c\n", "a=1\nx\ny\nbbb=22 # c\n");
    text_edit_free(&edit);
}

// Offsets count neither the byte-order mark nor the CR of a line end; both stay in the file.
Test(text_edit, keeps_mark_and_line_ends)
{
    struct text_edit edit = {.n = 0};
    cr_assert(text_edit_replace(&edit, 6, 7, "8", 1));
    cr_assert(text_edit_replace(&edit, 8, 8, "c=3\n", 4));
    check(&edit,
          "\xef\xbb\xbf"
          "a=9\r\nb=7\r\n",
          "\xef\xbb\xbf"
          "a=9\r\nb=8\r\nc=3\r\n");
    text_edit_free(&edit);
}

Test(text_edit, an_insertion_stays_before_a_replacement_at_its_place)
{
    struct text_edit edit = {.n = 0};
    cr_assert(text_edit_replace(&edit, 1, 3, "RR", 2));
    cr_assert(text_edit_replace(&edit, 1, 1, "I", 1));
    check(&edit, "a12b", "aIRRb");
    text_edit_free(&edit);
}

Test(text_edit, overlaps_are_refused)
{
    struct text_edit edit = {.n = 0};
    cr_assert(text_edit_replace(&edit, 1, 3, "x", 1));
    cr_assert_not(text_edit_replace(&edit, 2, 4, "y", 1));
    cr_assert_not(text_edit_replace(&edit, 2, 2, "y", 1));
    cr_assert(text_edit_replace(&edit, 3, 4, "z", 1));
    check(&edit, "abcde", "axze");
    text_edit_free(&edit);
}

Test(text_edit, an_edit_without_changes_copies_the_file)
{
    struct text_edit edit = {.n = 0};
    check(&edit, "a\r\nb", "a\r\nb");
    text_edit_free(&edit);
}
