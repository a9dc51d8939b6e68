// SPDX-License-Identifier: Apache-2.0
// Opens the documents that an experiment gives to a kernel, and a copy of the kernel's tables
// with defaults and names from the documents. The inputs are const after pps_documents_open, so
// any number of threads may read them.
#pragma once

#include "base/document/json.h"
#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdint.h>
#include <stdio.h>

enum { PPS_MAX_SLOTS = 8, PPS_MAX_DOCUMENTS = 256, PPS_LISTED_DOCUMENTS = 8 };

struct pps_documents;

// Options SLOT=FILE,FILE of the command line.
struct pps_input_words {
    const char *const *words;
    int n;
};

struct pps_documents_ask {
    const struct pps_kernel *kernel;
    // The "inputs" of an experiment: an object from slot to the path of a JSON file, to a
    // document written in the experiment, or to a list of these. `file` is the experiment.
    // NULL: no inputs.
    const struct pps_json *file;
    const cJSON *item;
    // paths in `item` are relative to the folder of this file; NULL: working folder
    const char *beside;
    struct pps_input_words words; // each replaces the documents of its slot in `item`
    // `item` is that of a manifest: `words` give the documents that are too large for it instead
    bool again;
};

// Reads the documents and opens the kernel with them. Returns PPS_E_INPUT with the place of the
// error: an unknown slot, a missing document, several documents in a slot that takes one,
// invalid or repeated names, and all errors that the kernel finds. A kernel without slots is
// used unchanged. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_documents_open(struct pps_documents **inputs,
                                                  const struct pps_documents_ask *ask,
                                                  struct pps_error *err);
void pps_documents_close(struct pps_documents *inputs); // NULL is allowed

// Returns the kernel with the documents. It lives as long as inputs.
const struct pps_kernel *pps_documents_kernel(const struct pps_documents *inputs);

// Returns all documents in the form that an experiment takes under "inputs", or NULL if there
// are none. A document of more than 1 MiB is represented by its name, size and digest. Owned by
// inputs.
const cJSON *pps_documents_resolved(const struct pps_documents *inputs);

// Returns what the kernel finds doubtful in the documents: a list of texts "SLOT NAME: ...".
const cJSON *pps_documents_doubts(const struct pps_documents *inputs);

// Prints the doubts as warnings with their places. NULL is allowed.
void pps_documents_warn(const struct pps_documents *inputs, FILE *out);

// Returns the number of documents in a slot.
int pps_documents_count(const struct pps_documents *inputs, int slot);

// Returns the path from which document i was read, counted over all slots; "": it is a part of the experiment. NULL after
// the last one.
const char *pps_documents_path(const struct pps_documents *inputs, int i);

// Prints "model a (a.json), b (b.json), cluster c (c.json)", or nothing if there are no
// documents.
void pps_documents_list(const struct pps_documents *inputs, FILE *out);

// Prints " --input SLOT=FILE" for each file that a command on the result needs, because its
// document is too large for the manifest.
void pps_documents_list_omitted(const struct pps_documents *inputs, FILE *out);

// Opens the documents of the experiment in a manifest or result; `words` give the files of the
// documents that are too large for it. Returns PPS_E_INPUT with `path` as the file name. After an
// error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_documents_again(struct pps_documents **inputs,
                                                   const struct pps_kernel *kernel,
                                                   const char *path, const cJSON *experiment,
                                                   const struct pps_input_words *words,
                                                   struct pps_error *err);

// Returns the value that a document (numbered from 0) of the slot sets for its parameter
// sets[m].
double pps_documents_said(const struct pps_documents *inputs, int slot, int document, int m);

// Returns true if rows computed with the documents of another resolved experiment (NULL: none)
// can be rows of this experiment: documents with the same name are equal, each slot has at
// least one document in common or is empty in both, and a slot for one document has the same
// document. Otherwise *slot is the slot that differs.
bool pps_documents_meet(const struct pps_documents *inputs, const cJSON *others,
                        const char **slot);

// Sets the parameters that documents set, using the documents that the point selects. If bit p
// of `keep` is set, parameter p is unchanged.
void pps_documents_say(const struct pps_documents *inputs, uint64_t keep, double *point);

// Returns the path of a file named in another file: relative to the folder of `file`, unless it
// is absolute. Returns NULL if memory runs out. The caller frees the path.
char *pps_path_beside(const char *file, const char *path);
