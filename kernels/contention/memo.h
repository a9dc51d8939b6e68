// SPDX-License-Identifier: Apache-2.0
// Points that must have the same result: all that a simulation can depend on, written down as a
// key, and a table from keys to results. Two points with equal keys have equal results, bit for
// bit, up to the unit of time.
#ifndef PPS_CONTENTION_MEMO_H
#define PPS_CONTENTION_MEMO_H

#include "model.h"

struct sim;

enum {
    MEMO_PLACES = 2048, // a power of two; about 0.6 MB, and 16 KiB of hashes
    MEMO_WORDS = 20,    // of a key
};

struct contention_key {
    double word[MEMO_WORDS];
};

// What is known of a key: a result, with all times in units of the point's own power of two.
struct contention_memo_place {
    enum {
        MEMO_EMPTY,
        MEMO_KNOWN,
        MEMO_AWAITED, // job number `job` of the batch that is under way will tell
    } state;
    uint32_t job;
    struct contention_key key;
    struct contention_result result;
};

// Zeroed, it is empty. All its points are simulated with the same want_metrics.
struct contention_memo {
    uint64_t hash
        [MEMO_PLACES]; // of the key in each place: most keys that are not there are told by it
    struct contention_memo_place place[MEMO_PLACES];
};

// Writes the key of the point of which `s` holds the constants. Not in it, since nothing depends on it: the scale of all lengths;
// impacts where no synchronisation takes time; congestion where it cannot occur; weights and
// tiers of kinds that never share a port; anything about ports with ideal channels.
void contention_key(const struct sim *s, struct contention_key *key);

// The place of a key, one of two: it holds the key already, or (state MEMO_EMPTY) has just been
// given it.
struct contention_memo_place *contention_memo_find(struct contention_memo *memo,
                                                   const struct contention_key *key);

// Copies a result with every time multiplied by a power of two. Without metrics only total_time,
// n_events and sensitivity are copied: the rest keeps its contents.
void contention_copy_result(struct contention_result *to,
                            const struct contention_result *from,
                            double factor,
                            bool has_metrics);

#endif
