// SPDX-License-Identifier: Apache-2.0
// Draws the times of the items of one stage, several replicates at a time.
#include "base/math/detmath.h"
#include "kernels/schedule/noise/noise_private.h"

#include <math.h>
#include <string.h>

// The stage number of group normals that belong to a micro-batch.
#define OF_MICRO_BATCH ((UINT32_C(1) << 23) - 1)

// Draws of gamma numbers behind those of noise_draw_index: the uniform number of try k is 4 + 2k, the normal
// number of try k > 0 is 3 + 2k.
enum { GAMMA_UNIFORM = 4 };

// Below this level, the gamma and the normal distribution differ by less than 1e-12.
#define GAMMA_LEAST 1e-6

static bool is_message(enum noise_purpose purpose)
{
    return purpose == NOISE_FORWARD_MESSAGE || purpose == NOISE_BACKWARD_MESSAGE;
}

static double nominal_of(const struct pipeline *pipeline, enum noise_purpose purpose,
                         int32_t part)
{
    const int32_t s = part % pipeline->shape.stages, device = pipeline->device_of[part];
    const struct pipeline_stage *stage = &pipeline->stage[s];
    if (purpose == NOISE_FORWARD)
        return stage->f;
    if (purpose == NOISE_BACKWARD)
        return stage->b;
    if (purpose == NOISE_WEIGHTS)
        return stage->w;
    if (purpose == NOISE_RECOMPUTE)
        return stage->r;
    if (purpose == NOISE_FORWARD_MESSAGE && s + 1 < pipeline->shape.stages)
        return pipeline_delay(pipeline, device, pipeline->device_of[part + 1],
                              stage->forward_bytes);
    if (purpose == NOISE_BACKWARD_MESSAGE && s > 0)
        return pipeline_delay(pipeline, device, pipeline->device_of[part - 1],
                              stage->backward_bytes);
    return 0;
}

struct noise_row noise_row_of(const struct noise *noise, const struct pipeline *pipeline,
                              uint32_t first, enum noise_purpose purpose, int32_t part)
{
    const uint32_t stages = (uint32_t)pipeline->shape.stages;
    struct noise_row row = {
        .noise = noise,
        .rows = normal_rows(),
        .key = {(uint32_t)noise->seed, (uint32_t)(noise->seed >> 32)},
        .first = first,
        .purpose = purpose,
        .place = (uint32_t)part / stages << 23 | (uint32_t)part % stages,
        .device = (uint32_t)pipeline->device_of[part],
        .nominal = nominal_of(pipeline, purpose, part),
        .level = is_message(purpose) ? noise->message_level : noise->level,
    };
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        row.scale[lane] = 1;
    return row;
}

// ---- random numbers -----------------------------------------------------------------------------

static void draw_own(const struct noise_row *row, uint32_t item, uint32_t draw, uint32_t n,
                     bool uniform, double *out)
{
    const uint32_t counter[4] = {row->first, (uint32_t)row->purpose << 24 | row->place, item,
                                 draw};
    (uniform ? row->rows->uniform : row->rows->draw)(counter, row->key, n, out);
}

static uint32_t place_of(uint32_t purpose, uint32_t place)
{
    return purpose << 24 | place;
}

// Draws the numbers that the items share with others of their group.
static void draw_shared(const struct noise_row *row, uint32_t item, uint32_t n, double *out)
{
    const enum noise_group group = row->noise->group;
    const bool by_item = group == NOISE_MICRO_BATCH;
    const uint32_t counter[4] = {
        row->first, place_of(NOISE_OF_DEVICE, by_item ? OF_MICRO_BATCH : row->device),
        by_item                 ? item
        : group == NOISE_WINDOW ? row->window
                                : 0,
        NOISE_SHARED};
    row->rows->draw(counter, row->key, by_item ? n : 1, out);
    for (uint32_t i = 1; !by_item && i < n; i++)
        memcpy(out + i * EXECUTOR_LANES, out, EXECUTOR_LANES * sizeof *out);
}

static void draw_normals(const struct noise_row *row, uint32_t item, uint32_t n, double *z)
{
    const double rho = row->noise->rho, shared = sqrt(rho), own = sqrt(1 - rho);
    double group[NOISE_BLOCK * EXECUTOR_LANES];
    draw_own(row, item, NOISE_JITTER, n, false, z);
    if (is_message(row->purpose) || !noise_is_grouped(row->noise))
        return;
    draw_shared(row, item, n, group);
    for (uint32_t i = 0; i < n * EXECUTOR_LANES; i++)
        z[i] = shared * group[i] + own * z[i];
}

// ---- factors ------------------------------------------------------------------------------------

