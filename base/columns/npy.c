// SPDX-License-Identifier: Apache-2.0
// Writes the headers of arrays and the records of zip files.
#include "base/columns/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    ALIGNMENT = 64,         // of the data of an array
    VERSION_ZIP64 = 45,     // that is needed to read a member
    DEFLATED = 8,           // method of compression
    UTF8_NAMES = 1 << 11,   // flag
    DATE_1980 = 1 << 5 | 1, // no time: the file depends on its contents only
    SIZES_EXTRA = 1,        // kind of the extra field with sizes of 64 bits
};

void pps_npy_header(struct text_buffer *out, const char *dtype, uint64_t n)
{
    char text[192];
    int length = snprintf(text, sizeof text,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
                          dtype, n);
    const int before = 10; // the mark, the version and the length
    while ((before + length + 1) % ALIGNMENT != 0)
        text[length++] = ' ';
    text[length++] = '\n';
    const unsigned char start[10] = {0x93,
                                     'N',
                                     'U',
                                     'M',
                                     'P',
                                     'Y',
                                     1,
                                     0,
                                     (unsigned char)length,
                                     (unsigned char)(length >> 8)};
    text_buffer_add_bytes(out, (const char *)start, sizeof start);
    text_buffer_add_bytes(out, text, (size_t)length);
}

static void add_low_bytes(struct text_buffer *out, uint64_t value, int n)
{
    char bytes[8];
    for (int i = 0; i < n; i++)
        bytes[i] = (char)(unsigned char)(value >> (8 * i));
    text_buffer_add_bytes(out, bytes, (size_t)n);
}

// The part that local headers and the directory share.
static void add_common(struct text_buffer *out, const struct pps_zip_member *member, int extra)
{
    add_low_bytes(out, VERSION_ZIP64, 2);
    add_low_bytes(out, UTF8_NAMES, 2);
    add_low_bytes(out, DEFLATED, 2);
    add_low_bytes(out, 0, 2);
    add_low_bytes(out, DATE_1980, 2);
    add_low_bytes(out, member->crc, 4);
    add_low_bytes(out, UINT32_MAX, 4); // both sizes are in the extra field
    add_low_bytes(out, UINT32_MAX, 4);
    add_low_bytes(out, strlen(member->name), 2);
    add_low_bytes(out, (uint64_t)extra, 2);
}

void pps_zip_local(struct text_buffer *out, const struct pps_zip_member *member)
{
    text_buffer_add_bytes(out, "PK\3\4", 4);
    add_common(out, member, 20);
    text_buffer_add_bytes(out, member->name, strlen(member->name));
    add_low_bytes(out, SIZES_EXTRA, 2);
    add_low_bytes(out, 16, 2);
    add_low_bytes(out, member->raw, 8);
    add_low_bytes(out, member->packed, 8);
}

static void add_entry(struct text_buffer *out, const struct pps_zip_member *member)
{
    text_buffer_add_bytes(out, "PK\1\2", 4);
    add_low_bytes(out, VERSION_ZIP64, 2); // the writer's
    add_common(out, member, 28);
    add_low_bytes(out, 0, 2); // comment
    add_low_bytes(out, 0, 2); // disk
    add_low_bytes(out, 0, 2); // attributes
    add_low_bytes(out, 0, 4);
    add_low_bytes(out, UINT32_MAX, 4); // where it begins: in the extra field
    text_buffer_add_bytes(out, member->name, strlen(member->name));
    add_low_bytes(out, SIZES_EXTRA, 2);
    add_low_bytes(out, 24, 2);
    add_low_bytes(out, member->raw, 8);
    add_low_bytes(out, member->packed, 8);
    add_low_bytes(out, member->at, 8);
}

void pps_zip_end(struct text_buffer *out, const struct pps_zip_member *members, uint32_t n,
                 uint64_t at)
{
    const size_t before = out->n;
    for (uint32_t i = 0; i < n; i++)
        add_entry(out, &members[i]);
    const uint64_t bytes = out->n - before;
    text_buffer_add_bytes(out, "PK\6\6", 4); // the end of a Zip64 directory
    add_low_bytes(out, 44, 8);
    add_low_bytes(out, VERSION_ZIP64, 2);
    add_low_bytes(out, VERSION_ZIP64, 2);
    add_low_bytes(out, 0, 4);
    add_low_bytes(out, 0, 4);
    add_low_bytes(out, n, 8);
    add_low_bytes(out, n, 8);
    add_low_bytes(out, bytes, 8);
    add_low_bytes(out, at, 8);
    text_buffer_add_bytes(out, "PK\6\7", 4); // where that end is
    add_low_bytes(out, 0, 4);
    add_low_bytes(out, at + bytes, 8);
    add_low_bytes(out, 1, 4);
    text_buffer_add_bytes(out, "PK\5\6", 4); // the end for old readers
    add_low_bytes(out, 0, 2);
    add_low_bytes(out, 0, 2);
    add_low_bytes(out, UINT16_MAX, 2);
    add_low_bytes(out, UINT16_MAX, 2);
    add_low_bytes(out, UINT32_MAX, 4);
    add_low_bytes(out, UINT32_MAX, 4);
    add_low_bytes(out, 0, 2);
}
