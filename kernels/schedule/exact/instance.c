// SPDX-License-Identifier: Apache-2.0
// Prepares pipelines for the exact search.
#include "kernels/schedule/exact/instance.h"

#include <math.h>

void exact_instance_take(struct exact_instance *instance, const struct pipeline_shape *shape,
                         struct room *room)
{
    const size_t P = (size_t)shape->devices, S = (size_t)shape->stages;
    const size_t n = S * (size_t)shape->micro_batches;
    instance->device = room_take(room, S, sizeof *instance->device);
    instance->rank = room_take(room, S, sizeof *instance->rank);
    instance->first = room_take(room, P + 1, sizeof *instance->first);
    instance->stages = room_take(room, S, sizeof *instance->stages);
    instance->w_first = room_take(room, P + 1, sizeof *instance->w_first);
    instance->f = room_take(room, S, sizeof *instance->f);
    instance->b = room_take(room, S, sizeof *instance->b);
    instance->w = room_take(room, P, sizeof *instance->w);
    for (int k = 0; k < 2; k++)
        instance->delay[k] = room_take(room, S, sizeof *instance->delay[k]);
    instance->origin = room_take(room, P, sizeof *instance->origin);
    instance->b_before = room_take(room, n, sizeof *instance->b_before);
    instance->w_before = room_take(room, n, sizeof *instance->w_before);
    instance->f_tail = room_take(room, n, sizeof *instance->f_tail);
    instance->b_tail = room_take(room, n, sizeof *instance->b_tail);
    instance->w_tail = room_take(room, n, sizeof *instance->w_tail);
    instance->followers = room_take(room, S, sizeof *instance->followers);
}

bool exact_instance_suits(const struct pipeline *pipeline)
{
    for (int32_t s = 0; s < pipeline->shape.stages; s++)
        for (int32_t t = 0; t < s; t++)
            if (pipeline_device(pipeline, 0, s) == pipeline_device(pipeline, 0, t) &&
                (pipeline->stage[s].w != pipeline->stage[t].w ||
                 pipeline->stage[s].kept_until_w != pipeline->stage[t].kept_until_w))
                return false;
    return true;
}

bool exact_instance_fits(const struct exact_instance *instance, int32_t device, double held)
{
    const double limit = instance->pipeline->limit[device];
    return instance->pipeline->fixed[device] + held <= limit + 1e-9 * fabs(limit);
}

static void set_places(struct exact_instance *instance)
{
    int32_t n = 0;
    for (int32_t d = 0; d < instance->P; d++) {
        instance->first[d] = n;
        instance->w_first[d] = n * instance->M;
        for (int32_t s = 0; s < instance->S; s++)
            if (pipeline_device(instance->pipeline, 0, s) == d) {
                instance->device[s] = d;
                instance->rank[s] = n - instance->first[d];
                instance->stages[n++] = s;
            }
    }
    instance->first[instance->P] = n;
    instance->w_first[instance->P] = n * instance->M;
}

static void set_times(struct exact_instance *instance, bool span)
{
    const struct pipeline *pipeline = instance->pipeline;
    double start = 0;
    for (int32_t s = 0; s < instance->S; s++) {
        const struct pipeline_stage *stage = &pipeline->stage[s];
        const int32_t here = instance->device[s];
        instance->f[s] = stage->f;
        instance->b[s] = stage->b;
        instance->w[here] = stage->w;
        instance->delay[0][s] = instance->delay[1][s] = 0;
        if (s + 1 < instance->S)
            instance->delay[0][s] =
                pipeline_delay(pipeline, here, instance->device[s + 1], stage->forward_bytes);
        if (s > 0)
            instance->delay[1][s] =
                pipeline_delay(pipeline, here, instance->device[s - 1], stage->backward_bytes);
        if (instance->rank[s] == 0)
            instance->origin[here] = span ? start : 0;
        start += stage->f + instance->delay[0][s];
    }
}

// When forward m of stage s starts, the stages of the device up to s have started m + 1 forwards, and
// have ended no more B's than s.
static void set_before(struct exact_instance *instance, int32_t s)
{
    const struct pipeline_stage *stage = instance->pipeline->stage;
    const int32_t d = instance->device[s], n = instance->rank[s] + 1;
    double until_b = 0, until_w = 0;
    for (int32_t k = 0; k < n; k++) {
        until_b += stage[instance->stages[instance->first[d] + k]].kept_until_b;
        until_w += stage[instance->stages[instance->first[d] + k]].kept_until_w;
    }
    int32_t b = 0, w = 0;
    for (int32_t m = 0; m < instance->M; m++) {
        while (b < m && !exact_instance_fits(instance, d, (m + 1 - b) * (until_b + until_w)))
            b++;
        while (w < n * m &&
               !exact_instance_fits(instance, d,
                                    until_b + (m + 1) * until_w - w * stage[s].kept_until_w))
            w++;
        const int32_t b_of_w = (w + n - 1) / n;
        instance->b_before[s * instance->M + m] = b > b_of_w ? b : b_of_w;
        instance->w_before[s * instance->M + m] = w;
    }
}

