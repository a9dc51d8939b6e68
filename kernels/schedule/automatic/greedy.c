// SPDX-License-Identifier: Apache-2.0
// Builds an order by dispatch.
#include "kernels/schedule/automatic/greedy.h"

#include "kernels/schedule/automatic/earliest.h"

#include <math.h>

// The operation that a device would run next.
struct candidate {
    double start;
    int32_t stage; // -1: none can run
    int32_t rank;
    uint8_t type;
};

struct greedy {
    const struct pipeline *pipeline;
    const struct greedy_rule *rule;
    struct order *order;
    int32_t *stages;        // stages by device, ascending
    int32_t *first;         // [devices + 1]: of `stages`
    int32_t *done[3];       // [stage]: F, B or BW, W that have run
    double *input[2];       // [stage * M + item]: arrival of the input of an F, of a B
    int32_t *arrived[2];    // [stage]: inputs whose arrival is known
    double *clock, *held;   // [devices]: free from here on; memory
    double *room, *reserve; // [devices]: limit with tolerance; [stage]: for the later chunks
    int32_t *flying;        // [devices]: forwards beyond backwards
    struct candidate *best; // [devices]
    struct earliest earliest;
};

struct greedy *greedy_take(const struct pipeline_shape *most, struct room *room)
{
    const size_t devices = (size_t)most->devices, stages = (size_t)most->stages,
                 items = stages * (size_t)most->micro_batches;
    struct greedy *greedy = room_take(room, 1, sizeof *greedy), counted;
    struct greedy *g = greedy != NULL ? greedy : &counted;
    g->stages = room_take(room, stages, sizeof *g->stages);
    g->first = room_take(room, devices + 1, sizeof *g->first);
    for (int k = 0; k < 3; k++)
        g->done[k] = room_take(room, stages, sizeof *g->done[k]);
    for (int k = 0; k < 2; k++) {
        g->input[k] = room_take(room, items, sizeof *g->input[k]);
        g->arrived[k] = room_take(room, stages, sizeof *g->arrived[k]);
    }
    g->clock = room_take(room, devices, sizeof *g->clock);
    g->held = room_take(room, devices, sizeof *g->held);
    g->room = room_take(room, devices, sizeof *g->room);
    g->reserve = room_take(room, stages, sizeof *g->reserve);
    g->flying = room_take(room, devices, sizeof *g->flying);
    g->best = room_take(room, devices, sizeof *g->best);
    earliest_take(&g->earliest, most->devices, room);
    return greedy;
}

static double kept(const struct greedy *g, int32_t s)
{
    const struct pipeline_stage *stage = &g->pipeline->stage[s];
    return stage->kept_until_b + stage->kept_until_w;
}

// Returns false if a device cannot hold one micro-batch.
static bool start(struct greedy *g)
{
    const struct pipeline *p = g->pipeline;
    int32_t n = 0;
    bool fits = true;
    for (int32_t d = 0; d < p->shape.devices; d++) {
        g->first[d] = n;
        for (int32_t s = 0; s < p->shape.stages; s++)
            if (p->device_of[s] == d)
                g->stages[n++] = s;
        g->clock[d] = 0;
        g->held[d] = p->fixed[d];
        g->room[d] = p->limit[d] + 1e-9 * fabs(p->limit[d]);
        g->flying[d] = 0;
        double reserve = 0;
        for (int32_t i = n - 1; i >= g->first[d]; i--) {
            g->reserve[g->stages[i]] = reserve;
            reserve += kept(g, g->stages[i]);
        }
        fits = fits && g->held[d] + reserve <= g->room[d];
    }
    g->first[p->shape.devices] = n;
    for (int32_t s = 0; s < p->shape.stages; s++) {
        g->done[0][s] = g->done[1][s] = g->done[2][s] = 0;
        g->arrived[0][s] = g->arrived[1][s] = 0;
    }
    g->arrived[0][0] = p->shape.micro_batches;
    for (int32_t m = 0; m < p->shape.micro_batches; m++)
        g->input[0][m] = 0;
    return fits;
}

// ---- candidates ---------------------------------------------------------------------------------

static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (b->stage < 0 || a->start != b->start)
        return b->stage < 0 || a->start < b->start;
    return a->rank < b->rank;
}

static void offer(struct candidate *best, struct candidate offered)
{
    if (is_better(&offered, best))
        *best = offered;
}

static bool may_forward(const struct greedy *g, int32_t d, int32_t c)
{
    const int32_t s = g->stages[g->first[d] + c];
    const double behind = g->pipeline->shape.devices - 1 - d;
    return g->held[d] + kept(g, s) + g->reserve[s] <= g->room[d] &&
           (c > 0 || g->flying[d] < g->rule->cap + g->rule->slope * behind);
}

// The smaller rank goes first among operations that can start at one time.
enum { RANK_FIRST = 0, RANK_B = 1 << 16, RANK_F = 2 << 16, RANK_W = 3 << 16 };

static double later(double a, double b)
{
    return a > b ? a : b;
}

