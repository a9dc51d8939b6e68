// SPDX-License-Identifier: Apache-2.0
// Points that must have the same result: all that a simulation can depend on, written down as a
// key, and a table from keys to results. Two points with equal keys have equal results, bit for
// bit, up to the unit of time.
#ifndef PPS_CONTENTION_MEMO_H
#define PPS_CONTENTION_MEMO_H

#include "model.h"

enum {
    MEMO_PLACES = 2048, // a power of two; about 0.8 MB
    MEMO_WORDS = 40,    // of a key
};

struct contention_key {
    double word[MEMO_WORDS];
};

// A result, with all times in units of the point's own power of two.
struct contention_memo_place {
    bool used;
    struct contention_key key;
    struct contention_result result;
};

// Zeroed, it is empty.
struct contention_memo {
    struct contention_memo_place place[MEMO_PLACES];
};

// Writes the key of a point. Not in it, since nothing depends on it: the scale of all lengths;
// impacts where no synchronisation takes time; congestion where it cannot occur; weights and
// tiers of kinds that never share a port; anything about ports with ideal channels.
void contention_key(const struct contention_point *point, struct contention_key *key);

// What contention_simulate does, but the result of an equal point is taken from the memo, and a
// new one put there. *simulated says which it was. All points of a memo are simulated with the
// same want_metrics and exact.
enum contention_status contention_recall(struct contention_memo *memo,
                                         const struct contention_point *point,
                                         bool want_metrics,
                                         bool exact,
                                         void *scratch,
                                         const atomic_bool *stop,
                                         struct contention_result *result,
                                         bool *simulated);

#endif
