// SPDX-License-Identifier: Apache-2.0
// Writes and reads lists.
#include "base/table/list_cell.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- writing ------------------------------------------------------------------------------------

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

size_t list_cell_write(char *text,
                       size_t size,
                       const int32_t *values,
                       int32_t rows,
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

// ---- reading ------------------------------------------------------------------------------------

struct reader {
    const char *at;
    int32_t room, n; // numbers
    struct list_cell_shape *shape;
    char *why;
    size_t why_size;
};

static bool refuse(const struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, r->why_size, format, args);
    va_end(args);
    return false;
}

// Reads the number at r->at; a separator or the end must follow.
static bool number(struct reader *r, int32_t *value)
{
    const int32_t row = r->shape->rows + 1;
    char *end = NULL;
    if (*r->at == '\0' || *r->at == ' ' || *r->at == '|')
        return refuse(r, "row %d has a gap where a number should be", row);
    errno = 0;
    const long long read = strtoll(r->at, &end, 10);
    if (end == r->at || (*end != '\0' && *end != ' ' && *end != '|'))
        return refuse(r, "row %d: '%.20s' does not start with a whole number", row, r->at);
    if (errno != 0 || read < INT32_MIN || read > INT32_MAX)
        return refuse(r, "row %d has a number that is too large", row);
    *value = (int32_t)read;
    r->at = end;
    return true;
}

static bool end_row(struct reader *r, int32_t columns)
{
    if (r->shape->rows > 0 && columns != r->shape->columns)
        return refuse(r, "row %d has %d numbers, the first has %d", r->shape->rows + 1, columns,
                      r->shape->columns);
    r->shape->columns = columns;
    r->shape->rows++;
    return true;
}

static bool read_all(struct reader *r, int32_t *values)
{
    for (int32_t columns = 1;; columns++, r->n++) {
        if (r->n == r->room)
            return refuse(r, "there are more than %d numbers", r->room);
        if (!number(r, &values[r->n]))
            return false;
        if (*r->at != ' ' && !end_row(r, columns))
            return false;
        if (*r->at == '\0')
            return true;
        if (*r->at == '|')
            columns = 0;
        r->at++;
    }
}

bool list_cell_read(const char *text,
                    int32_t *values,
                    int32_t room,
                    struct list_cell_shape *shape,
                    char *why,
                    size_t why_size)
{
    struct reader r = {text, room, 0, shape, why, why_size};
    *shape = (struct list_cell_shape){0, 0};
    return read_all(&r, values);
}
