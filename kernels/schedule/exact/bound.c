// SPDX-License-Identifier: Apache-2.0
// Bounds partial schedules: least starts from the messages, the load of every device and its memory
// limit; then, device by device, the preemptive schedule that runs the operation with the largest tail
// first (J. R. Jackson; J. Carlier, The one-machine sequencing problem, EJOR 1982).
#include "kernels/schedule/exact/bound.h"

#include <math.h>

void exact_state_take(struct exact_state *state,
                      const struct pipeline_shape *shape,
                      struct room *room)
{
    const size_t P = (size_t)shape->devices, n = P * (size_t)shape->micro_batches;
    for (int k = 0; k < EXACT_TYPES; k++)
        state->done[k] = room_take(room, P, sizeof *state->done[k]);
    state->clock = room_take(room, P, sizeof *state->clock);
    for (int k = 0; k < 2; k++)
        state->arrival[k] = room_take(room, n, sizeof *state->arrival[k]);
}

void exact_state_clear(struct exact_state *state, const struct exact_instance *instance)
{
    for (int32_t s = 0; s < instance->P; s++) {
        for (int k = 0; k < EXACT_TYPES; k++)
            state->done[k][s] = 0;
        state->clock[s] = 0;
    }
}

void exact_bound_take(struct exact_bound *bound,
                      const struct pipeline_shape *shape,
                      struct room *room)
{
    const size_t P = (size_t)shape->devices, n = P * (size_t)shape->micro_batches;
    for (int k = 0; k < EXACT_TYPES; k++)
        bound->start[k] = room_take(room, n, sizeof *bound->start[k]);
    bound->ahead = room_take(room, P, sizeof *bound->ahead);
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

// Adds the B's and W's that must end before forward m starts.
static void add_before(const struct exact_bound *bound,
                       const struct exact_state *state,
                       int32_t s,
                       int32_t m)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M, at = s * M;
    struct exact_ahead *ahead = &bound->ahead[s];
    const double b = instance->time[OPERATION_B][s], w = instance->time[OPERATION_W][s];
    (void)state;
    for (; ahead->b_added < instance->b_before[at + m]; ahead->b_added++)
        exact_load_add(&ahead->f, bound->start[OPERATION_B][at + ahead->b_added], b);
    for (; ahead->w_added < instance->w_before[at + m]; ahead->w_added++) {
        const double release = bound->start[OPERATION_W][at + ahead->w_added];
        exact_load_add(&ahead->f, release, w);
        exact_load_add(&ahead->b, release, w);
    }
}

static void start_f(const struct exact_bound *bound,
                    const struct exact_state *state,
                    int32_t s,
                    int32_t m)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M, at = s * M + m;
    double *const *start = bound->start;
    struct exact_ahead *ahead = &bound->ahead[s];
    add_before(bound, state, s, m);
    double r = ahead->f.end;
    if (s > 0)
        r = later(r, m < state->done[OPERATION_F][s - 1]
                         ? state->arrival[0][at]
                         : start[OPERATION_F][at - M] + instance->time[OPERATION_F][s - 1] +
                               instance->delay[0][s - 1]);
    const int32_t b = instance->b_before[at], w = instance->w_before[at];
    if (b > state->done[OPERATION_B][s])
        r = later(r, start[OPERATION_B][s * M + b - 1] + instance->time[OPERATION_B][s]);
    if (w > state->done[OPERATION_W][s])
        r = later(r, start[OPERATION_W][s * M + w - 1] + instance->time[OPERATION_W][s]);
    start[OPERATION_F][at] = r;
    exact_load_add(&ahead->f, r, instance->time[OPERATION_F][s]);
    exact_load_add(&ahead->b, r, instance->time[OPERATION_F][s]);
}

