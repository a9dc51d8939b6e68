// SPDX-License-Identifier: Apache-2.0
// Random numbers computed from a key alone, and permutations built from them.
#include "base/math/random.h"
#include "base/math/permutation.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The known answers published by the generator's authors. Catches a wrong constant or round.
Test(random, philox_gives_the_published_answers)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint32_t out[4];
        pps_philox(known[k].counter, known[k].key, out);
        cr_assert_arr_eq(out, known[k].out, sizeof out, "answer %zu", k);
    }
}

// Catches an ignored purpose, draw or half of the seed.
Test(random, every_part_of_the_key_counts)
{
    const uint64_t seed = 5, draw = 7;
    const uint64_t bits = pps_random_bits(seed, draw, 9);
    cr_assert_eq(bits, pps_random_bits(seed, draw, 9));
    for (int b = 0; b < 64; b++) {
        cr_assert_neq(bits, pps_random_bits(seed ^ (uint64_t)1 << b, draw, 9));
        cr_assert_neq(bits, pps_random_bits(seed, draw ^ (uint64_t)1 << b, 9));
        if (b < 32)
            cr_assert_neq(bits, pps_random_bits(seed, draw, 9 ^ (uint32_t)1 << b));
    }
}

// Catches a step of the network that cannot be undone, or a walk that leaves the list.
Test(permutation, every_place_is_taken_once)
{
    bool *taken = calloc(70000, sizeof *taken);
    for (uint64_t n = 1; n < 70000; n += n < 300 ? 1 : 6151)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct pps_permutation permutation;
            pps_permutation_init(&permutation, n, seed, 3);
            memset(taken, 0, n * sizeof *taken);
            for (uint64_t k = 0; k < n; k++) {
                const uint64_t at = pps_permutation_at(&permutation, k);
                cr_assert(at < n && !taken[at], "%llu of %llu", (unsigned long long)k,
                          (unsigned long long)n);
                taken[at] = true;
            }
        }
    free(taken);
}

// Catches arithmetic overflow: the first places of huge lists are spread over the whole list.
Test(permutation, lists_of_any_length)
{
    static const uint64_t lengths[] = {((uint64_t)1 << 32) - 1, (uint64_t)1 << 32,
                                       ((uint64_t)1 << 32) + 1, ((uint64_t)1 << 62) + 12345,
                                       (uint64_t)1 << 63};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct pps_permutation permutation;
        double mean = 0;
        pps_permutation_init(&permutation, lengths[l], 1, 0);
        for (uint64_t k = 0; k < 1000; k++) {
            const uint64_t at = pps_permutation_at(&permutation, k);
            cr_assert_lt(at, lengths[l]);
            mean += (double)at / (double)lengths[l] / 1000;
        }
        cr_assert(mean > 0.45 && mean < 0.55, "%g", mean);
    }
}

// Catches places that stay near their origin: each place of a short list is equally likely for
// each number, within 6 standard deviations.
Test(permutation, all_places_are_as_likely)
{
    enum { N = 12, SEEDS = 24000 };
    int count[N][N] = {{0}};
    struct pps_permutation permutation;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        pps_permutation_init(&permutation, N, seed, 0);
        for (uint64_t k = 0; k < N; k++)
            count[k][pps_permutation_at(&permutation, k)]++;
    }
    for (int k = 0; k < N; k++)
        for (int at = 0; at < N; at++)
            cr_assert(abs(count[k][at] - SEEDS / N) < 260, "%d at %d: %d", k, at, count[k][at]);
}
