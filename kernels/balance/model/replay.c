// SPDX-License-Identifier: Apache-2.0
// Replays strategies.
#include "kernels/balance/model/replay.h"

#include "kernels/common/interleaved/memory_line.h"

#include <math.h>

struct balance_replay {
    struct balance_shape shape;
    struct pipeline pipeline;
    struct order order;
    struct executor *executor;
    bool is_executed;
    int32_t *n_vectors;         // [stages]
    int32_t *vectors;           // [stages][room][chunks]
    int32_t room;               // vectors of a stage
    double *forward, *backward; // [chunks * stages]
};

// An upper bound of the vectors of a stage: new ones appear in the warm-up and in one passage of all chunks.
static int32_t vectors_most(const struct balance_shape *shape)
{
    const int64_t v = shape->chunks, group = 2 * (int64_t)shape->stages + shape->pieces,
                  bound = 4 * v * group;
    const struct orders_shape orders = balance_orders(shape);
    const int64_t most = memline_vectors_most(&orders);
    return (int32_t)(bound < most ? bound : most);
}

struct balance_replay *balance_replay_take(const struct balance_shape *shape, struct room *room)
{
    const struct pipeline_shape whole = balance_pipeline(shape);
    const int32_t operations = 2 * shape->chunks * shape->micro_batches * shape->pieces;
    struct balance_replay *taken = room_take(room, 1, sizeof *taken), counted;
    struct balance_replay *r = taken != NULL ? taken : &counted;
    *r = (struct balance_replay){.shape = *shape, .room = vectors_most(shape)};
    pipeline_take(&r->pipeline, &whole, room);
    order_take(&r->order, shape->stages, operations, room);
    r->executor = executor_take(&whole, operations, room);
    r->n_vectors = room_take(room, (size_t)shape->stages, sizeof *r->n_vectors);
    r->vectors =
        room_take(room, (size_t)shape->stages * (size_t)r->room * (size_t)shape->chunks,
                  sizeof *r->vectors);
    r->forward = room_take(room, (size_t)whole.stages, sizeof *r->forward);
    r->backward = room_take(room, (size_t)whole.stages, sizeof *r->backward);
    return taken;
}

static int32_t *vectors_of(const struct balance_replay *r, int32_t stage)
{
    return r->vectors + (size_t)stage * (size_t)r->room * (size_t)r->shape.chunks;
}

bool balance_replay_open(struct balance_replay *r, struct poll *poll)
{
    const struct orders_shape shape = balance_orders(&r->shape);
    pipeline_place(&r->pipeline, PIPELINE_LOOP);
    balance_order_write(&r->shape, &r->order);
    for (int32_t s = 0; s < r->shape.stages; s++) {
        if (poll_over(poll))
            return false;
        r->n_vectors[s] = memline_vectors(
            &shape, &r->order.operations[order_at(&r->order, s, 0)], vectors_of(r, s), r->room);
    }
    r->pipeline.links.latency = r->shape.transfer;
    r->is_executed =
        executor_run(r->executor, &r->pipeline, &r->order, NULL, poll) == EXECUTOR_DONE;
    return r->is_executed;
}

int32_t balance_in_flight(const struct balance_replay *r, int32_t stage,
                          const int32_t **vectors)
{
    *vectors = vectors_of(r, stage);
    return r->n_vectors[stage];
}

const struct order *balance_replay_order(const struct balance_replay *replay)
{
    return &replay->order;
}

const struct executor *balance_replay_executor(const struct balance_replay *replay)
{
    return replay->executor;
}

double balance_makespan(struct balance_replay *r, const double *forward, const double *backward)
{
    for (int32_t k = 0; k < r->pipeline.shape.stages; k++) {
        r->pipeline.stage[k].f = forward[k];
        r->pipeline.stage[k].b = backward[k];
    }
    (void)executor_run_retimed(r->executor, NULL);
    return executor_makespan(r->executor);
}

// ---- strategies ---------------------------------------------------------------------------------

