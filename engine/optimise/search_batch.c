// SPDX-License-Identifier: Apache-2.0
// Grows batches.
#include "engine/optimise/search_batch.h"

#include <stdlib.h>
#include <string.h>

bool pps_search_batch_reserve(struct pps_search_batch *b, size_t n)
{
    if (n <= b->room)
        return true;
    const size_t room = 2 * n;
    struct pps_search_batch more = {
        .x = realloc(b->x, room * PPS_MOST_COORDINATES * sizeof *b->x)};
    b->x = more.x != NULL ? more.x : b->x;
    more.points = realloc(b->points, room * PPS_MAX_PARAMS * sizeof *b->points);
    b->points = more.points != NULL ? more.points : b->points;
    more.values = realloc(b->values, room * sizeof *b->values);
    b->values = more.values != NULL ? more.values : b->values;
    more.number = realloc(b->number, room * sizeof *b->number);
    b->number = more.number != NULL ? more.number : b->number;
    more.arm = realloc(b->arm, room * sizeof *b->arm);
    b->arm = more.arm != NULL ? more.arm : b->arm;
    if (more.x == NULL || more.points == NULL || more.values == NULL || more.number == NULL ||
        more.arm == NULL)
        return false;
    b->room = room;
    return true;
}

void pps_search_batch_free(struct pps_search_batch *b)
{
    free(b->x);
    free(b->points);
    free(b->values);
    free(b->number);
    free(b->arm);
    *b = (struct pps_search_batch){.n = 0};
}

bool pps_search_batch_add(struct pps_search_batch *b,
                          const struct pps_search_space *space,
                          size_t arm,
                          const double *x)
{
    if (!pps_search_batch_reserve(b, b->n + 1))
        return false;
    double *kept = b->x + b->n * PPS_MOST_COORDINATES;
    memset(kept, 0, PPS_MOST_COORDINATES * sizeof *kept);
    memcpy(kept, x, (size_t)pps_domain_size(&space->arms[arm].domain) * sizeof *kept);
    pps_search_space_point(space, &space->arms[arm], kept, b->points + b->n * PPS_MAX_PARAMS);
    b->arm[b->n++] = arm;
    return true;
}
