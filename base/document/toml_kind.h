// SPDX-License-Identifier: Apache-2.0
// The kinds of tables and lists in a TOML document, for code that edits its text.
#pragma once

#include <cjson/cJSON.h>

// How the text defines a table or list. cJSON does not use `valueint` of objects and arrays, so the
// reader stores the kind there.
enum toml_kind {
    TOML_CLOSED,   // a value: {inline table} or [list]
    TOML_IMPLICIT, // a table that exists because a header names a table in it
    TOML_HEADER,   // a table with its own [header], or the whole document
    TOML_DOTTED,   // a table made by dotted keys
    TOML_TABLES,   // a list of tables with [[headers]]
};

// `item`: an object or an array.
static inline enum toml_kind toml_kind_of(const cJSON *item)
{
    return (enum toml_kind)item->valueint;
}
