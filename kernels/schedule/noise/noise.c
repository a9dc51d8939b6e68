// SPDX-License-Identifier: Apache-2.0
// Draws replicates of a step.
#include "kernels/schedule/noise/noise_private.h"

#include <string.h>

bool noise_is_none(const struct noise *noise)
{
    return noise->level == 0 && noise->message_level == 0 && noise->outlier_p == 0 &&
           noise->straggler_p == 0 && noise->straggler == NULL && !noise->published_floors;
}

void noise_times_take(struct executor_times *times, const struct pipeline_shape *most,
                      bool with_r, struct room *room)
{
    const size_t n = (size_t)most->directions * (size_t)most->stages *
                     (size_t)most->micro_batches * (size_t)most->slices * EXECUTOR_LANES;
    *times = (struct executor_times){.first = 0};
    for (int type = 0; type < (with_r ? 4 : 3); type++)
        times->time[type] = room_take(room, n, sizeof *times->time[type]);
    for (int k = 0; k < 2; k++)
        times->delay[k] = room_take(room, n, sizeof *times->delay[k]);
}

static void draw_items(const struct noise_row *row, uint32_t items, double *out)
{
    for (uint32_t item = 0; item < items; item += NOISE_BLOCK) {
        const uint32_t left = items - item;
        noise_row_draw(row, item, left < NOISE_BLOCK ? left : NOISE_BLOCK,
                       out + (size_t)item * EXECUTOR_LANES);
    }
}

void noise_draw(const struct noise *noise, const struct pipeline *pipeline, uint32_t first,
                struct executor_times *times)
{
    static const enum noise_purpose of_type[] = {NOISE_FORWARD, NOISE_BACKWARD, NOISE_WEIGHTS,
                                                 NOISE_RECOMPUTE},
                                    of_message[] = {NOISE_FORWARD_MESSAGE,
                                                    NOISE_BACKWARD_MESSAGE};
    const int32_t parts = pipeline->shape.directions * pipeline->shape.stages;
    const uint32_t items = (uint32_t)pipeline_items(pipeline);
    const bool slow =
        !noise_is_temporary(noise) && (noise->straggler_p > 0 || noise->straggler != NULL);
    for (int32_t part = 0; part < parts; part++) {
        const size_t at = (size_t)part * items * EXECUTOR_LANES;
        for (int type = 0; type < 4 && times->time[type] != NULL; type++) {
            struct noise_row row = noise_row_of(noise, pipeline, first, of_type[type], part);
            if (slow)
                noise_slowness(&row, row.scale);
            draw_items(&row, items, times->time[type] + at);
        }
        for (int k = 0; k < 2; k++) {
            const struct noise_row row =
                noise_row_of(noise, pipeline, first, of_message[k], part);
            draw_items(&row, items, times->delay[k] + at);
        }
    }
    const bool by_window = noise_is_grouped(noise) && noise->group == NOISE_WINDOW;
    times->duration = by_window || noise_is_temporary(noise) ? noise_duration : NULL;
    times->noise = noise;
    times->pipeline = pipeline;
    times->first = first;
}

// ---- single numbers -----------------------------------------------------------------------------

static void counter_of(const struct noise_key *key, enum noise_draw_index draw,
                       uint32_t counter[4])
{
    counter[0] = key->replicate;
    counter[1] = key->kind << 24 | key->direction << 23 | key->stage;
    counter[2] = key->item;
    counter[3] = (uint32_t)draw;
}

double noise_normal(uint64_t seed, const struct noise_key *key, enum noise_draw_index draw)
{
    const uint32_t word[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t counter[4];
    counter_of(key, draw, counter);
    return normal_draw(counter, word);
}

double noise_uniform(uint64_t seed, const struct noise_key *key, enum noise_draw_index draw)
{
    const uint32_t word[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t counter[4];
    counter_of(key, draw, counter);
    return normal_uniform(counter, word);
}
