// SPDX-License-Identifier: Apache-2.0
// Reads documents that people write: JSON, YAML, TOML, flat files, and configuration files of
// training frameworks.
#pragma once

#include "base/document/json.h"
#include "base/document/plain.h"
#include "base/text/status.h"
#include "kernels/frameworks/framework.h"

#include <stddef.h>

#define PLAN_DOCUMENT_MAX ((size_t)64 << 20) // bytes

// A document and its source. A zeroed document is empty; free it with plan_document_free().
struct plan_document {
    struct pps_json json;
    enum framework
        framework; // whose configuration the file is; FRAMEWORK_NONE: our own document
    enum plaindoc_form form;
    // Keys that are read and whose effect no figure counts: as in framework_file, or modeldesc_notes
    // of a model.
    struct framework_keys not_modelled;
    // Of a framework's configuration only:
    bool deals_again, only_wholly, never_wholly; // as in framework_file
    char *original;                              // bytes of the file, for framework_write()
    size_t n_original;
    char *ignored; // its keys without a meaning here, "a, b, c"; NULL: none
    int n_ignored;
    struct pps_fault unknown_model; // as in framework_file
    char model_name[128];           // as in framework_file
    struct pps_fault cannot_run;    // as in framework_file
};

// What the readers of frameworks may know beside the text of a file: the files that it names, and the configuration
// that FILE.py:NAME chooses. The path stays valid as long as the result.
struct framework_beside plan_document_beside(const char *path);

// Returns the file of a model that the configuration `path` names as a file, or as a folder with config.json; NULL: it
// is not there, or there is no memory. The caller frees it.
char *plan_document_model(const char *path, const char *name);

void plan_document_free(struct plan_document *document);

// Reads a document ("-": JSON from standard input). The extension selects the format: .json, or one
// of plaindoc's. Without a known extension, the format is `form`; with PLAINDOC_NONE, the text
// decides. The configuration of a framework becomes a run document of our own keys. Every value has a
// place in the file, so that pps_json_fail() reports line and column. After an error there is
// nothing to free.
PPS_MUST_CHECK enum pps_status plan_document_read(struct plan_document *document,
                                                  const char *path, enum plaindoc_form form,
                                                  struct pps_error *err);

// Adds the notes of a model that the document contains to not_modelled.
PPS_MUST_CHECK enum pps_status plan_document_add_notes(struct plan_document *document,
                                                       const cJSON *model,
                                                       struct pps_error *err);

// Prints to stderr what a model describes and no figure counts, with places in the document.
void plan_print_notes(const struct pps_json *json, const cJSON *model);

// The same of a text in memory, which the document does not keep.
PPS_MUST_CHECK enum pps_status plan_document_of_text(struct plan_document *document,
                                                     const char *path, enum plaindoc_form form,
                                                     const char *text, size_t n,
                                                     struct pps_error *err);

// Reads a YAML file of our own form, whatever its keys are. Places as above; free it with pps_json_free(). After an error
// there is nothing to free.
PPS_MUST_CHECK enum pps_status plan_yaml_read(struct pps_json *json, const char *path,
                                              struct pps_error *err);
