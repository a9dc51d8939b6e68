// SPDX-License-Identifier: Apache-2.0
// A TOML edit sets values in a user's TOML text by the paths of their keys. All other bytes stay as
// they are: comments, order, spelling of values that do not change.
#pragma once

#include "base/document/plain.h"
#include "base/edit/text_edit.h"

#include <stdbool.h>

struct cJSON;
struct toml_new_table;

struct toml_edit {
    const struct plaindoc *doc;
    struct text_edit *edit;
    struct toml_new_table *tables; // at the end of the text
    int n_tables;
    bool failed; // out of memory
};

// `doc`: a TOML document; both stay valid until toml_edit_end().
void toml_edit_begin(struct toml_edit *t, const struct plaindoc *doc, struct text_edit *edit);

// Sets the value of a path as "parallelism.tensor_parallel_degree": bare keys, joined by dots. An
// equal value is not touched. A missing key is added at the end of its table, a missing table at the
// end of the text; in an inline table or a table of dotted keys, the key is added there. A path is
// set at most once. `value`: a number, text, truth value, or list of them; the caller keeps it.
// Returns false if the text has another kind of item where the path needs a table.
bool toml_set(struct toml_edit *t, const char *path, const struct cJSON *value);
bool toml_set_bool(struct toml_edit *t, const char *path, bool value);
// Removes a key with its value; a comment behind it stays. A path that the document does not have
// changes nothing. Keys in inline tables are not removed: false.
bool toml_remove(struct toml_edit *t, const char *path);

// Inserts the line "# text" above the line of a key. Does nothing if the document does not have the
// key, or has this comment.
void toml_comment(struct toml_edit *t, const char *path, const char *text);

// Returns the item at a path; NULL: none. A list of tables on the path stands for its last table.
const struct cJSON *toml_get(const struct plaindoc *doc, const char *path);

// Writes the new tables and frees the edit, but not `edit`. Lack of memory sets edit->failed.
void toml_edit_end(struct toml_edit *t);
