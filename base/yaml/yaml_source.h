// SPDX-License-Identifier: Apache-2.0
// The parser of libyaml with places as byte offsets and errors in our words.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct yaml_source {
    const char *text;
    size_t n;
    yaml_event_t event; // the current one; YAML_NO_EVENT before the first
    yaml_parser_t parser;
    size_t *bytes; // byte offset of every 256th character; NULL: all text is ASCII
};

// Opens valid UTF-8 text of n bytes, followed by NUL, which must outlive the source. false: out of
// memory, and nothing to close.
bool yaml_source_open(struct yaml_source *source, const char *text, size_t n);
void yaml_source_close(struct yaml_source *source);

// Moves to the next event. false: an error, see yaml_source_error().
bool yaml_source_next(struct yaml_source *source);

// Returns what is wrong, and its offset; NULL: out of memory.
const char *yaml_source_error(const struct yaml_source *source, size_t *at);

// Offsets of the current event: where its text starts (with anchor and tag) and ends.
size_t yaml_source_start(const struct yaml_source *source);
size_t yaml_source_end(const struct yaml_source *source);

// Returns where the value of the current event starts, without anchor and tag.
size_t yaml_source_content(const struct yaml_source *source);
