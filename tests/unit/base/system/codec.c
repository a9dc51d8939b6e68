// SPDX-License-Identifier: Apache-2.0
// Compressed blocks: independent, reproducible, and joined by concatenation alone.
#include "base/system/codec.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct pps_codec *open_codec(const char *name)
{
    struct pps_codec_choice choice;
    struct pps_error err;
    struct pps_codec *codec;
    cr_assert_eq(pps_codec_parse(name, &choice, &err), PPS_OK, "%s", name);
    cr_assert_eq(pps_codec_open(&codec, choice, &err), PPS_OK, "%s", name);
    return codec;
}

// Returns all codecs and levels of the build; *n is their number.
static const char *const *all_names(size_t *n)
{
    static const char *const names[] = {"zlib",   "zlib:1", "zlib:6", "zlib:9", "isal",
                                        "isal:0", "isal:1", "isal:2", "isal:3"};
    struct pps_codec_choice choice;
    struct pps_error err;
    *n = pps_codec_parse("isal", &choice, &err) == PPS_OK ? 9 : 4;
    return names;
}

// kind 0: rows of a sweep; 1: random bytes; 2: one byte; 3: bytes with long codes.
static char *make_text(int kind, size_t n, uint64_t seed)
{
    struct random random = {seed};
    char *text = malloc(n + 64);
    for (size_t at = 0; at < n;) {
        uint64_t r = random_bits(&random);
        if (kind == 0)
            at += (size_t)sprintf(text + at, "8,1,1.0,2.0,0.2,0.%d,%d.%04d\n", (int)(r % 10),
                                  (int)(r % 97), (int)(r % 10000));
        else
            text[at++] = kind == 1 ? (char)r : kind == 2 ? 'x' : (char)(0xc0 | (r & 0x3f));
    }
    return text;
}

struct bytes {
    unsigned char *data;
    size_t n;
};

static struct bytes compress_text(struct pps_codec *codec, const char *text, size_t n)
{
    size_t cap = pps_codec_bound(codec, n);
    struct bytes out = {malloc(cap + 1), 0};
    out.n = pps_codec_block(codec, text, n, out.data, cap);
    cr_assert(out.n <= cap && (out.n > 0) == (n > 0));
    return out;
}

// Decompresses raw data. Asserts that all bytes are used, that the final bit is not set, and
// that the text is right.
static void inflates_to(struct bytes data, const char *text, size_t n, const char *name)
{
    z_stream z = {0};
    unsigned char *out = malloc(n + 1);
    cr_assert_eq(inflateInit2(&z, -15), Z_OK);
    z.next_in = data.data;
    z.avail_in = (uInt)data.n;
    z.next_out = out;
    z.avail_out = (uInt)n + 1;
    int rc = inflate(&z, Z_SYNC_FLUSH);
    cr_assert(rc == Z_OK || (rc == Z_BUF_ERROR && n == 0), "%s: %d", name, rc);
    cr_assert_eq(z.avail_in, 0, "%s", name);
    cr_assert_eq(z.total_out, n, "%s", name);
    cr_assert(memcmp(out, text, n) == 0, "%s", name);
    inflateEnd(&z);
    free(out);
}

// Catches a final bit, a block that does not end on a byte boundary, a bound that is too small,
// and errors with text longer than one window.
Test(codec, round_trip)
{
    static const size_t sizes[] = {1,     2,     47,    300,   4096,   65023,
                                   65024, 65025, 65535, 65536, 130049, 1100000};
    size_t n_names;
    const char *const *names = all_names(&n_names);
    for (size_t i = 0; i < n_names; i++) {
        struct pps_codec *codec = open_codec(names[i]);
        for (int kind = 0; kind < 4; kind++)
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                char *text = make_text(kind, sizes[k], k);
                struct bytes data = compress_text(codec, text, sizes[k]);
                inflates_to(data, text, sizes[k], names[i]);
                free(data.data);
                free(text);
            }
        pps_codec_close(codec);
    }
}

