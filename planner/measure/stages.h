// SPDX-License-Identifier: Apache-2.0
// Runs trainings by the commands nd dryrun, nd profile and nd parse.
#pragma once

#include "engine/command/command.h"

#include <stddef.h>

// Runs the words of `measure` in the folder: dry runs if --dry-command says how, then the trainings, then parse.
// Finished runs are not repeated.
PPS_MUST_CHECK enum pps_status measure_stages_run(const struct pps_args *args,
                                                  const char *folder, struct pps_error *err);

// Writes the folder of the logs of a training.
void measure_stages_logs(const char *folder, const char *path, char *text, size_t size);
