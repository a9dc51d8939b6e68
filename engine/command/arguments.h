// SPDX-License-Identifier: Apache-2.0
// Parses command lines and prints help pages.
#pragma once

#include "engine/command/command.h"
#include "ppsweep/kernel.h"

// argv[0] is the name of the command and `program` the name of the program; or argv[0] is the
// name of the program and `program` is NULL. If the command takes options of kernels, the
// NULL-terminated list `kernels` adds them. With --help, prints help and sets *done. Returns
// PPS_E_INPUT for an unknown option, with the nearest known option.
PPS_MUST_CHECK enum pps_status pps_args_parse(struct pps_args **args,
                                              const struct pps_command *command,
                                              const struct pps_kernel *const *kernels,
                                              const char *program, int argc, char **argv,
                                              bool *done, struct pps_error *err);
void pps_args_free(struct pps_args *args);
