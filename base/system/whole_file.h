// SPDX-License-Identifier: Apache-2.0
// Reads whole files into memory.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>

// Reads a whole file, a pipe or stdin ("-") of at most `most` bytes. *text has a NUL after its
// *n bytes; the caller frees it with free(). After an error *text is NULL. PPS_E_INPUT names the
// file if it is a folder, cannot be read or is larger.
PPS_MUST_CHECK enum pps_status pps_whole_file_read(const char *path, size_t most, char **text,
                                                   size_t *n, struct pps_error *err);

// Reads a regular file of this program, like pps_whole_file_read; never blocks on a pipe.
// PPS_E_WRONG: the file is larger than `most`.
PPS_MUST_CHECK enum pps_status pps_whole_file_read_regular(const char *path, size_t most,
                                                           char **text, size_t *n,
                                                           struct pps_error *err);

// Returns whether both paths lead to the same regular file.
bool pps_whole_file_same(const char *one, const char *other);