// Marsaglia and Tsang: A simple method for generating gamma variables (2000). shape > 1. Returns a number
// with mean 1, or -1: refused.
static double gamma_of(double shape, double z, double u)
{
    const double d = shape - 1.0 / 3, v = 1 + z / sqrt(9 * d), cube = v * v * v, square = z * z;
    if (v <= 0)
        return -1;
    if (u < 1 - 0.0331 * (square * square) ||
        detmath_log(u) < 0.5 * square + d * (1 - cube + detmath_log(cube)))
        return d * cube / shape;
    return -1;
}

static void gamma_factors(const struct noise_row *row, uint32_t item, uint32_t n, double *z)
{
    const double shape = 1 / (row->level * row->level);
    double u[NOISE_BLOCK * EXECUTOR_LANES];
    draw_own(row, item, GAMMA_UNIFORM, n, true, u);
    for (uint32_t i = 0; i < n * EXECUTOR_LANES; i++) {
        double x = gamma_of(shape, z[i], u[i]);
        uint32_t counter[4] = {row->first + i % EXECUTOR_LANES,
                               place_of(row->purpose, row->place), item + i / EXECUTOR_LANES,
                               GAMMA_UNIFORM};
        while (x < 0) { // numbers of its own: a shared one would be refused again and again
            counter[3]++;
            const double again = normal_draw(counter, row->key);
            counter[3]++;
            x = gamma_of(shape, again, normal_uniform(counter, row->key));
        }
        z[i] = x;
    }
}

static void lognormal_factors(const struct noise_row *row, uint32_t n, double *z)
{
    const double variance = detmath_log(1 + row->level * row->level), sigma = sqrt(variance);
    for (uint32_t i = 0; i < n * EXECUTOR_LANES; i++)
        z[i] = sigma * z[i] - 0.5 * variance;
    row->rows->exp(n, z);
}

static void draw_factors(const struct noise_row *row, uint32_t item, uint32_t n, double *out)
{
    draw_normals(row, item, n, out);
    if (row->noise->kind == NOISE_LOGNORMAL)
        lognormal_factors(row, n, out);
    else if (row->noise->kind == NOISE_GAMMA && row->level > GAMMA_LEAST)
        gamma_factors(row, item, n, out);
    else
        for (uint32_t i = 0; i < n * EXECUTOR_LANES; i++)
            out[i] = 1 + row->level * out[i];
}

static double floor_of(const struct noise_row *row)
{
    if (is_message(row->purpose) && row->nominal == 0)
        return 0;
    if (row->noise->published_floors)
        return is_message(row->purpose) ? NOISE_MESSAGE_FLOOR : NOISE_FLOOR;
    return row->noise->kind == NOISE_NORMAL ? 0.1 * row->nominal : 0;
}

// ---- messages -----------------------------------------------------------------------------------

static void draw_outliers(const struct noise_row *row, uint32_t item, uint32_t n, double *out)
{
    const struct noise *noise = row->noise;
    double coin[NOISE_BLOCK * EXECUTOR_LANES];
    draw_own(row, item, NOISE_COIN, n, true, coin);
    for (uint32_t i = 0; i < n * EXECUTOR_LANES; i++) {
        if (coin[i] >= noise->outlier_p)
            continue;
        double k = noise->outlier_k;
        if (noise->outlier_alpha > 0) {
            const uint32_t counter[4] = {row->first + i % EXECUTOR_LANES,
                                         place_of(row->purpose, row->place),
                                         item + i / EXECUTOR_LANES, NOISE_SIZE};
            k = detmath_exp(-detmath_log(normal_uniform(counter, row->key)) /
                            noise->outlier_alpha);
        }
        out[i] = row->nominal * k;
    }
}

void noise_row_draw(const struct noise_row *row, uint32_t item, uint32_t n, double *out)
{
    const double least = floor_of(row), nominal = row->nominal;
    const bool is_drawn = row->level > 0 && nominal > 0;
    if (is_drawn)
        draw_factors(row, item, n, out);
    for (uint32_t i = 0; i < n * EXECUTOR_LANES; i++) {
        const double time = is_drawn ? nominal * out[i] : nominal;
        out[i] = time > least ? time : least;
    }
    if (is_message(row->purpose)) {
        if (row->noise->outlier_p > 0 && nominal > 0)
            draw_outliers(row, item, n, out);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        for (int lane = 0; lane < EXECUTOR_LANES; lane++)
            out[i * EXECUTOR_LANES + (uint32_t)lane] *= row->scale[lane];
}

void noise_slowness(const struct noise_row *row, double scale[EXECUTOR_LANES])
{
    const struct noise *noise = row->noise;
    const uint32_t counter[4] = {row->first, place_of(NOISE_OF_DEVICE, row->device), 0,
                                 NOISE_COIN};
    const double fixed = noise->straggler != NULL ? noise->straggler[row->device] : 1;
    double coin[EXECUTOR_LANES];
    if (noise->straggler_p > 0)
        row->rows->uniform(counter, row->key, 1, coin);
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        scale[lane] = noise->straggler_p > 0 && coin[lane] < noise->straggler_p
                          ? fixed * noise->straggler_k
                          : fixed;
}
