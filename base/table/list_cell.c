// SPDX-License-Identifier: Apache-2.0
// Writes lists.
#include "base/table/list_cell.h"

#include <stdio.h>
#include <string.h>

struct writer {
    char *text;
    size_t size, length;
};

static void put(struct writer *w, const char *piece)
{
    const size_t n = strlen(piece);
    if (w->length < w->size) {
        const size_t room = w->size - w->length - 1, part = n < room ? n : room;
        memcpy(w->text + w->length, piece, part);
        w->text[w->length + part] = '\0';
    }
    w->length += n;
}

static void put_gap(struct writer *w, int32_t row, int32_t column)
{
    if (column > 0)
        put(w, " ");
    else if (row > 0)
        put(w, "|");
}

size_t list_cell_write(char *text, size_t size, const int32_t *values, int32_t rows,
                       int32_t columns)
{
    struct writer w = {text, size, 0};
    char number[16];
    put(&w, "");
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < columns; j++) {
            put_gap(&w, i, j);
            snprintf(number, sizeof number, "%d",
                     values[(size_t)i * (size_t)columns + (size_t)j]);
            put(&w, number);
        }
    return w.length;
}
