// SPDX-License-Identifier: Apache-2.0
// Compresses one block of text to raw deflate with zlib or igzip, or copies it;
// computes checksums.
#include "base/system/codec.h"

#define ZLIB_CONST // next_in is a pointer to const

#ifdef PPS_HAVE_ISAL
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <isa-l.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#endif
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Size of zlib's memory for hashes and pending output (256 KiB in all). Measured with
// bench_output (1 MiB blocks of 48-byte rows, zlib 1.2.13): level 9 gives the same size as 8
// and is not faster.
#define ZLIB_MEM_LEVEL 8

// Level 1 is for speed and restarts after this many bytes of text: slightly less than the two
// windows that zlib holds before it moves the second window over the first and renumbers all
// its hashes. Measured on 27-byte rows of the contention kernel, zlib 1.2.13: 128 ns per row
// instead of 144, for 1.5 % more bytes. Half of this size takes 133 ns and 2.8 % more bytes.
#define ZLIB_STRETCH (2 * 32768 - 512)

struct pps_codec {
    struct pps_codec_choice choice;
    z_stream zlib;
#ifdef PPS_HAVE_ISAL
    struct isal_zstream isal;
#endif
};

struct codec_name {
    const char *name;
    enum pps_codec_kind kind;
    int least, greatest, usual; // levels
};

static const struct codec_name CODECS[] = {
    {"none", PPS_CODEC_NONE, 0, 0, 0},
    {"zlib", PPS_CODEC_ZLIB, 1, 9, 1},
#ifdef PPS_HAVE_ISAL
    {"isal", PPS_CODEC_ISAL, 0, 3, 1},
#endif
    {"parquet", PPS_CODEC_PARQUET, 1, 9, 1},
};

#ifdef PPS_HAVE_ISAL
#define WHAT_THERE_IS "none, zlib:1 ... zlib:9, isal:0 ... isal:3 or parquet:1 ... parquet:9"
#else
#define WHAT_THERE_IS                                                                          \
    "none, zlib:1 ... zlib:9 or parquet:1 ... parquet:9 (this build has no isal)"
#endif

static bool read_level(const char *text, const struct codec_name *codec, int *level)
{
    *level = codec->usual;
    if (*text == '\0')
        return true;
    if (codec->kind == PPS_CODEC_NONE || text[0] != ':' || strlen(text) != 2)
        return false;
    *level = text[1] - '0';
    return *level >= codec->least && *level <= codec->greatest;
}

enum pps_status pps_codec_parse(const char *text, struct pps_codec_choice *choice,
                                struct pps_error *err)
{
    for (size_t i = 0; i < sizeof CODECS / sizeof CODECS[0]; i++) {
        size_t n = strlen(CODECS[i].name);
        if (strncmp(text, CODECS[i].name, n) != 0)
            continue;
        choice->kind = CODECS[i].kind;
        if (read_level(text + n, &CODECS[i], &choice->level))
            return PPS_OK;
    }
    return pps_fail(err, PPS_E_INPUT, "unknown compression '%.40s': write %s", text,
                    WHAT_THERE_IS);
}

void pps_codec_name(struct pps_codec_choice choice, char *out, size_t cap)
{
    static const char *const names[] = {"none", "zlib", "isal", "parquet"};
    if (choice.kind == PPS_CODEC_NONE)
        snprintf(out, cap, "none");
    else
        snprintf(out, cap, "%s:%d", names[choice.kind], choice.level);
}

const char *pps_codec_ending(enum pps_codec_kind kind)
{
    if (kind == PPS_CODEC_PARQUET)
        return ".parquet";
    return kind == PPS_CODEC_NONE ? ".csv" : ".csv.gz";
}

// ---- zlib -----------------------------------------------------------------------------------

static enum pps_status open_zlib(struct pps_codec *codec, struct pps_error *err)
{
    int rc = deflateInit2(&codec->zlib, codec->choice.level, Z_DEFLATED, -15, ZLIB_MEM_LEVEL,
                          Z_DEFAULT_STRATEGY);
    if (rc == Z_MEM_ERROR)
        return pps_fail_memory(err, "zlib");
    if (rc != Z_OK)
        return pps_fail(err, PPS_E_INPUT, "zlib refuses level %d", codec->choice.level);
    return PPS_OK;
}

static size_t zlib_block(z_stream *z, size_t stretch, const unsigned char *text,
                         size_t text_bytes, unsigned char *out, size_t cap)
{
    deflateReset(z);
    z->next_out = out;
    z->avail_out = cap < UINT_MAX ? (uInt)cap : UINT_MAX;
    const uInt room = z->avail_out;
    for (size_t at = 0; at < text_bytes; at += stretch) {
        const size_t left = text_bytes - at;
        z->next_in = text + at;
        z->avail_in = (uInt)(left < stretch ? left : stretch);
        if (deflate(z, Z_FULL_FLUSH) != Z_OK || z->avail_in != 0 || z->avail_out == 0)
            return 0;
    }
    return room - z->avail_out;
}

