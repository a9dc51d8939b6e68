// SPDX-License-Identifier: Apache-2.0
// Scans a JSON document strictly, in one pass over all values.
#include "base/document/json_private.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MOST_VALUES ((size_t)1 << 22) // each takes about 100 bytes after parsing

struct scan {
    struct pps_json *json;
    struct pps_error *err;
    size_t at;  // offset of the next byte
    size_t end; // end of the last token
    size_t cap; // capacity of places
    int depth;  // number of open brackets
};

// An open bracket: its characters and its offset.
struct bracket {
    char open, close;
    size_t at;
};

// Returns the next byte, or '\0' at the end (the text contains no NUL).
static char peek(const struct scan *s)
{
    return s->at < s->json->n ? s->json->text[s->at] : '\0';
}

// ---- errors --------------------------------------------------------------------------------

// Names characters that editors and web pages use instead of plain ones.
static const char *advice(const char *s)
{
    static const struct {
        const char *bytes, *advice;
    } known[] = {
        {"\xe2\x80\x9c", "a typographic quote; write \""},
        {"\xe2\x80\x9d", "a typographic quote; write \""},
        {"\xe2\x80\x9e", "a typographic quote; write \""},
        {"\xe2\x80\x98", "a typographic quote; write \""},
        {"\xe2\x80\x99", "a typographic quote; write \""},
        {"\xc2\xa0", "a no-break space; write an ordinary space"},
        {"\xe2\x88\x92", "a typographic minus; write -"},
        {"\xef\xbb\xbf", "a byte-order mark within the text; remove it"},
        {"'", "a single quote; write \""},
        {"/*", "a comment begins with // and ends with its line"},
        {"#", "a comment begins with //"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(s, known[i].bytes, strlen(known[i].bytes)) == 0)
            return known[i].advice;
    return NULL;
}

// Reports the character at the current place as unexpected.
static enum pps_status unexpected(const struct scan *s)
{
    const char *c = s->json->text + s->at, *why = advice(c);
    if (why != NULL)
        return pps_json_fail_byte(s->json, s->at, s->err, "%s", why);
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
        return pps_json_fail_byte(s->json, s->at, s->err, "byte 0x%02x is not expected here",
                                  (unsigned)(unsigned char)*c);
    return pps_json_fail_byte(s->json, s->at, s->err, "%.*s is not expected here",
                              (int)pps_utf8_length(c), c);
}

// Reports an open bracket at the end of the text or at a bracket of the other kind.
static enum pps_status not_closed(const struct scan *s, const struct bracket *b)
{
    int line, column;
    pps_find_place(s->json->text, b->at, &line, &column);
    if (s->at == s->json->n)
        return pps_json_fail_byte(s->json, s->end, s->err,
                                  "%c is missing: the %c of line %d, column %d is still open",
                                  b->close, b->open, line, column);
    return pps_json_fail_byte(s->json, s->at, s->err,
                              "%c does not close the %c of line %d, column %d; write %c",
                              peek(s), b->open, line, column, b->close);
}

// ---- between tokens ------------------------------------------------------------------------

static void blank_comment(struct scan *s)
{
    while (s->at < s->json->n && peek(s) != '\n' && peek(s) != '\r')
        s->json->text[s->at++] = ' ';
}

static void skip_blanks(struct scan *s)
{
    s->end = s->at;
    for (;;) {
        char c = peek(s);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            s->at++;
        else if (c == '/' && s->json->text[s->at + 1] == '/')
            blank_comment(s);
        else
            return;
    }
}

static bool begins_value(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("\"{[-+._", c) != NULL);
}

// Reads the comma (*more is true) or the closing bracket after an element.
static enum pps_status separator(struct scan *s, const struct bracket *b, bool *more)
{
    size_t comma = s->at;
    *more = peek(s) == ',';
    if (*more) {
        s->at++;
        skip_blanks(s);
        if (peek(s) == b->close)
            return pps_json_fail_byte(s->json, comma, s->err,
                                      "nothing follows this comma; remove it");
        return PPS_OK;
    }
    if (peek(s) == b->close) {
        s->at++;
        return PPS_OK;
    }
    if (s->at == s->json->n || peek(s) == '}' || peek(s) == ']')
        return not_closed(s, b);
    if (begins_value(peek(s)))
        return pps_json_fail_byte(s->json, s->at, s->err, "a comma is missing before this");
    return unexpected(s);
}

// ---- values --------------------------------------------------------------------------------

static enum pps_status value(struct scan *s, const struct bracket *in, size_t key_at);

static enum pps_status array(struct scan *s)
{
    struct bracket b = {'[', ']', s->at++};
    bool more = true;
    enum pps_status status = PPS_OK;
    skip_blanks(s);
    if (peek(s) == ']') {
        s->at++;
        return PPS_OK;
    }
    while (status == PPS_OK && more) {
        status = value(s, &b, s->at);
        if (status == PPS_OK)
            status = separator(s, &b, &more);
    }
    return status;
}

