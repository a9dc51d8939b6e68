// SPDX-License-Identifier: Apache-2.0
// The documents that an experiment gives to a kernel, and the kernel that has read them: a copy of
// its tables in which parameters have the defaults, and a slot's parameter the names, that the
// documents say. Built once, then const.
#ifndef PPS_INPUTS_H
#define PPS_INPUTS_H

#include "jsonfile.h"
#include "kernel.h"
#include "status.h"

#include <stdint.h>
#include <stdio.h>

enum { PPS_MAX_SLOTS = 8, PPS_MAX_DOCUMENTS = 256, PPS_LISTED_DOCUMENTS = 8 };

struct pps_inputs;

// SLOT=FILE,FILE of the command line.
struct pps_input_words {
    const char *const *words;
    int n;
};

struct pps_inputs_ask {
    const struct pps_kernel *kernel;
    // What an experiment says under "inputs": an object from slot to the path of a JSON file, to a
    // document that is written out, or to a list of these. file is where it stands. NULL: nothing.
    const struct pps_json *file;
    const cJSON *item;
    const char *beside; // the file that paths in `item` are beside; NULL: the working folder
    struct pps_input_words words; // each takes the place of what `item` says of its slot
};

// Reads the documents and opens the kernel with them. PPS_E_INPUT with the place of what is wrong:
// an unknown slot, a missing document, several where one is taken, names that are no words or not
// distinct, and all that the kernel finds. A kernel without slots stays as it is. *inputs is NULL
// or to be closed in every case.
PPS_MUST_CHECK enum pps_status pps_inputs_open(struct pps_inputs **inputs,
                                               const struct pps_inputs_ask *ask,
                                               struct pps_error *err);
void pps_inputs_close(struct pps_inputs *inputs); // NULL is fine

// The kernel to be used from now on; it lives as long as inputs.
const struct pps_kernel *pps_inputs_kernel(const struct pps_inputs *inputs);

// All documents written out, as an experiment could say them; NULL: there are none.
const cJSON *pps_inputs_resolved(const struct pps_inputs *inputs);

// Number of documents in a slot.
int pps_inputs_count(const struct pps_inputs *inputs, int slot);

// "model a (a.json), b (b.json), cluster c (c.json)"; nothing where there are none.
void pps_inputs_list(const struct pps_inputs *inputs, FILE *out);

// The documents of a manifest's or a result's experiment. PPS_E_INPUT with `path` for the file.
PPS_MUST_CHECK enum pps_status pps_inputs_again(struct pps_inputs **inputs,
                                                const struct pps_kernel *kernel,
                                                const char *path,
                                                const cJSON *experiment,
                                                struct pps_error *err);

// What a document (from 0) of the slot says of its parameter sets[m].
double pps_inputs_said(const struct pps_inputs *inputs, int slot, int document, int m);

// Whether rows that were made with the documents of another resolved experiment (NULL: none) may
// be rows of ours: no document of a name is another one, each slot has one in common or none at
// all, and what takes one document takes the same. *slot is the one at fault.
bool pps_inputs_meet(const struct pps_inputs *inputs, const cJSON *others, const char **slot);

// Sets the parameters that documents say as those chosen by the point say them; bit p of `keep`:
// parameter p stays.
void pps_inputs_say(const struct pps_inputs *inputs, uint64_t keep, double *point);

// The path of a file that is named in another: beside that one, unless it is absolute. NULL: no
// memory; the caller frees it.
char *pps_path_beside(const char *file, const char *path);

#endif