void pps_codec_versions(char *out, size_t cap)
{
#ifdef PPS_HAVE_ISAL
    snprintf(out, cap, "zlib %s, isa-l %d.%d.%d", zlibVersion(), ISAL_MAJOR_VERSION,
             ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
#else
    snprintf(out, cap, "zlib %s, no isa-l", zlibVersion());
#endif
}

// ---- igzip ----------------------------------------------------------------------------------

#ifdef PPS_HAVE_ISAL
#ifdef __x86_64__
__attribute__((target("avx"))) static void clear_upper_halves(void)
{
    _mm256_zeroupper();
}
#endif

// Cleans up after a call of isa-l, which leaves the upper halves of the vector registers in
// use. That slows every later instruction on a lower half: a kernel ran at half its speed after
// the first block. Measured with ppsweep run --compress isal:1 on an AMD EPYC, isa-l 2.30.
static void leave_igzip(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx"))
        clear_upper_halves();
#endif
}

static enum pps_status open_isal(struct pps_codec *codec, struct pps_error *err)
{
    static const uint32_t level_bytes[] = {0, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT,
                                           ISAL_DEF_LVL3_DEFAULT};
    struct isal_zstream *s = &codec->isal;
    if (codec->choice.level < 0 || codec->choice.level > 3)
        return pps_fail(err, PPS_E_INPUT, "igzip refuses level %d", codec->choice.level);
    uint32_t bytes = level_bytes[codec->choice.level];
    isal_deflate_init(s);
    s->level = (uint32_t)codec->choice.level;
    s->gzip_flag = IGZIP_DEFLATE;
    s->flush = FULL_FLUSH;
    s->level_buf_size = bytes;
    if (bytes > 0 && (s->level_buf = malloc(bytes)) == NULL)
        return pps_fail_memory(err, "igzip");
    return PPS_OK;
}

static size_t isal_block(struct isal_zstream *s, const unsigned char *text, size_t text_bytes,
                         unsigned char *out, size_t cap)
{
    isal_deflate_reset(s);
    s->end_of_stream = 0;
    s->flush = FULL_FLUSH;
    s->next_in = (uint8_t *)(uintptr_t)text; // igzip does not write to the text
    s->avail_in = (uint32_t)text_bytes;
    s->next_out = out;
    s->avail_out = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
    uint32_t room = s->avail_out;
    const int outcome = isal_deflate(s);
    leave_igzip();
    if (outcome != COMP_OK || s->avail_in != 0 || s->avail_out == 0)
        return 0;
    return room - s->avail_out;
}
#endif

// ---- any ------------------------------------------------------------------------------------

enum pps_status pps_codec_open(struct pps_codec **codec, struct pps_codec_choice choice,
                               struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    struct pps_codec *c = calloc(1, sizeof *c);
    *codec = NULL;
    if (c == NULL)
        return pps_fail_memory(err, "a compressor");
    c->choice = choice;
    if (choice.kind == PPS_CODEC_ZLIB)
        status = open_zlib(c, err);
    else if (choice.kind == PPS_CODEC_PARQUET)
        status = pps_fail(err, PPS_E_INPUT, "Parquet does not compress text");
#ifdef PPS_HAVE_ISAL
    else if (choice.kind == PPS_CODEC_ISAL)
        status = open_isal(c, err);
#else
    else if (choice.kind == PPS_CODEC_ISAL)
        status = pps_fail(err, PPS_E_INPUT, "this build has no isal; write %s", WHAT_THERE_IS);
#endif
    if (status != PPS_OK) {
        free(c);
        return status;
    }
    *codec = c;
    return PPS_OK;
}

void pps_codec_close(struct pps_codec *codec)
{
    if (codec == NULL)
        return;
    if (codec->choice.kind == PPS_CODEC_ZLIB)
        deflateEnd(&codec->zlib);
#ifdef PPS_HAVE_ISAL
    free(codec->isal.level_buf);
#endif
    free(codec);
}

// In zlib's worst case fixed codes take 9 bits per byte (deflateBound adds an eighth and a
// bit); igzip's static codes of level 0 take up to 15 bits per byte. Both end with an empty
// stored block.
size_t pps_codec_bound(const struct pps_codec *codec, size_t text_bytes)
{
    switch (codec->choice.kind) {
    case PPS_CODEC_NONE:
        return text_bytes;
    case PPS_CODEC_ZLIB:
        return text_bytes + text_bytes / 8 + text_bytes / 64 + 128;
    case PPS_CODEC_ISAL:
    case PPS_CODEC_PARQUET:
        break;
    }
    return 2 * text_bytes + 1024;
}

size_t pps_codec_block(struct pps_codec *codec, const char *text, size_t text_bytes,
                       unsigned char *out, size_t cap)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (text_bytes == 0 || text_bytes > PPS_CODEC_TEXT_MAX)
        return 0;
    switch (codec->choice.kind) {
    case PPS_CODEC_NONE:
        if (cap < text_bytes)
            return 0;
        memcpy(out, text, text_bytes);
        return text_bytes;
    case PPS_CODEC_ZLIB:
        return zlib_block(&codec->zlib,
                          codec->choice.level == 1 ? ZLIB_STRETCH : PPS_CODEC_TEXT_MAX, bytes,
                          text_bytes, out, cap);
    case PPS_CODEC_ISAL:
    case PPS_CODEC_PARQUET:
        break;
    }
#ifdef PPS_HAVE_ISAL
    return isal_block(&codec->isal, bytes, text_bytes, out, cap);
#else
    return 0;
#endif
}

// ---- checksum -------------------------------------------------------------------------------

uint32_t pps_crc32(const void *bytes, size_t n)
{
#ifdef PPS_HAVE_ISAL
    const uint32_t crc = crc32_gzip_refl(0, bytes, n);
    leave_igzip();
    return crc;
#else
    return (uint32_t)crc32_z(0, bytes, n);
#endif
}
