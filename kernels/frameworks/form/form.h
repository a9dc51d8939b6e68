// SPDX-License-Identifier: Apache-2.0
// The readers and writers of the frameworks, and what they share: building a run document whose
// items have places in the user's text.
#ifndef PPS_KERNELS_FRAMEWORKS_FORM_FORM_H
#define PPS_KERNELS_FRAMEWORKS_FORM_FORM_H

#include "base/edit/text_edit.h"
#include "kernels/frameworks/form/configuration.h"

#include <cjson/cJSON.h>

enum framework_part {
    FRAMEWORK_MODEL,
    FRAMEWORK_CLUSTER,
    FRAMEWORK_TRAINING,
    FRAMEWORK_BASELINE,
    N_FRAMEWORK_PARTS
};

// ---- reading ------------------------------------------------------------------------------------

struct framework_reader {
    struct framework_file *file;
    const char *text; // normalized text of the file; offsets refer to it
    size_t room;      // of the places
    struct pps_fault *fault;
};

// Starts the run document of a source: copies the text. r->file and r->fault are set.
bool framework_start(struct framework_reader *r, const struct plaindoc *source);

// Adds an item to a part under a key. `at`: offset of the value in the text. Takes ownership of the
// item; NULL means out of memory. Returns false with a fault if the part has the key already.
bool framework_put(struct framework_reader *r,
                   enum framework_part part,
                   const char *key,
                   cJSON *item,
                   size_t at);
bool framework_put_number(struct framework_reader *r,
                          enum framework_part part,
                          const char *key,
                          double value,
                          size_t at);
bool framework_put_bool(struct framework_reader *r,
                        enum framework_part part,
                        const char *key,
                        bool value,
                        size_t at);
bool framework_put_text(struct framework_reader *r,
                        enum framework_part part,
                        const char *key,
                        const char *value,
                        size_t at);

// Returns the item that a part has under a key; NULL: none.
const cJSON *framework_get(const struct framework_reader *r,
                           enum framework_part part,
                           const char *key);

// Records a key that has no meaning for shape and strategy.
void framework_ignore(struct framework_reader *r, const char *key);

// Records a key that changes the time or the memory of the training and that no model counts. `at`:
// offset of the key. Returns false with a fault if memory runs out.
bool framework_not_modelled(struct framework_reader *r, const char *key, size_t at);

// Records why a run with this file does not start; the first reason stays. `at`: offset of the value
// to correct.
void framework_cannot_run(struct framework_reader *r, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Fills the fault for an offset of the text; false.
bool framework_fail(struct framework_reader *r, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Returns the offset of an item's value in its document; 0 if the document does not have the item.
size_t framework_value_at(const struct plaindoc *document, const cJSON *item);

// ---- writing ------------------------------------------------------------------------------------

struct framework_writer {
    struct text_edit edit;
    const struct framework_settings *settings;
    struct pps_fault *fault;
};

// ---- the frameworks -----------------------------------------------------------------------------

// The functions of a framework for one form of text. A document is passed if `form` is YAML or
// TOML; other texts are passed as they are.
struct framework_form {
    enum framework framework;
    enum plaindoc_form form;
    bool (*is)(const struct plaindoc *document);
    bool (*read)(struct framework_reader *r, const struct plaindoc *document);
    bool (*write)(struct framework_writer *w, const struct plaindoc *document);
};

#endif
