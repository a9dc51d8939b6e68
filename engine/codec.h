// SPDX-License-Identifier: Apache-2.0
// Compression of one block of text, by itself: raw deflate ended by a full flush on a byte
// boundary, never with the final bit, so that compressed blocks can be joined in any file.
#ifndef PPS_CODEC_H
#define PPS_CODEC_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>

enum pps_codec_kind {
    PPS_CODEC_NONE, // the text itself
    PPS_CODEC_ZLIB, // levels 1 ... 9
    PPS_CODEC_ISAL, // levels 0 ... 3, where the build has it
};

#define PPS_CODEC_TEXT_MAX ((size_t)1 << 30) // greatest text of one block

struct pps_codec_choice {
    enum pps_codec_kind kind;
    int level;
};

// Reads "none", "zlib", "zlib:1", "isal:1"; PPS_E_INPUT names what may be written.
PPS_MUST_CHECK enum pps_status pps_codec_parse(const char *text,
                                               struct pps_codec_choice *choice,
                                               struct pps_error *err);

// "zlib:1" into out; cap is at least 16.
void pps_codec_name(struct pps_codec_choice choice, char *out, size_t cap);

struct pps_codec; // one a thread; all its memory is taken when it is opened

// PPS_E_INPUT where the build lacks the codec or the codec the level.
PPS_MUST_CHECK enum pps_status pps_codec_open(struct pps_codec **codec,
                                              struct pps_codec_choice choice,
                                              struct pps_error *err);
void pps_codec_close(struct pps_codec *codec); // NULL is fine

// Greatest compressed size of text_bytes of text.
size_t pps_codec_bound(const struct pps_codec *codec, size_t text_bytes);

// Compresses text into out, which must have room for the bound and not overlap it; returns the
// bytes written. An empty text gives 0 bytes; 0 for any other text means a fault of the program
// (cap below the bound, text beyond PPS_CODEC_TEXT_MAX). Same text, same codec, same bytes,
// whatever came before. One thread at a time for each codec.
size_t pps_codec_block(struct pps_codec *codec,
                       const char *text,
                       size_t text_bytes,
                       unsigned char *out,
                       size_t cap);

#endif
