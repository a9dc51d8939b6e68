// SPDX-License-Identifier: Apache-2.0
#include "flattext.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 32 };

// A line without its indentation, end and comment.
struct line {
    const char *at, *end;
    int indent;
};

struct reader {
    struct textroom *json;
    struct flattext_fault *fault;
    int n_line;
    int depth;             // open objects
    int indent[DEPTH_MAX]; // of their keys; -1: not known yet
    bool any[DEPTH_MAX];   // they have a key
    bool pending;          // a key without a value: an object, if deeper lines follow
};

static bool fail(struct reader *r, const char *text)
{
    r->fault->line = r->n_line;
    snprintf(r->fault->text, sizeof r->fault->text, "%s", text);
    return false;
}

// ---- lines --------------------------------------------------------------------------------------

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

// Where a comment begins outside of quotes, or the end.
static const char *comment_at(const char *at, const char *end)
{
    char quote = '\0';
    for (const char *begin = at; at < end; at++) {
        if (quote != '\0' && *at == '\\' && quote == '"')
            at++;
        else if (quote != '\0')
            quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '#' && (at == begin || isspace((unsigned char)at[-1])))
            return at;
    }
    return end;
}

static bool take_line(struct reader *r, const char *at, const char *end, struct line *line)
{
    const char *begin = at;
    while (at < end && *at == ' ')
        at++;
    line->indent = (int)(at - begin);
    end = comment_at(at, end);
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    line->at = at;
    line->end = end;
    if (at < end && *at == '\t')
        return fail(r, "indent with blanks, not with tabs");
    return true;
}

// ---- values -------------------------------------------------------------------------------------

static void put_char(struct reader *r, char c)
{
    if (c == '"' || c == '\\')
        textroom_add(r->json, "\\%c", c);
    else if ((unsigned char)c < 0x20)
        textroom_add(r->json, "\\u%04x", (unsigned)(unsigned char)c);
    else
        textroom_add_bytes(r->json, &c, 1);
}

static void put_string(struct reader *r, const char *at, const char *end)
{
    textroom_add(r->json, "\"");
    for (; at < end; at++)
        put_char(r, *at);
    textroom_add(r->json, "\"");
}

// In quotes; *rest is where it ends. '' within single quotes is one; \ within double ones escapes
// as in JSON.
static bool put_quoted(struct reader *r, const char *at, const char *end, const char **rest)
{
    const char quote = *at;
    textroom_add(r->json, "\"");
    for (at++; at < end; at++) {
        if (quote == '"' && *at == '\\' && at + 1 < end) {
            textroom_add_bytes(r->json, at++, 2);
        } else if (*at != quote) {
            put_char(r, *at);
        } else if (quote == '\'' && at + 1 < end && at[1] == quote) {
            put_char(r, *at++);
        } else {
            textroom_add(r->json, "\"");
            *rest = at + 1;
            return true;
        }
    }
    return fail(r, "a quote that is not closed");
}

static bool is_any(const char *at, const char *end, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strlen(*words) == (size_t)(end - at) &&
            strncasecmp(at, *words, (size_t)(end - at)) == 0)
            return true;
    return false;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && isdigit((unsigned char)*at))
        at++;
    return at;
}

// As JSON writes numbers.
static bool is_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    const char *digits = skip_digits(at, end);
    if (digits == at || (*at == '0' && digits - at > 1))
        return false;
    if (digits < end && *digits == '.') {
        const char *fraction = skip_digits(digits + 1, end);
        if (fraction == digits + 1)
            return false;
        digits = fraction;
    }
    if (digits < end && (*digits == 'e' || *digits == 'E')) {
        at = digits + 1;
        at += at < end && (*at == '+' || *at == '-');
        digits = skip_digits(at, end);
        if (digits == at)
            return false;
    }
    return digits == end;
}

static void put_plain(struct reader *r, const char *at, const char *end)
{
    static const char *const yes[] = {"true", NULL}, *const no[] = {"false", NULL};
    static const char *const nothing[] = {"null", "~", "none", NULL};
    if (is_any(at, end, yes))
        textroom_add(r->json, "true");
    else if (is_any(at, end, no))
        textroom_add(r->json, "false");
    else if (is_any(at, end, nothing))
        textroom_add(r->json, "null");
    else if (is_number(at, end))
        textroom_add_bytes(r->json, at, (size_t)(end - at));
    else
        put_string(r, at, end);
}

static bool put_value(struct reader *r,
                      const char *at,
                      const char *end,
                      const char **rest,
                      int depth);

// [a, b] and {a: b}.
static bool put_brackets(struct reader *r,
                         const char *at,
                         const char *end,
                         const char **rest,
                         int depth)
{
    const char open = *at, close = open == '[' ? ']' : '}';
    if (depth == DEPTH_MAX)
        return fail(r, "brackets too deep");
    textroom_add_bytes(r->json, &open, 1);
    at = skip_blanks(at + 1, end);
    for (bool first = true; at < end && *at != close; first = false) {
        if (!first) {
            if (*at != ',')
                return fail(r, "write a comma between the values of a list");
            textroom_add(r->json, ", ");
            at = skip_blanks(at + 1, end);
        }
        if (open == '{') {
            const char *key = at;
            while (at < end && *at != ':' && *at != '=' && *at != close)
                at++;
            const char *key_end = at;
            while (key_end > key && key_end[-1] == ' ')
                key_end--;
            if (at == end || *at == close || key_end == key)
                return fail(r, "write key: value between braces");
            const bool quoted = (*key == '"' || *key == '\'') && key_end - key > 1;
            put_string(r, key + quoted, key_end - quoted);
            textroom_add(r->json, ": ");
            at = skip_blanks(at + 1, end);
        }
        if (at == end || !put_value(r, at, end, &at, depth + 1))
            return at == end ? fail(r, "a bracket that is not closed") : false;
        at = skip_blanks(at, end);
    }
    if (at == end)
        return fail(r, "a bracket that is not closed");
    textroom_add_bytes(r->json, &close, 1);
    *rest = at + 1;
    return true;
}

