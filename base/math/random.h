// SPDX-License-Identifier: Apache-2.0
// Random numbers are a pure function of a seed, a number and a purpose. There is no state: any
// thread can compute any number at any time, in any order.
#pragma once

#include <stdint.h>

// Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1,
// 2, 3; SC 2011): a keyed bijection of 128 bits whose outputs pass tests of randomness.
void pps_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// Returns 64 random bits: draw number `draw` of this seed. Different purposes give independent
// bits.
uint64_t pps_random_bits(uint64_t seed, uint64_t draw, uint32_t purpose);

// Returns the 53 highest of these bits. Divided by 2^53 they are a double in [0, 1).
uint64_t pps_random_53(uint64_t seed, uint64_t draw, uint32_t purpose);
