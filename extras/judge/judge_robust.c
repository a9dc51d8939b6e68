// SPDX-License-Identifier: Apache-2.0
// Chooses the orders of robust policies: those with the least mean over replicates of training.
#include "extras/judge/judge.h"
#include "kernels/schedule/online/robust.h"

#include <stdlib.h>

static bool is_over(void *self)
{
    const struct judge *judge = self;
    return judge->stop != NULL && atomic_load_explicit(judge->stop, memory_order_relaxed);
}

static struct robust *take(const struct judge_row *row, struct room *room)
{
    const struct schedule_point *point = &row->entry->candidate->point;
    return robust_take(&point->shape, schedule_room_of(point), row->entry->policy->replicates,
                       room);
}

// Returns the order; NULL: out of memory. The order of the entry is offered, too, so that there is one.
static struct order *choose(struct judge *judge, const struct judge_row *row,
                            struct robust *robust)
{
    const struct schedule_candidate *candidate = row->entry->candidate;
    const struct schedule_scratch *scratch = &candidate->scratch;
    const struct policy *policy = row->entry->policy;
    const struct robust_options options = {.replicates = policy->replicates,
                                           .seed = judge->training,
                                           .budget = policy->budget};
    struct noise noise = judge_point(judge, row).noise;
    struct poll poll = {.over = is_over, .self = judge};
    const struct family *from;
    double mean;
    noise.seed = judge->training;
    robust_open(robust, &scratch->pipeline, &noise, &options, &poll);
    robust_offer(robust, &scratch->order, candidate->point.family);
    robust_offer_families(robust);
    robust_improve(robust);
    const struct order *best = robust_best(robust, &mean, &from);
    struct order *order = order_new(scratch->order.devices, scratch->order.room);
    if (order != NULL)
        order_copy(order, best != NULL ? best : &scratch->order);
    return order;
}

static void choose_row(struct judge *judge, struct judge_row *row)
{
    struct room room = {NULL, 0};
    (void)take(row, &room);
    char *memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (memory != NULL) {
        room = (struct room){memory, 0};
        row->order = choose(judge, row, take(row, &room));
    }
    if (row->order == NULL)
        atomic_store(&judge->failed, true);
    free(memory);
}

static void choose_rows(void *self, int thread)
{
    struct judge *judge = self;
    (void)thread;
    while (!is_over(judge)) {
        const int i = atomic_fetch_add(&judge->next, 1);
        if (i >= judge->n_rows)
            break;
        const struct policy *policy = judge->row[i].entry->policy;
        if (policy != NULL && policy->kind == POLICY_ROBUST)
            choose_row(judge, &judge->row[i]);
    }
}

enum pps_status judge_choose(struct judge *judge, int threads, struct pps_error *err)
{
    return judge_parallel(judge, choose_rows, threads, err);
}