static void start_b(const struct exact_bound *bound,
                    const struct exact_state *state,
                    int32_t s,
                    int32_t m)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M, at = s * M + m;
    double *const *start = bound->start;
    struct exact_ahead *ahead = &bound->ahead[s];
    double r = ahead->b.end;
    if (s + 1 < instance->P)
        r = later(r, m < state->done[OPERATION_B][s + 1]
                         ? state->arrival[1][at]
                         : start[OPERATION_B][at + M] + instance->time[OPERATION_B][s + 1] +
                               instance->delay[1][s + 1]);
    if (m >= state->done[OPERATION_F][s])
        r = later(r, start[OPERATION_F][at] + instance->time[OPERATION_F][s]);
    start[OPERATION_B][at] = r;
    exact_load_add(&ahead->b, r, instance->time[OPERATION_B][s]);
}

static void start_w(const struct exact_bound *bound,
                    const struct exact_state *state,
                    int32_t s,
                    int32_t m)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t at = s * instance->M + m;
    double *const *start = bound->start;
    double r = state->clock[s];
    if (m >= state->done[OPERATION_B][s])
        r = start[OPERATION_B][at] + instance->time[OPERATION_B][s];
    if (m > state->done[OPERATION_W][s])
        r = later(r, start[OPERATION_W][at - 1] + instance->time[OPERATION_W][s]);
    start[OPERATION_W][at] = r;
}

static void set_starts(struct exact_bound *bound, const struct exact_state *state)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t P = instance->P, M = instance->M;
    int32_t first = M;
    for (int32_t s = 0; s < P; s++) {
        const struct exact_load load = {.end = state->clock[s], .block = state->clock[s]};
        bound->ahead[s] = (struct exact_ahead){load, load, state->done[OPERATION_B][s],
                                               state->done[OPERATION_W][s]};
        first = state->done[OPERATION_W][s] < first ? state->done[OPERATION_W][s] : first;
    }
    for (int32_t m = first; m < M; m++) {
        for (int32_t s = 0; s < P; s++)
            if (m >= state->done[OPERATION_F][s])
                start_f(bound, state, s, m);
        for (int32_t s = P - 1; s >= 0; s--) {
            if (m >= state->done[OPERATION_B][s])
                start_b(bound, state, s, m);
            if (m >= state->done[OPERATION_W][s])
                start_w(bound, state, s, m);
        }
    }
}

// Returns the largest end + tail of the preemptive schedule of a stage.
static double jackson(const struct exact_bound *bound,
                      const struct exact_state *state,
                      int32_t s)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M;
    int32_t next[EXACT_TYPES];
    double left[EXACT_TYPES], now = state->clock[s], worst = -(double)INFINITY;
    for (int k = 0; k < EXACT_TYPES; k++) {
        next[k] = state->done[k][s];
        left[k] = instance->time[k][s];
    }
    for (;;) {
        int best = -1;
        double most = -(double)INFINITY, event = (double)INFINITY;
        for (int k = 0; k < EXACT_TYPES; k++) {
            if (next[k] == M)
                continue;
            const double release = bound->start[k][s * M + next[k]];
            if (release > now) {
                event = release < event ? release : event;
            } else if (instance->tail[k][s * M + next[k]] > most) {
                most = instance->tail[k][s * M + next[k]];
                best = k;
            }
        }
        if (best < 0) {
            if (event == (double)INFINITY)
                return worst;
            now = event;
        } else if (event - now < left[best]) {
            left[best] -= event - now;
            now = event;
        } else {
            now += left[best];
            worst = later(worst, now + most);
            left[best] = instance->time[best][s];
            next[best]++;
        }
    }
}

double exact_bound_of(struct exact_bound *bound, const struct exact_state *state, double *sum)
{
    const struct exact_instance *instance = bound->instance;
    double most = -(double)INFINITY;
    *sum = 0;
    set_starts(bound, state);
    for (int32_t s = 0; s < instance->P; s++) {
        const double end =
            later(state->clock[s] - instance->origin[s], jackson(bound, state, s));
        most = later(most, end);
        *sum += end;
    }
    return most;
}
