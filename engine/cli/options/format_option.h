// SPDX-License-Identifier: Apache-2.0
// The option --format of commands that write results.
#ifndef PPS_ENGINE_CLI_OPTIONS_FORMAT_OPTION_H
#define PPS_ENGINE_CLI_OPTIONS_FORMAT_OPTION_H

#include "base/text/status.h"
#include "engine/command/command.h"

// clang-format off
#define PPS_FORMAT_OPTION \
    {"format", 0, "NAME", "csv or parquet (by the ending of the output; csv)"}
// clang-format on

// Sets *codec to what --format and --compress ask for: "parquet:6"; NULL: by the name of the output.
// PPS_E_INPUT if --format is unknown, or does not match --compress or the output.
PPS_MUST_CHECK enum pps_status pps_format_option(const struct pps_args *args,
                                                 const char *output,
                                                 const char **codec,
                                                 struct pps_error *err);

#endif
