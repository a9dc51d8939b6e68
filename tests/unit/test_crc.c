// SPDX-License-Identifier: Apache-2.0
// The checksum of gzip, by whatever library computes it.
#include "engine/crc.h"

#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

// The check value that the CRC catalogue gives for CRC-32/ISO-HDLC. Catches another polynomial, bit
// order or first value.
Test(crc, check_value)
{
    cr_assert_eq(pps_crc32("123456789", 9), 0xcbf43926u);
    cr_assert_eq(pps_crc32("", 0), 0u);
}

// Every length and alignment that a vector loop may treat apart.
Test(crc, as_zlib)
{
    static unsigned char bytes[4096 + 64];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 167 >> 3);
    for (size_t n = 0; n <= 4096; n = n < 600 ? n + 1 : n + 97)
        for (size_t from = 0; from < 64; from += 7)
            cr_assert_eq(pps_crc32(bytes + from, n), (uint32_t)crc32_z(0, bytes + from, n),
                         "%zu bytes from %zu", n, from);
}
