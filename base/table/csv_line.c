// SPDX-License-Identifier: Apache-2.0
// Splits a line in a copy whose cells end with NUL. Finds commas eight bytes at a time.
#include "base/table/csv_line.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Adds the cell line[begin ... end - 1]. `room` holds a copy of the line with a spare byte.
static void add_cell(struct pps_csv_row *row,
                     const char *line,
                     char *room,
                     size_t begin,
                     size_t end)
{
    row->raw[row->n] = line + begin;
    row->raw_length[row->n] = end - begin;
    while (begin < end && is_blank(room[begin]))
        begin++;
    while (begin < end && is_blank(room[end - 1]))
        end--;
    room[end] = '\0';
    row->text[row->n] = room + begin;
    row->length[row->n++] = end - begin;
}

// Returns a mask of the bytes that are commas: the highest bit of each such byte is set.
static uint64_t commas(uint64_t bytes)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu, differ = bytes ^ 0x2C2C2C2C2C2C2C2Cu;
    return ~(((differ & low) + low) | differ | low);
}

static bool is_odd(const char *line, size_t n)
{
    return n == 0 || memchr(line, '"', n) != NULL || memchr(line, '\r', n) != NULL ||
           memchr(line, '\0', n) != NULL;
}

bool pps_csvline_split(const char *line, size_t n, char *room, struct pps_csv_row *row)
{
    size_t begin = 0;
    row->n = 0;
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        n--;
    if (is_odd(line, n))
        return false;
    memcpy(room, line, n);
    memset(room + n, 0, 8);
    for (size_t at = 0; at < n; at += 8) {
        uint64_t bytes;
        memcpy(&bytes, room + at, 8);
        for (uint64_t bits = commas(bytes); bits != 0; bits &= bits - 1) {
            const size_t comma = at + (size_t)__builtin_ctzll(bits) / 8;
            if (row->n == PPS_CSV_COLUMNS - 1)
                return false;
            add_cell(row, line, room, begin, comma);
            begin = comma + 1;
        }
    }
    add_cell(row, line, room, begin, n);
    return row->n > 1 || row->length[0] > 0;
}
