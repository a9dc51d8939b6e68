// SPDX-License-Identifier: Apache-2.0
// Files that `ppsweep nd` reads.
#ifndef PPS_NDSEARCH_TOOLREAD_H
#define PPS_NDSEARCH_TOOLREAD_H

#include "engine/jsonfile.h"
#include "engine/status.h"
#include "kernels/common/plaindoc.h"

#include <stddef.h>

// The whole file, at most 64 MiB, with a NUL behind its n bytes, the caller's to free; NULL: err
// says why.
char *nd_tool_read(const char *path, size_t *n, struct pps_error *err);

// A document ("-": JSON from standard input). What the end of its name says, it is: .json, or one of
// plaindoc's forms; others are of this form, or, with PLAINDOC_NONE, of the one they look like.
// What comes of the plain forms has places as JSON has, so that pps_json_fail() tells line and
// column.
PPS_MUST_CHECK enum pps_status nd_tool_document(struct pps_json *json,
                                                const char *path,
                                                enum plaindoc_form form,
                                                struct pps_error *err);

#endif
