// SPDX-License-Identifier: Apache-2.0
// Computes random numbers with the generator Philox4x32-10.
#include "base/math/random.h"

enum { ROUNDS = 10 };

// Multipliers and key increments from the publication.
static const uint32_t multiplier[2] = {0xd2511f53, 0xcd9e8d57};
static const uint32_t increment[2] = {0x9e3779b9, 0xbb67ae85};

void pps_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k[2] = {key[0], key[1]};
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t even = (uint64_t)multiplier[0] * c[0];
        const uint64_t odd = (uint64_t)multiplier[1] * c[2];
        c[0] = (uint32_t)(odd >> 32) ^ c[1] ^ k[0];
        c[1] = (uint32_t)odd;
        c[2] = (uint32_t)(even >> 32) ^ c[3] ^ k[1];
        c[3] = (uint32_t)even;
        k[0] += increment[0];
        k[1] += increment[1];
    }
    for (int i = 0; i < 4; i++)
        out[i] = c[i];
}

uint64_t pps_random_bits(uint64_t seed, uint64_t draw, uint32_t purpose)
{
    const uint32_t counter[4] = {(uint32_t)draw, (uint32_t)(draw >> 32), purpose, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    pps_philox(counter, key, out);
    return (uint64_t)out[0] << 32 | out[1];
}

uint64_t pps_random_53(uint64_t seed, uint64_t draw, uint32_t purpose)
{
    return pps_random_bits(seed, draw, purpose) >> 11;
}
