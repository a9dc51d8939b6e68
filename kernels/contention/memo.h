// SPDX-License-Identifier: Apache-2.0
// The memo recalls the results of equal points: a key contains everything that a simulation
// depends on, and a table maps keys to results. Two points with equal keys have equal results,
// bit for bit, except for the unit of time.
#pragma once

#include "kernels/contention/model/model.h"

struct sim;

enum {
    MEMO_PLACES = 2048, // a power of two; about 0.6 MB, and 16 KiB of hashes
    // of a key, a multiple of 4: size, lengths, impacts, and the shares of 4 sets of kinds
    MEMO_WORDS = (4 + CONTENTION_N_LENGTHS + 2 + 10 + 3) / 4 * 4,
};

struct contention_key {
    double word[MEMO_WORDS];
};

// The result for a key. All times are in units of the point's own power of two.
struct contention_memo_place {
    enum {
        MEMO_EMPTY,
        MEMO_KNOWN,
        MEMO_AWAITED, // job number `job` of the present batch computes the result
    } state;
    uint32_t job;
    struct contention_key key;
    struct contention_result result;
};

// All zero: empty.
struct contention_memo {
    uint64_t hash
        [MEMO_PLACES]; // of the key in each place: rejects most other keys without a comparison
    struct contention_memo_place place[MEMO_PLACES];
};

// Writes the key of the point whose constants are in `s`. The key omits what no result depends
// on: the scale of all lengths; impacts if no synchronisation takes time; congestion if it
// cannot occur; weights and tiers of kinds that never share a port; everything about ports if
// channels are ideal. Results of different `wish` numbers have different keys.
void contention_key(const struct sim *s, int wish, struct contention_key *key);

// Returns the place of a key, one of two. The place either held the key before or now holds it
// with state MEMO_EMPTY.
struct contention_memo_place *contention_memo_find(struct contention_memo *memo,
                                                   const struct contention_key *key);

// Copies a result with every time multiplied by a power of two. Without metrics only
// total_time, n_events, sensitivity and slopes are copied: the rest keeps its contents.
void contention_copy_result(struct contention_result *to, const struct contention_result *from,
                            double factor, bool has_metrics);
