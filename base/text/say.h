// SPDX-License-Identifier: Apache-2.0
// Prints messages that stay on one line even if the names in them contain control characters.
// Thread-safe.
#pragma once

#include <stdio.h>

// Replaces every control character and line end, in ASCII or UTF-8, by a question mark.
void pps_one_line(char *text);

// Prints like fprintf, with control characters in the arguments replaced as by pps_one_line,
// and adds a newline. Truncates a line of more than 16000 bytes.
void pps_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Like pps_say, without a newline: prints a part of a line.
void pps_say_part(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints the first n bytes of a word, or the whole word if it is shorter, on one line. A shell
// reads the printed text back as the same word. Plain words are printed unchanged, others in quotes.
void pps_say_word(FILE *out, const char *word, size_t n);
