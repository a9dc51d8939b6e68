// SPDX-License-Identifier: Apache-2.0
// Lines for people, which stay one line whatever the names in them hold.
#ifndef PPS_ONELINE_H
#define PPS_ONELINE_H

#include <stdio.h>

// Makes a question mark of every control character and line end, in ASCII or in UTF-8.
void pps_one_line(char *text);

// Prints like fprintf, but as one line: what the arguments bring is cleared as above, and a
// newline follows. A line of more than 16000 bytes is cut.
void pps_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for a part of a line: no newline follows.
void pps_say_part(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints the first n bytes of a word, or all it has, as a shell reads it back, on one line: as it
// is where it is plain, else in quotes.
void pps_say_word(FILE *out, const char *word, size_t n);

#endif