// Catches history kept from an earlier block, in the codec or in a match that reaches back:
// blocks of a used codec equal the blocks of a new codec, at any address of the text.
Test(codec, bytes_do_not_depend_on_earlier_blocks)
{
    size_t n_names, n = 200000;
    const char *const *names = all_names(&n_names);
    for (size_t i = 0; i < n_names; i++) {
        struct pps_codec *used = open_codec(names[i]);
        for (int round = 0; round < 6; round++) {
            struct pps_codec *fresh = open_codec(names[i]);
            char *text = make_text(round % 2, n, 5);
            char *moved = malloc(n + 64);
            memcpy(moved + round * 7 + 1, text, n);
            struct bytes a = compress_text(fresh, text, n);
            struct bytes b = compress_text(used, moved + round * 7 + 1, n);
            cr_assert_eq(a.n, b.n, "%s round %d", names[i], round);
            cr_assert(memcmp(a.data, b.data, a.n) == 0, "%s round %d", names[i], round);
            struct bytes other = compress_text(used, text + round, 999 * (size_t)round);
            free(other.data);
            free(a.data);
            free(b.data);
            free(moved);
            free(text);
            pps_codec_close(fresh);
        }
        pps_codec_close(used);
    }
}

// Catches blocks that can only be read after the block before them: blocks in any order form a
// stream.
Test(codec, blocks_join_in_any_order)
{
    size_t n_names;
    const char *const *names = all_names(&n_names);
    for (size_t i = 0; i < n_names; i++) {
        struct pps_codec *codec = open_codec(names[i]);
        size_t n = 50000;
        char *one = make_text(0, n, 1), *two = make_text(0, n, 2);
        struct bytes a = compress_text(codec, one, n), b = compress_text(codec, two, n);
        struct bytes joined = {malloc(a.n + b.n), a.n + b.n};
        char *text = malloc(2 * n);
        memcpy(joined.data, b.data, b.n);
        memcpy(joined.data + b.n, a.data, a.n);
        memcpy(text, two, n);
        memcpy(text + n, one, n);
        inflates_to(joined, text, 2 * n, names[i]);
        free(text);
        free(joined.data);
        free(a.data);
        free(b.data);
        free(one);
        free(two);
        pps_codec_close(codec);
    }
}

// Catches an empty block that gives bytes, and writing beyond a buffer that is too small.
Test(codec, empty_and_too_small)
{
    size_t n_names;
    const char *const *names = all_names(&n_names);
    char *text = make_text(1, 5000, 3);
    for (size_t i = 0; i < n_names; i++) {
        unsigned char out[128];
        struct pps_codec *codec = open_codec(names[i]);
        memset(out, 0x5a, sizeof out);
        cr_assert_eq(pps_codec_block(codec, "", 0, out, sizeof out), 0);
        cr_assert_eq(pps_codec_block(codec, text, 5000, out, 100), 0, "%s", names[i]);
        cr_assert_eq(out[100], 0x5a);
        pps_codec_close(codec);
    }
    free(text);
}

// The codec "none" copies the text.
Test(codec, none)
{
    struct pps_codec *codec = open_codec("none");
    unsigned char out[4];
    cr_assert_eq(pps_codec_bound(codec, 4), 4);
    cr_assert_eq(pps_codec_block(codec, "a,b\n", 4, out, 4), 4);
    cr_assert(memcmp(out, "a,b\n", 4) == 0);
    cr_assert_eq(pps_codec_block(codec, "a,b\n", 4, out, 3), 0);
    pps_codec_close(codec);
}

// Catches names that do not read back, and invalid names that are accepted.
Test(codec, names)
{
    static const char *const wrong[] = {"",        "zli",     "zlib:",   "zlib:0", "zlib:10",
                                        "zlib:-1", "zlibber", "none:1",  "gzip",   "isal:4",
                                        "isal:",   "Zlib:1",  "zlib:1 ", "zstd:1"};
    struct pps_codec_choice choice;
    struct pps_error err;
    size_t n_names;
    const char *const *names = all_names(&n_names);
    char text[16];
    for (size_t i = 0; i < n_names; i++) {
        cr_assert_eq(pps_codec_parse(names[i], &choice, &err), PPS_OK, "%s", names[i]);
        pps_codec_name(choice, text, sizeof text);
        if (strchr(names[i], ':') != NULL)
            cr_assert_str_eq(text, names[i]);
    }
    cr_assert_eq(pps_codec_parse("zlib", &choice, &err), PPS_OK);
    cr_assert(choice.kind == PPS_CODEC_ZLIB && choice.level == 1);
    cr_assert_eq(pps_codec_parse("none", &choice, &err), PPS_OK);
    pps_codec_name(choice, text, sizeof text);
    cr_assert_str_eq(text, "none");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_eq(pps_codec_parse(wrong[i], &choice, &err), PPS_E_INPUT, "%s", wrong[i]);
        cr_assert(strstr(err.text, "zlib:1") != NULL, "no remedy: %s", err.text);
    }
}
