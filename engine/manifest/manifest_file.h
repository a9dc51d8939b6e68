// SPDX-License-Identifier: Apache-2.0
// The reader of manifests turns a file into a tree, with as much strictness as the caller needs,
// and reads numbers of the tree.
#pragma once

#include "base/text/status.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

enum pps_manifest_mode {
    // Any JSON object, as a newer version or another program may have written it. PPS_E_INPUT:
    // the file is not one.
    PPS_MANIFEST_LENIENT,
    // The text ends with its digest, as pps_manifest_print writes it. PPS_E_WRONG: it does not.
    PPS_MANIFEST_STRICT,
    // Any JSON object that pps_json_load accepts; its errors have a line and a column. Numbers
    // are raw items, which keep their spelling: cJSON would print "1.0" differently.
    PPS_MANIFEST_SPELLED,
};

// Reads a regular file into *root, which the caller deletes; NULL after an error. PPS_E_INPUT if
// there is no file. The functions of this header are thread-safe.
PPS_MUST_CHECK enum pps_status pps_manifest_file_read(const char *path,
                                                      enum pps_manifest_mode mode, cJSON **root,
                                                      struct pps_error *err);

// Parses a text of n bytes like a strict file; `name` stands for the path in errors.
PPS_MUST_CHECK enum pps_status pps_manifest_file_parse(const char *name, const char *text,
                                                       size_t n, cJSON **root,
                                                       struct pps_error *err);

// Reads NAME.json beside the result NAME, in lenient mode. *root is NULL, without an error, if
// the file does not exist, for "-", and for a .part file, which has no manifest yet.
PPS_MUST_CHECK enum pps_status pps_manifest_of_result(const char *path, cJSON **root,
                                                      struct pps_error *err);

// Like pps_manifest_of_result. Without NAME.json, *root is what a Parquet file of this program
// contains: the manifest of the result that it was converted from, or the members that describe the
// experiment (pps_manifest_constant).
PPS_MUST_CHECK enum pps_status pps_manifest_known(const char *path, cJSON **root,
                                                  struct pps_error *err);

// Like pps_manifest_of_result, for the file with this ending (".json.part": the manifest of an
// interrupted run).
PPS_MUST_CHECK enum pps_status pps_manifest_beside(const char *path, const char *ending,
                                                   cJSON **root, struct pps_error *err);

// Return the member of an object as a number of at least 0, and as a count. Return 0 if the
// member is missing or has another value. object may be NULL.
double pps_manifest_number(const cJSON *object, const char *key);
uint64_t pps_manifest_count(const cJSON *object, const char *key);
