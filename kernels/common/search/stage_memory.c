// SPDX-License-Identifier: Apache-2.0
// Computes the memory of a stage of several chunks: the micro-batches in flight, and the least
// memory for a number of layers.
#include "kernels/common/search/stage_options.h"

#include "kernels/common/interleaved/memory_line.h"
#include "kernels/common/split/cheapest_recompute.h"

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

bool nd_flights_make(const struct nd_program *p, struct poll *poll, struct nd_flights *flights)
{
    const struct orders_shape whole = nd_program_laid_out(p);
    const struct orders_shape shape = memline_short_shape(&whole);
    const int32_t most = memline_vectors_most(&shape);
    const size_t chunks = (size_t)p->chunks;
    struct operation *order = malloc((size_t)orders_length(&shape) * sizeof *order);
    int32_t *found = malloc((size_t)most * chunks * sizeof *found);
    bool made = order != NULL && found != NULL;
    *flights = (struct nd_flights){NULL, NULL};
    flights->start = calloc((size_t)p->stages + 1, sizeof *flights->start);
    made = made && flights->start != NULL;
    for (int32_t i = 0; made && i < p->stages; i++) {
        made = orders_of_stage_polled(&shape, i, order, poll);
        if (!made)
            break;
        const int32_t n = memline_vectors(&shape, order, found, most);
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
    free(order);
    free(found);
    if (!made)
        nd_flights_free(flights);
    return made;
}

double nd_stage_mb(const struct nd_program *p, const struct nd_flights *flights, int32_t stage,
                   const double *kept, double layers_mb)
{
    const int32_t first = flights->start[stage], n = flights->start[stage + 1] - first;
    return layers_mb + memline_of_vectors(p->chunks, p->splits,
                                          flights->vectors + first * p->chunks, n, kept);
}

// ---- patterns -----------------------------------------------------------------------------------

int32_t nd_pattern_least(const struct nd_pattern *pattern, int32_t chunk)
{
    return chunk >= pattern->n;
}

int32_t nd_pattern_most(const struct nd_program *p, const struct nd_pattern *pattern,
                        int32_t chunk)
{
    if (chunk < pattern->n - 1)
        return 0;
    return p->compat == ND_ORIG && p->layers[1] > ND_ORIG_LAYERS ? ND_ORIG_LAYERS
                                                                 : p->layers[1];
}

// ---- what a stage needs at least ----------------------------------------------------------------

// At any time an earlier chunk has at least as many micro-batches in flight as a later chunk:
// forwards of a part start with its first chunk, backwards with its last chunk. So a layer takes
// least memory in the last chunk that has room, for any layers of the other chunks. A layer also
// adds at least as much memory to a chunk with leading layers, which is the first of these chunks.
static double least_of_free(const struct nd_program *program, const struct nd_flights *flights,
                            const struct nd_pattern *pattern, int32_t stage, int32_t layers)
{
    double kept[ORDERS_CHUNKS_MAX], layers_mb = 0;
    int32_t left = layers;
    for (int32_t v = 0; v < program->chunks; v++)
        left -= nd_pattern_least(pattern, v * program->stages + stage);
    if (left < 0)
        return HUGE_VAL;
    for (int32_t v = program->chunks - 1; v >= 0; v--) {
        const int32_t k = v * program->stages + stage, least = nd_pattern_least(pattern, k);
        const int32_t room = nd_pattern_most(program, pattern, k) - least;
        if (room < 0)
            return HUGE_VAL;
        const int32_t more = left < room ? left : room;
        const struct nd_chunk_plan chunk = {.layers = {pattern->dense[k], least + more}};
        kept[v] = nd_least_kept(program, &chunk);
        layers_mb += nd_chunk_layers_mb(program, &chunk);
        left -= more;
    }
    return left > 0 ? HUGE_VAL : nd_stage_mb(program, flights, stage, kept, layers_mb);
}

// Returns the least that layers of type 2 take for one vector in flight, if the first `again` layers of a
// chunk are made again and take less than the others. Of the others, those of the last chunk take least.
static double least_of_vector(const struct nd_program *p, const int32_t *vector,
                              const int32_t *again, int32_t left)
{
    const struct nd_figures *m = &p->memory;
    const double first = nd_lesser(m->re_comp_mem, m->act_mem);
    const double other = vector[p->chunks - 1] * m->act_mem;
    double sum = 0;
    for (int32_t v = p->chunks - 1; v >= 0 && vector[v] * first < other; v--) {
        const int32_t x = left < again[v] ? left : again[v];
        sum += x * vector[v] * first;
        left -= x;
    }
    return sum + left * other;
}

// A lower bound: the most over all vectors in flight.
static double least_of_each(const struct nd_program *p, const struct nd_flights *flights,
                            const struct nd_pattern *pattern, int32_t stage, int32_t layers)
{
    struct nd_chunk_plan all = {.layers = {0, layers}};
    double dense[ORDERS_CHUNKS_MAX], most = 0;
    int32_t again[ORDERS_CHUNKS_MAX], needed = 0;
    for (int32_t v = 0; v < p->chunks; v++) {
        const int32_t k = v * p->stages + stage;
        struct nd_chunk_plan chunk = {.layers = {pattern->dense[k], 0}};
        nd_again_set(p, (struct nd_again_place){0, 0}, &chunk);
        dense[v] = nd_chunk_kept(p, &chunk);
        again[v] = p->again_n - chunk.full[0];
        all.layers[0] += chunk.layers[0];
        needed += nd_pattern_least(pattern, k);
    }
    if (layers < needed)
        return HUGE_VAL;
    for (int32_t k = flights->start[stage]; k < flights->start[stage + 1]; k++) {
        const int32_t *vector = flights->vectors + k * p->chunks;
        double sum = least_of_vector(p, vector, again, layers);
        for (int32_t v = 0; v < p->chunks; v++)
            sum += vector[v] * dense[v];
        most = nd_greater(most, sum / p->splits);
    }
    return most + nd_chunk_layers_mb(p, &all);
}

double nd_stage_least_mb(const struct nd_program *program, const struct nd_flights *flights,
                         const struct nd_pattern *pattern, int32_t stage, int32_t layers)
{
    struct nd_program without = *program;
    if (program->again == ND_AGAIN_EACH)
        return least_of_each(program, flights, pattern, stage, layers);
    const double least = least_of_free(program, flights, pattern, stage, layers);
    if (program->working == 0)
        return least;
    without.allow_full = false;
    return nd_lesser(least, least_of_free(&without, flights, pattern, stage, layers) -
                                program->working);
}