// Finds the operation that a device runs next.
static void choose(struct greedy *g, int32_t d)
{
    const struct greedy_rule *rule = g->rule;
    const int32_t items = g->pipeline->shape.micro_batches,
                  chunks = g->first[d + 1] - g->first[d];
    const int32_t forward = rule->forward_first ? RANK_FIRST : RANK_F;
    const uint8_t backward = rule->whole_backward ? OPERATION_BW : OPERATION_B;
    struct candidate best = {.stage = -1}, w = {.stage = -1};
    for (int32_t c = 0; c < chunks; c++) {
        const int32_t s = g->stages[g->first[d] + c], f = g->done[0][s], b = g->done[1][s];
        const double *f_input = g->input[0] + (int64_t)s * items,
                     *b_input = g->input[1] + (int64_t)s * items;
        if (f < g->arrived[0][s] && may_forward(g, d, c))
            offer(&best, (struct candidate){later(f_input[f], g->clock[d]), s,
                                            forward + (rule->early_chunk ? c : chunks - c),
                                            OPERATION_F});
        if (b < g->arrived[1][s])
            offer(&best,
                  (struct candidate){later(b_input[b], g->clock[d]), s, RANK_B + c, backward});
        if (!rule->whole_backward && g->done[2][s] < b)
            offer(&w, (struct candidate){g->clock[d], s, RANK_W + c, OPERATION_W});
    }
    const double gap = best.start - w.start;
    if (w.stage >= 0 &&
        (best.stage < 0 || (gap > 0 && gap >= rule->threshold * g->pipeline->stage[w.stage].w)))
        best = w;
    g->best[d] = best;
    earliest_set(&g->earliest, d, best.stage < 0 ? (double)INFINITY : best.start, best.rank);
}

// ---- execution ----------------------------------------------------------------------------------

// Sends the result of an operation to the stage `to`; returns its device.
static int32_t send(struct greedy *g, int32_t d, int32_t from, int32_t to, int backward,
                    double end)
{
    const struct pipeline *p = g->pipeline;
    const double bytes =
        backward ? p->stage[from].backward_bytes : p->stage[from].forward_bytes;
    const int32_t receiver = p->device_of[to];
    const double delay = receiver == d ? 0 : pipeline_delay(p, d, receiver, bytes);
    g->input[backward][(int64_t)to * p->shape.micro_batches + g->arrived[backward][to]++] =
        end + delay;
    return receiver;
}

// Runs the candidate of a device; returns another device whose candidate may change; -1: none.
static int32_t run(struct greedy *g, int32_t d)
{
    const struct pipeline *p = g->pipeline;
    const struct candidate *c = &g->best[d];
    const int32_t s = c->stage, last = p->shape.stages - 1;
    const struct pipeline_stage *stage = &p->stage[s];
    const int kind = c->type == OPERATION_F ? 0 : c->type == OPERATION_W ? 2 : 1;
    int32_t receiver = -1;
    order_add(g->order, d, (enum operation_type)c->type, g->done[kind][s], s);
    double end = c->start + (kind == 0 ? stage->f : kind == 2 ? stage->w : stage->b);
    if (c->type == OPERATION_BW)
        end += stage->w;
    g->clock[d] = end;
    g->flying[d] += kind == 0 ? 1 : kind == 1 ? -1 : 0;
    g->held[d] += kind == 0   ? kept(g, s)
                  : kind == 2 ? -stage->kept_until_w
                              : -stage->kept_until_b;
    if (c->type == OPERATION_BW)
        g->held[d] -= stage->kept_until_w;
    if (kind == 0)
        receiver = s < last ? send(g, d, s, s + 1, 0, end) : send(g, d, s, s, 1, end);
    else if (kind == 1 && s > 0)
        receiver = send(g, d, s, s - 1, 1, end);
    g->done[kind][s]++;
    return receiver;
}

enum greedy_status greedy_build(struct greedy *greedy, const struct pipeline *pipeline,
                                const struct greedy_rule *rule, struct poll *poll,
                                struct order *order)
{
    struct greedy *g = greedy;
    const int32_t devices = pipeline->shape.devices;
    const int64_t total = (int64_t)(rule->whole_backward ? 2 : 3) * pipeline->shape.stages *
                          pipeline->shape.micro_batches;
    g->pipeline = pipeline;
    g->rule = rule;
    g->order = order;
    if (!start(g))
        return GREEDY_NO_ROOM;
    earliest_clear(&g->earliest);
    for (int32_t d = 0; d < devices; d++)
        choose(g, d);
    for (int64_t n = 0; n < total; n++) {
        const int32_t next = earliest_device(&g->earliest);
        if (g->best[next].stage < 0)
            return GREEDY_NO_ROOM;
        const int32_t receiver = run(g, next);
        choose(g, next);
        if (receiver >= 0 && receiver != next)
            choose(g, receiver);
        if (poll_over_after(poll, 8))
            return GREEDY_STOPPED;
    }
    return GREEDY_DONE;
}
