// SPDX-License-Identifier: Apache-2.0
// Keeps one heap per group; the group's values find the heap.
#include "engine/best/best_by_group.h"

#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void pps_best_by_group_init(struct pps_best_by_group *tops, size_t k, bool higher, int n_by)
{
    *tops = (struct pps_best_by_group){.k = k, .higher = higher, .n_by = n_by};
}

void pps_best_by_group_free(struct pps_best_by_group *tops)
{
    for (size_t g = 0; g < tops->n; g++)
        pps_best_free(&tops->bests[g]);
    free(tops->bests);
    free(tops->keys);
    pps_hash_free(&tops->slots);
    free(tops->list);
    free(tops->order);
    *tops = (struct pps_best_by_group){.k = 0};
}

void pps_best_by_group_clear(struct pps_best_by_group *tops)
{
    const struct pps_best_by_group empty = {.k = tops->k,
                                            .higher = tops->higher,
                                            .ties = tops->ties,
                                            .n_by = tops->n_by};
    pps_best_by_group_free(tops);
    *tops = empty;
}

// ---- groups -----------------------------------------------------------------------------------

static size_t key_bytes(const struct pps_best_by_group *tops)
{
    return (size_t)tops->n_by * sizeof(double);
}

static const double *key_of(const struct pps_best_by_group *tops, size_t group)
{
    return tops->keys + group * (size_t)tops->n_by;
}

static uint32_t hash_of(const struct pps_best_by_group *tops, const double *key)
{
    return (uint32_t)XXH3_64bits(key, key_bytes(tops));
}

// Returns NULL if no row of this group is kept.
static struct pps_best *find(const struct pps_best_by_group *tops, const double *key)
{
    if (tops->n == 0)
        return NULL;
    if (tops->n_by == 0)
        return &tops->bests[0];
    const uint32_t hash = hash_of(tops, key);
    for (size_t at = pps_hash_first(&tops->slots, hash); at != PPS_HASH_NONE;
         at = pps_hash_next(&tops->slots, hash, at)) {
        const size_t group = pps_hash_index(&tops->slots, at);
        if (memcmp(key_of(tops, group), key, key_bytes(tops)) == 0)
            return &tops->bests[group];
    }
    return NULL;
}

static bool grow_groups(struct pps_best_by_group *tops)
{
    const size_t room = 2 * tops->room + 1;
    struct pps_best *bests = realloc(tops->bests, room * sizeof *bests);
    if (bests != NULL)
        tops->bests = bests;
    double *keys = realloc(tops->keys, room * key_bytes(tops) + 1);
    if (keys != NULL)
        tops->keys = keys;
    if (bests == NULL || keys == NULL)
        return false;
    tops->room = room;
    return true;
}

static struct pps_best *add_group(struct pps_best_by_group *tops, const double *key)
{
    if (tops->n == tops->room && !grow_groups(tops))
        return NULL;
    if (tops->n_by > 0) {
        if (!pps_hash_add(&tops->slots, hash_of(tops, key), tops->n))
            return NULL;
        memcpy(tops->keys + tops->n * (size_t)tops->n_by, key, key_bytes(tops));
    }
    pps_best_init(&tops->bests[tops->n], tops->k, tops->higher);
    tops->bests[tops->n].ties = tops->ties;
    return &tops->bests[tops->n++];
}

// ---- rows -------------------------------------------------------------------------------------

bool pps_best_by_group_would_take(const struct pps_best_by_group *tops, const double *key,
                                  double value)
{
    const struct pps_best *best = find(tops, key);
    if (best != NULL)
        return pps_best_would_take(best, value);
    return tops->k > 0 && value == value; // not NAN
}

double pps_best_by_group_threshold(const struct pps_best_by_group *tops, const double *key)
{
    const struct pps_best *best = find(tops, key);
    if (best == NULL || best->n < best->cap)
        return tops->higher ? -HUGE_VAL : HUGE_VAL;
    return pps_best_worst(best)->value;
}

enum pps_status pps_best_by_group_add(struct pps_best_by_group *tops, const double *key,
                                      double value, uint64_t index, const char *text, size_t n,
                                      struct pps_error *err)
{
    if (!pps_best_by_group_would_take(tops, key, value))
        return PPS_OK;
    struct pps_best *best = find(tops, key);
    if (best == NULL)
        best = add_group(tops, key);
    if (best == NULL)
        return pps_fail_memory(err, "the best rows");
    const size_t before = best->n;
    enum pps_status status = pps_best_add(best, value, index, text, n, err);
    tops->kept = tops->kept - before + best->n; // ties may have made it fewer
    if (status == PPS_OK && tops->kept > PPS_MAX_KEPT)
        return pps_fail(err, PPS_E_INPUT,
                        "more than %d rows to keep; choose a smaller --top or fewer columns in "
                        "--by",
                        PPS_MAX_KEPT);
    return status;
}

