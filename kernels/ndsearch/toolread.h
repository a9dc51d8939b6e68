// SPDX-License-Identifier: Apache-2.0
// Documents of `ppsweep nd` from files of any form that is read.
#ifndef PPS_NDSEARCH_TOOLREAD_H
#define PPS_NDSEARCH_TOOLREAD_H

#include "engine/tool.h"
#include "kernels/common/plaindoc.h"

// Reads a file as what the end of its name says: .json, or one of plaindoc's. form: what other files
// are; PLAINDOC_NONE: JSON. What comes of the plain forms has places as JSON has, so that
// pps_json_fail() tells line and column.
PPS_MUST_CHECK enum pps_status nd_document_load(struct pps_json *json,
                                                const char *path,
                                                enum plaindoc_form form,
                                                struct pps_error *err);

#endif
