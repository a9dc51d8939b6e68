// SPDX-License-Identifier: Apache-2.0
// Bounds partial schedules: least starts from the messages, the load of every device and its memory
// limit; then, device by device, the preemptive schedule that runs the operation with the largest tail
// first (J. R. Jackson; J. Carlier, The one-machine sequencing problem, EJOR 1982).
#include "kernels/schedule/exact/bound.h"

#include <math.h>

void exact_state_take(struct exact_state *state, const struct pipeline_shape *shape,
                      struct room *room)
{
    const size_t P = (size_t)shape->devices, S = (size_t)shape->stages;
    state->f = room_take(room, S, sizeof *state->f);
    state->b = room_take(room, S, sizeof *state->b);
    state->w = room_take(room, P, sizeof *state->w);
    state->held = room_take(room, S, sizeof *state->held);
    state->clock = room_take(room, P, sizeof *state->clock);
    for (int k = 0; k < 2; k++)
        state->arrival[k] =
            room_take(room, S * (size_t)shape->micro_batches, sizeof *state->arrival[k]);
}

void exact_state_clear(struct exact_state *state, const struct exact_instance *instance)
{
    for (int32_t s = 0; s < instance->S; s++)
        state->f[s] = state->b[s] = state->held[s] = 0;
    for (int32_t d = 0; d < instance->P; d++) {
        state->w[d] = 0;
        state->clock[d] = 0;
    }
}

void exact_bound_take(struct exact_bound *bound, const struct pipeline_shape *shape,
                      struct room *room)
{
    const size_t P = (size_t)shape->devices, S = (size_t)shape->stages;
    const size_t n = S * (size_t)shape->micro_batches;
    bound->f = room_take(room, n, sizeof *bound->f);
    bound->b = room_take(room, n, sizeof *bound->b);
    bound->ahead = room_take(room, S, sizeof *bound->ahead);
    bound->ends = room_take(room, P, sizeof *bound->ends);
    double *b_end = room_take(room, n, sizeof *b_end);
    double *w_end = room_take(room, n, sizeof *w_end);
    if (bound->ends != NULL) {
        bound->ends[0].b_end = b_end;
        bound->ends[0].w_end = w_end;
    }
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

// Returns the end of the W with this number on the device, which is not done and whose B's are known.
static double end_of_w(const struct exact_bound *bound, const struct exact_state *state,
                       int32_t d, int32_t number)
{
    const struct exact_instance *instance = bound->instance;
    struct exact_ends *ends = &bound->ends[d];
    const double w = instance->w[d];
    int32_t b_done = 0;
    for (int32_t k = instance->first[d]; k < instance->first[d + 1]; k++)
        b_done += state->b[instance->stages[k]];
    if (number < b_done)
        return state->clock[d] + (number - state->w[d] + 1) * w;
    const int32_t last = number - b_done;
    for (; ends->known <= last; ends->known++) {
        const int32_t i = ends->known;
        const double before =
            i > 0 ? ends->w_end[i - 1] : state->clock[d] + (b_done - state->w[d]) * w;
        ends->w_end[i] = later(before, ends->b_end[i]) + w;
    }
    return ends->w_end[last];
}

static void insert_end(struct exact_ends *ends, double end)
{
    int32_t i = ends->n++;
    for (; i > 0 && ends->b_end[i - 1] > end; i--)
        ends->b_end[i] = ends->b_end[i - 1];
    ends->b_end[i] = end;
    ends->known = i < ends->known ? i : ends->known;
}

// Adds the B's and W's that must end before forward m starts. Returns the end of the last one.
static double add_before(const struct exact_bound *bound, const struct exact_state *state,
                         int32_t s, int32_t m)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t at = s * instance->M, d = instance->device[s];
    const int32_t b = instance->b_before[at + m], w = instance->w_before[at + m];
    struct exact_ahead *ahead = &bound->ahead[s];
    double end = state->clock[d];
    for (; ahead->b_added < b; ahead->b_added++)
        exact_load_add(&ahead->f, bound->b[at + ahead->b_added], instance->b[s]);
    for (; ahead->w_added < w; ahead->w_added++) {
        const double release = end_of_w(bound, state, d, ahead->w_added) - instance->w[d];
        exact_load_add(&ahead->f, release, instance->w[d]);
        exact_load_add(&ahead->b, release, instance->w[d]);
    }
    if (b > state->b[s])
        end = later(end, bound->b[at + b - 1] + instance->b[s]);
    if (w > state->w[d])
        end = later(end, end_of_w(bound, state, d, w - 1));
    return end;
}

static void start_f(const struct exact_bound *bound, const struct exact_state *state, int32_t s,
                    int32_t m)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M, at = s * M + m, d = instance->device[s];
    double r = add_before(bound, state, s, m);
    r = later(r, bound->ahead[s].f.end);
    if (s > 0) {
        if (m >= state->f[s - 1])
            r = later(r, bound->f[at - M] + instance->f[s - 1] + instance->delay[0][s - 1]);
        else if (instance->device[s - 1] != d)
            r = later(r, state->arrival[0][at]);
    }
    bound->f[at] = r;
    for (int32_t k = instance->first[d]; k < instance->first[d + 1]; k++) {
        const int32_t t = instance->stages[k];
        if (t >= s)
            exact_load_add(&bound->ahead[t].f, r, instance->f[s]);
        exact_load_add(&bound->ahead[t].b, r, instance->f[s]);
    }
}

