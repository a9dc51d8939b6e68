// SPDX-License-Identifier: Apache-2.0
// Sends timelines: merges the blocks of all stages by time.
#include "kernels/balance/output/timeline.h"

#include <math.h>
#include <stdlib.h>

static const char *const track_names[] = {"compute", NULL};
static const char *const kind_names[] = {"forward", "backward", NULL};
static const char *const counter_names[] = {"memory_mib", NULL};

const struct pps_trace_names balance_trace_names = {
    .group = "stage",
    .item = "micro_batch",
    .flag = "recomputes",
    .tracks = track_names,
    .kinds = kind_names,
    .counters = counter_names,
    .chunk = "chunk",
    .end = "step_time",
};

// The next event of a stage: the start of block i, or its end.
struct cursor {
    int32_t i;
    bool at_end;
    double memory_mb; // before the event
};

struct timeline {
    const struct balance_layers *layers;
    const struct balance_shape *shape;
    const struct balance_strategy *strategy;
    const struct order *order;
    const double *starts, *ends;
    const struct pps_trace_sink *sink;
    struct cursor *cursors; // [stages]
};

// Returns the time of the next event of a stage; INFINITY: none.
static double next_time(const struct timeline *t, int32_t stage)
{
    const struct cursor *c = &t->cursors[stage];
    if (c->i == t->order->n[stage])
        return (double)INFINITY;
    return (c->at_end ? t->ends : t->starts)[order_at(t->order, stage, c->i)];
}

static void send_block(const struct timeline *t, int32_t stage, int64_t at,
                       const struct operation *op, bool recomputes)
{
    const struct pps_piece piece = {.group = stage,
                                    .kind = op->type != OPERATION_F,
                                    .item = op->item / t->shape->pieces,
                                    .ordinal = op->item,
                                    .start = t->starts[at],
                                    .end = t->ends[at],
                                    .rate = 1,
                                    .flag = recomputes && op->type != OPERATION_F,
                                    .chunk = op->stage / t->shape->stages};
    t->sink->piece(t->sink->self, &piece);
}

static void send_level(const struct timeline *t, int32_t stage, double time)
{
    const struct pps_level level = {.group = stage,
                                    .time = time,
                                    .value = t->cursors[stage].memory_mb};
    t->sink->level(t->sink->self, &level);
}

static void send_next(const struct timeline *t, int32_t stage)
{
    struct cursor *c = &t->cursors[stage];
    const int64_t at = order_at(t->order, stage, c->i);
    const struct operation *op = &t->order->operations[at];
    const struct balance_chunk chunk =
        balance_chunk_of(t->layers, t->strategy, op->stage / t->shape->stages, stage);
    c->at_end = !c->at_end;
    if (c->at_end) {
        send_block(t, stage, at, op, chunk.recompute > 0);
        return;
    }
    c->i++;
    c->memory_mb += op->type == OPERATION_F ? chunk.activation_mb : -chunk.activation_mb;
    send_level(t, stage, t->ends[at]);
}

// Returns the stage with the earliest event, the first one of several; -1: no more events.
static int32_t earliest(const struct timeline *t)
{
    int32_t first = -1;
    double least = (double)INFINITY;
    for (int32_t s = 0; s < t->shape->stages; s++)
        if (next_time(t, s) < least) {
            least = next_time(t, s);
            first = s;
        }
    return first;
}

bool balance_send_timeline(const struct balance_replay *replay,
                           const struct balance_layers *layers,
                           const struct balance_shape *shape,
                           const struct balance_strategy *strategy, double limit_mb,
                           const struct pps_trace_sink *sink)
{
    const struct executor *executor = balance_replay_executor(replay);
    struct timeline t = {.layers = layers,
                         .shape = shape,
                         .strategy = strategy,
                         .order = balance_replay_order(replay),
                         .starts = executor_starts(executor),
                         .ends = executor_ends(executor),
                         .sink = sink};
    t.cursors = calloc((size_t)shape->stages, sizeof *t.cursors);
    if (t.cursors == NULL)
        return false;
    for (int32_t s = 0; s < shape->stages && isfinite(limit_mb); s++)
        sink->limit(sink->self, &(struct pps_limit){.group = s, .value = limit_mb});
    for (int32_t s = 0; s < shape->stages; s++) {
        t.cursors[s].memory_mb = balance_static_mb(layers, strategy, s);
        send_level(&t, s, 0);
    }
    for (int32_t s = earliest(&t); s >= 0; s = earliest(&t))
        send_next(&t, s);
    free(t.cursors);
    return true;
}
