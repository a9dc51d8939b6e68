// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests: equal on every machine, in every run.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A generator (splitmix64); a test chooses the first state.
struct random {
    uint64_t state;
};

uint64_t random_bits(struct random *r);

// In 0..end - 1.
int64_t random_below(struct random *r, int64_t end);

bool random_coin(struct random *r);

// In [0, 1).
double random_unit(struct random *r);

// Numbers that depend on a seed, an item and the count of earlier draws.
struct draws {
    uint64_t seed, item;
    uint32_t next;
};

// In 0..end - 1.
int32_t draws_below(struct draws *d, int32_t end);
