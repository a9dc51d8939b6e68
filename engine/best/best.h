// SPDX-License-Identifier: Apache-2.0
// Keeps the best rows so far: a heap of at most `cap` rows with their text. The result depends
// only on the set of rows, not on the order in which they were added: of equal values the lower
// index wins, and rows that lose only by their index are counted. For one thread at a time.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_best_row {
    double value;
    uint64_t index; // unique in a pps_best
    char *text;     // n bytes and a NUL; owned by the pps_best
    size_t n;
};

// Rows of one value that are counted and not kept.
struct pps_best_equal {
    uint64_t n;
    char *text; // of one of the rows; NULL if n is 0
    size_t text_n;
    // Bit c: cell c does not have the same text in all rows; of the first 64 cells.
    uint64_t differ;
    // For a short comparison with other rows: bytes of `text` before and after the cells that vary.
    size_t head, tail;
    bool has_ends; // head and tail are set
};

struct pps_best {
    struct pps_best_row *rows;  // rows[0] is the worst of them, unless in_order
    size_t n, cap, room;        // room: entries of `rows`
    bool higher;                // higher values are better
    bool ties;                  // also keep the rows equal to the last one: n may exceed cap
    bool in_order;              // rows are best first, after pps_best_sorted
    struct pps_best_equal more; // rows as good as the worst one kept
};

// The rows that are as good as the best one.
struct pps_best_ties {
    uint64_t n;      // number of rows; 0 in an empty heap
    size_t kept;     // number of kept rows
    uint64_t differ; // as in struct pps_best_equal, of all n
};

// Makes an empty heap that keeps cap rows (0: none). It allocates memory only as rows are
// added.
void pps_best_init(struct pps_best *best, size_t cap, bool higher);
void pps_best_free(struct pps_best *best); // a zeroed struct is allowed

// Returns the worst kept row; n must not be 0.
static inline const struct pps_best_row *pps_best_worst(const struct pps_best *best)
{
    return best->in_order ? &best->rows[best->n - 1] : best->rows;
}

// Returns false if a row of this value is not among the best, so that its text is not needed.
// NAN is never among the best.
static inline bool pps_best_would_take(const struct pps_best *best, double value)
{
    if (best->n < best->cap)
        return value == value; // not NAN
    if (best->n == 0)
        return false;
    const double worst = pps_best_worst(best)->value;
    return best->higher ? value >= worst : value <= worst;
}

// Adds a row (its text is copied) if it is among the best, and drops the worst row if there are
// too many. PPS_E_MACHINE: out of memory; the row is not added.
PPS_MUST_CHECK enum pps_status pps_best_add(struct pps_best *best, double value, uint64_t index,
                                            const char *text, size_t n, struct pps_error *err);

// Counts rows that are as good as the worst kept row and are not kept. Ignores rows of another
// value. The caller calls this function after all rows have been added.
PPS_MUST_CHECK enum pps_status pps_best_count(struct pps_best *best, double value,
                                              const struct pps_best_equal *equal,
                                              struct pps_error *err);

// Counts the rows that equal the best one.
struct pps_best_ties pps_best_ties(struct pps_best *best);

// Returns the n rows, best first; valid until the next add. More rows may be added afterwards.
const struct pps_best_row *pps_best_sorted(struct pps_best *best, size_t *n);
