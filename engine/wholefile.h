// SPDX-License-Identifier: Apache-2.0
// Regular files read at a place, as the readers of a result's three files need it.
#ifndef PPS_WHOLEFILE_H
#define PPS_WHOLEFILE_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

// Opens a regular file for reading and says how long it is. PPS_E_INPUT where it is missing or
// no regular file; nothing is waited for. *fd is -1 then.
PPS_MUST_CHECK enum pps_status pps_wholefile_open(const char *path,
                                                  int *fd,
                                                  uint64_t *bytes,
                                                  struct pps_error *err);

// Reads the n bytes at `offset` and no fewer; PPS_E_WRONG where the file ends before.
PPS_MUST_CHECK enum pps_status pps_wholefile_read(int fd,
                                                  const char *path,
                                                  uint64_t offset,
                                                  void *out,
                                                  size_t n,
                                                  struct pps_error *err);

#endif
