// SPDX-License-Identifier: Apache-2.0
// Texts that plot scripts read: comment lines "# key value" and words without spaces. gnuplot
// tells words apart by spaces and knows no escapes. Writing errors show in `out`.
#ifndef PPS_PLOTTEXT_H
#define PPS_PLOTTEXT_H

#include <stddef.h>
#include <stdio.h>

// A word: '_' stands for an empty one, and for each space, quote and # in it.
void pps_put_word(FILE *out, const char *word);

// # key "word word ...", in several lines of this key where they are many.
void pps_put_labels(FILE *out, const char *key, const char *const *labels, size_t n);

// # key "text"
void pps_put_quoted(FILE *out, const char *key, const char *text);

// # partial "text"; nothing where the text is empty.
void pps_put_partial(FILE *out, const char *text);

// All digits; NaN where it is no finite number.
void pps_put_number(FILE *out, double value);

#endif
