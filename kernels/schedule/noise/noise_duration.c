// SPDX-License-Identifier: Apache-2.0
// Computes durations that depend on the start of an operation: of devices that are slow for a while, and
// of operations that share a factor with others of the same window of time.
#include "kernels/schedule/noise/noise_private.h"

#include <math.h>

// Returns the time of an operation alone in its window.
static double windowed(const struct executor_times *times, const struct executor_piece *piece,
                       enum noise_purpose purpose, int32_t index)
{
    const struct noise *noise = times->noise;
    const int32_t items = pipeline_items(times->pipeline);
    const double window = floor(piece->start / noise->window);
    struct noise_row row =
        noise_row_of(noise, times->pipeline, times->first, purpose, index / items);
    double out[EXECUTOR_LANES];
    row.window = window < UINT32_MAX ? (uint32_t)window : UINT32_MAX;
    if (!noise_is_temporary(noise))
        noise_slowness(&row, row.scale);
    noise_row_draw(&row, (uint32_t)(index % items), 1, out);
    return out[piece->lane];
}

// Returns the duration of a piece whose window is known.
static double in_window(const struct executor_times *times, const struct executor_piece *piece)
{
    const struct pipeline *p = times->pipeline;
    const int32_t items = pipeline_items(p), stages = p->shape.stages,
                  index = piece->behind >= 0 ? piece->behind : piece->index;
    if (piece->behind < 0 && piece->type != OPERATION_BW)
        return windowed(times, piece,
                        piece->type == OPERATION_R ? NOISE_RECOMPUTE
                                                   : (enum noise_purpose)piece->type,
                        index);
    const double b = windowed(times, piece, NOISE_BACKWARD, index),
                 w = windowed(times, piece, NOISE_WEIGHTS, index);
    if (piece->behind < 0)
        return b + w;
    const struct pipeline_stage *forward = &p->stage[piece->index / items % stages],
                                *backward = &p->stage[index / items % stages];
    return executor_pair_duration(p->pair[piece->device],
                                  forward->f + (backward->b + backward->w),
                                  windowed(times, piece, NOISE_FORWARD, piece->index), b, w);
}

// Returns how long work that takes `work` on a device of normal speed lasts, if the device takes `scale` times
// as long from time `from` to `until`.
static double slowed(double start, double work, double scale, double from, double until)
{
    double before = 0;
    if (scale == 1)
        return work;
    if (start < from) {
        if (work <= from - start)
            return work;
        before = from - start;
        start = from;
    }
    if (start >= until)
        return before + (work - before);
    const double left = work - before;
    if (left * scale <= until - start)
        return before + left * scale;
    return before + (until - start) + (left - (until - start) / scale);
}

double noise_duration(const struct executor_times *times, const struct executor_piece *piece)
{
    const struct noise *noise = times->noise;
    const bool by_window = noise_is_grouped(noise) && noise->group == NOISE_WINDOW;
    const double work = by_window ? in_window(times, piece)
                                  : executor_piece_duration(times, times->pipeline, piece);
    if (!noise_is_temporary(noise))
        return work;
    struct noise_row row = noise_row_of(noise, times->pipeline, times->first, NOISE_FORWARD,
                                        piece->index / pipeline_items(times->pipeline));
    noise_slowness(&row, row.scale);
    return slowed(piece->start, work, row.scale[piece->lane], noise->from, noise->until);
}