struct balance_chunk balance_chunk_of(const struct balance_layers *layers,
                                      const struct balance_strategy *strategy, int32_t chunk,
                                      int32_t stage)
{
    const struct balance_ends ends =
        balance_ends_of(layers, (int64_t)chunk * strategy->stages + stage,
                        (int64_t)strategy->chunks * strategy->stages);
    struct balance_chunk cost = {.forward = ends.forward,
                                 .backward = ends.backward,
                                 .activation_mb = ends.activation_mb};
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        const int32_t n =
            strategy->count[balance_at(strategy, (enum balance_kind)kind, chunk, stage)];
        if (n == 0)
            continue;
        cost.forward += n * layers->forward;
        cost.backward += n * layers->backward[kind];
        cost.recompute += n * (layers->backward[kind] - layers->backward[BALANCE_NONE]);
        cost.activation_mb += n * layers->activation_mb[kind];
    }
    return cost;
}

double balance_static_mb(const struct balance_layers *layers,
                         const struct balance_strategy *strategy, int32_t stage)
{
    int32_t n = 0, full = 0;
    for (int32_t v = 0; v < strategy->chunks; v++) {
        n += balance_chunk_layers(strategy, v, stage);
        full += strategy->count[balance_at(strategy, BALANCE_FULL, v, stage)];
    }
    return layers->constant_mb + n * layers->parameter_mb + (stage == 0 ? layers->head_mb : 0) +
           (stage == strategy->stages - 1 ? layers->tail_mb : 0) +
           balance_working_mb(layers, stage, full > 0);
}

static double peak_of(const struct balance_replay *r, const struct balance_layers *layers,
                      const struct balance_strategy *strategy, int32_t stage)
{
    const int32_t *vectors;
    const int32_t n = balance_in_flight(r, stage, &vectors), chunks = r->shape.chunks;
    double most = 0;
    for (int32_t k = 0; k < n; k++) {
        double sum = 0;
        for (int32_t v = 0; v < chunks; v++)
            sum += vectors[k * chunks + v] *
                   balance_chunk_of(layers, strategy, v, stage).activation_mb;
        most = fmax(most, sum);
    }
    return balance_static_mb(layers, strategy, stage) + most;
}

// Returns the makespan of the present times if messages took no time.
static double without_transfers(struct balance_replay *r)
{
    r->pipeline.links.latency = 0;
    (void)executor_run(r->executor, &r->pipeline, &r->order, NULL, NULL);
    const double makespan = executor_makespan(r->executor);
    r->pipeline.links.latency = r->shape.transfer;
    (void)executor_run(r->executor, &r->pipeline, &r->order, NULL, NULL);
    return makespan;
}

static struct balance_bubble bubble_of(struct balance_replay *r, double makespan, double useful,
                                       double recompute)
{
    const struct balance_shape *shape = &r->shape;
    const double items = shape->micro_batches * shape->pieces;
    struct balance_bubble bubble = {.recomputes = recompute > 1e-5,
                                    .real = shape->stages * makespan / (items * useful) - 1,
                                    .ideal = (shape->stages - 1) / (shape->chunks * items)};
    if (bubble.recomputes)
        bubble.recompute = recompute / useful;
    if (shape->transfer > 0)
        bubble.transfer = (makespan - without_transfers(r)) * shape->stages / (items * useful);
    bubble.imbalance = bubble.real - bubble.ideal - bubble.recompute - bubble.transfer;
    return bubble;
}

void balance_replay_run(struct balance_replay *r, const struct balance_layers *layers,
                        const struct balance_strategy *strategy, struct balance_result *result)
{
    const int32_t p = r->shape.stages;
    double useful = 0, recompute = 0;
    for (int32_t k = 0; k < r->pipeline.shape.stages; k++) {
        const struct balance_chunk cost = balance_chunk_of(layers, strategy, k / p, k % p);
        r->forward[k] = cost.forward;
        r->backward[k] = cost.backward;
        useful += cost.forward + (cost.backward - cost.recompute);
        recompute += cost.recompute;
    }
    result->makespan = balance_makespan(r, r->forward, r->backward);
    result->bubble = bubble_of(r, result->makespan, useful, recompute);
    result->worst = 0;
    for (int32_t s = 0; s < p; s++) {
        result->peak_mb[s] = peak_of(r, layers, strategy, s);
        if (result->peak_mb[s] > result->peak_mb[result->worst])
            result->worst = s;
    }
}