static void start_b(const struct exact_bound *bound, const struct exact_state *state, int32_t s,
                    int32_t m)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M, at = s * M + m, d = instance->device[s];
    double r = bound->ahead[s].b.end;
    if (s + 1 < instance->S) {
        if (m >= state->b[s + 1])
            r = later(r, bound->b[at + M] + instance->b[s + 1] + instance->delay[1][s + 1]);
        else if (instance->device[s + 1] != d)
            r = later(r, state->arrival[1][at]);
    }
    if (m >= state->f[s])
        r = later(r, bound->f[at] + instance->f[s]);
    bound->b[at] = r;
    insert_end(&bound->ends[d], r + instance->b[s]);
    for (int32_t k = instance->first[d]; k <= instance->first[d] + instance->rank[s]; k++)
        exact_load_add(&bound->ahead[instance->stages[k]].b, r, instance->b[s]);
}

static void set_starts(struct exact_bound *bound, const struct exact_state *state)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t P = instance->P, S = instance->S, M = instance->M;
    int32_t first = M;
    for (int32_t d = 0; d < P; d++)
        bound->ends[d] = (struct exact_ends){
            .b_end = bound->ends[0].b_end + instance->w_first[d],
            .w_end = bound->ends[0].w_end + instance->w_first[d],
        };
    for (int32_t s = 0; s < S; s++) {
        const int32_t d = instance->device[s];
        const struct exact_load load = {.end = state->clock[d], .block = state->clock[d]};
        bound->ahead[s] = (struct exact_ahead){load, load, state->b[s], state->w[d]};
        first = state->b[s] < first ? state->b[s] : first;
    }
    for (int32_t m = first; m < M; m++) {
        for (int32_t s = 0; s < S; s++)
            if (m >= state->f[s])
                start_f(bound, state, s, m);
        for (int32_t s = S - 1; s >= 0; s--)
            if (m >= state->b[s])
                start_b(bound, state, s, m);
    }
}

enum { CHAINS_MOST = 2 * EXACT_CHUNKS_MOST + 1 };

// Operations of one type of a device, in their order.
struct chain {
    const double *start; // of a W: the end
    const double *tail;
    int32_t left;
    double time, rest; // of an operation; of the one that runs
};

static int set_chains(const struct exact_bound *bound, const struct exact_state *state,
                      int32_t d, struct chain *chains)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M;
    int n = 0;
    for (int32_t k = instance->first[d]; k < instance->first[d + 1]; k++) {
        const int32_t s = instance->stages[k], f = s * M + state->f[s], b = s * M + state->b[s];
        if (state->f[s] < M)
            chains[n++] = (struct chain){bound->f + f, instance->f_tail + f, M - state->f[s],
                                         instance->f[s], instance->f[s]};
        if (state->b[s] < M)
            chains[n++] = (struct chain){bound->b + b, instance->b_tail + b, M - state->b[s],
                                         instance->b[s], instance->b[s]};
    }
    return n;
}

// Returns the largest end + tail of the preemptive schedule of a device.
static double jackson(const struct exact_bound *bound, const struct exact_state *state,
                      int32_t d)
{
    const struct exact_instance *instance = bound->instance;
    struct chain chains[CHAINS_MOST];
    const int n = set_chains(bound, state, d, chains);
    const int32_t all_w = instance->w_first[d + 1] - instance->w_first[d];
    const struct exact_ends *ends = &bound->ends[d];
    const int32_t ready = all_w - ends->n; // W's whose B's are done
    const double *w_tail = instance->w_tail + instance->w_first[d];
    double now = state->clock[d], worst = -(double)INFINITY, w_rest = instance->w[d];
    int32_t w = state->w[d];
    for (;;) {
        int best = -1;
        double most = -(double)INFINITY, event = (double)INFINITY;
        for (int k = 0; k < n; k++) {
            if (chains[k].left == 0)
                continue;
            if (*chains[k].start > now) {
                event = *chains[k].start < event ? *chains[k].start : event;
            } else if (*chains[k].tail > most) {
                most = *chains[k].tail;
                best = k;
            }
        }
        if (w < all_w) {
            const double release = w < ready ? now : ends->b_end[w - ready];
            if (release > now) {
                event = release < event ? release : event;
            } else if (w_tail[w] > most) {
                most = w_tail[w];
                best = n;
            }
        }
        if (best < 0) {
            if (event == (double)INFINITY)
                return worst;
            now = event;
            continue;
        }
        double *rest = best == n ? &w_rest : &chains[best].rest;
        if (event - now < *rest) {
            *rest -= event - now;
            now = event;
            continue;
        }
        now += *rest;
        worst = later(worst, now + most);
        if (best == n) {
            w_rest = instance->w[d];
            w++;
        } else {
            chains[best].rest = chains[best].time;
            chains[best].start++;
            chains[best].tail++;
            chains[best].left--;
        }
    }
}

double exact_bound_of(struct exact_bound *bound, const struct exact_state *state, double *sum)
{
    const struct exact_instance *instance = bound->instance;
    double most = -(double)INFINITY;
    *sum = 0;
    set_starts(bound, state);
    for (int32_t d = 0; d < instance->P; d++) {
        const double end =
            later(state->clock[d] - instance->origin[d], jackson(bound, state, d));
        most = later(most, end);
        *sum += end;
    }
    return most;
}
