// SPDX-License-Identifier: Apache-2.0
// The list of all formats that `convert` writes. Each is defined in a file of its own, sink_NAME.c.
#pragma once

struct pps_format;

// Names and endings for help and messages.
#define PPS_CONVERT_FORMATS "csv, parquet, arrow or npz"
#define PPS_CONVERT_ENDINGS ".csv, .csv.gz, .parquet, .arrow or .npz"

extern const struct pps_format pps_format_csv;
extern const struct pps_format pps_format_parquet;
extern const struct pps_format pps_format_arrow;
extern const struct pps_format pps_format_npz;

#define PPS_CONVERT_LIST                                                                       \
    {                                                                                          \
        &pps_format_csv, &pps_format_parquet, &pps_format_arrow, &pps_format_npz               \
    }
