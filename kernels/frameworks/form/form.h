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
    const char *text;                      // normalized text of the file; offsets refer to it
    size_t room;                           // of the places
    const struct framework_beside *beside; // NULL: no other file is read
    struct pps_fault *fault;
};

// Starts the run document of a source: copies the text. r->file and r->fault are set.
bool framework_start(struct framework_reader *r, const struct plaindoc *source);

// Adds an item to a part under a key. `at`: offset of the value in the text. Takes ownership of the
// item; NULL means out of memory. Returns false with a fault if the part has the key already.
bool framework_put(struct framework_reader *r, enum framework_part part, const char *key,
                   cJSON *item, size_t at);
bool framework_put_number(struct framework_reader *r, enum framework_part part, const char *key,
                          double value, size_t at);
bool framework_put_bool(struct framework_reader *r, enum framework_part part, const char *key,
                        bool value, size_t at);
bool framework_put_text(struct framework_reader *r, enum framework_part part, const char *key,
                        const char *value, size_t at);

// Adds [chunk][stage] to the baseline under a key: values[chunk * stages + stage].
bool framework_put_chunks(struct framework_reader *r, const char *key, const int64_t *values,
                          int64_t chunks, int64_t stages, size_t at);

// Returns the item that a part has under a key; NULL: none.
const cJSON *framework_get(const struct framework_reader *r, enum framework_part part,
                           const char *key);

// Adds the matrices that n bytes of text name, of any framework and with any signs between them, to a set of bits.
// Returns false with a fault that names one which is not known.
bool framework_take_adapters(struct framework_reader *r, const char *text, size_t n, size_t at,
                             unsigned *set);

// Puts adapters of a rank on a set of matrices.
bool framework_put_adapters(struct framework_reader *r, int64_t rank, unsigned set, size_t at);

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

// Returns the offset of an item's key in its document; 0 if the document does not have the item.
size_t framework_key_at(const struct plaindoc *document, const cJSON *item);

// Moves a parsed JSON text into a document.
struct plaindoc framework_take_json(struct pps_json *json);

// Makes a fault the reason why the framework would not start the file, so that reading can go on. The
// first reason stays. Returns false if the fault is a lack of memory.
bool framework_keep_reason(struct pps_fault *reason, const struct pps_fault *fault);

// Fills the fault with a lack of memory; false.
bool framework_no_memory(struct framework_reader *r);

// ---- keys without a reader ----------------------------------------------------------------------

// What a key depends on: without it, the key changes nothing.
enum framework_need {
    FRAMEWORK_NEEDS_TP = 1,
    FRAMEWORK_NEEDS_PP = 2,
    FRAMEWORK_NEEDS_CP = 4,
    FRAMEWORK_NEEDS_EP = 8,
    FRAMEWORK_NEEDS_EXPERTS = 16,
    FRAMEWORK_NEEDS_OTHERS = 32, // the first bit for what only one framework has
};

// A key that changes neither time nor memory with some of its values.
struct framework_harmless {
    // With blanks between: "a.b" is the key and all keys below it, "*.b" the key b at any place, "a.b*" all keys
    // whose path begins so.
    const char *paths;
    const char *values; // "false|0", as JSON without quotes; NULL: every value
    unsigned needs;     // bits of enum framework_need; 0: the key counts always
};

struct framework_others {
    const struct framework_harmless *table; // the first row that fits a key counts
    size_t n;
    unsigned has; // bits of enum framework_need
    // Returns whether the reader gives a meaning to a key.
    bool (*known)(const void *self, const char *path, const cJSON *item);
    const void *self;
    // Sections whose keys are recorded one by one even if the reader and the table know none of them;
    // ends with NULL. Any other section of unknown keys is recorded as one key.
    const char *const *sections;
};

// Sorts all keys of a document that the reader does not know into harmless ones, which are ignored, and
// those that no model counts. Returns false with a fault if memory runs out.
bool framework_sort_others(struct framework_reader *r, const struct plaindoc *document,
                           const struct framework_others *others);

// ---- writing ------------------------------------------------------------------------------------

struct framework_writer {
    struct text_edit edit;
    const struct framework_settings *settings;
    const struct framework_beside *beside; // as in the reader
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
