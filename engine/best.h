// SPDX-License-Identifier: Apache-2.0
// The best rows seen so far: a heap of at most `cap` rows with their text. The outcome depends
// on the set of rows only, never on the order in which they were added: equal values are won by
// the lower index. Not for several threads at once.
#ifndef PPS_BEST_H
#define PPS_BEST_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_best_row {
    double value;
    uint64_t index; // no two rows of one pps_best have the same
    char *text;     // n bytes and a NUL; owned by the pps_best
    size_t n;
};

struct pps_best {
    struct pps_best_row *rows; // rows[0] is the worst of them, unless in_order
    size_t n, cap, room;       // room: entries of `rows`; it grows to cap
    bool higher;               // higher values are better
    bool in_order;             // rows are best first, after pps_best_sorted
};

// An empty heap that keeps cap rows (0: none). It takes memory only as rows are added.
void pps_best_init(struct pps_best *best, size_t cap, bool higher);
void pps_best_free(struct pps_best *best); // a zeroed one is fine

// The worst row kept; n must not be 0.
static inline const struct pps_best_row *pps_best_worst(const struct pps_best *best)
{
    return best->in_order ? &best->rows[best->n - 1] : best->rows;
}

// False: a row of this value is certainly not among the best (so its text need not be made).
// NAN is never among them.
static inline bool pps_best_would_take(const struct pps_best *best, double value)
{
    if (best->n < best->cap)
        return value == value; // not NAN
    if (best->n == 0)
        return false;
    const double worst = pps_best_worst(best)->value;
    return best->higher ? value >= worst : value <= worst;
}

// Adds a row (its text is copied) where it is among the best, and drops the worst where there
// are too many. PPS_E_MACHINE: no memory; the heap is as before.
PPS_MUST_CHECK enum pps_status pps_best_add(struct pps_best *best,
                                            double value,
                                            uint64_t index,
                                            const char *text,
                                            size_t n,
                                            struct pps_error *err);

// Adds the rows of another heap, which may be put in order.
PPS_MUST_CHECK enum pps_status pps_best_join(struct pps_best *best,
                                             struct pps_best *other,
                                             struct pps_error *err);

// The n rows, best first; valid until the next add. More rows may be added afterwards.
const struct pps_best_row *pps_best_sorted(struct pps_best *best, size_t *n);

#endif
