// SPDX-License-Identifier: Apache-2.0
// The codec compresses one block of text independently of others: raw deflate that ends with a
// full flush on a byte boundary and never sets the final bit. Compressed blocks can therefore
// be joined in any file.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pps_codec_kind {
    PPS_CODEC_NONE, // uncompressed text
    PPS_CODEC_ZLIB, // levels 1 ... 9
    PPS_CODEC_ISAL, // levels 0 ... 3; needs a build with isa-l
    // Row groups of Parquet, whose pages zlib compresses with levels 1 ... 9. No codec of this module:
    // pps_codec_open refuses it.
    PPS_CODEC_PARQUET,
};

#define PPS_CODEC_TEXT_MAX ((size_t)1 << 30) // maximum text of one block, in bytes

struct pps_codec_choice {
    enum pps_codec_kind kind;
    int level;
};

// Parses "none", "zlib", "zlib:1", "isal:1" or "parquet:1". Returns PPS_E_INPUT with the valid choices.
PPS_MUST_CHECK enum pps_status pps_codec_parse(const char *text,
                                               struct pps_codec_choice *choice,
                                               struct pps_error *err);

// Writes the name of the choice, such as "zlib:1", into out; cap is at least 16 bytes.
void pps_codec_name(struct pps_codec_choice choice, char *out, size_t cap);

// Returns the ending of the files of a codec: ".csv", ".csv.gz" or ".parquet".
const char *pps_codec_ending(enum pps_codec_kind kind);

// Writes the versions of the libraries of this build, such as "zlib 1.2.13, isa-l 2.30.0".
void pps_codec_versions(char *out, size_t cap);

struct pps_codec; // one per thread; pps_codec_open allocates all its memory

// Returns PPS_E_INPUT if the build does not have the codec or the codec does not have the
// level. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_codec_open(struct pps_codec **codec,
                                              struct pps_codec_choice choice,
                                              struct pps_error *err);
void pps_codec_close(struct pps_codec *codec); // NULL is allowed

// Returns the largest compressed size of text_bytes bytes of text, in bytes.
size_t pps_codec_bound(const struct pps_codec *codec, size_t text_bytes);

// Compresses text into out and returns the number of bytes written. out must have room for
// pps_codec_bound bytes and must not overlap text. An empty text gives 0 bytes. For any other
// text 0 is a programming error (cap below the bound, or text longer than PPS_CODEC_TEXT_MAX).
// The bytes depend on the text and the codec only, not on earlier calls. Each codec may be used
// by one thread at a time.
size_t pps_codec_block(struct pps_codec *codec, const char *text, size_t text_bytes,
                       unsigned char *out, size_t cap);

// Returns the CRC-32 of n bytes, the checksum of gzip, equal to zlib's crc32. Uses isa-l, which
// is several times faster, if the build has it. Thread-safe.
uint32_t pps_crc32(const void *bytes, size_t n);
