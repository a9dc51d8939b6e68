// SPDX-License-Identifier: Apache-2.0
// Reads documents of an experiment that may be YAML as well as JSON.
#ifndef PPS_BALANCE_DOCUMENTS_TEXT_DOCUMENT_H
#define PPS_BALANCE_DOCUMENTS_TEXT_DOCUMENT_H

#include "base/document/plain.h"
#include "ppsweep/kernel.h"

// The values of a document.
struct text_document {
    const struct cJSON *root;
    struct plaindoc yaml; // of a document with a text
};

// Parses the document if it is a text. Returns false with a fault; an empty fault->text means out of memory. The caller
// calls text_document_free in every case.
bool text_document_open(struct text_document *open,
                        const struct pps_document *document,
                        struct pps_fault *fault);
void text_document_free(struct text_document *open);

// Replaces the value at fault by its place in the text, if the document is one.
void text_document_place(const struct text_document *open, struct pps_fault *fault);

#endif
