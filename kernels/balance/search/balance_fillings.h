// SPDX-License-Identifier: Apache-2.0
// Lists the fillings of every stage: contents of all its chunks that fit in its memory and may be part of a
// strategy below a limit. Dominated fillings are left out: another one has as many layers in every chunk and no
// longer backwards.
#pragma once

#include "kernels/balance/proxy/contents.h"
#include "kernels/balance/search/balance_bound.h"
#include "kernels/common/options/split_options.h"

struct balance_fillings {
    struct split_options split; // the fillings; an id is an index of contents_of
    int32_t *contents_of;       // [fillings_max][chunks]: index in the list of its way
    uint8_t *way_of;            // [fillings_max]
    struct contents contents[CONTENT_WAYS];
    struct balance_layers not_full;
    int n_ways;
    int32_t fillings_max, layers_max, layers;
    int32_t *layers_now, *now; // [chunks]: of the filling that is made
    double *rest,
        *before; // [stages + 1][layers + 1]: least cost of the stages from one on, before one
    double *others; // [layers + 1]: of all stages but one
};

// Takes the memory for tasks of a shape.
void balance_fillings_take(struct balance_fillings *fillings,
                           const struct balance_layers *layers,
                           const struct balance_shape *shape, bool allow_empty,
                           struct room *room);

// Returns the largest number of fillings of all stages together.
int32_t balance_fillings_max(const struct balance_shape *shape);

// Lists the fillings that may be part of a strategy whose weighted sum of times is below `limit`. The bound has been
// found for the task and its replay. Adds the steps of the enumeration to *steps. Returns false if there are too
// many fillings or more than `steps_max` steps, or the poll ended the loop.
bool balance_fillings_make(struct balance_fillings *fillings, const struct balance_task *task,
                           const struct balance_bound *bound,
                           const struct balance_replay *replay, double limit, int64_t steps_max,
                           int64_t *steps, struct poll *poll);

// Returns the content of a chunk of a filling.
static inline const struct content *balance_filling_content(
    const struct balance_fillings *fillings, int32_t filling, int32_t chunk)
{
    const int32_t id = fillings->split.id[filling], first = id * fillings->split.chunks;
    const struct contents *contents = &fillings->contents[fillings->way_of[id]];
    return &contents->list[fillings->contents_of[first + chunk]];
}
