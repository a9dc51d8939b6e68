// SPDX-License-Identifier: Apache-2.0
// Writes text that plot scripts read: comment lines "# key value" and words without spaces,
// since gnuplot splits at spaces and has no escapes. Writing errors show in `out`.
#pragma once

#include "base/text/status.h"
#include "engine/read/view.h"

#include <stddef.h>
#include <stdio.h>

// ---- picture name -------------------------------------------------------------------------------

enum { PPS_PICTURE_ASKED = 160 }; // bytes of the options; file names end at 255

// Writes "-n8-sync_freq1,2" for the view's filters. Skips filters of the n_by columns in `by`,
// which distinguish the pictures already.
void pps_picture_filters(FILE *out, const struct pps_view *view, const int *by, int n_by);

// Sets the name of a picture: the stem of the result's path and the options that put(self, out) writes.
PPS_MUST_CHECK enum pps_status pps_picture_name(char name[512], const char *result,
                                                void (*put)(void *self, FILE *out), void *self,
                                                struct pps_error *err);

// Turns `asked` into a part of a file name (out has PPS_PICTURE_ASKED bytes): characters that
// do not belong in a file name become '_', and the end of a long text becomes a hash.
void pps_picture_piece(const char *asked, char *out);

// ---- gnuplot text -------------------------------------------------------------------------------

// Writes a word. An empty word, and each space, quote and # in a word, becomes '_'.
void pps_put_word(FILE *out, const char *word);

// Writes # key "word word ...". Many words are split into several lines with the same key.
void pps_put_labels(FILE *out, const char *key, const char *const *labels, size_t n);

// Writes # key "text".
void pps_put_quoted(FILE *out, const char *key, const char *text);

// Writes # partial "text"; nothing if the text is empty.
void pps_put_partial(FILE *out, const char *text);

// Writes a number with all digits; NaN if it is not finite.
void pps_put_number(FILE *out, double value);
