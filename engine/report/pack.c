// SPDX-License-Identifier: Apache-2.0
// Compresses bytes block by block and encodes them.
#include "engine/report/pack.h"

#include "base/system/codec.h"

#include <stdint.h>
#include <stdlib.h>

enum { BLOCK = 1 << 20 };

// Bytes that wait until they are three.
struct base64 {
    FILE *out;
    uint32_t waiting;
    int n;
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_byte(struct base64 *base, unsigned char byte)
{
    base->waiting = base->waiting << 8 | byte;
    if (++base->n < 3)
        return;
    for (int shift = 18; shift >= 0; shift -= 6)
        putc_unlocked(digits[base->waiting >> shift & 63], base->out);
    base->waiting = 0;
    base->n = 0;
}

static void put_bytes(struct base64 *base, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_byte(base, bytes[i]);
}

static void put_u32(struct base64 *base, uint32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
        put_byte(base, (unsigned char)(value >> shift));
}

static void put_end(struct base64 *base)
{
    const int n = base->n;
    if (n == 0)
        return;
    base->waiting <<= 8 * (3 - n);
    for (int k = 0; k < 4; k++)
        putc_unlocked(k <= n ? digits[base->waiting >> (18 - 6 * k) & 63] : '=', base->out);
}

static enum pps_status put_deflated(struct pps_codec *codec,
                                    const char *bytes,
                                    size_t n,
                                    const atomic_bool *stop,
                                    struct base64 *base,
                                    struct pps_error *err)
{
    const size_t cap = pps_codec_bound(codec, BLOCK);
    unsigned char *room = malloc(cap);
    if (room == NULL)
        return pps_fail_memory(err, "the data of the page");
    size_t at = 0;
    for (; at < n && (stop == NULL || !atomic_load(stop)); at += BLOCK) {
        const size_t length = n - at < BLOCK ? n - at : BLOCK;
        put_bytes(base, room, pps_codec_block(codec, bytes + at, length, room, cap));
    }
    free(room);
    return at < n ? pps_fail(err, PPS_E_STOPPED, "stopped while writing the page") : PPS_OK;
}

enum pps_status pps_pack_write(const char *bytes,
                               size_t n,
                               const atomic_bool *stop,
                               FILE *out,
                               struct pps_error *err)
{
    static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    static const unsigned char last_block[] = {0x03, 0x00};
    const struct pps_codec_choice choice = {PPS_CODEC_ZLIB, 6};
    struct base64 base = {.out = out};
    struct pps_codec *codec;
    enum pps_status status = pps_codec_open(&codec, choice, err);
    if (status != PPS_OK)
        return status;
    put_bytes(&base, head, sizeof head);
    status = put_deflated(codec, bytes, n, stop, &base, err);
    put_bytes(&base, last_block, sizeof last_block);
    put_u32(&base, pps_crc32(bytes, n));
    put_u32(&base, (uint32_t)n);
    put_end(&base);
    pps_codec_close(codec);
    return status;
}