static bool holds_one(const struct exact_instance *instance, int32_t d)
{
    double held = 0;
    for (int32_t k = instance->first[d]; k < instance->first[d + 1]; k++) {
        const struct pipeline_stage *stage = &instance->pipeline->stage[instance->stages[k]];
        held += stage->kept_until_b + stage->kept_until_w;
    }
    return exact_instance_fits(instance, d, held);
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

// The tails of the W's that have numbers n * m ... n * m + n - 1 on a device with n stages.
static void set_tails_w(struct exact_instance *instance, int32_t d, int32_t m)
{
    const int32_t M = instance->M, n = exact_chunks(instance, d), first = instance->first[d];
    const int32_t all = n * M;
    double *tail = instance->w_tail + instance->w_first[d];
    struct exact_load *load = &instance->followers[instance->stages[first]].w;
    for (int32_t i = n * m + n - 1; i >= n * m; i--) {
        if (i + 1 < all)
            exact_load_add(load, tail[i + 1], instance->w[d]);
        for (int32_t k = first; k < first + n; k++) {
            const int32_t s = instance->stages[k];
            struct exact_followers *after = &instance->followers[s];
            while (after->w_next > m + 1 && instance->w_before[s * M + after->w_next - 1] > i) {
                const int32_t j = s * M + --after->w_next;
                exact_load_add(load, instance->b_tail[j], instance->b[s]);
                exact_load_add(load, instance->f_tail[j], instance->f[s]);
            }
        }
        tail[i] = load->end;
    }
}

// Adds the last W's of a device to a load, until it has `count` of them.
static void add_last_w(const struct exact_instance *instance, int32_t d, int32_t count,
                       int32_t *added, struct exact_load *load)
{
    const int32_t end = instance->w_first[d + 1];
    for (; *added < count; ++*added)
        exact_load_add(load, instance->w_tail[end - 1 - *added], instance->w[d]);
}

static void set_tail_b(struct exact_instance *instance, int32_t s, int32_t m)
{
    const int32_t M = instance->M, at = s * M + m, d = instance->device[s];
    const int32_t first = instance->first[d], rank = instance->rank[s];
    struct exact_followers *after = &instance->followers[s];
    add_last_w(instance, d, (M - m) * (rank + 1), &after->w_added_b, &after->b);
    if (m + 1 < M)
        exact_load_add(&after->b, instance->b_tail[at + 1], instance->b[s]);
    for (int32_t k = first; k < first + rank; k++) {
        const int32_t t = instance->stages[k];
        exact_load_add(&after->b, instance->b_tail[t * M + m], instance->b[t]);
    }
    while (after->b_next > m + 1 && instance->b_before[s * M + after->b_next - 1] > m) {
        const int32_t j = s * M + --after->b_next;
        exact_load_add(&after->b, instance->f_tail[j], instance->f[s]);
    }
    double q = after->b.end;
    if (s > 0)
        q = later(q, instance->b_tail[at - M] + instance->b[s - 1] + instance->delay[1][s]);
    instance->b_tail[at] = q;
}

static void set_tail_f(struct exact_instance *instance, int32_t s, int32_t m)
{
    const int32_t M = instance->M, at = s * M + m, d = instance->device[s];
    const int32_t first = instance->first[d], n = exact_chunks(instance, d);
    struct exact_followers *after = &instance->followers[s];
    add_last_w(instance, d, (M - m) * n, &after->w_added_f, &after->f);
    for (int32_t k = first; k < first + n; k++) {
        const int32_t t = instance->stages[k];
        exact_load_add(&after->f, instance->b_tail[t * M + m], instance->b[t]);
        if (t > s)
            exact_load_add(&after->f, instance->f_tail[t * M + m], instance->f[t]);
    }
    if (m + 1 < M)
        exact_load_add(&after->f, instance->f_tail[at + 1], instance->f[s]);
    double q = later(after->f.end, instance->b_tail[at] + instance->b[s]);
    if (s + 1 < instance->S)
        q = later(q, instance->f_tail[at + M] + instance->f[s + 1] + instance->delay[0][s]);
    instance->f_tail[at] = q;
}

static void set_tails(struct exact_instance *instance)
{
    for (int32_t s = 0; s < instance->S; s++) {
        const double end = -instance->origin[instance->device[s]];
        const struct exact_load load = {.end = end, .block = end};
        instance->followers[s] = (struct exact_followers){
            load, load, load, .b_next = instance->M, .w_next = instance->M};
    }
    for (int32_t m = instance->M - 1; m >= 0; m--) {
        for (int32_t d = 0; d < instance->P; d++)
            set_tails_w(instance, d, m);
        for (int32_t s = 0; s < instance->S; s++)
            set_tail_b(instance, s, m);
        for (int32_t s = instance->S - 1; s >= 0; s--)
            set_tail_f(instance, s, m);
    }
}

bool exact_instance_set(struct exact_instance *instance, const struct pipeline *pipeline,
                        enum family_objective objective)
{
    instance->P = pipeline->shape.devices;
    instance->S = pipeline->shape.stages;
    instance->M = pipeline->shape.micro_batches;
    instance->pipeline = pipeline;
    set_places(instance);
    set_times(instance, objective == FAMILY_SPAN);
    for (int32_t d = 0; d < instance->P; d++)
        if (!holds_one(instance, d))
            return false;
    for (int32_t s = 0; s < instance->S; s++)
        set_before(instance, s);
    set_tails(instance);
    return true;
}
