// SPDX-License-Identifier: Apache-2.0
// Reads strings, numbers and words of a JSON stream.
#include "base/stream/json_stream_private.h"
#include "base/text/characters.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static void keep(struct pps_json_stream *s, const char *bytes, size_t n)
{
    const size_t room = PPS_JSON_STREAM_TEXT - s->n_text;
    n = s->is_skipping ? 0 : n < room ? n : room;
    memcpy(s->text + s->n_text, bytes, n);
    s->n_text += n;
}

// ---- strings ------------------------------------------------------------------------------------

static enum pps_status read_hex(struct pps_json_stream *s, uint32_t *code,
                                struct pps_error *err)
{
    *code = 0;
    for (int k = 0; k < 4; k++) {
        int c;
        const enum pps_status status = json_stream_peek(s, &c, err);
        if (status != PPS_OK)
            return status;
        if (c < 0)
            return json_stream_fail_end(s, err);
        if (!isxdigit(c))
            return json_stream_fail_here(s, err, "expected 4 hexadecimal digits after \\u");
        *code = *code * 16 + (uint32_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
        s->at++;
    }
    return PPS_OK;
}

static void keep_code(struct pps_json_stream *s, uint32_t code)
{
    char bytes[4];
    size_t n = pps_utf8_write(bytes, code);
    if (n == 0) // half of a surrogate pair
        n = pps_utf8_write(bytes, 0xfffd);
    keep(s, bytes, n);
}

// Reads what follows \u. *high is the first half of a pair that waits for its second, or 0.
static enum pps_status read_code(struct pps_json_stream *s, uint32_t *high,
                                 struct pps_error *err)
{
    uint32_t code;
    const enum pps_status status = read_hex(s, &code, err);
    if (status != PPS_OK)
        return status;
    if (*high != 0 && code >= 0xdc00 && code <= 0xdfff) {
        keep_code(s, 0x10000 + ((*high - 0xd800) << 10) + (code - 0xdc00));
        *high = 0;
        return PPS_OK;
    }
    if (*high != 0)
        keep_code(s, *high);
    *high = code >= 0xd800 && code <= 0xdbff ? code : 0;
    if (*high == 0)
        keep_code(s, code);
    return PPS_OK;
}

// Reads the escape whose character behind the backslash is next.
static enum pps_status read_escape(struct pps_json_stream *s, uint32_t *high,
                                   struct pps_error *err)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    int c;
    const enum pps_status status = json_stream_peek(s, &c, err);
    if (status != PPS_OK)
        return status;
    if (c < 0)
        return json_stream_fail_end(s, err);
    if (c == 'u') {
        s->at++;
        return read_code(s, high, err);
    }
    const char *at = c != '\0' ? strchr(names, c) : NULL;
    if (at == NULL)
        return json_stream_fail_here(s, err, "unknown escape in a string; write \\\\ for \\");
    if (*high != 0)
        keep_code(s, *high);
    *high = 0;
    keep(s, &bytes[at - names], 1);
    s->at++;
    return PPS_OK;
}

// Returns the number of bytes before the next quote, backslash or line end.
static size_t plain_bytes(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] != '"' && text[i] != '\\' && text[i] != '\n')
        i++;
    return i;
}

enum pps_status json_stream_string(struct pps_json_stream *s, struct pps_error *err)
{
    uint32_t high = 0;
    s->at++; // the quote
    s->n_text = 0;
    for (;;) {
        int c;
        enum pps_status status = json_stream_peek(s, &c, err);
        if (status != PPS_OK)
            return status;
        if (c < 0)
            return json_stream_fail_end(s, err);
        if (c == '\n')
            return json_stream_fail_here(s, err, "a line ends within a string; write \\n");
        if (c == '\\') {
            s->at++;
            status = read_escape(s, &high, err);
            if (status != PPS_OK)
                return status;
            continue;
        }
        if (high != 0)
            keep_code(s, high);
        high = 0;
        const size_t n = plain_bytes(s->buffer + s->at, s->end - s->at);
        keep(s, s->buffer + s->at, n);
        s->at += n;
        if (c == '"')
            break;
    }
    s->at++;
    s->text[s->n_text] = '\0';
    return PPS_OK;
}

// ---- numbers and words --------------------------------------------------------------------------

static size_t digits(const char *text)
{
    size_t n = 0;
    while (isdigit((unsigned char)text[n]))
        n++;
    return n;
}

// Returns whether the text is a number of RFC 8259.
static bool is_number(const char *text)
{
    text += *text == '-';
    size_t n = digits(text);
    if (n == 0 || (n > 1 && *text == '0'))
        return false;
    text += n;
    if (*text == '.') {
        n = digits(text + 1);
        if (n == 0)
            return false;
        text += n + 1;
    }
    if (*text == 'e' || *text == 'E') {
        text += text[1] == '+' || text[1] == '-' ? 2 : 1;
        n = digits(text);
        if (n == 0)
            return false;
        text += n;
    }
    return *text == '\0';
}

static bool is_not_finite(const char *text)
{
    text += *text == '-' || *text == '+';
    return strcasecmp(text, "nan") == 0 || strcasecmp(text, "inf") == 0 ||
           strcasecmp(text, "infinity") == 0;
}

enum pps_status json_stream_word(struct pps_json_stream *s, enum pps_json_token *token,
                                 struct pps_error *err)
{
    static const struct {
        const char *word;
        enum pps_json_token token;
    } words[] = {{"true", PPS_JSON_TRUE}, {"false", PPS_JSON_FALSE}, {"null", PPS_JSON_NULL}};
    enum { LONGEST = 63 };
    int c;
    for (s->n_text = 0;; s->at++) {
        const enum pps_status status = json_stream_peek(s, &c, err);
        if (status != PPS_OK)
            return status;
        if (c < 0 || (!isalnum(c) && c != '-' && c != '+' && c != '.' && c != '_'))
            break;
        if (s->n_text == LONGEST)
            return pps_json_stream_fail(s, err, "a number or word of more than %d characters",
                                        LONGEST);
        s->text[s->n_text++] = (char)c;
    }
    s->text[s->n_text] = '\0';
    *token = PPS_JSON_NUMBER;
    if (is_number(s->text) || is_not_finite(s->text))
        return PPS_OK;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(s->text, words[k].word) == 0) {
            *token = words[k].token;
            return PPS_OK;
        }
    if (c < 0)
        return json_stream_fail_end(s, err);
    if (s->n_text == 0)
        return json_stream_fail_here(s, err, "expected a value");
    return pps_json_stream_fail(s, err, "%s is not a JSON value", s->text);
}
