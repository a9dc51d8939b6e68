// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8 text.
#ifndef PPS_UTF8_H
#define PPS_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Bytes of the character that begins at text, which ends with NUL; 0: none does (broken off, no
// shortest form, half of a surrogate pair, beyond U+10FFFF). The NUL is a character of 1 byte.
size_t utf8_length(const char *text);

// Writes a character, at most 4 bytes; how many. 0: there is no such character.
size_t utf8_write(char *text, uint32_t code);

// Puts ? for what is no character, or one that controls a terminal or breaks the line.
void utf8_make_printable(char *text);

#endif
