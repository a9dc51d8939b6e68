// SPDX-License-Identifier: Apache-2.0
// Prepares pipelines for the exact search.
#include "kernels/schedule/exact/instance.h"

#include <math.h>

void exact_instance_take(struct exact_instance *instance,
                         const struct pipeline_shape *shape,
                         struct room *room)
{
    const size_t P = (size_t)shape->devices, n = P * (size_t)shape->micro_batches;
    for (int k = 0; k < EXACT_TYPES; k++)
        instance->time[k] = room_take(room, P, sizeof *instance->time[k]);
    for (int k = 0; k < EXACT_TYPES; k++)
        instance->tail[k] = room_take(room, n, sizeof *instance->tail[k]);
    for (int k = 0; k < 2; k++)
        instance->delay[k] = room_take(room, P, sizeof *instance->delay[k]);
    instance->origin = room_take(room, P, sizeof *instance->origin);
    instance->b_before = room_take(room, n, sizeof *instance->b_before);
    instance->w_before = room_take(room, n, sizeof *instance->w_before);
    instance->followers = room_take(room, P, sizeof *instance->followers);
}

bool exact_instance_fits(const struct exact_instance *instance,
                         int32_t stage,
                         int32_t forwards,
                         int32_t b,
                         int32_t w)
{
    const struct pipeline *pipeline = instance->pipeline;
    const struct pipeline_stage *s = &pipeline->stage[stage];
    const int32_t device = pipeline_device(pipeline, 0, stage);
    const double held = pipeline->fixed[device] + (forwards - b) * s->kept_until_b +
                        (forwards - w) * s->kept_until_w;
    const double limit = pipeline->limit[device];
    return held <= limit + 1e-9 * fabs(limit);
}

static void set_times(struct exact_instance *instance, bool span)
{
    const struct pipeline *pipeline = instance->pipeline;
    double start = 0;
    for (int32_t s = 0; s < instance->P; s++) {
        const struct pipeline_stage *stage = &pipeline->stage[s];
        const int32_t here = pipeline_device(pipeline, 0, s);
        instance->time[OPERATION_F][s] = stage->f;
        instance->time[OPERATION_B][s] = stage->b;
        instance->time[OPERATION_W][s] = stage->w;
        instance->delay[0][s] = instance->delay[1][s] = 0;
        if (s + 1 < instance->P)
            instance->delay[0][s] = pipeline_delay(
                pipeline, here, pipeline_device(pipeline, 0, s + 1), stage->forward_bytes);
        if (s > 0)
            instance->delay[1][s] = pipeline_delay(
                pipeline, here, pipeline_device(pipeline, 0, s - 1), stage->backward_bytes);
        instance->origin[s] = span ? start : 0;
        start += stage->f + instance->delay[0][s];
    }
}

