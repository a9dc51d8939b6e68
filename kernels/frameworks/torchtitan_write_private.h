// SPDX-License-Identifier: Apache-2.0
// What the parts of torchtitan's writer share. Private to torchtitan_write*.c.
#pragma once

#include "base/edit/toml_edit.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/python/python.h"
#include "kernels/frameworks/shell/shell_edit.h"
#include "kernels/frameworks/torchtitan_private.h"

struct titan_writer {
    const struct framework_settings *settings;
    const struct plaindoc *doc;
    struct titan_source source;
    struct titan_config old; // of the file
    struct titan_config now; // what the file is to contain
    struct toml_edit edit;
    // Of a launch line: its arguments. Of a Python file: its changes, the function, and sections that are new.
    // Of both: comment lines for the end of the text. NULL: a TOML file.
    struct shell_edit *shell;
    struct text_edit *python;
    const struct python_function *function;
    char added[4][64];
    int n_added;
    struct text_buffer *notes;
};

// Says above a key what torchtitan does differently from the strategy.
void titan_comment(struct titan_writer *t, enum titan_key key, const char *text);

// Writes the settings into the document. `edit` has begun, or `shell` is set.
bool titan_write_all(struct titan_writer *t);

// Sets or removes (NULL) an argument of a launch line, or a value of a Python file.
bool titan_set_argument(struct titan_writer *t, const char *path, const cJSON *value);
bool titan_set_literal(struct titan_writer *t, const char *path, const cJSON *value);

// Adds comment lines at the end of the text, unless it has them.
bool titan_add_notes(struct framework_writer *w, const struct plaindoc *document,
                     const struct text_buffer *notes);

// Set a key whose default in torchtitan is known: a missing key is not added if it has this value.
// Return false with a fault.
bool titan_set_number(struct titan_writer *t, enum titan_key key, int64_t value,
                      int64_t normal);
bool titan_set_text(struct titan_writer *t, enum titan_key key, const char *value,
                    const char *normal);

// Return false with a fault: a place of the text does not allow the edit.
bool titan_set_value(struct titan_writer *t, enum titan_key key, const cJSON *value);
bool titan_remove(struct titan_writer *t, enum titan_key key);

// Writes schedule and layers of the stages, and fills now.layers, now.vp and now.v_shape. The
// degrees of `now` are known.
bool titan_write_stages(struct titan_writer *t);

// Writes recomputation. The layers of `now` are known.
bool titan_write_recompute(struct titan_writer *t);
