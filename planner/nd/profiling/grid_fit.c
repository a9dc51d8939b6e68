// SPDX-License-Identifier: Apache-2.0
// Fits the figures of a device to a grid by pattern search: one figure at a time moves by a step, and steps
// that help none are halved. Sums run in a fixed order.
#include "planner/nd/profiling/grid.h"

#include "base/math/detmath.h"
#include "kernels/common/pipeline/collectives.h"

#include <math.h>

const char *nd_grid_kind_name(enum nd_grid_kind kind)
{
    static const char *const names[ND_GRID_KINDS] = {[ND_GRID_PRODUCT] = "matrix products",
                                                     [ND_GRID_PRODUCT8] = "8-bit products",
                                                     [ND_GRID_EXPERTS] = "products of experts",
                                                     [ND_GRID_ATTENTION] = "attention forward",
                                                     [ND_GRID_ATTENTION_BACKWARD] =
                                                         "attention backward",
                                                     [ND_GRID_MEMORY] = "memory traffic"};
    return names[kind];
}

double nd_grid_predict(const struct nd_grid_row *row, const struct hardware *hardware)
{
    const double backward = hardware->shapes.backward;
    switch (row->kind) {
    case ND_GRID_PRODUCT:
        return hardware_gemm(hardware, row->m, row->n, row->k);
    case ND_GRID_PRODUCT8:
        return hardware_gemm_fp8(hardware, row->m, row->n, row->k);
    case ND_GRID_EXPERTS:
        return hardware_grouped_gemm(hardware, row->experts, row->m, row->n, row->k);
    case ND_GRID_ATTENTION:
        return row->flops / hardware_attention_rate(hardware, row->length, 0, row->size);
    case ND_GRID_ATTENTION_BACKWARD:
        return row->flops / hardware_attention_rate(hardware, row->length, 0, row->size) /
               (backward > 0 ? backward : 1);
    case ND_GRID_MEMORY:
    case ND_GRID_KINDS:
    default:
        return hardware_stream(hardware, row->bytes) + hardware_kernels(hardware, 1);
    }
}

struct nd_grid_error nd_grid_error_of(const struct nd_grid *grid, enum nd_grid_kind kind,
                                      const struct hardware *hardware)
{
    struct nd_grid_error error = {.rows = 0};
    for (size_t i = 0; i < grid->n; i++) {
        const struct nd_grid_row *row = &grid->rows[i];
        if (row->kind != kind)
            continue;
        error.rows++;
        if (!row->held)
            continue;
        const double off = fabs(nd_grid_predict(row, hardware) / row->seconds - 1);
        error.held++;
        error.mean += off;
        error.largest = fmax(error.largest, off);
    }
    error.mean = error.held > 0 ? error.mean / (double)error.held : 0;
    return error;
}

// ---- pattern search -----------------------------------------------------------------------------

struct figure {
    double *value; // of the device at hand
    double least, most;
    bool is_share; // moves by addition, not by a factor
};

enum { FIGURES = 4 };

struct task {
    const struct nd_grid *grid;
    bool all; // rows that are held out, too
    struct hardware *hardware;
    unsigned kinds; // bits
    struct figure figures[FIGURES];
    int n;
};

// Logarithms of predicted over measured beyond BEND count by their size, not their square: rows far off
// do not bend the others.
#define BEND 0.1

static double misfit(const struct task *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->grid->n; i++) {
        const struct nd_grid_row *row = &t->grid->rows[i];
        if (!(t->kinds >> row->kind & 1) || (row->held && !t->all))
            continue;
        const double r = detmath_log(nd_grid_predict(row, t->hardware) / row->seconds) / BEND;
        sum += sqrt(1 + r * r) - 1;
    }
    return sum;
}

static double moved(const struct figure *f, double from, double step)
{
    const double to = f->is_share ? from + step : from * detmath_exp(step);
    return fmax(f->least, fmin(to, f->most));
}

// Moves the figure if that helps; returns the misfit, and adds the move.
static double try_moves(const struct task *t, int i, double step, double *move, double now)
{
    const struct figure *f = &t->figures[i];
    const double from = *f->value;
    for (int sign = -1; sign <= 1; sign += 2) {
        *f->value = moved(f, from, sign * step);
        const double next = misfit(t);
        if (next < now) {
            *move += sign * step;
            return next;
        }
    }
    *f->value = from;
    return now;
}

