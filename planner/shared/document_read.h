// SPDX-License-Identifier: Apache-2.0
// Reads documents that people write: JSON, YAML, TOML and flat files.
#ifndef PPS_PLANNER_SHARED_DOCUMENT_READ_H
#define PPS_PLANNER_SHARED_DOCUMENT_READ_H

#include "base/document/json.h"
#include "base/document/plain.h"
#include "base/text/status.h"

#include <stddef.h>

#define PLAN_DOCUMENT_MAX ((size_t)64 << 20) // bytes

// Reads a document ("-": JSON from standard input). The extension selects the format: .json, or one
// of plaindoc's. Without a known extension, the format is `form`; with PLAINDOC_NONE, the text
// decides. Every value has a place, so that pps_json_fail() reports line and column.
PPS_MUST_CHECK enum pps_status plan_document_read(struct pps_json *json,
                                                  const char *path,
                                                  enum plaindoc_form form,
                                                  struct pps_error *err);

#endif