// One value; within brackets it ends at a comma or bracket.
static bool put_value(struct reader *r,
                      const char *at,
                      const char *end,
                      const char **rest,
                      int depth)
{
    if (*at == '"' || *at == '\'')
        return put_quoted(r, at, end, rest);
    if (*at == '[' || *at == '{')
        return put_brackets(r, at, end, rest, depth);
    const char *stop = at;
    while (stop < end && !(depth > 0 && strchr(",]}", *stop) != NULL))
        stop++;
    *rest = stop;
    while (stop > at && stop[-1] == ' ')
        stop--;
    if (stop == at)
        return fail(r, "a value is missing");
    put_plain(r, at, stop);
    return true;
}

// ---- keys ---------------------------------------------------------------------------------------

static void close_one(struct reader *r)
{
    textroom_add(r->json, "}");
    r->depth--;
}

static bool open_object(struct reader *r, int indent)
{
    if (r->depth == DEPTH_MAX)
        return fail(r, "nested too deep");
    textroom_add(r->json, "{");
    r->indent[r->depth] = indent;
    r->any[r->depth++] = false;
    return true;
}

// What a key without a value turns out to be, now that the indentation of the next line is known.
static bool settle(struct reader *r, int indent)
{
    if (!r->pending)
        return true;
    r->pending = false;
    if (indent > r->indent[r->depth - 1])
        return open_object(r, indent);
    textroom_add(r->json, "null");
    return true;
}

static void put_comma(struct reader *r)
{
    if (r->any[r->depth - 1])
        textroom_add(r->json, ", ");
    r->any[r->depth - 1] = true;
}

// [a.b]
static bool read_section(struct reader *r, const char *at, const char *end)
{
    if (!settle(r, 0))
        return false;
    while (r->depth > 1)
        close_one(r);
    if (end[-1] != ']' || end - at < 3)
        return fail(r, "write a section as [name]");
    for (at++, end--; at < end;) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        const char *stop = dot != NULL ? dot : end;
        put_comma(r);
        put_string(r, at, stop);
        textroom_add(r->json, ": ");
        if (!open_object(r, -1))
            return false;
        at = stop + (dot != NULL);
    }
    return true;
}

static bool is_key_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

// The key of a line, and where its value begins.
static bool read_key(struct reader *r, const struct line *line, const char **value)
{
    const char *at = line->at, *rest;
    put_comma(r);
    if (*at == '"' || *at == '\'') {
        if (!put_quoted(r, at, line->end, &rest))
            return false;
    } else {
        for (rest = at; rest < line->end && is_key_char(*rest);)
            rest++;
        put_string(r, at, rest);
    }
    const char *sign = skip_blanks(rest, line->end);
    if (rest == at || sign == line->end || (*sign != ':' && *sign != '='))
        return fail(r, "write key = value, or key: value");
    textroom_add(r->json, ": ");
    *value = skip_blanks(sign + 1, line->end);
    return true;
}

static bool read_line(struct reader *r, const struct line *line)
{
    const char *value, *rest;
    if (line->at == line->end || (line->end - line->at == 3 && memcmp(line->at, "---", 3) == 0))
        return true;
    if (*line->at == '-' && (line->end - line->at == 1 || line->at[1] == ' '))
        return fail(r, "write a list on one line: [a, b]");
    if (*line->at == '[')
        return read_section(r, line->at, line->end);
    if (!settle(r, line->indent))
        return false;
    if (r->indent[r->depth - 1] < 0)
        r->indent[r->depth - 1] = line->indent;
    while (r->depth > 1 && r->indent[r->depth - 1] > line->indent)
        close_one(r);
    if (r->indent[r->depth - 1] != line->indent)
        return fail(r, "indented unlike the lines around it");
    if (!read_key(r, line, &value))
        return false;
    r->pending = value == line->end;
    if (r->pending)
        return true;
    if (!put_value(r, value, line->end, &rest, 0))
        return false;
    return skip_blanks(rest, line->end) == line->end ? true
                                                     : fail(r, "something follows the value");
}

// ---- all ----------------------------------------------------------------------------------------

static const char *skip_mark(const char *text, size_t n)
{
    return n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

bool flattext_is_flat(const char *text, size_t n)
{
    const char *at = skip_mark(text, n), *end = text + n;
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (at == end || *at == '{' || *at == '/')
        return false;
    return *at != '[' || (at + 1 < end && (isalpha((unsigned char)at[1]) || at[1] == '_'));
}

bool flattext_to_json(struct textroom *json,
                      const char *text,
                      size_t n,
                      struct flattext_fault *fault)
{
    struct reader r = {.json = json, .fault = fault};
    const char *end = text + n;
    if (!open_object(&r, -1))
        return false;
    for (const char *at = skip_mark(text, n); at < end;) {
        struct line line;
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        r.n_line++;
        if (memchr(at, '\0', (size_t)(stop - at)) != NULL)
            return fail(&r, "a NUL byte");
        if (!take_line(&r, at, stop, &line) || !read_line(&r, &line))
            return false;
        textroom_add(json, "\n");
        at = stop + (stop < end);
    }
    if (!settle(&r, -1))
        return false;
    while (r.depth > 0)
        close_one(&r);
    return true;
}
