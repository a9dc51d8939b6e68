// SPDX-License-Identifier: Apache-2.0
// The checksum of gzip.
#ifndef PPS_CRC_H
#define PPS_CRC_H

#include <stddef.h>
#include <stdint.h>

// The CRC-32 of n bytes, as zlib's crc32 computes it; by isa-l, which is several times as fast,
// where the build has it.
uint32_t pps_crc32(const void *bytes, size_t n);

#endif
