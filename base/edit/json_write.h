// SPDX-License-Identifier: Apache-2.0
// Writes values as JSON (RFC 8259) that the JSON reader reads back as the same values.
#pragma once

#include "base/text/text_buffer.h"

struct cJSON;

// Appends the fewest digits that read back as the same number; null for a number that is not finite.
void json_write_number(struct text_buffer *out, double value);

// Appends a text in quotes.
void json_write_text(struct text_buffer *out, const char *text);

// Appends a tree on the current line.
void json_write_tree(struct text_buffer *out, const struct cJSON *value);
