// SPDX-License-Identifier: Apache-2.0
// Reports the results of the model of many cores, for people and for programs.
#ifndef PPS_ENGINE_CLI_REPORT_MANY_CORES_REPORT_H
#define PPS_ENGINE_CLI_REPORT_MANY_CORES_REPORT_H

#include "engine/measure/many_cores.h"

void pps_corereport_print(const struct pps_bench_cores *cores); // a table on stdout
void pps_corereport_json(const struct pps_bench_cores *cores);  // one JSON object on stdout

#endif
