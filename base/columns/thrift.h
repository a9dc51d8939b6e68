// SPDX-License-Identifier: Apache-2.0
// Writes structs in the compact protocol of Thrift, in which Parquet stores its metadata. Source:
// the specification "Thrift compact protocol" of Apache Thrift. The caller opens and closes structs
// in pairs; memory that runs out shows in out->failed.
#pragma once

#include "base/text/text_buffer.h"

#include <stddef.h>
#include <stdint.h>

enum { PPS_THRIFT_DEPTH = 8 };

enum pps_thrift_type { // of the items of a list
    PPS_THRIFT_I32 = 5,
    PPS_THRIFT_BINARY = 8,
    PPS_THRIFT_STRUCT = 12,
};

struct pps_thrift {
    struct text_buffer *out;
    int16_t last[PPS_THRIFT_DEPTH]; // number of the last field of each open struct
    int depth;                      // of the innermost open struct
};

// Begins the outermost struct.
void pps_thrift_open(struct pps_thrift *thrift, struct text_buffer *out);

// Write fields of the innermost struct, in ascending order of their numbers.
void pps_thrift_i32(struct pps_thrift *thrift, int16_t field, int32_t value);
void pps_thrift_i64(struct pps_thrift *thrift, int16_t field, int64_t value);
void pps_thrift_binary(struct pps_thrift *thrift, int16_t field, const void *bytes, size_t n);

// Begins a struct as a field; pps_thrift_end ends it (or the outermost struct).
void pps_thrift_begin(struct pps_thrift *thrift, int16_t field);
void pps_thrift_end(struct pps_thrift *thrift);

// Begins a list of n items as a field; the caller writes exactly n items of this type.
void pps_thrift_list(struct pps_thrift *thrift, int16_t field, enum pps_thrift_type type,
                     uint64_t n);
void pps_thrift_item_i32(struct pps_thrift *thrift, int32_t value);
void pps_thrift_item_binary(struct pps_thrift *thrift, const void *bytes, size_t n);
void pps_thrift_item_begin(struct pps_thrift *thrift); // a struct; pps_thrift_end ends it

// Appends an unsigned number in groups of 7 bits, the lowest first.
void pps_thrift_varint(struct text_buffer *out, uint64_t value);
