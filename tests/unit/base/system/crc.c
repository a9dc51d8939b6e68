// SPDX-License-Identifier: Apache-2.0
// CRC-32 of any library that the build uses.

#include "base/system/codec.h"

#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

// The check value of CRC-32/ISO-HDLC in the CRC catalogue. Catches a wrong polynomial, bit
// order or initial value.
Test(crc, check_value)
{
    cr_assert_eq(pps_crc32("123456789", 9), 0xcbf43926u);
    cr_assert_eq(pps_crc32("", 0), 0u);
}

// All lengths and alignments that a vector loop may treat differently.
Test(crc, equals_zlib)
{
    static unsigned char bytes[4096 + 64];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 167 >> 3);
    for (size_t n = 0; n <= 4096; n = n < 600 ? n + 1 : n + 97)
        for (size_t from = 0; from < 64; from += 7)
            cr_assert_eq(pps_crc32(bytes + from, n), (uint32_t)crc32_z(0, bytes + from, n),
                         "%zu bytes from %zu", n, from);
}
