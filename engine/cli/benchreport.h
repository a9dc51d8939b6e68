// SPDX-License-Identifier: Apache-2.0
// A benchmark's figures: for people, for programs, for plots.
#ifndef PPS_CLI_BENCHREPORT_H
#define PPS_CLI_BENCHREPORT_H

#include "engine/benchmark.h"

// Tables on stdout, each followed by a line that says what bounds it.
void pps_benchreport_print(const struct pps_benchmark *benchmark);

// One JSON object on stdout.
void pps_benchreport_json(const struct pps_benchmark *benchmark);

// Writes kernel.dat and threads.dat in a folder that exists; both are refused (PPS_E_INPUT)
// where they exist and !force.
PPS_MUST_CHECK enum pps_status pps_benchreport_data(const struct pps_benchmark *benchmark,
                                                    const char *folder,
                                                    bool force,
                                                    struct pps_error *err);

// Whether they could be written; makes the folder where it is missing.
PPS_MUST_CHECK enum pps_status pps_benchreport_data_check(const char *folder,
                                                          bool force,
                                                          struct pps_error *err);

#endif
