// SPDX-License-Identifier: Apache-2.0
// Builds FlatBuffers.
#include "base/columns/flatbuffer.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

static void make_room(struct pps_flat *flat, size_t more)
{
    size_t room = flat->room > 0 ? flat->room : FIRST_ROOM;
    while (room < flat->n + more)
        room *= 2;
    if (room == flat->room || flat->failed)
        return;
    unsigned char *bytes = malloc(room);
    if (bytes == NULL) {
        flat->failed = true;
        return;
    }
    if (flat->n > 0)
        memcpy(bytes + room - flat->n, flat->bytes + flat->room - flat->n, flat->n);
    free(flat->bytes);
    flat->bytes = bytes;
    flat->room = room;
}

// Writes n bytes in front of the earlier ones; zeros if `bytes` is NULL.
static void put(struct pps_flat *flat, const void *bytes, size_t n)
{
    make_room(flat, n);
    if (flat->failed || n == 0)
        return;
    flat->n += n;
    unsigned char *at = flat->bytes + flat->room - flat->n;
    if (bytes != NULL)
        memcpy(at, bytes, n);
    else
        memset(at, 0, n);
}

// Fills up with zeros, so that an object of `align` bytes stands well behind n more bytes.
static void pad(struct pps_flat *flat, size_t align, size_t n)
{
    if (align > flat->align)
        flat->align = align;
    put(flat, NULL, (align - (flat->n + n) % align) % align);
}

static void put_number(struct pps_flat *flat, uint64_t value, size_t bytes)
{
    pad(flat, bytes, 0);
    put(flat, &value, bytes); // little endian
}

static uint32_t place(const struct pps_flat *flat)
{
    return (uint32_t)flat->n;
}

// Writes the distance to an object.
static void put_place(struct pps_flat *flat, uint32_t to)
{
    pad(flat, sizeof(uint32_t), 0);
    put_number(flat, place(flat) - to + (uint32_t)sizeof(uint32_t), sizeof(uint32_t));
}

uint32_t pps_flat_string(struct pps_flat *flat, const char *text, size_t n)
{
    pad(flat, sizeof(uint32_t), n + 1);
    put(flat, NULL, 1);
    put(flat, text, n);
    put_number(flat, n, sizeof(uint32_t));
    return place(flat);
}

uint32_t pps_flat_structs(struct pps_flat *flat, const void *structs, size_t n, uint32_t count,
                          size_t align)
{
    pad(flat, sizeof(uint32_t), n);
    pad(flat, align, n);
    put(flat, structs, n);
    put_number(flat, count, sizeof(uint32_t));
    return place(flat);
}

uint32_t pps_flat_tables(struct pps_flat *flat, const uint32_t *places, uint32_t count)
{
    pad(flat, sizeof(uint32_t), count * sizeof(uint32_t));
    for (uint32_t i = count; i > 0; i--)
        put_place(flat, places[i - 1]);
    put_number(flat, count, sizeof(uint32_t));
    return place(flat);
}

void pps_flat_begin(struct pps_flat *flat)
{
    memset(flat->field, 0, sizeof flat->field);
    flat->table_start = place(flat);
}

void pps_flat_number(struct pps_flat *flat, int slot, uint64_t value, size_t bytes)
{
    put_number(flat, value, bytes);
    flat->field[slot] = place(flat);
}

void pps_flat_place(struct pps_flat *flat, int slot, uint32_t to)
{
    put_place(flat, to);
    flat->field[slot] = place(flat);
}

// The table of fields stands in front of the table, which begins with the distance to it.
uint32_t pps_flat_end(struct pps_flat *flat)
{
    put_number(flat, 0, sizeof(uint32_t));
    const uint32_t table = place(flat);
    for (int slot = PPS_FLAT_FIELDS; slot > 0; slot--) {
        const uint32_t field = flat->field[slot - 1];
        put_number(flat, field != 0 ? table - field : 0, sizeof(uint16_t));
    }
    put_number(flat, table - flat->table_start, sizeof(uint16_t));
    put_number(flat, (PPS_FLAT_FIELDS + 2) * sizeof(uint16_t), sizeof(uint16_t));
    const uint32_t distance = place(flat) - table;
    if (!flat->failed)
        memcpy(flat->bytes + flat->room - table, &distance, sizeof distance);
    return table;
}

void pps_flat_finish(struct pps_flat *flat, uint32_t root)
{
    pad(flat, flat->align > 8 ? flat->align : 8, sizeof(uint32_t));
    put_place(flat, root);
}

const unsigned char *pps_flat_bytes(const struct pps_flat *flat)
{
    return flat->bytes + flat->room - flat->n;
}

void pps_flat_free(struct pps_flat *flat)
{
    free(flat->bytes);
    *flat = (struct pps_flat){.bytes = NULL};
}
