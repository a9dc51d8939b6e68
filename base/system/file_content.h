// SPDX-License-Identifier: Apache-2.0
// Reads regular files at a given position, for the readers of a result's three files.
#ifndef PPS_WHOLEFILE_H
#define PPS_WHOLEFILE_H

#include "base/text/status.h"

#include <stddef.h>
#include <stdint.h>

// Opens a regular file for reading and returns its length in *bytes. PPS_E_INPUT if it is
// missing or not a regular file; does not block on pipes. *fd is -1 after a failure.
PPS_MUST_CHECK enum pps_status pps_wholefile_open(const char *path,
                                                  int *fd,
                                                  uint64_t *bytes,
                                                  struct pps_error *err);

// Reads exactly n bytes at `offset`; PPS_E_WRONG if the file is too short.
PPS_MUST_CHECK enum pps_status pps_wholefile_read(int fd,
                                                  const char *path,
                                                  uint64_t offset,
                                                  void *out,
                                                  size_t n,
                                                  struct pps_error *err);

#endif