// Both numbers grow with m.
static void set_before(struct exact_instance *instance, int32_t s)
{
    int32_t b = 0, w = 0;
    for (int32_t m = 0; m < instance->M; m++) {
        while (b < m && !exact_instance_fits(instance, s, m + 1, b, b))
            b++;
        while (w < m && !exact_instance_fits(instance, s, m + 1, m, w))
            w++;
        instance->b_before[s * instance->M + m] = b > w ? b : w;
        instance->w_before[s * instance->M + m] = w;
    }
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

// The tails of one micro-batch on a stage; those of later micro-batches are known.
static void set_tail_w(struct exact_instance *instance,
                       int32_t s,
                       int32_t m,
                       struct exact_followers *after)
{
    const int32_t M = instance->M, at = s * M + m;
    double *const *tail = instance->tail;
    if (m + 1 < M)
        exact_load_add(&after->load[OPERATION_W], tail[OPERATION_W][at + 1],
                       instance->time[OPERATION_W][s]);
    while (after->w_next > m + 1 && instance->w_before[s * M + after->w_next - 1] > m) {
        const int32_t j = s * M + --after->w_next;
        exact_load_add(&after->load[OPERATION_W], tail[OPERATION_B][j],
                       instance->time[OPERATION_B][s]);
        exact_load_add(&after->load[OPERATION_W], tail[OPERATION_F][j],
                       instance->time[OPERATION_F][s]);
    }
    tail[OPERATION_W][at] = after->load[OPERATION_W].end;
}

static void set_tail_b(struct exact_instance *instance,
                       int32_t s,
                       int32_t m,
                       struct exact_followers *after)
{
    const int32_t M = instance->M, at = s * M + m;
    double *const *tail = instance->tail;
    exact_load_add(&after->load[OPERATION_B], tail[OPERATION_W][at],
                   instance->time[OPERATION_W][s]);
    if (m + 1 < M)
        exact_load_add(&after->load[OPERATION_B], tail[OPERATION_B][at + 1],
                       instance->time[OPERATION_B][s]);
    while (after->b_next > m + 1 && instance->b_before[s * M + after->b_next - 1] > m) {
        const int32_t j = s * M + --after->b_next;
        exact_load_add(&after->load[OPERATION_B], tail[OPERATION_F][j],
                       instance->time[OPERATION_F][s]);
    }
    double q = later(after->load[OPERATION_B].end,
                     tail[OPERATION_W][at] + instance->time[OPERATION_W][s]);
    if (s > 0)
        q = later(q, tail[OPERATION_B][at - M] + instance->time[OPERATION_B][s - 1] +
                         instance->delay[1][s]);
    tail[OPERATION_B][at] = q;
}

static void set_tail_f(struct exact_instance *instance,
                       int32_t s,
                       int32_t m,
                       struct exact_followers *after)
{
    const int32_t M = instance->M, at = s * M + m;
    double *const *tail = instance->tail;
    exact_load_add(&after->load[OPERATION_F], tail[OPERATION_W][at],
                   instance->time[OPERATION_W][s]);
    exact_load_add(&after->load[OPERATION_F], tail[OPERATION_B][at],
                   instance->time[OPERATION_B][s]);
    if (m + 1 < M)
        exact_load_add(&after->load[OPERATION_F], tail[OPERATION_F][at + 1],
                       instance->time[OPERATION_F][s]);
    double q = later(after->load[OPERATION_F].end,
                     tail[OPERATION_B][at] + instance->time[OPERATION_B][s]);
    if (s + 1 < instance->P)
        q = later(q, tail[OPERATION_F][at + M] + instance->time[OPERATION_F][s + 1] +
                         instance->delay[0][s]);
    tail[OPERATION_F][at] = q;
}

static void set_tails(struct exact_instance *instance)
{
    for (int32_t s = 0; s < instance->P; s++) {
        const double end = -instance->origin[s];
        struct exact_followers *after = &instance->followers[s];
        for (int k = 0; k < EXACT_TYPES; k++)
            after->load[k] = (struct exact_load){.end = end, .block = end};
        after->b_next = after->w_next = instance->M;
    }
    for (int32_t m = instance->M - 1; m >= 0; m--) {
        for (int32_t s = 0; s < instance->P; s++) {
            set_tail_w(instance, s, m, &instance->followers[s]);
            set_tail_b(instance, s, m, &instance->followers[s]);
        }
        for (int32_t s = instance->P - 1; s >= 0; s--)
            set_tail_f(instance, s, m, &instance->followers[s]);
    }
}

bool exact_instance_set(struct exact_instance *instance,
                        const struct pipeline *pipeline,
                        enum family_objective objective)
{
    instance->P = pipeline->shape.devices;
    instance->M = pipeline->shape.micro_batches;
    instance->pipeline = pipeline;
    set_times(instance, objective == FAMILY_SPAN);
    for (int32_t s = 0; s < instance->P; s++) {
        if (!exact_instance_fits(instance, s, 1, 0, 0))
            return false;
        set_before(instance, s);
    }
    set_tails(instance);
    return true;
}
