// SPDX-License-Identifier: Apache-2.0
// Keeps changes sorted by their place, and walks the original bytes with the offsets of the
// normalized text.
#include "base/edit/text_edit.h"

#include "base/text/characters.h"
#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

// Two changes overlap if they share a byte, or if one inserts inside the other.
static bool overlaps(const struct text_change *a, size_t from, size_t to)
{
    return a->from < to && from < a->to;
}

bool text_edit_replace(struct text_edit *edit, size_t from, size_t to, const char *with,
                       size_t n)
{
    size_t k = edit->n;
    for (size_t i = 0; i < edit->n; i++)
        if (overlaps(&edit->changes[i], from, to))
            return false;
    struct text_change *changes =
        pps_grow(edit->changes, &edit->room, edit->n + 1, sizeof *changes);
    if (changes == NULL) {
        edit->failed = true;
        return true;
    }
    edit->changes = changes;
    while (k > 0 && (changes[k - 1].from > from ||
                     (changes[k - 1].from == from && changes[k - 1].to > from && to == from)))
        k--;
    memmove(changes + k + 1, changes + k, (edit->n - k) * sizeof *changes);
    changes[k] = (struct text_change){from, to, edit->bytes.n, n};
    edit->n++;
    text_buffer_add_bytes(&edit->bytes, with, n);
    edit->failed |= edit->bytes.failed;
    return true;
}

// ---- writing ------------------------------------------------------------------------------------

// Returns whether byte i is a CR that the normalized text does not have.
static bool is_hidden(const char *original, size_t n, size_t i)
{
    return original[i] == '\r' && i + 1 < n && original[i + 1] == '\n';
}

static bool ends_with_crlf(const char *original, size_t n)
{
    const char *end = memchr(original, '\n', n);
    return end != NULL && end > original && end[-1] == '\r';
}

static void add_lines(struct text_buffer *out, const char *text, size_t n, bool crlf)
{
    for (size_t i = 0; i < n; i++) {
        if (crlf && text[i] == '\n')
            text_buffer_add_bytes(out, "\r", 1);
        text_buffer_add_bytes(out, text + i, 1);
    }
}

// Returns the offset in the original of a normalized offset, from a known pair (*i, *at) below it.
static size_t original_at(const char *original, size_t n, size_t *i, size_t *at, size_t wanted)
{
    for (; *at < wanted && *i < n; (*i)++)
        *at += !is_hidden(original, n, *i);
    return *i;
}

void text_edit_apply(const struct text_edit *edit, const char *original, size_t n,
                     struct text_buffer *out)
{
    const bool crlf = n > 0 && ends_with_crlf(original, n);
    size_t i = pps_utf8_mark(original, n), at = 0, done = 0;
    if (edit->failed || edit->bytes.failed) { // bytes of changes are missing
        out->failed = true;
        return;
    }
    for (size_t k = 0; k < edit->n; k++) {
        const struct text_change *change = &edit->changes[k];
        const size_t from = original_at(original, n, &i, &at, change->from);
        text_buffer_add_bytes(out, original + done, from - done);
        add_lines(out, edit->bytes.text + change->at, change->n, crlf);
        done = original_at(original, n, &i, &at, change->to);
    }
    text_buffer_add_bytes(out, original + done, n - done);
}

void text_edit_free(struct text_edit *edit)
{
    free(edit->changes);
    text_buffer_free(&edit->bytes);
    *edit = (struct text_edit){.changes = NULL};
}
