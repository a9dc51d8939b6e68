// SPDX-License-Identifier: Apache-2.0
// Computes the value of a solution of the proxy: the terms of its bubble, and the memory of its stages.
#include "kernels/balance/proxy/proxy_private.h"

#include <math.h>

bool proxy_has_two_terms(const struct proxy_program *program)
{
    return program->shape.chunks > 1 && program->level > 0 &&
           proxy_micro_batches(program) == program->shape.stages;
}

double proxy_last_per_layer(const struct proxy_program *program, int32_t stage)
{
    const struct balance_shape *shape = &program->shape;
    const int64_t micro_batches = proxy_micro_batches(program);
    int64_t phi = stage;
    if (shape->order == BALANCE_BIG_MEMORY) {
        phi = shape->stages - 1 - 2 * stage;
        if (stage < shape->stages / 2 && micro_batches < 2 * (int64_t)shape->stages)
            phi = 0;
        phi = phi < 0 ? -phi : phi;
    }
    return (double)phi / (double)micro_batches * program->layers->forward;
}

// Adds up a chunk, head and tail included.
static void add_chunk(const struct proxy_program *program,
                      const struct balance_strategy *strategy, int32_t chunk, int32_t stage,
                      struct proxy_chunk *sum)
{
    const struct balance_layers *layers = program->layers;
    *sum = (struct proxy_chunk){.ends = proxy_ends(program, chunk, stage)};
    sum->activation_mb = sum->ends.activation_mb;
    for (int k = 0; k < BALANCE_KINDS; k++) {
        const int32_t count =
            strategy->count[balance_at(strategy, (enum balance_kind)k, chunk, stage)];
        if (count == 0)
            continue;
        sum->layers += count;
        sum->backward += count * layers->backward[k];
        sum->activation_mb += count * layers->activation_mb[k];
    }
    sum->forward = sum->layers * layers->forward + sum->ends.forward;
    sum->backward += sum->ends.backward;
}

double proxy_stage_mb(const struct proxy_program *program,
                      const struct balance_strategy *strategy, int32_t stage)
{
    const int32_t chunks = program->shape.chunks;
    double most = 0;
    int32_t full = 0;
    for (int32_t v = 0; v < chunks; v++)
        full += strategy->count[balance_at(strategy, BALANCE_FULL, v, stage)];
    for (int32_t i = 0; i < program->n_vectors[stage]; i++) {
        const int32_t *vector = program->vectors[stage] + (size_t)i * (size_t)chunks;
        double sum = 0;
        for (int32_t v = 0; v < chunks; v++) {
            struct proxy_chunk chunk;
            add_chunk(program, strategy, v, stage, &chunk);
            sum +=
                program->layers->parameter_mb * chunk.layers + vector[v] * chunk.activation_mb;
        }
        most = sum > most ? sum : most;
    }
    return proxy_static_mb(program, stage, full > 0) + most;
}

// Waits of a chunk's forwards for a slower stage: for each stage from `from` on in steps of `step`, by how much a
// stage before it is slower.
static double waits(const struct proxy_program *program,
                    const struct balance_strategy *strategy, int32_t chunk, int32_t from,
                    int32_t step)
{
    double slowest = 0, sum = 0;
    for (int32_t i = 0, s = from; i < program->shape.stages; i++, s += step) {
        struct proxy_chunk at;
        add_chunk(program, strategy, chunk, s, &at);
        sum += fmax(0, slowest - at.forward);
        slowest = fmax(slowest, at.forward);
    }
    return (double)proxy_micro_batches(program) * sum;
}

static double filling_of(const struct proxy_program *program,
                         const struct balance_strategy *strategy)
{
    const int32_t chunks = program->shape.chunks, stages = program->shape.stages;
    double sum = waits(program, strategy, chunks - 1, stages - 1, -1);
    for (int32_t v = 0; v < chunks; v++) {
        double all = 0;
        for (int32_t s = 0; s < stages; s++) {
            struct proxy_chunk at;
            add_chunk(program, strategy, v, s, &at);
            all += at.forward + at.backward;
            sum += at.forward + at.backward - at.ends.forward - at.ends.backward;
        }
        if (v < chunks - 1)
            sum += (double)(chunks - v) / chunks * all / stages +
                   waits(program, strategy, v, 0, 1);
    }
    return sum;
}

// Level 2 may choose a Tmax above its bounds, if this lowers the value: with a single micro-batch.
double proxy_value_of_level_2(const struct proxy_program *program, const struct proxy_value *v)
{
    const double divisor = program->shape.chunks > 3 ? program->shape.chunks - 2 : 1;
    const double micro_batches = (double)proxy_micro_batches(program);
    const double filling = v->filling / divisor;
    double stage = v->stage;
    if (micro_batches < 2)
        stage = fmax(stage, (filling - v->last) / 2);
    return fmax(stage + v->last, filling + stage * (micro_batches - 2));
}

void proxy_terms(const struct proxy_program *program, const struct balance_strategy *strategy,
                 struct proxy_limits *terms)
{
    const int32_t chunks = program->shape.chunks;
    const bool two_terms = proxy_has_two_terms(program);
    *terms = (struct proxy_limits){.stage = 0};
    for (int32_t s = 0; s < program->shape.stages; s++) {
        double forward = 0, backward = 0;
        for (int32_t v = 0; v < chunks; v++) {
            struct proxy_chunk at;
            add_chunk(program, strategy, v, s, &at);
            if (two_terms && v == chunks - 1) {
                const double tail = s == program->shape.stages - 1 ? program->layers->tail : 0;
                terms->last =
                    fmax(terms->last,
                         at.backward + tail + proxy_last_per_layer(program, s) * at.layers);
                break;
            }
            forward = fmax(forward, at.forward);
            backward = fmax(backward, at.backward);
        }
        terms->stage = fmax(terms->stage, two_terms ? backward : forward + backward);
    }
}

struct proxy_value proxy_evaluate(const struct proxy_program *program,
                                  const struct balance_strategy *strategy)
{
    struct proxy_limits terms;
    proxy_terms(program, strategy, &terms);
    struct proxy_value value = {.stage = terms.stage, .last = terms.last};
    if (program->level == 2) {
        value.filling = filling_of(program, strategy);
        value.stage = fmax(value.stage, value.last);
        value.value = proxy_value_of_level_2(program, &value);
        return value;
    }
    if (proxy_has_two_terms(program))
        value.last = fmax(value.last, value.stage);
    value.value = value.stage + value.last;
    return value;
}