// Makes the moves of all figures of a round once more while that helps: figures that depend on each other
// move together (Hooke and Jeeves 1961).
static double repeat_moves(const struct task *t, const double *moves, double now)
{
    for (;;) {
        double from[FIGURES];
        for (int i = 0; i < t->n; i++) {
            from[i] = *t->figures[i].value;
            *t->figures[i].value = moved(&t->figures[i], from[i], moves[i]);
        }
        const double next = misfit(t);
        if (next < now) {
            now = next;
            continue;
        }
        for (int i = 0; i < t->n; i++)
            *t->figures[i].value = from[i];
        return now;
    }
}

static double search(const struct task *t)
{
    double now = misfit(t);
    for (double step = 0.5; step > 1e-3; step /= 2)
        for (int round = 0; round < 100; round++) {
            double moves[FIGURES] = {0};
            const double before = now;
            for (int i = 0; i < t->n; i++)
                now = try_moves(t, i, step, &moves[i], now);
            if (!(now < before))
                break;
            now = repeat_moves(t, moves, now);
        }
    return now;
}

static size_t rows_of(const struct nd_grid *grid, unsigned kinds)
{
    size_t n = 0;
    for (size_t i = 0; i < grid->n; i++)
        n += kinds >> grid->rows[i].kind & 1;
    return n;
}

static bool enough(const struct nd_grid *grid, unsigned kinds)
{
    return rows_of(grid, kinds) >= ND_GRID_FEWEST;
}

// ---- the kinds ----------------------------------------------------------------------------------

static void fit_memory(const struct nd_grid *grid, bool all, struct hardware *hardware)
{
    const unsigned kinds = 1U << ND_GRID_MEMORY;
    if (!enough(grid, kinds))
        return;
    hardware->shapes.kernel = 3e-6;
    const struct task t = {grid,
                           all,
                           hardware,
                           kinds,
                           {{&hardware->memory_eff, 1e-6, 1, false},
                            {&hardware->shapes.kernel, 1e-7, 0.01, false}},
                           2};
    search(&t);
}

static void fit_products8(const struct nd_grid *grid, bool all, struct hardware *hardware)
{
    const unsigned kinds = 1U << ND_GRID_PRODUCT8;
    if (!enough(grid, kinds) || hardware->peak_fp8 <= 0)
        return;
    const struct task t = {grid, all, hardware, kinds, {{&hardware->fp8_eff, 1e-6, 1, false}},
                           1};
    search(&t);
}

// Libraries choose among blocks; the size that explains most rows stands for all.
static void fit_products(const struct nd_grid *grid, bool all, struct hardware *hardware)
{
    static const double tiles[][2] = {{64, 64},   {64, 128},  {128, 64},  {128, 128},
                                      {128, 192}, {192, 128}, {128, 256}, {256, 128}};
    const unsigned kinds = 1U << ND_GRID_PRODUCT;
    struct hardware best = *hardware;
    double least = HUGE_VAL;
    if (!enough(grid, kinds))
        return;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        struct hardware with = *hardware;
        struct hardware_shapes *s = &with.shapes;
        s->tile_m = tiles[i][0];
        s->tile_n = tiles[i][1];
        s->processors = grid->processors > 0 ? grid->processors : 1;
        s->wave = 0.5;
        s->half_k = 64;
        const struct task t = {grid,
                               all,
                               &with,
                               kinds,
                               {{&with.gemm_eff, 1e-6, 1, false},
                                {&s->half_k, 1, 1e4, false},
                                {&s->wave, 0, 1, true}},
                               3};
        const double misfit = search(&t);
        if (misfit < least) {
            least = misfit;
            best = with;
        }
    }
    *hardware = best;
}

static void fit_attention(const struct nd_grid *grid, bool all, struct hardware *hardware)
{
    const unsigned kinds = 1U << ND_GRID_ATTENTION | 1U << ND_GRID_ATTENTION_BACKWARD;
    struct hardware_shapes *s = &hardware->shapes;
    if (!enough(grid, 1U << ND_GRID_ATTENTION))
        return;
    s->half_length = 256;
    s->half_size = 32;
    s->backward = 1;
    const struct task t = {grid,
                           all,
                           hardware,
                           kinds,
                           {{&hardware->attention_eff, 1e-6, 1, false},
                            {&s->half_length, 1, 1e6, false},
                            {&s->half_size, 0.1, 1e4, false},
                            {&s->backward, 0.05, 4, false}},
                           rows_of(grid, 1U << ND_GRID_ATTENTION_BACKWARD) > 0 ? 4 : 3};
    search(&t);
}

void nd_grid_fit(const struct nd_grid *grid, bool all, struct hardware *hardware)
{
    fit_memory(grid, all, hardware); // products are not quicker than their traffic
    fit_products(grid, all, hardware);
    fit_products8(grid, all, hardware);
    fit_attention(grid, all, hardware);
    if (grid->launch > 0)
        hardware->shapes.launch = fmin(grid->launch, 0.01);
}
