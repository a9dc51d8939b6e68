// SPDX-License-Identifier: Apache-2.0
// Packs and unpacks runs and bit fields.
#include "base/columns/hybrid.h"

#include "base/columns/thrift.h"

enum { GROUP = 8 }; // numbers of a group of bit fields

int pps_hybrid_bits(uint32_t n)
{
    int bits = 1;
    while (bits < PPS_HYBRID_BITS_MAX && (n - 1) >> bits != 0 && n > 0)
        bits++;
    return bits;
}

// ---- writing ----------------------------------------------------------------------------------

static void add_low_bytes(struct text_buffer *out, uint64_t value, int n)
{
    char bytes[8];
    for (int i = 0; i < n; i++)
        bytes[i] = (char)(unsigned char)(value >> (8 * i));
    text_buffer_add_bytes(out, bytes, (size_t)n);
}

// Writes n numbers as bit fields; the last group is filled up with zeros.
static void add_fields(struct text_buffer *out, const uint32_t *numbers, size_t n, int bits)
{
    const size_t groups = (n + GROUP - 1) / GROUP;
    uint64_t pending = 0;
    int used = 0;
    if (groups == 0)
        return;
    pps_thrift_varint(out, (uint64_t)groups << 1 | 1);
    for (size_t i = 0; i < groups * GROUP; i++) {
        pending |= (uint64_t)(i < n ? numbers[i] : 0) << used;
        for (used += bits; used >= 32; used -= 32, pending >>= 32)
            add_low_bytes(out, pending, 4);
    }
    add_low_bytes(out, pending, (used + 7) / 8);
}

void pps_hybrid_run(struct text_buffer *out, uint32_t number, size_t n, int bits)
{
    pps_thrift_varint(out, (uint64_t)n << 1);
    add_low_bytes(out, number, (bits + 7) / 8);
}

static size_t run_length(const uint32_t *numbers, size_t at, size_t n)
{
    size_t end = at + 1;
    while (end < n && numbers[end] == numbers[at])
        end++;
    return end - at;
}

// A run takes part in the group of fields before it until that group is full.
void pps_hybrid_write(struct text_buffer *out, const uint32_t *numbers, size_t n, int bits)
{
    size_t fields = 0; // first number that is not written
    for (size_t at = 0; at < n;) {
        const size_t length = run_length(numbers, at, n);
        const size_t fill = (GROUP - (at - fields) % GROUP) % GROUP;
        if (length >= fill + GROUP) {
            add_fields(out, numbers + fields, at + fill - fields, bits);
            pps_hybrid_run(out, numbers[at], length - fill, bits);
            fields = at + length;
        }
        at += length;
    }
    add_fields(out, numbers + fields, n - fields, bits);
}

// ---- reading ----------------------------------------------------------------------------------

static bool take_varint(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 63 && *at < end; shift += 7) {
        const unsigned char byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static uint32_t mask_of(int bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static void read_fields(const unsigned char *at, size_t n, int bits, uint32_t *numbers)
{
    const uint32_t mask = mask_of(bits);
    uint64_t pending = 0;
    int held = 0;
    for (size_t i = 0; i < n; i++) {
        for (; held < bits; held += 8)
            pending |= (uint64_t)*at++ << held;
        numbers[i] = (uint32_t)pending & mask;
        pending >>= bits;
        held -= bits;
    }
}

static bool read_run(const unsigned char **at, const unsigned char *end, int bits, size_t n,
                     uint32_t *numbers)
{
    const size_t bytes = (size_t)(bits + 7) / 8;
    uint32_t value = 0;
    if ((size_t)(end - *at) < bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t) * (*at)++ << (8 * i);
    if (value > mask_of(bits))
        return false;
    for (size_t i = 0; i < n; i++)
        numbers[i] = value;
    return true;
}

bool pps_hybrid_read(const unsigned char *at, size_t bytes, int bits, uint32_t *numbers,
                     size_t n)
{
    const unsigned char *const end = at + bytes;
    uint64_t head;
    while (n > 0) {
        if (!take_varint(&at, end, &head))
            return false;
        uint64_t count = head >> 1;
        if ((head & 1) == 0) {
            if (count == 0 || count > n || !read_run(&at, end, bits, (size_t)count, numbers))
                return false;
        } else {
            if (count == 0 || count > ((size_t)(end - at)) / (size_t)bits ||
                count > n / GROUP + 1)
                return false;
            const size_t held = (size_t)count * (size_t)bits;
            count = count * GROUP < n ? count * GROUP : n;
            read_fields(at, (size_t)count, bits, numbers);
            at += held;
        }
        numbers += count;
        n -= (size_t)count;
    }
    return at == end;
}
