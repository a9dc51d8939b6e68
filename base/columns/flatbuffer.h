// SPDX-License-Identifier: Apache-2.0
// Builds a FlatBuffer, the form of Arrow's metadata, from its end to its start: whatever a table or a
// vector refers to is written before it. A place is the distance of an object from the end of the
// buffer. Source: "FlatBuffers internals" of the FlatBuffers documentation. Memory that runs out
// shows in `failed`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_FLAT_FIELDS = 8 };

// A zeroed buffer is empty.
struct pps_flat {
    unsigned char *bytes; // the last n of `room` bytes are used
    size_t room, n;
    size_t align; // the largest alignment of anything written
    bool failed;
    uint32_t field[PPS_FLAT_FIELDS]; // places of the fields of the open table; 0: the default
    uint32_t table_start;
};

// Writes the bytes of a string or of a vector of structs. count is the number of the vector's items,
// which have n bytes together and begin at a multiple of `align`. Returns the place.
uint32_t pps_flat_string(struct pps_flat *flat, const char *text, size_t n);
uint32_t pps_flat_structs(struct pps_flat *flat, const void *structs, size_t n, uint32_t count,
                          size_t align);

// Writes a vector of tables, given their places.
uint32_t pps_flat_tables(struct pps_flat *flat, const uint32_t *places, uint32_t count);

// Begins a table; its fields follow, each in its slot; pps_flat_end returns its place.
void pps_flat_begin(struct pps_flat *flat);
void pps_flat_number(struct pps_flat *flat, int slot, uint64_t value, size_t bytes);
void pps_flat_place(struct pps_flat *flat, int slot, uint32_t place);
uint32_t pps_flat_end(struct pps_flat *flat);

// Ends the buffer with its root table. The bytes are the last flat->n of flat->room.
void pps_flat_finish(struct pps_flat *flat, uint32_t root);

// Returns the first byte of a finished buffer.
const unsigned char *pps_flat_bytes(const struct pps_flat *flat);

void pps_flat_free(struct pps_flat *flat);
