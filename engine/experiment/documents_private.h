// SPDX-License-Identifier: Apache-2.0
// Declares functions that share the work on documents: documents_read.c finds and reads the
// documents, documents_text.c those that are not JSON, documents_omitted.c those that are too
// large for a manifest, documents_doubts.c what is doubtful in them, and documents.c opens the kernel with them. Private to these files.
#pragma once

#include "engine/experiment/documents.h"
#include "engine/space/value.h"

enum { PPS_DOCUMENT_NAME = PPS_CELL_TEXT };

// A document: a file, or a part of the experiment.
struct pps_source {
    int slot;
    char *path;                  // path as opened; NULL: part of the experiment
    struct pps_json own;         // the file's content; valid while the inputs are opened
    const struct pps_json *json; // `own`, or the experiment
    const cJSON *root;
    char *text; // n bytes; NULL: the document is `root`
    size_t n;
    bool is_omitted; // from the resolved experiment
    char name[PPS_DOCUMENT_NAME];
};

struct pps_documents {
    const struct pps_kernel *base;
    struct pps_kernel kernel; // base with its own params, and `shared`
    struct pps_param *params;
    const char **names[PPS_MAX_SLOTS]; // names of the documents in a slot, ended by NULL
    double *said[PPS_MAX_SLOTS];       // n_sets values per document of a slot
    struct pps_source *sources;        // sorted by slot
    int n, count[PPS_MAX_SLOTS];
    cJSON *resolved;
    cJSON *doubts; // texts with the names of documents
    char *notes;   // the same with their places, for the user: lines
    bool is_open;
};

struct pps_opening {
    struct pps_documents *inputs;
    const struct pps_documents_ask *ask;
    struct pps_error *err;
};

// Reads the documents that the experiment and the command line name into inputs->sources, which
// has room for all of them.
PPS_MUST_CHECK enum pps_status pps_documents_read(struct pps_opening *o);

// Reads the document at source->path. The caller calls pps_document_free, also after an error,
// unless pps_document_keep takes the document.
PPS_MUST_CHECK enum pps_status pps_document_load(const struct pps_opening *o,
                                                 struct pps_source *source);
void pps_document_free(struct pps_source *source);

// Adds the document to the inputs and names it if it has no name yet. Takes ownership of the
// source's memory, also if the document is refused.
PPS_MUST_CHECK enum pps_status pps_document_keep(struct pps_opening *o,
                                                 const struct pps_source *source);

// Fills err with the kernel's fault at its place in the documents.
enum pps_status pps_document_fail(const struct pps_opening *o, const struct pps_fault *fault,
                                  struct pps_error *err);

// Returns the slot of SLOT=FILE, or -1.
int pps_input_word_slot(const struct pps_kernel *kernel, const char *word);

// ---- documents_doubts.c ----

// Asks the opened kernel what is doubtful in the documents.
PPS_MUST_CHECK enum pps_status pps_documents_doubt(struct pps_opening *o,
                                                   const struct pps_document *documents);

// ---- documents_omitted.c ----

// A document with more bytes of JSON text than this is not part of a resolved experiment.
enum { PPS_DOCUMENT_WHOLE = 1 << 20 };

// Returns the document in the form of a resolved experiment: with its name, and only its size
// and digest if it is large. NULL if memory runs out. The caller frees it.
cJSON *pps_document_resolve(const struct pps_source *source);

// Returns whether the item stands for a large document.
bool pps_document_is_omitted(const cJSON *item);

// Finds the document of such an item among the files of --input, by its content.
PPS_MUST_CHECK enum pps_status pps_omitted_read(struct pps_opening *o, int slot,
                                                const cJSON *item);

// Returns PPS_E_INPUT for a file of --input that is not a document of the manifest.
PPS_MUST_CHECK enum pps_status pps_omitted_check(const struct pps_opening *o);

// ---- documents_text.c ----

// Reads the file of a slot that takes text: a JSON object to source->own, other text to
// source->text. The caller frees both, also after an error.
PPS_MUST_CHECK enum pps_status pps_text_document_load(struct pps_source *source,
                                                      struct pps_error *err);

// Takes the text of {"text": "..."}, with or without a "name"; other objects stay JSON. Returns
// false if memory runs out.
PPS_MUST_CHECK bool pps_text_document_take(struct pps_source *source);

// Returns {"name": NAME, "text": TEXT}; the caller frees it.
cJSON *pps_text_document_resolve(const struct pps_source *source);

// Fills err with the fault at its place in the text.
enum pps_status pps_text_document_fail(const struct pps_source *source,
                                       const struct pps_fault *fault, struct pps_error *err);
