// SPDX-License-Identifier: Apache-2.0
// Decides what a YAML scalar means: null, a boolean, a number or text.
#pragma once

struct cJSON;

// Returns the value of a scalar without quotes and tag; NULL: out of memory. YAML 1.2, and the forms
// of YAML 1.1 that PyYAML reads as numbers and booleans. Numbers that a double cannot hold exactly or
// at all (.inf, .nan, 1e999, whole numbers from 2^53) are text.
struct cJSON *yaml_plain_value(const char *text);

// Returns the value of a scalar with a tag (in its long form). Tags that are not YAML's own make
// text. NULL: the text is not a value of this tag, and *expected describes one, or out of memory
// (*expected is NULL then).
struct cJSON *yaml_tagged_value(const char *tag, const char *text, const char **expected);
