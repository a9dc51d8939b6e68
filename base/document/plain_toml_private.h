// SPDX-License-Identifier: Apache-2.0
// The parts of the TOML reader. Private to plain_toml*.c.
#pragma once

#include "base/document/plain_private.h"
#include "base/document/toml_kind.h"

// Read text in one of the four kinds of quotes, or a key part in quotes. The caller frees the
// result. NULL: fault.
char *toml_text(struct plain *p);
char *toml_key_text(struct plain *p);

// Reads a number, a truth value, a date or a time. A number that a double cannot hold (inf, nan,
// whole numbers of 2^53 or more), a date and a time become text as written. NULL: fault.
cJSON *toml_word(struct plain *p);

// Reads any value and sets the end of its place. NULL: fault.
cJSON *toml_value(struct plain *p);

// Reads `key = value` into a table, creating the tables that a dotted key names.
bool toml_pair(struct plain *p, cJSON *table);

// Descends from `table` along all parts of a dotted key except the last, which becomes *key.
// Missing tables are created with the kind `made`. Each part is one nesting level, until the caller
// restores p->depth. NULL: fault.
cJSON *toml_descend(struct plain *p, cJSON *table, enum toml_kind made, struct plain_key *key);

// Returns a new, empty table or list in `parent` under a key, whose name is freed. NULL: fault.
cJSON *toml_make(struct plain *p, cJSON *parent, struct plain_key key, enum toml_kind kind);