enum pps_status pps_best_by_group_count(struct pps_best_by_group *tops, const double *key,
                                        double value, const struct pps_best_equal *equal,
                                        struct pps_error *err)
{
    struct pps_best *best = find(tops, key);
    return best != NULL ? pps_best_count(best, value, equal, err) : PPS_OK;
}

enum pps_status pps_best_by_group_merge(struct pps_best_by_group *tops,
                                        struct pps_best_by_group *other, struct pps_error *err)
{
    for (size_t g = 0; g < other->n; g++) {
        size_t n;
        const double *key = key_of(other, g);
        const struct pps_best_row *rows = pps_best_sorted(&other->bests[g], &n);
        enum pps_status status = PPS_OK;
        for (size_t i = 0; i < n && status == PPS_OK; i++)
            status = pps_best_by_group_add(tops, key, rows[i].value, rows[i].index,
                                           rows[i].text, rows[i].n, err);
        if (status == PPS_OK && n > 0)
            status = pps_best_by_group_count(tops, key, rows[n - 1].value,
                                             &other->bests[g].more, err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

// ---- lists ------------------------------------------------------------------------------------

static int by_best_row(const void *left, const void *right)
{
    const struct pps_best *a = *(struct pps_best *const *)left;
    const struct pps_best *b = *(struct pps_best *const *)right;
    const double sign = a->higher ? -1 : 1;
    if (a->rows[0].value != b->rows[0].value)
        return sign * a->rows[0].value < sign * b->rows[0].value ? -1 : 1;
    return a->rows[0].index < b->rows[0].index ? -1 : 1;
}

static int by_index(const void *left, const void *right)
{
    const struct pps_best_row *a = left, *b = right;
    return a->index < b->index ? -1 : a->index > b->index;
}

// The groups themselves stay where their slots say.
struct pps_best *const *pps_best_by_group_groups(struct pps_best_by_group *tops, size_t *n)
{
    struct pps_best **order = pps_grow(tops->order, &tops->order_room, tops->n, sizeof *order);
    if (order != NULL)
        tops->order = order;
    *n = order != NULL ? tops->n : 0;
    for (size_t g = 0; g < *n; g++) {
        size_t unused;
        pps_best_sorted(&tops->bests[g], &unused);
        tops->order[g] = &tops->bests[g];
    }
    if (*n > 0)
        qsort(tops->order, *n, sizeof *tops->order, by_best_row);
    return *n > 0 ? tops->order : NULL;
}

static bool fill_list(struct pps_best_by_group *tops)
{
    size_t n, at = 0;
    struct pps_best *const *groups = pps_best_by_group_groups(tops, &n);
    struct pps_best_row *list =
        pps_grow(tops->list, &tops->list_room, tops->kept, sizeof *list);
    if (groups == NULL || list == NULL)
        return false;
    tops->list = list;
    for (size_t g = 0; g < n; g++)
        for (size_t i = 0; i < groups[g]->n; i++)
            tops->list[at++] = groups[g]->rows[i];
    return true;
}

const struct pps_best_row *pps_best_by_group_rows(struct pps_best_by_group *tops, size_t *n)
{
    *n = tops->kept > 0 && fill_list(tops) ? tops->kept : 0;
    return *n > 0 ? tops->list : NULL;
}

const struct pps_best_row *pps_best_by_group_by_index(struct pps_best_by_group *tops, size_t *n)
{
    if (pps_best_by_group_rows(tops, n) != NULL)
        qsort(tops->list, *n, sizeof *tops->list, by_index);
    return *n > 0 ? tops->list : NULL;
}

// ---- shared best --------------------------------------------------------------------------------

double pps_rival_threshold(struct pps_rival *rival, struct pps_shared_best *contest,
                           const double *group)
{
    const size_t bytes = (size_t)contest->tops.n_by * sizeof *group;
    const uint64_t changes = atomic_load_explicit(&contest->changes, memory_order_relaxed);
    if (rival->known && rival->changes == changes && memcmp(rival->group, group, bytes) == 0)
        return rival->threshold;
    pthread_mutex_lock(&contest->lock);
    rival->threshold = pps_best_by_group_threshold(&contest->tops, group);
    pthread_mutex_unlock(&contest->lock);
    rival->known = true;
    rival->changes = changes;
    memcpy(rival->group, group, bytes);
    return rival->threshold;
}

enum pps_status pps_shared_best_enter(struct pps_shared_best *contest, const double *group,
                                      double value, uint64_t index, struct pps_error *err)
{
    pthread_mutex_lock(&contest->lock);
    const enum pps_status status =
        pps_best_by_group_add(&contest->tops, group, value, index, "", 0, err);
    atomic_fetch_add_explicit(&contest->changes, 1, memory_order_relaxed);
    pthread_mutex_unlock(&contest->lock);
    return status;
}
