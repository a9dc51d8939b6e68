// SPDX-License-Identifier: Apache-2.0
// Computes CRC-32 with the fastest library of the build.
#include "base/system/crc.h"

#ifdef PPS_HAVE_ISAL
#include "base/system/igzip.h"

#include <isa-l/crc.h>

uint32_t pps_crc32(const void *bytes, size_t n)
{
    const uint32_t crc = crc32_gzip_refl(0, bytes, n);
    pps_leave_igzip();
    return crc;
}
#else
#include <zlib.h>

uint32_t pps_crc32(const void *bytes, size_t n)
{
    return (uint32_t)crc32_z(0, bytes, n);
}
#endif
