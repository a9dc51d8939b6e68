// SPDX-License-Identifier: Apache-2.0
// Finds bytes of the text from the characters that libyaml counts, and puts its errors in our words.
#include "base/yaml/yaml_source.h"

#include "base/text/characters.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 256 }; // characters between recorded offsets

// ---- places -------------------------------------------------------------------------------------

// Records byte offsets, unless all characters are bytes. false: out of memory.
static bool index_characters(struct yaml_source *source)
{
    const size_t n = pps_utf8_count(source->text, source->n);
    if (n == source->n)
        return true;
    source->bytes = malloc((n / STEP + 1) * sizeof *source->bytes);
    if (source->bytes == NULL)
        return false;
    for (size_t k = 0, at = 0; k <= n; k++) {
        if (k % STEP == 0)
            source->bytes[k / STEP] = at;
        at += pps_utf8_length(source->text + at);
    }
    return true;
}

static size_t byte_of(const struct yaml_source *source, yaml_mark_t mark)
{
    size_t at = mark.index;
    if (source->bytes != NULL) {
        at = source->bytes[mark.index / STEP];
        for (size_t n = mark.index % STEP; n > 0; n--)
            at += pps_utf8_length(source->text + at);
    }
    return at < source->n ? at : source->n;
}

size_t yaml_source_start(const struct yaml_source *source)
{
    return byte_of(source, source->event.start_mark);
}

size_t yaml_source_end(const struct yaml_source *source)
{
    return byte_of(source, source->event.end_mark);
}

// Returns the place after the anchor and the tag of a value in [at, end).
static size_t past_properties(const char *text, size_t at, size_t end)
{
    static const char anchor[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    while (at < end && (text[at] == '&' || text[at] == '!')) {
        if (text[at] == '!')
            at += strcspn(text + at, " \t\n,[]{}");
        else
            at += 1 + strspn(text + at + 1, anchor);
        at += strspn(text + at, " \t\n");
        while (at < end && text[at] == '#') {
            at += strcspn(text + at, "\n");
            at += strspn(text + at, " \t\n");
        }
    }
    return at < end ? at : end;
}

// The event of a list or map ends after its opening bracket or, if the list is indented like its key,
// after its first dash; otherwise before its first item.
static size_t content_of_collection(const struct yaml_source *source)
{
    const char *text = source->text;
    const size_t end = yaml_source_end(source);
    const bool brackets = end > 0 && (text[end - 1] == '[' || text[end - 1] == '{');
    const bool list = source->event.type == YAML_SEQUENCE_START_EVENT;
    if (brackets || (list && end > 0 && text[end] != '-' && text[end - 1] == '-'))
        return end - 1;
    return end;
}

size_t yaml_source_content(const struct yaml_source *source)
{
    const yaml_event_t *event = &source->event;
    const size_t start = yaml_source_start(source);
    if (event->type != YAML_SCALAR_EVENT)
        return content_of_collection(source);
    if (event->data.scalar.anchor == NULL && event->data.scalar.tag == NULL)
        return start;
    return past_properties(source->text, start, yaml_source_end(source));
}

// ---- errors -------------------------------------------------------------------------------------

// What libyaml says, and what helps more.
static const char *in_our_words(const char *problem)
{
    static const struct {
        const char *problem, *words;
    } rows[] = {
        {"mapping values are not allowed in this context",
         "a second : on this line, or a line that is indented too far; put text with a colon "
         "in "
         "quotes"},
        {"could not find expected ':'", "expected key: value"},
        {"did not find expected key", "expected key: value, indented like the lines above"},
        {"did not find expected '-' indicator", "expected -, indented like the lines above"},
        {"block sequence entries are not allowed in this context",
         "a list begins on the line below its key"},
        {"found a tab character that violates indentation", "a tab; indent with spaces"},
        {"found character that cannot start any token",
         "this character cannot begin a value; put the text in quotes"},
        {"did not find expected ',' or ']'", "expected , or ]"},
        {"did not find expected ',' or '}'", "expected , or }"},
        {"did not find expected node content", "a value is missing"},
        {"found unexpected end of stream", "this text has no closing quote"},
        {"found unknown escape character", "unknown escape; write \\\\ for a backslash"},
        {"found invalid Unicode character escape code", "not a valid Unicode escape"},
        {"did not find expected hexdecimal number", "not a valid Unicode escape"},
        {"did not find expected <document start>",
         "expected a new key, indented like the first one"},
        {"found incompatible YAML document", "expected YAML 1.1 or 1.2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(problem, rows[i].problem) == 0)
            return rows[i].words;
    return problem;
}

const char *yaml_source_error(const struct yaml_source *source, size_t *at)
{
    const yaml_parser_t *parser = &source->parser;
    if (parser->error == YAML_MEMORY_ERROR || parser->problem == NULL)
        return NULL;
    const bool at_context = strcmp(parser->problem, "found unexpected end of stream") == 0 ||
                            strcmp(parser->problem, "could not find expected ':'") == 0;
    *at = byte_of(source, at_context ? parser->context_mark : parser->problem_mark);
    if (parser->error == YAML_READER_ERROR)
        *at = parser->problem_offset < source->n ? parser->problem_offset : source->n;
    return source->text[*at] == '\t' ? "a tab; indent with spaces"
                                     : in_our_words(parser->problem);
}

// ---- events -------------------------------------------------------------------------------------

bool yaml_source_open(struct yaml_source *source, const char *text, size_t n)
{
    *source = (struct yaml_source){.text = text, .n = n};
    if (!index_characters(source))
        return false;
    if (!yaml_parser_initialize(&source->parser)) {
        free(source->bytes);
        return false;
    }
    yaml_parser_set_encoding(&source->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&source->parser, (const unsigned char *)text, n);
    return true;
}

void yaml_source_close(struct yaml_source *source)
{
    yaml_event_delete(&source->event);
    yaml_parser_delete(&source->parser);
    free(source->bytes);
}

bool yaml_source_next(struct yaml_source *source)
{
    yaml_event_delete(&source->event);
    return yaml_parser_parse(&source->parser, &source->event);
}
