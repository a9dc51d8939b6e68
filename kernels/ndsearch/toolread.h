// SPDX-License-Identifier: Apache-2.0
// Files that `ppsweep nd` reads.
#ifndef PPS_NDSEARCH_TOOLREAD_H
#define PPS_NDSEARCH_TOOLREAD_H

#include "engine/jsonfile.h"
#include "engine/status.h"

#include <stdbool.h>
#include <stddef.h>

// The whole file with a NUL behind it, the caller's to free; NULL: err says why.
char *nd_tool_read(const char *path, size_t *n, struct pps_error *err);

// A document: JSON, or lines of key = value (flattext.h), of which places are known by their lines.
// *flat says which.
PPS_MUST_CHECK enum pps_status nd_tool_document(struct pps_json *json,
                                                const char *path,
                                                bool *flat,
                                                struct pps_error *err);

#endif