// Reads a key and its colon.
static enum pps_status key(struct scan *s, const struct bracket *b)
{
    enum pps_status status;
    if (s->at == s->json->n)
        return not_closed(s, b);
    if (isalnum((unsigned char)peek(s)) || peek(s) == '_')
        return pps_json_fail_byte(s->json, s->at, s->err,
                                  "a name is written in double quotes, as in \"n\": 8");
    if (peek(s) == ',' || peek(s) == ':')
        return pps_json_fail_byte(s->json, s->at, s->err, "a name is missing before this");
    if (peek(s) != '"')
        return unexpected(s);
    status = pps_json_string(s->json, &s->at, s->err);
    if (status != PPS_OK)
        return status;
    skip_blanks(s);
    if (s->at == s->json->n)
        return not_closed(s, b);
    if (peek(s) != ':')
        return pps_json_fail_byte(s->json, s->at, s->err, "a colon is missing before this");
    s->at++;
    skip_blanks(s);
    return PPS_OK;
}

static enum pps_status object(struct scan *s)
{
    struct bracket b = {'{', '}', s->at++};
    bool more = true;
    enum pps_status status = PPS_OK;
    skip_blanks(s);
    if (peek(s) == '}') {
        s->at++;
        return PPS_OK;
    }
    while (status == PPS_OK && more) {
        size_t key_at = s->at;
        status = key(s, &b);
        if (status == PPS_OK)
            status = value(s, &b, key_at);
        if (status == PPS_OK)
            status = separator(s, &b, &more);
    }
    return status;
}

static enum pps_status nested(struct scan *s)
{
    enum pps_status status;
    if (s->depth == PPS_JSON_DEEPEST)
        return pps_json_fail_byte(s->json, s->at, s->err, "nested more than %d levels deep",
                                  PPS_JSON_DEEPEST);
    s->depth++;
    status = peek(s) == '{' ? object(s) : array(s);
    s->depth--;
    return status;
}

static enum pps_status record(struct scan *s, size_t key_at)
{
    struct pps_json *json = s->json;
    if (json->n_places == MOST_VALUES)
        return pps_json_fail_byte(json, s->at, s->err,
                                  "more than %zu values; write ranges instead of lists",
                                  MOST_VALUES);
    struct pps_json_place *places =
        pps_grow(json->places, &s->cap, json->n_places + 1, sizeof *places);
    if (places == NULL)
        return pps_fail_memory(s->err, "%s", json->name);
    json->places = places;
    json->places[json->n_places++] =
        (struct pps_json_place){.value_at = s->at, .key_at = key_at};
    return PPS_OK;
}

static enum pps_status no_value(const struct scan *s, const struct bracket *in)
{
    if (s->at == s->json->n && in != NULL)
        return not_closed(s, in);
    if (s->at == s->json->n)
        return pps_json_fail_byte(s->json, s->at, s->err, "a value is missing; write one");
    if (strchr(",:]}", peek(s)) != NULL)
        return pps_json_fail_byte(s->json, s->at, s->err, "a value is missing before this");
    return unexpected(s);
}

// Python writes a number without end as Infinity; in a model's config.json, which our keys never are, it stands for
// no value.
static bool infinity(struct scan *s)
{
    char *at = s->json->text + s->at;
    const size_t n = strlen("Infinity"), sign = *at == '-';
    if (strncmp(at + sign, "Infinity", n) != 0 || isalnum((unsigned char)at[sign + n]) ||
        strstr(s->json->text, "\"model_type\"") == NULL)
        return false;
    memset(at, ' ', sign + n);
    memcpy(at, "null", strlen("null"));
    s->at += sign + n;
    return true;
}

// Reads any value and the blanks after it. `in` is the enclosing bracket or NULL; key_at ==
// s->at if the value has no key.
static enum pps_status value(struct scan *s, const struct bracket *in, size_t key_at)
{
    char c = peek(s);
    enum pps_status status;
    if (!begins_value(c))
        return no_value(s, in);
    status = record(s, key_at);
    if (status != PPS_OK)
        return status;
    if (infinity(s))
        status = PPS_OK;
    else if (c == '{' || c == '[')
        status = nested(s);
    else if (c == '"')
        status = pps_json_string(s->json, &s->at, s->err);
    else if (isalpha((unsigned char)c) || c == '_')
        status = pps_json_word(s->json, &s->at, s->err);
    else
        status = pps_json_number(s->json, &s->at, s->err);
    if (status == PPS_OK)
        skip_blanks(s);
    return status;
}

enum pps_status pps_json_scan(struct pps_json *json, struct pps_error *err)
{
    struct scan s = {.json = json, .err = err};
    enum pps_status status;
    skip_blanks(&s);
    status = value(&s, NULL, s.at);
    if (status == PPS_OK && s.at < json->n)
        return pps_json_fail_byte(json, s.at, err,
                                  "text after the end of the document; remove it");
    return status;
}
