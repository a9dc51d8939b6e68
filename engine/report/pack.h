// SPDX-License-Identifier: Apache-2.0
// Packs bytes for a page: gzip, written as base64 (RFC 1952, RFC 4648).
#ifndef PPS_ENGINE_REPORT_PACK_H
#define PPS_ENGINE_REPORT_PACK_H

#include "base/text/status.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

// Compresses n bytes to one gzip member and writes it as base64 without line breaks. The owner of
// `out` checks for writing errors. PPS_E_MACHINE: out of memory; PPS_E_STOPPED after a stop (NULL:
// never).
PPS_MUST_CHECK enum pps_status pps_pack_write(const char *bytes,
                                              size_t n,
                                              const atomic_bool *stop,
                                              FILE *out,
                                              struct pps_error *err);

#endif
