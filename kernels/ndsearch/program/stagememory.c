// SPDX-License-Identifier: Apache-2.0
// Memory of a stage of several chunks: what is in flight at once, and the least it can do with.
#include "options.h"

#include "cheapest.h"
#include "kernels/common/memline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- in flight ----------------------------------------------------------------------------------

void nd_flights_free(struct nd_flights *flights)
{
    free(flights->start);
    free(flights->vectors);
    *flights = (struct nd_flights){NULL, NULL};
}

bool nd_flights_make(const struct nd_program *p, struct nd_flights *flights)
{
    const struct orders_shape shape = nd_program_laid_out(p);
    const int32_t most = memline_vectors_most(&shape);
    const size_t chunks = (size_t)p->chunks;
    struct orders_task *tasks = malloc((size_t)orders_length(&shape) * sizeof *tasks);
    int32_t *found = malloc((size_t)most * chunks * sizeof *found);
    bool made = tasks != NULL && found != NULL;
    *flights = (struct nd_flights){NULL, NULL};
    flights->start = calloc((size_t)p->stages + 1, sizeof *flights->start);
    made = made && flights->start != NULL;
    for (int32_t i = 0; made && i < p->stages; i++) {
        orders_of_stage(&shape, i, tasks);
        const int32_t n = memline_vectors(&shape, tasks, found, most);
        const size_t before = (size_t)flights->start[i];
        int32_t *all =
            realloc(flights->vectors, (before + (size_t)n) * chunks * sizeof *flights->vectors);
        made = all != NULL;
        if (!made)
            break;
        memcpy(all + before * chunks, found, (size_t)n * chunks * sizeof *found);
        flights->vectors = all;
        flights->start[i + 1] = flights->start[i] + n;
    }
    free(tasks);
    free(found);
    if (!made)
        nd_flights_free(flights);
    return made;
}

double nd_stage_mb(const struct nd_program *p,
                   const struct nd_flights *flights,
                   int32_t stage,
                   const double *kept,
                   double layers_mb)
{
    const struct orders_shape shape = nd_program_laid_out(p);
    const int32_t first = flights->start[stage], n = flights->start[stage + 1] - first;
    return layers_mb +
           memline_of_vectors(&shape, flights->vectors + first * p->chunks, n, kept);
}

// ---- what a stage needs at least ----------------------------------------------------------------

struct least {
    const struct nd_program *program;
    const struct nd_flights *flights;
    const struct nd_pattern *pattern;
    int32_t stage;
    double kept[ORDERS_CHUNKS_MAX];
    double found;
};

static void least_from(struct least *l, int32_t v, int32_t left, double layers_mb)
{
    const struct nd_program *p = l->program;
    const int32_t k = v * p->stages + l->stage, chunks = p->chunks;
    const int32_t most = nd_pattern_most(p, l->pattern, k);
    int32_t x = nd_pattern_least(l->pattern, k);
    if (v == chunks - 1) // it takes all that is left
        x = x > left ? x : left;
    for (; x <= most && x <= left; x++) {
        const struct nd_chunk_plan chunk = {.layers = {l->pattern->dense[k], x}};
        l->kept[v] = nd_least_kept(p, &chunk);
        const double mb = layers_mb + nd_chunk_layers_mb(p, &chunk);
        for (int32_t u = v + 1; u < chunks; u++)
            l->kept[u] = 0;
        const double so_far = nd_stage_mb(p, l->flights, l->stage, l->kept, mb);
        if (so_far >= l->found)
            return; // more of this chunk only adds
        if (v == chunks - 1)
            l->found = so_far;
        else
            least_from(l, v + 1, left - x, mb);
    }
}

double nd_stage_least_mb(const struct nd_program *program,
                         const struct nd_flights *flights,
                         const struct nd_pattern *pattern,
                         int32_t stage,
                         int32_t layers)
{
    struct least l = {.program = program,
                      .flights = flights,
                      .pattern = pattern,
                      .stage = stage};
    l.found = HUGE_VAL;
    least_from(&l, 0, layers, 0);
    return l.found;
}
