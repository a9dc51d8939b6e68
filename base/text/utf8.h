// SPDX-License-Identifier: Apache-2.0
// Decodes and encodes characters of UTF-8 text.
#ifndef PPS_UTF8_H
#define PPS_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Returns the length in bytes of the character at the start of the text, which ends with NUL; 0: not
// a valid character (truncated, overlong, half of a surrogate pair, beyond U+10FFFF). The NUL is a
// character of 1 byte.
size_t utf8_length(const char *text);

// Writes a character of at most 4 bytes and returns their number. 0: not a valid code point.
size_t utf8_write(char *text, uint32_t code);

// Replaces invalid bytes, control characters and line breaks by '?'.
void utf8_make_printable(char *text);

#endif
