// SPDX-License-Identifier: Apache-2.0
// From the words of a command line to options, and help screens.
#ifndef PPS_ARGS_H
#define PPS_ARGS_H

#include "kernel.h"
#include "tool.h"

// argv[0] is the verb's name, with the program's in `program`; or the program's, and that is NULL.
// The kernels, ended with NULL, add their options where the command takes them. Prints help and
// sets *done where --help asks for it. Unknown options are PPS_E_INPUT with the nearest known one.
PPS_MUST_CHECK enum pps_status pps_args_parse(struct pps_args **args,
                                              const struct pps_command *command,
                                              const struct pps_kernel *const *kernels,
                                              const char *program,
                                              int argc,
                                              char **argv,
                                              bool *done,
                                              struct pps_error *err);
void pps_args_free(struct pps_args *args);

#endif
