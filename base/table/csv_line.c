// SPDX-License-Identifier: Apache-2.0
// Splits a line in a copy whose cells end with NUL. Finds commas eight bytes at a time.
#include "base/table/csv_line.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Adds the cell line[begin ... end - 1]. `room` holds a copy of the line with a spare byte.
static void add_cell(struct pps_csv_row *row, const char *line, char *room, size_t begin,
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

// Returns a mask of the bytes 0 to ',', which include quotes and control characters: the highest
// bit of each such byte is set.
static uint64_t low_bytes(uint64_t bytes)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    return ~(((bytes & low) + 0x5353535353535353u) | bytes | low);
}

static bool is_odd(char c)
{
    return c == '"' || c == '\r' || c == '\0';
}

bool pps_csv_line_split(const char *line, size_t n, char *room, struct pps_csv_row *row)
{
    size_t begin = 0;
    row->n = 0;
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        n--;
    if (n == 0)
        return false;
    memcpy(room, line, n);
    memset(room + n, 'x', 8);
    for (size_t at = 0; at < n; at += 8) {
        uint64_t bytes;
        memcpy(&bytes, room + at, 8);
        for (uint64_t bits = low_bytes(bytes); bits != 0; bits &= bits - 1) {
            const size_t found = at + (size_t)__builtin_ctzll(bits) / 8;
            if (is_odd(line[found]))
                return false;
            if (line[found] != ',')
                continue;
            if (row->n == PPS_CSV_COLUMNS - 1)
                return false;
            add_cell(row, line, room, begin, found);
            begin = found + 1;
        }
    }
    add_cell(row, line, room, begin, n);
    return row->n > 1 || row->length[0] > 0;
}
