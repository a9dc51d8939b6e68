// SPDX-License-Identifier: Apache-2.0
// CRC-32, the checksum of gzip.
#ifndef PPS_CRC_H
#define PPS_CRC_H

#include <stddef.h>
#include <stdint.h>

// Returns the CRC-32 of n bytes, equal to zlib's crc32. Uses isa-l, which is several times
// faster, if the build has it. Thread-safe.
uint32_t pps_crc32(const void *bytes, size_t n);

#endif
