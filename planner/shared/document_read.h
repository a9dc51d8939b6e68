// SPDX-License-Identifier: Apache-2.0
// Reads the documents of `ppsweep nd`: JSON, YAML, TOML or flat text.
#ifndef PPS_NDSEARCH_TOOLREAD_H
#define PPS_NDSEARCH_TOOLREAD_H

#include "base/document/json.h"
#include "base/document/plain.h"
#include "base/text/status.h"

#include <stddef.h>

#define ND_DOCUMENT_MAX ((size_t)64 << 20) // bytes

// Reads a document ("-": JSON from standard input). The end of its name selects the format: .json,
// or one of plaindoc's forms. Other names have the given form or, with PLAINDOC_NONE, a form
// detected from the text. Documents of plain forms have places like JSON, so that pps_json_fail()
// reports line and column.
PPS_MUST_CHECK enum pps_status nd_tool_document(struct pps_json *json,
                                                const char *path,
                                                enum plaindoc_form form,
                                                struct pps_error *err);

#endif
