// SPDX-License-Identifier: Apache-2.0
// Decodes and encodes UTF-8; makes names of files and compares their endings.
#include "base/text/characters.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

// Bounds by RFC 3629, section 4.
size_t pps_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (*c < 0x80)
        return 1;
    if (*c < 0xc2 || *c > 0xf4 || (c[1] & 0xc0) != 0x80)
        return 0;
    if (*c < 0xe0)
        return 2;
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) || (c[2] & 0xc0) != 0x80)
        return 0;
    if (*c < 0xf0)
        return 3;
    if ((*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f) || (c[3] & 0xc0) != 0x80)
        return 0;
    return 4;
}

size_t pps_utf8_write(char *text, uint32_t code)
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    for (size_t i = n; i-- > 1; code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(first[n] | code);
    return n;
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t pps_utf8_count(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !continues(text[i]);
    return count;
}

size_t pps_utf8_mark(const char *text, size_t n)
{
    return n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

void pps_find_place(const char *text, size_t at, int *line, int *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n')) {
            (*line)++;
            *column = 1;
        } else if (!continues(text[i])) {
            (*column)++;
        }
    }
}

void pps_make_printable(char *text)
{
    while (*text != '\0') {
        size_t n = pps_utf8_length(text);
        if (n == 0 || (unsigned char)*text < 0x20 || *text == 0x7f) {
            *text = '?';
            n = 1;
        }
        text += n;
    }
}

void pps_file_name(const char *text, char *out, size_t room)
{
    enum { DIGEST = sizeof "-01234567" };
    const size_t all = strlen(text), most = all < room ? all : room - DIGEST;
    size_t at = 0;
    while (at < most) {
        size_t n = pps_utf8_length(text + at);
        if (at + n > most)
            break; // never half a character
        const unsigned char c = (unsigned char)text[at];
        if (n == 0 || c < 0x20 || c == 0x7f || c == '/' || (at == 0 && c == '.')) {
            out[at] = '_';
            n = 1;
        } else {
            memcpy(out + at, text + at, n);
        }
        at += n;
    }
    out[at] = '\0';
    if (at < all)
        snprintf(out + at, DIGEST, "-%08x", (unsigned)XXH32(text, all, 0));
}

bool pps_ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

bool pps_has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    while (*words != '\0') {
        const size_t length = strcspn(words, " ");
        if (n > 0 && length == n && strncmp(words, word, n) == 0)
            return true;
        words += length;
        words += strspn(words, " ");
    }
    return false;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t pps_name_length(const char *text)
{
    size_t n = 0;
    while (is_of_name(text[n]) && (n > 0 || !isdigit((unsigned char)text[0])))
        n++;
    return n;
}

bool pps_has_name(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[n]))
            return true;
    return false;
}

void pps_hyphenate(char *word, char stop)
{
    for (char *c = word; *c != '\0' && *c != stop; c++)
        if (*c == '_')
            *c = '-';
}
