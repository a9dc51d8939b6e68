// SPDX-License-Identifier: Apache-2.0
// Packed bytes: base64 of a gzip member that zlib reads.
#include "engine/report/column.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static int value_of(char c)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    return c == '\0' || at == NULL ? -1 : (int)(at - digits);
}

static size_t decode(const char *text, unsigned char *bytes)
{
    size_t n = 0;
    for (; *text != '\0'; text += 4) {
        uint32_t word = 0;
        int pads = 0;
        for (int k = 0; k < 4; k++) {
            pads += text[k] == '=';
            cr_assert(text[k] == '=' || value_of(text[k]) >= 0);
            word = word << 6 | (uint32_t)(text[k] == '=' ? 0 : value_of(text[k]));
        }
        for (int k = 0; k < 3 - pads; k++)
            bytes[n++] = (unsigned char)(word >> (16 - 8 * k));
    }
    return n;
}

static void check(const char *bytes, size_t n)
{
    struct pps_error err;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    cr_assert_eq(pps_pack_write(bytes, n, NULL, out, &err), PPS_OK);
    fclose(out);
    unsigned char *packed = malloc(length + 4), *again = malloc(n + 16);
    z_stream stream = {.next_in = packed, .avail_in = (unsigned)decode(text, packed)};
    stream.next_out = again;
    stream.avail_out = (unsigned)n + 16;
    cr_assert_eq(inflateInit2(&stream, 16 + 15), Z_OK);
    cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    cr_assert_eq(stream.total_out, n);
    cr_assert_eq(memcmp(again, bytes, n), 0);
    cr_assert_eq(stream.avail_in, 0);
    inflateEnd(&stream);
    free(packed);
    free(again);
    free(text);
}

Test(pack, short_texts_of_every_remainder)
{
    static const char text[] = "a page of rows";
    for (size_t n = 0; n < sizeof text; n++)
        check(text, n);
}

Test(pack, several_blocks)
{
    const size_t n = 9000001;
    char *bytes = malloc(n);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (char)(x >> 27);
    }
    check(bytes, n);
    free(bytes);
}
