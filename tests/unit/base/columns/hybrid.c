// SPDX-License-Identifier: Apache-2.0
// Packed numbers: examples of the Parquet specification, and random numbers there and back.
#include "base/columns/hybrid.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_bytes(const uint32_t *numbers, size_t n, int bits, const char *bytes,
                         size_t m)
{
    struct text_buffer out = {.text = NULL};
    pps_hybrid_write(&out, numbers, n, bits);
    cr_assert_eq(out.n, m);
    cr_assert_eq(memcmp(out.text, bytes, m), 0);
    text_buffer_free(&out);
}

// The specification packs 0 ... 7 with 3 bits as 10001000 11000110 11111010.
Test(hybrid, example_of_the_specification)
{
    const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
    expect_bytes(numbers, 8, 3, "\x03\x88\xc6\xfa", 4);
}

// Would catch runs that begin within a group of fields.
Test(hybrid, a_run_behind_fields)
{
    uint32_t numbers[40] = {1, 0, 1};
    for (int i = 3; i < 40; i++)
        numbers[i] = 1;
    expect_bytes(numbers, 40, 1, "\x03\xfd\x40\x01", 4);
}

Test(hybrid, bits)
{
    cr_assert_eq(pps_hybrid_bits(0), 1);
    cr_assert_eq(pps_hybrid_bits(1), 1);
    cr_assert_eq(pps_hybrid_bits(2), 1);
    cr_assert_eq(pps_hybrid_bits(3), 2);
    cr_assert_eq(pps_hybrid_bits(256), 8);
    cr_assert_eq(pps_hybrid_bits(257), 9);
    cr_assert_eq(pps_hybrid_bits(UINT32_MAX), 32);
}

static void fill(struct random *random, uint32_t *numbers, size_t n, uint32_t mask)
{
    for (size_t i = 0; i < n;) {
        const uint64_t bits = random_bits(random);
        const size_t length = (bits & 3) == 0 ? bits >> 8 & 31 : 1;
        for (size_t k = 0; k < length && i < n; k++)
            numbers[i++] = (uint32_t)(bits >> 32) & mask;
    }
}

Test(hybrid, there_and_back)
{
    struct random random = {7};
    static uint32_t numbers[500], again[500];
    for (int round = 0; round < 3000; round++) {
        const int bits = 1 + (int)(random_bits(&random) % 32);
        const size_t n = random_bits(&random) % 500;
        struct text_buffer out = {.text = NULL};
        fill(&random, numbers, n, bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1);
        pps_hybrid_write(&out, numbers, n, bits);
        unsigned char *exact =
            malloc(out.n + 1); // so that sanitizers see a read behind the end
        memcpy(exact, out.text != NULL ? out.text : "", out.n);
        cr_assert(pps_hybrid_read(exact, out.n, bits, again, n), "round %d", round);
        cr_assert_eq(memcmp(numbers, again, n * sizeof *numbers), 0, "round %d", round);
        if (n > 0)
            cr_assert_not(pps_hybrid_read(exact, out.n - 1, bits, again, n), "round %d", round);
        free(exact);
        text_buffer_free(&out);
    }
}
