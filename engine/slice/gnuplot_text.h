// SPDX-License-Identifier: Apache-2.0
// Writes text that plot scripts read: comment lines "# key value" and words without spaces,
// since gnuplot splits at spaces and has no escapes. Writing errors show in `out`.
#ifndef PPS_ENGINE_SLICE_GNUPLOT_TEXT_H
#define PPS_ENGINE_SLICE_GNUPLOT_TEXT_H

#include <stddef.h>
#include <stdio.h>

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

#endif
