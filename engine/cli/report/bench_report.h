// SPDX-License-Identifier: Apache-2.0
// Reports the figures of a benchmark: tables for people, JSON for programs, data for plots.
#pragma once

#include "base/write/gate.h"
#include "engine/measure/benchmark.h"

// Prints tables on stdout, each followed by a line that names what limits the speed.
void pps_benchreport_print(const struct pps_benchmark *benchmark);

// Prints one JSON object on stdout.
void pps_benchreport_json(const struct pps_benchmark *benchmark);

// Writes kernel.dat and threads.dat to a folder that exists. Returns PPS_E_INPUT if one of the
// files exists and !force.
PPS_MUST_CHECK enum pps_status pps_benchreport_data(const struct pps_benchmark *benchmark,
                                                    const char *folder,
                                                    const struct pps_gate *gate,
                                                    struct pps_error *err);

// Checks that pps_benchreport_data can write its files; creates the folder if it does not
// exist.
PPS_MUST_CHECK enum pps_status pps_benchreport_data_check(const char *folder,
                                                          const struct pps_gate *gate,
                                                          struct pps_error *err);
