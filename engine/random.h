// SPDX-License-Identifier: Apache-2.0
// Random numbers as a pure function of a seed, a number and what they are for: no state, so that
// any of them can be had at any time, on any thread, in any order.
#ifndef PPS_RANDOM_H
#define PPS_RANDOM_H

#include <stdint.h>

// Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
// 1, 2, 3; SC 2011): a keyed bijection of 128 bits whose outputs pass for random.
void pps_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// 64 random bits of draw number `draw` of this seed. Different purposes know nothing of each
// other.
uint64_t pps_random_bits(uint64_t seed, uint64_t draw, uint32_t purpose);

// The 53 highest of them: divided by 2^53 a double in [0, 1).
uint64_t pps_random_53(uint64_t seed, uint64_t draw, uint32_t purpose);

#endif
