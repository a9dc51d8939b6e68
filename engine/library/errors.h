// SPDX-License-Identifier: Apache-2.0
// Fills the errors of the C library.
#pragma once

#include "base/text/status.h"
#include "ppsweep.h"

#include <stdatomic.h>
#include <stdbool.h>

// Copies err to the caller's error, which may be NULL, and returns the code of the library.
int pps_library_error(struct ppsweep_error *error, const struct pps_error *err);

// Fills the caller's error with a message and returns the code.
int pps_library_fail(struct ppsweep_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Returns true if the size of a caller's struct is `known`, the size in this library; otherwise
// fills the caller's error.
bool pps_library_size(size_t size, size_t known, const char *name, struct ppsweep_error *error);

// Returns the flag of a stop, which may be NULL: then a flag that is never raised.
const atomic_bool *pps_library_stop(const struct ppsweep_stop *stop);
