// SPDX-License-Identifier: Apache-2.0
// Keeps the best rows of every group. A group has the points whose `by` parameters have equal
// values. The outcome depends on the set of rows only, never on the order in which they were
// added. Not for several threads at once.
#pragma once

#include "base/text/hash_slots.h"
#include "base/text/status.h"
#include "engine/best/best.h"
#include "engine/space/space.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Rows that all groups may keep together: with rows of 150 bytes, about 1 GB.
enum { PPS_MAX_KEPT = 4000000 };

struct pps_best_by_group {
    size_t k;               // rows a group
    bool higher;            // higher values are better
    bool ties;              // and all rows equal to the last of them
    int n_by;               // values of a key; 0: one group
    struct pps_best *bests; // one a group
    double *keys;           // n_by of each group
    size_t n, room;
    struct pps_hash_slots slots; // finds a key's group
    size_t kept;                 // rows of all groups
    struct pps_best_row *list;   // of pps_best_by_group_rows
    struct pps_best **order;     // of pps_best_by_group_groups
    size_t list_room, order_room;
};

void pps_best_by_group_init(struct pps_best_by_group *tops, size_t k, bool higher, int n_by);
void pps_best_by_group_free(struct pps_best_by_group *tops);  // a zeroed one is fine
void pps_best_by_group_clear(struct pps_best_by_group *tops); // empty, and of the same kind

// False: a row of this group and value is certainly not among the best.
bool pps_best_by_group_would_take(const struct pps_best_by_group *tops, const double *key,
                                  double value);

// The value that a row of this group must reach; +-INFINITY as long as any will do.
double pps_best_by_group_threshold(const struct pps_best_by_group *tops, const double *key);

// Adds a row where it is among the best of its group; its text is copied. PPS_E_INPUT: there are
// more rows to keep than PPS_MAX_KEPT.
PPS_MUST_CHECK enum pps_status pps_best_by_group_add(struct pps_best_by_group *tops,
                                                     const double *key, double value,
                                                     uint64_t index, const char *text, size_t n,
                                                     struct pps_error *err);

// Adds all rows of other, which keeps them, and what it has counted.
PPS_MUST_CHECK enum pps_status pps_best_by_group_merge(struct pps_best_by_group *tops,
                                                       struct pps_best_by_group *other,
                                                       struct pps_error *err);

// The groups in the order of their best rows. Valid until the next add; NULL where there are none or
// there is no memory.
struct pps_best *const *pps_best_by_group_groups(struct pps_best_by_group *tops, size_t *n);

// Counts rows of the group of this key, as pps_best_count.
PPS_MUST_CHECK enum pps_status pps_best_by_group_count(struct pps_best_by_group *tops,
                                                       const double *key, double value,
                                                       const struct pps_best_equal *equal,
                                                       struct pps_error *err);

// Returns all kept rows: best first, or group by group, groups in the order of their best rows.
// Valid until the next add; NULL where there are none or there is no memory.
const struct pps_best_row *pps_best_by_group_rows(struct pps_best_by_group *tops, size_t *n);

// The same in the order of their indices.
const struct pps_best_row *pps_best_by_group_by_index(struct pps_best_by_group *tops,
                                                      size_t *n);

// ---- shared best --------------------------------------------------------------------------------

struct pps_shared_best {
    pthread_mutex_t lock; // of tops
    struct pps_best_by_group tops;
    _Atomic uint64_t changes; // how often a threshold may have changed; 0: tops is empty
};

// The copy of a worker; a zeroed copy is empty. It may be out of date, which is safe, as
// thresholds only become harder.
struct pps_rival {
    bool known;
    uint64_t changes; // of the contest at that time
    double group[PPS_MAX_PARAMS];
    double threshold;
};

// The value that a row of this group must reach; takes the lock only where something may have
// changed.
double pps_rival_threshold(struct pps_rival *rival, struct pps_shared_best *contest,
                           const double *group);

// A row has this value: thresholds may become harder.
PPS_MUST_CHECK enum pps_status pps_shared_best_enter(struct pps_shared_best *contest,
                                                     const double *group, double value,
                                                     uint64_t index, struct pps_error *err);
