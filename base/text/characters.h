// SPDX-License-Identifier: Apache-2.0
// Reads and writes characters of UTF-8 text, finds the line and column of a byte, and makes
// text printable. Other functions check how a name ends and whether a word is listed, make names of
// files and replace underscores by hyphens.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the length in bytes of the character at the start of the text, which ends with NUL;
// 0: not a valid character (truncated, overlong, half of a surrogate pair, beyond U+10FFFF).
// The NUL is a character of 1 byte.
size_t pps_utf8_length(const char *text);

// Writes a character of at most 4 bytes and returns their number. 0: not a valid code point.
size_t pps_utf8_write(char *text, uint32_t code);

// Returns the number of characters of n bytes of UTF-8.
size_t pps_utf8_count(const char *text, size_t n);

// Returns the length of the byte-order mark at the start of n bytes: 3, or 0 for none.
size_t pps_utf8_mark(const char *text, size_t n);

// Finds line and column of the byte `at` of a text; both count from 1, columns count
// characters. CR, LF and CRLF end a line.
void pps_find_place(const char *text, size_t at, int *line, int *column);

// Replaces invalid bytes, control characters and line breaks by '?'.
void pps_make_printable(char *text);

// Makes the name of a file in some folder from a text of a document: no '/', no control character,
// no invalid byte, no '.' at the start; '_' stands for them. The end of a text that does not fit
// becomes a digest. room: bytes of `out`, at least 32.
void pps_file_name(const char *text, char *out, size_t room);

// Returns whether text ends with `end` and is longer than it.
bool pps_ends_with(const char *text, const char *end);

// Returns the length of the name at the start of the text: letters, digits and '_', no digit first; 0: there is none.
size_t pps_name_length(const char *text);

// Returns whether the name stands in the text, without letters, digits or '_' beside it.
bool pps_has_name(const char *text, const char *name);

// Returns whether a word is one of several with blanks between them.
bool pps_has_word(const char *words, const char *word);

// Replaces every '_' before the first `stop` (or the end of the word) by '-'.
void pps_hyphenate(char *word, char stop);
