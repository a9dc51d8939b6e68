// SPDX-License-Identifier: Apache-2.0
// The manifest of a result as text that other formats carry.
#ifndef PPS_ENGINE_CONVERT_METADATA_H
#define PPS_ENGINE_CONVERT_METADATA_H

#include "base/columns/schema.h"
#include "base/text/status.h"

// Sets *text to JSON: the members of the manifest beside the result that describe its rows, without
// sizes and checksums of the file, and the kinds of the columns as "dtypes". "{...}" with the kinds
// alone if there is no manifest. The caller frees it.
PPS_MUST_CHECK enum pps_status pps_convert_metadata(const char *path,
                                                    const struct pps_schema *schema,
                                                    char **text,
                                                    struct pps_error *err);

#endif
