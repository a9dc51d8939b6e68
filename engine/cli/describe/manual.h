// SPDX-License-Identifier: Apache-2.0
// The manual page of the program, or of one command, made from the tables that --help prints.
#pragma once

#include "engine/command/command.h"

#include <stdio.h>

// Writes the page as roff with the man macros. only: one command, or NULL for the whole program.
// Returns PPS_E_MACHINE if memory runs out.
PPS_MUST_CHECK enum pps_status manual_write(const struct pps_command *only,
                                            const struct pps_kernel *const *kernels, FILE *out,
                                            struct pps_error *err);
