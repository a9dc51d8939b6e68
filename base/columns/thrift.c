// SPDX-License-Identifier: Apache-2.0
// Writes the compact protocol of Thrift.
#include "base/columns/thrift.h"

enum { I32_FIELD = 5, I64_FIELD = 6, LIST_FIELD = 9 };

static void add_byte(struct text_buffer *out, unsigned value)
{
    const char byte = (char)(unsigned char)value;
    text_buffer_add_bytes(out, &byte, 1);
}

void pps_thrift_varint(struct text_buffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        add_byte(out, (unsigned)(value & 0x7f) | 0x80);
    add_byte(out, (unsigned)value);
}

static void add_signed(struct text_buffer *out, int64_t value)
{
    const uint64_t bits = (uint64_t)value;
    pps_thrift_varint(out, value < 0 ? ~(bits << 1) : bits << 1); // zigzag
}

static void add_field(struct pps_thrift *thrift, int16_t field, unsigned type)
{
    int16_t *last = &thrift->last[thrift->depth];
    const int step = field - *last;
    if (step >= 1 && step <= 15) {
        add_byte(thrift->out, (unsigned)step << 4 | type);
    } else {
        add_byte(thrift->out, type);
        add_signed(thrift->out, field);
    }
    *last = field;
}

void pps_thrift_open(struct pps_thrift *thrift, struct text_buffer *out)
{
    *thrift = (struct pps_thrift){.out = out};
}

void pps_thrift_i32(struct pps_thrift *thrift, int16_t field, int32_t value)
{
    add_field(thrift, field, I32_FIELD);
    add_signed(thrift->out, value);
}

void pps_thrift_i64(struct pps_thrift *thrift, int16_t field, int64_t value)
{
    add_field(thrift, field, I64_FIELD);
    add_signed(thrift->out, value);
}

void pps_thrift_binary(struct pps_thrift *thrift, int16_t field, const void *bytes, size_t n)
{
    add_field(thrift, field, PPS_THRIFT_BINARY);
    pps_thrift_item_binary(thrift, bytes, n);
}

void pps_thrift_begin(struct pps_thrift *thrift, int16_t field)
{
    add_field(thrift, field, PPS_THRIFT_STRUCT);
    pps_thrift_item_begin(thrift);
}

void pps_thrift_end(struct pps_thrift *thrift)
{
    add_byte(thrift->out, 0);
    if (thrift->depth > 0)
        thrift->depth--;
}

void pps_thrift_list(struct pps_thrift *thrift, int16_t field, enum pps_thrift_type type,
                     uint64_t n)
{
    add_field(thrift, field, LIST_FIELD);
    if (n < 15) {
        add_byte(thrift->out, (unsigned)n << 4 | (unsigned)type);
        return;
    }
    add_byte(thrift->out, 0xf0U | (unsigned)type);
    pps_thrift_varint(thrift->out, n);
}

void pps_thrift_item_i32(struct pps_thrift *thrift, int32_t value)
{
    add_signed(thrift->out, value);
}

void pps_thrift_item_binary(struct pps_thrift *thrift, const void *bytes, size_t n)
{
    pps_thrift_varint(thrift->out, n);
    text_buffer_add_bytes(thrift->out, bytes, n);
}

void pps_thrift_item_begin(struct pps_thrift *thrift)
{
    if (thrift->depth + 1 < PPS_THRIFT_DEPTH)
        thrift->depth++;
    thrift->last[thrift->depth] = 0;
}
