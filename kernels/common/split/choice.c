// SPDX-License-Identifier: Apache-2.0
// Checks choices: memory along the order of each stage, and all constraints of the program.
#include "base/math/units.h"
#include "kernels/common/interleaved/memory_line.h"
#include "kernels/common/split/cheapest_recompute.h"
#include "kernels/common/split/chunk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// ---- memory -------------------------------------------------------------------------------------

static struct nd_peak peak_of_stage(const struct nd_program *program,
                                    const struct nd_choice *choice, int32_t stage,
                                    struct operation *order)
{
    const struct orders_shape all = nd_program_laid_out(program);
    const struct orders_shape shape = memline_short_shape(&all);
    const double whole = nd_program_static(program, stage);
    const double rest = whole - nd_choice_spare(program, choice, stage);
    double kept[ORDERS_CHUNKS_MAX], layers = 0;
    for (int32_t v = 0; v < program->chunks; v++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, v * program->stages + stage);
        kept[v] = nd_chunk_kept(program, &chunk);
        layers += nd_chunk_layers_mb(program, &chunk);
    }
    orders_of_stage(&shape, stage, order);
    const struct memline_peak peak = memline_of_order(&shape, order, kept);
    return (struct nd_peak){rest + layers + peak.memory,
                            whole + nd_program_budget(program, stage),
                            memline_long_place(&all, &shape, peak.at)};
}

enum nd_outcome nd_peaks(const struct nd_program *program, const struct nd_choice *choice,
                         struct nd_peak *peaks)
{
    const struct orders_shape all = nd_program_laid_out(program);
    const struct orders_shape shape = memline_short_shape(&all);
    struct operation *order = malloc((size_t)orders_length(&shape) * sizeof *order);
    if (order == NULL)
        return ND_NO_MEMORY;
    for (int32_t i = 0; i < program->stages; i++)
        peaks[i] = peak_of_stage(program, choice, i, order);
    free(order);
    return ND_DONE;
}

// ---- layers that are made again ----------------------------------------------------------------

static int32_t before(const struct nd_program *p, const struct nd_choice *choice, int32_t k)
{
    int32_t n = 0;
    for (int32_t j = k - p->stages; j >= 0; j -= p->stages)
        n += choice->layers[0][j] + choice->layers[1][j];
    return n;
}

// ---- all constraints ----------------------------------------------------------------------------

struct checker {
    const struct nd_program *program;
    char *text;
    size_t size;
};

static bool breaks(const struct checker *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool breaks(const struct checker *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->text, c->size, format, args);
    va_end(args);
    return false;
}

static bool check_chunk(const struct checker *c, const struct nd_chunk_plan *chunk, int32_t k)
{
    const struct nd_program *p = c->program;
    const int32_t v = k / p->stages, i = k % p->stages;
    const bool full = chunk->full[0] + chunk->full[1] > 0;
    const bool part = chunk->part[0] + chunk->part[1] > 0;
    for (int t = 0; t < 2; t++) {
        if (chunk->layers[t] < 0 || chunk->full[t] < 0 || chunk->part[t] < 0)
            return breaks(c, "chunk %d of stage %d: a number is negative", v, i);
        if (chunk->full[t] + chunk->part[t] > chunk->layers[t])
            return breaks(c, "chunk %d of stage %d: recomputes more layers than it has", v, i);
    }
    if (chunk->layers[0] + chunk->layers[1] < 1)
        return breaks(c, "chunk %d of stage %d has no layers", v, i);
    if (full && part)
        return breaks(c, "chunk %d of stage %d: full and selective recompute are exclusive", v,
                      i);
    if (full && !p->allow_full)
        return breaks(c, "chunk %d of stage %d: full recompute is off", v, i);
    if (part && !p->allow_select)
        return breaks(c, "chunk %d of stage %d: selective recompute is off", v, i);
    if (!nd_chunk_within(p, chunk, k == p->stages * p->chunks - 1))
        return breaks(c, "chunk %d of stage %d exceeds the published bounds", v, i);
    return true;
}

static bool check_split(const struct checker *c, const struct nd_choice *choice)
{
    const struct nd_program *p = c->program;
    int32_t sums[2] = {0, 0};
    for (int32_t k = 0; k < p->stages * p->chunks; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        if (!check_chunk(c, &chunk, k))
            return false;
        const struct nd_again_place place = {k / p->stages, before(p, choice, k)};
        if (!nd_again_allows(p, place, &chunk))
            return breaks(c, "chunk %d of stage %d: other layers must be made again",
                          k / p->stages, k % p->stages);
        if (chunk.layers[0] > 0 && sums[1] > 0)
            return breaks(c, "chunk %d of stage %d: layers of type 1 after layers of type 2",
                          k / p->stages, k % p->stages);
        sums[0] += chunk.layers[0];
        sums[1] += chunk.layers[1];
    }
    for (int t = 0; t < 2; t++)
        if (sums[t] != p->layers[t])
            return breaks(c, "%d layers of type %d, but the model has %d", sums[t], t + 1,
                          p->layers[t]);
    return true;
}

void nd_does_not_fit(char *text, size_t size, int32_t stage, const char *where,
                     double needed_mb, double limit_mb)
{
    const double needed = needed_mb / UNITS_KIB, limit = limit_mb / UNITS_KIB;
    const double least = limit > 0 && limit < needed - limit ? limit : needed - limit;
    int decimals = 1;
    for (double step = 0.1; decimals < 6 && least < step; step /= 10)
        decimals++;
    snprintf(text, size, "does not fit: stage %d needs %.*f GiB%s, %.*f GiB available", stage,
             decimals, needed, where, decimals, limit);
}

bool nd_choice_check(const struct nd_program *program, const struct nd_choice *choice,
                     char *text, size_t size)
{
    const struct checker c = {program, text, size};
    struct nd_peak *peaks = malloc((size_t)program->stages * sizeof *peaks);
    bool fits = program->micro_batches >= program->stages;
    if (!fits)
        breaks(&c, "fewer micro-batches than stages");
    else
        fits = check_split(&c, choice);
    if (fits && (peaks == NULL || nd_peaks(program, choice, peaks) != ND_DONE))
        fits = breaks(&c, "out of memory to check the choice");
    for (int32_t i = 0; fits && i < program->stages; i++)
        if (peaks[i].memory_mb > peaks[i].limit_mb + ND_SLACK_MB) {
            nd_does_not_fit(text, size, i, "", peaks[i].memory_mb, peaks[i].limit_mb);
            fits = false;
        }
    free(peaks);
    return fits;
}
