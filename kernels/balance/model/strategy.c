// SPDX-License-Identifier: Apache-2.0
// Converts strategies, and makes naive ones: the even split with all recomputation or none.
#include "kernels/balance/model/strategy.h"

#include <string.h>

const char *const balance_list_names[BALANCE_LISTS] = {
    [BALANCE_OFFSET] = "offset",
    [BALANCE_LIST_FULL] = "recompute",
    [BALANCE_LIST_SELECT] = "select_recompute",
    [BALANCE_LIST_COMM] = "select_comm_recompute",
};

static int32_t greater(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// Returns the list whose entry is not possible for a chunk of n layers; -1: all are.
static int wrong_list(int32_t n, int32_t full, int32_t select, int32_t select_comm)
{
    if (n < 0)
        return BALANCE_OFFSET;
    if (full < 0 || full > n)
        return BALANCE_LIST_FULL;
    if (select < 0 || select > n)
        return BALANCE_LIST_SELECT;
    return select_comm < 0 || select_comm > n ? BALANCE_LIST_COMM : -1;
}

static void set_counts(struct balance_strategy *strategy, int32_t chunk, int32_t stage,
                       int32_t n, const int32_t in_lists[3])
{
    const int32_t full = in_lists[0], select = in_lists[1], comm = in_lists[2],
                  both = greater(0, lesser(select - full, comm - full)),
                  only_select = greater(0, select - full - both),
                  only_comm = greater(0, comm - full - both);
    strategy->count[balance_at(strategy, BALANCE_FULL, chunk, stage)] = full;
    strategy->count[balance_at(strategy, BALANCE_BOTH, chunk, stage)] = both;
    strategy->count[balance_at(strategy, BALANCE_SELECT, chunk, stage)] = only_select;
    strategy->count[balance_at(strategy, BALANCE_SELECT_COMM, chunk, stage)] = only_comm;
    strategy->count[balance_at(strategy, BALANCE_NONE, chunk, stage)] =
        n - full - both - only_select - only_comm;
}

bool balance_from_lists(const struct balance_layers *layers, const struct balance_lists *lists,
                        struct balance_strategy *strategy, struct balance_misplaced *wrong)
{
    const int32_t p = strategy->stages, v = strategy->chunks, base = layers->layers / (p * v);
    int64_t sum = 0;
    for (int32_t k = 0; k < p * v; k++) {
        const int32_t in_lists[3] = {lists->full[k], lists->select[k], lists->select_comm[k]};
        const int64_t n = (int64_t)base + lists->offset[k];
        const int list = n > layers->layers
                             ? BALANCE_OFFSET
                             : wrong_list((int32_t)n, in_lists[0], in_lists[1], in_lists[2]);
        if (list >= 0) {
            *wrong = (struct balance_misplaced){.chunk = k / p,
                                                .stage = k % p,
                                                .list = (enum balance_list)list,
                                                .layers = n};
            return false;
        }
        set_counts(strategy, k / p, k % p, (int32_t)n, in_lists);
        sum += lists->offset[k];
    }
    *wrong = (struct balance_misplaced){.stage = -1,
                                        .list = BALANCE_OFFSET,
                                        .layers = sum,
                                        .wanted = layers->layers - (int64_t)p * v * base};
    return sum == wrong->wanted;
}

int32_t balance_chunk_layers(const struct balance_strategy *strategy, int32_t chunk,
                             int32_t stage)
{
    int32_t n = 0;
    for (int kind = 0; kind < BALANCE_KINDS; kind++)
        n += strategy->count[balance_at(strategy, (enum balance_kind)kind, chunk, stage)];
    return n;
}

int32_t balance_listed(const struct balance_layers *layers,
                       const struct balance_strategy *strategy, enum balance_list list,
                       int32_t chunk, int32_t stage)
{
    const size_t all = (size_t)strategy->stages * (size_t)strategy->chunks;
    const int32_t *count = strategy->count + balance_at(strategy, BALANCE_NONE, chunk, stage);
    const int32_t full = count[BALANCE_FULL * all], both = count[BALANCE_BOTH * all];
    switch (list) {
    case BALANCE_LIST_FULL:
        return full;
    case BALANCE_LIST_SELECT:
        return count[BALANCE_SELECT * all] + both + full;
    case BALANCE_LIST_COMM:
        return count[BALANCE_SELECT_COMM * all] + both + full;
    case BALANCE_OFFSET:
    case BALANCE_LISTS:
        break;
    }
    return balance_chunk_layers(strategy, chunk, stage) -
           layers->layers / (strategy->stages * strategy->chunks);
}

void balance_to_lists(const struct balance_layers *layers,
                      const struct balance_strategy *strategy, int32_t *offset, int32_t *full,
                      int32_t *select, int32_t *select_comm)
{
    int32_t *const lists[BALANCE_LISTS] = {offset, full, select, select_comm};
    const int32_t p = strategy->stages;
    for (int list = 0; list < BALANCE_LISTS; list++)
        for (int32_t k = 0; k < p * strategy->chunks; k++)
            lists[list][k] =
                balance_listed(layers, strategy, (enum balance_list)list, k / p, k % p);
}

bool balance_is_canonical(const struct balance_strategy *strategy)
{
    const size_t all = (size_t)strategy->stages * (size_t)strategy->chunks;
    for (size_t k = 0; k < all; k++)
        if (strategy->count[BALANCE_SELECT * all + k] > 0 &&
            strategy->count[BALANCE_SELECT_COMM * all + k] > 0)
            return false;
    return true;
}

enum balance_kind balance_strongest_kind(const struct balance_layers *layers)
{
    int kind = BALANCE_FULL;
    while (!layers->has[kind])
        kind--;
    return (enum balance_kind)kind;
}

void balance_naive(const struct balance_layers *layers, enum balance_kind kind,
                   struct balance_strategy *strategy)
{
    const int32_t all = strategy->stages * strategy->chunks, base = layers->layers / all,
                  more = layers->layers % all;
    memset(strategy->count, 0, (size_t)all * BALANCE_KINDS * sizeof *strategy->count);
    for (int32_t k = 0; k < all; k++)
        strategy->count[(size_t)kind * (size_t)all + (size_t)k] = base + (k < more ? 1 : 0);
}
