// SPDX-License-Identifier: Apache-2.0
// Lists the groups of consecutive samples of an order that may be micro-batches, with their times.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/dynapipe/split/group_cost.h"
#include "kernels/dynapipe/split/samples.h"

// What decides whether a group may be a micro-batch, and what it costs.
struct split_rules {
    struct split_pipeline pipeline;
    struct split_costs costs;
    enum dynapipe_recompute recompute;
    double stored_limit, peak_limit; // MB
    bool pack;                       // groups are packed into rows where that is faster
};

// Prices a group of known shape. Returns false if the group violates the rules; then its time is NAN if it is outside
// the tables.
bool split_rules_price(const struct split_rules *rules, struct split_group *group);

// The last cost that was computed for a number of rows.
struct split_memo {
    struct split_group group;
    bool is_set, is_allowed;
};

struct split_groups {
    int32_t count, width; // samples; the most samples of a group
    double *
        times; // [count][width]: of the group of the samples at positions i to i + n, at [i][n]
    int32_t
        *extents; // [count]: the groups that start at position i have 1 to extents[i] samples
    struct split_rows rows;
    struct split_memo *memo; // [width + 1]
};

// Takes the memory for so many samples and for groups of at most `width` samples.
void split_groups_take(struct split_groups *groups, int32_t samples, int32_t width,
                       struct room *room);

// Fills the list for the samples in this order. A group that starts at a sample grows until the first
// violation of the rules. Returns false if the poll (may be NULL) ended the loop.
bool split_groups_fill(struct split_groups *groups, const struct split_samples *samples,
                       const int32_t *order, const struct split_rules *rules,
                       struct poll *poll);

// Computes the group of the `size` samples from position `first`. row_of: [size], the row of each sample; may be
// NULL. Returns false if the group violates the rules; then its time is NAN if it is outside the tables.
bool split_groups_one(struct split_groups *groups, const struct split_samples *samples,
                      const int32_t *order, const struct split_rules *rules, int32_t first,
                      int32_t size, struct split_group *group, int32_t *row_of);
