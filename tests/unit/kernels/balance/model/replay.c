// SPDX-License-Identifier: Apache-2.0
// Replays: published figures, and an independent replay of random strategies.
#include "tests/unit/support/kernels/balance_golden.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double found, double wanted, double tolerance, const char *what,
                 const char *name)
{
    cr_assert(fabs(found - wanted) <= tolerance * fmax(1, fabs(wanted)),
              "%s: %s %.12g, not %.12g", name, what, found, wanted);
}

static void check_expected(const cJSON *expect, const struct balance_result *result,
                           int32_t stages, const char *name)
{
    const cJSON *bubble = golden_item(expect, "bubble"),
                *peaks = golden_item(expect, "peak_memory");
    const cJSON *recompute = cJSON_GetObjectItem(bubble, "recompute");
    near(result->makespan, golden_real(expect, "total_time"), 1e-9, "makespan", name);
    near(result->bubble.real, golden_real(bubble, "real"), 1e-6, "bubble", name);
    near(result->bubble.ideal, golden_real(bubble, "ideal"), 1e-6, "ideal", name);
    near(result->bubble.imbalance, golden_real(bubble, "imba"), 1e-6, "imbalance", name);
    near(result->bubble.recompute, recompute != NULL ? recompute->valuedouble : 0, 1e-6,
         "recompute", name);
    for (int32_t s = 0; s < stages; s++)
        near(result->peak_mb[s], cJSON_GetArrayItem(peaks, s)->valuedouble, 1e-9, "peak", name);
}

// Checks every operation of a case that lists them: [f or b, micro-batch, chunk, start, end, phase].
static void check_schedule(const struct balance_replay *replay, const cJSON *schedule,
                           const char *name)
{
    const struct order *order = balance_replay_order(replay);
    const struct executor *executor = balance_replay_executor(replay);
    for (int32_t s = 0; s < order->devices; s++) {
        const cJSON *list = cJSON_GetArrayItem(schedule, s), *block;
        int32_t i = 0;
        cr_assert(cJSON_GetArraySize(list) == order->n[s]);
        cJSON_ArrayForEach (block, list) {
            const int64_t at = order_at(order, s, i++);
            const struct operation *op = &order->operations[at];
            const cJSON *part = block->child;
            cr_assert((strcmp(part->valuestring, "f") == 0) == (op->type == OPERATION_F));
            cr_assert(op->item == part->next->valueint, "%s: stage %d, block %d", name, s, i);
            cr_assert(op->stage / order->devices == part->next->next->valueint);
            near(executor_starts(executor)[at], part->next->next->next->valuedouble, 1e-9,
                 "start", name);
            near(executor_ends(executor)[at], part->next->next->next->next->valuedouble, 1e-9,
                 "end", name);
        }
    }
}

static void check_strategy(const cJSON *of, const cJSON *one)
{
    struct balance_layers layers;
    struct balance_shape shape;
    void *memory;
    const cJSON *vp = cJSON_GetObjectItem(one, "vp"),
                *schedule = cJSON_GetObjectItem(one, "schedule");
    balance_golden_case(of, &layers, &shape);
    if (cJSON_IsNumber(vp))
        shape.chunks = vp->valueint;
    struct balance_replay *replay = balance_golden_replay(&shape, &memory);
    struct balance_strategy strategy =
        balance_golden_lists(&layers, golden_item(one, "strategy"), shape.stages, shape.chunks);
    struct balance_result result = {.peak_mb = calloc((size_t)shape.stages, sizeof(double))};
    balance_replay_run(replay, &layers, &strategy, &result);
    check_expected(golden_item(one, "expect"), &result, shape.stages, golden_word(one, "name"));
    if (schedule != NULL)
        check_schedule(replay, schedule, golden_word(one, "name"));
    free(result.peak_mb);
    free(strategy.count);
    free(memory);
}

static int check_document(const cJSON *document)
{
    const cJSON *one;
    int n = 0;
    cJSON_ArrayForEach (one, golden_item(document, "strategies")) {
        check_strategy(golden_item(document, "case"), one);
        n++;
    }
    return n;
}

Test(balance_replay, published_strategies)
{
    static const char *const files[] = {
        "simulate_01_tiny_1f1b.json",     "simulate_02_tiny_interleaved.json",
        "simulate_03_doc_pictures.json",  "simulate_04_175b.json",
        "simulate_05_vp1_published.json", "simulate_06_all_kinds.json",
        "simulate_07_remainder.json"};
    int n = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        cJSON *document = golden_of("balance", files[k]);
        const cJSON *members = cJSON_GetObjectItem(document, "members"), *member;
        if (members == NULL)
            n += check_document(document);
        else
            cJSON_ArrayForEach (member, members)
                n += check_document(member);
        cJSON_Delete(document);
    }
    cr_assert(n >= 12, "%d", n);
}

// ---- an independent replay -----------------------------------------------------------------------

static double most(double a, double b)
{
    return a > b ? a : b;
}

// Runs the operations of all devices until nothing is left, one at a time, by the dependencies of the definition.
struct plain {
    const struct balance_shape *shape;
    const struct balance_chunk *cost; // [chunk * stages + stage]
    double
        *end[2]; // of F, of B: [item * chunks * stages + chunk * stages + stage]; < 0: not run
};

static double ready(const struct plain *plain, const struct operation *op)
{
    const int32_t all = plain->shape->stages * plain->shape->chunks;
    const double *f = plain->end[0] + (int64_t)op->item * all,
                 *b = plain->end[1] + (int64_t)op->item * all;
    const double transfer = plain->shape->stages > 1 ? plain->shape->transfer : 0;
    if (op->type == OPERATION_F && op->stage == 0)
        return 0;
    if (op->type != OPERATION_F && op->stage == all - 1)
        return f[op->stage];
    const double sent = op->type == OPERATION_F ? f[op->stage - 1] : b[op->stage + 1];
    return sent < 0 ? sent : sent + transfer;
}

static double plain_makespan(struct plain *plain, const struct order *order)
{
    const int32_t p = plain->shape->stages, all = p * plain->shape->chunks,
                  items = plain->shape->micro_batches * plain->shape->pieces;
    int32_t *next = calloc((size_t)p, sizeof *next);
    double *free_at = calloc((size_t)p, sizeof *free_at), makespan = 0;
    for (int32_t k = 0; k < all * items; k++)
        plain->end[0][k] = plain->end[1][k] = -1;
    for (int64_t left = order_total(order); left > 0;) {
        const int64_t before = left;
        for (int32_t s = 0; s < p; s++)
            for (; next[s] < order->n[s]; next[s]++, left--) {
                const struct operation *op = &order->operations[order_at(order, s, next[s])];
                const double at = ready(plain, op);
                if (at < 0)
                    break;
                const bool forward = op->type == OPERATION_F;
                const struct balance_chunk *cost = &plain->cost[op->stage];
                free_at[s] = most(free_at[s], at) + (forward ? cost->forward : cost->backward);
                plain->end[!forward][(int64_t)op->item * all + op->stage] = free_at[s];
                makespan = most(makespan, free_at[s]);
            }
        cr_assert(left < before, "deadlock");
    }
    free(next);
    free(free_at);
    return makespan;
}

static double plain_peak(const struct balance_layers *layers,
                         const struct balance_strategy *strategy,
                         const struct balance_chunk *cost, const struct order *order, int32_t s)
{
    double used = balance_static_mb(layers, strategy, s), peak = used;
    for (int32_t i = 0; i < order->n[s]; i++) {
        const struct operation *op = &order->operations[order_at(order, s, i)];
        used += (op->type == OPERATION_F ? 1 : -1) * cost[op->stage].activation_mb;
        peak = most(peak, used);
    }
    return peak;
}

static struct balance_layers layers_drawn(struct random *r)
{
    struct balance_layers layers = {.layers = 1000,
                                    .head = random_unit(r),
                                    .tail = random_unit(r),
                                    .forward = 0.5 + random_unit(r),
                                    .parameter_mb = 10,
                                    .head_mb = 5,
                                    .tail_mb = 3,
                                    .constant_mb = 7};
    layers.head_backward = 2.5 * layers.head; // not the usual ones
    layers.tail_backward = 1.5 * layers.tail;
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        layers.has[kind] = true;
        layers.backward[kind] = layers.forward * (2 + 0.2 * kind);
        layers.activation_mb[kind] = 10 - kind - random_unit(r);
    }
    return layers;
}

static struct balance_shape shape_drawn(struct random *r)
{
    struct balance_shape shape = {.stages = 1 + (int32_t)random_below(r, 6),
                                  .chunks = 1 + (int32_t)random_below(r, 3),
                                  .pieces = 1 << random_below(r, 2),
                                  .order = random_coin(r) ? BALANCE_BIG_MEMORY
                                                          : BALANCE_LESS_MEMORY};
    shape.micro_batches = 1 + (int32_t)random_below(r, 14);
    if (random_coin(r))
        shape.transfer = 0.5 * random_unit(r);
    return shape;
}

static void check_random(struct random *r, const struct balance_shape *shape, int k)
{
    const struct balance_layers layers = layers_drawn(r);
    const size_t all = (size_t)shape->stages * (size_t)shape->chunks,
                 items = (size_t)shape->micro_batches * (size_t)shape->pieces;
    void *memory;
    struct balance_replay *replay = balance_golden_replay(shape, &memory);
    struct balance_strategy strategy = {shape->stages, shape->chunks,
                                        calloc(BALANCE_KINDS * all, sizeof *strategy.count)};
    struct balance_chunk *cost = calloc(all, sizeof *cost);
    struct plain plain = {
        shape,
        cost,
        {calloc(all * items, sizeof(double)), calloc(all * items, sizeof(double))}};
    struct balance_result result = {.peak_mb = calloc((size_t)shape->stages, sizeof(double))};
    for (int change = 0; change < 4; change++) {
        for (size_t i = 0; i < BALANCE_KINDS * all; i++)
            strategy.count[i] = (int32_t)random_below(r, 3);
        for (int32_t i = 0; i < (int32_t)all; i++)
            cost[i] =
                balance_chunk_of(&layers, &strategy, i / shape->stages, i % shape->stages);
        balance_replay_run(replay, &layers, &strategy, &result);
        const struct order *order = balance_replay_order(replay);
        near(result.makespan, plain_makespan(&plain, order), 1e-12, "makespan", "drawn");
        const struct balance_bubble *bubble = &result.bubble;
        near(bubble->real,
             bubble->ideal + bubble->imbalance + bubble->recompute + bubble->transfer, 1e-12,
             "bubble", "drawn");
        cr_assert(bubble->transfer >= -1e-12 && (shape->transfer > 0 || bubble->transfer == 0));
        for (int32_t s = 0; s < shape->stages; s++) {
            const double peak = plain_peak(&layers, &strategy, cost, order, s);
            cr_assert(fabs(result.peak_mb[s] - peak) < 1e-9, "case %d, stage %d: %g, not %g", k,
                      s, result.peak_mb[s], peak);
        }
    }
    free(result.peak_mb);
    free(plain.end[0]);
    free(plain.end[1]);
    free(cost);
    free(strategy.count);
    free(memory);
}

// ---- pieces of a sequence -----------------------------------------------------------------------

enum { CHUNKS_MOST = 4, STAGES_MOST = 8 };

// The published numbers of pieces in flight of several chunks, [chunk][stage].
static void published_in_flight(const struct balance_shape *shape,
                                int32_t held[CHUNKS_MOST][STAGES_MOST])
{
    const int32_t p = shape->stages, last = shape->chunks - 1,
                  items = shape->micro_batches * shape->pieces,
                  gap = shape->order == BALANCE_LESS_MEMORY ? 1 : 2;
    int32_t level = 1;
    for (int32_t v = 0; v <= last; v++)
        for (int32_t s = 0; s < p; s++)
            held[v][s] = v == last ? shape->pieces : p;
    for (int32_t s = p - 2; s >= 0; s--) {
        int32_t v = 0;
        while (v <= last && held[v][s + 1] % p == 0 && held[v][s + 1] / p >= level)
            v++;
        level += v > last;
        for (int32_t k = 0; k <= s; k++)
            held[v > last ? 0 : v][k] += gap;
    }
    for (int32_t k = 0; k < (last + 1) * p; k++)
        if (held[k / p][k % p] > items)
            held[k / p][k % p] = items;
}

static void check_pieces(const struct balance_shape *shape)
{
    const int32_t p = shape->stages, all = p * shape->chunks,
                  items = shape->micro_batches * shape->pieces;
    int32_t held[CHUNKS_MOST][STAGES_MOST], found[CHUNKS_MOST];
    struct order *order = order_new(p, 2 * shape->chunks * items);
    struct balance_chunk *cost = calloc((size_t)all, sizeof *cost);
    double *ends = calloc(2 * (size_t)all * (size_t)items, sizeof *ends);
    struct plain plain = {shape, cost, {ends, ends + (size_t)all * (size_t)items}};
    balance_order_write(shape, order);
    for (int32_t k = 0; k < all; k++)
        cost[k] = (struct balance_chunk){.forward = 1, .backward = 2};
    cr_assert(plain_makespan(&plain, order) >= 3 * items * shape->chunks);
    published_in_flight(shape, held);
    for (int32_t s = 0; s < p; s++) {
        memset(found, 0, sizeof found);
        for (int32_t i = 0; order->operations[order_at(order, s, i)].type == OPERATION_F; i++)
            found[order->operations[order_at(order, s, i)].stage / p]++;
        for (int32_t v = 0; v < shape->chunks; v++)
            cr_assert_eq(found[v], held[v][s], "P %d V %d M %d q %d order %d, stage %d: %d, %d",
                         p, shape->chunks, shape->micro_batches, shape->pieces,
                         (int)shape->order, s, found[v], held[v][s]);
    }
    order_free(order);
    free(cost);
    free(ends);
}

// Pieces count, not micro-batches: four pieces of one micro-batch fill four stages.
Test(balance_replay, fewer_micro_batches_than_stages_in_pieces)
{
    int n = 0;
    for (int32_t k = 0; k < STAGES_MOST * STAGES_MOST * STAGES_MOST * CHUNKS_MOST * 2; k++) {
        const struct balance_shape shape = {
            .order = k % 2 != 0 ? BALANCE_LESS_MEMORY : BALANCE_BIG_MEMORY,
            .chunks = 1 + k / 2 % CHUNKS_MOST,
            .stages = 1 + k / (2 * CHUNKS_MOST) % STAGES_MOST,
            .pieces = 1 + k / (2 * CHUNKS_MOST * STAGES_MOST) % STAGES_MOST,
            .micro_batches = 1 + k / (2 * CHUNKS_MOST * STAGES_MOST * STAGES_MOST)};
        if (shape.chunks == 1 || shape.micro_batches >= shape.stages ||
            balance_shape_misfit(&shape) != NULL)
            continue;
        check_pieces(&shape);
        n++;
    }
    cr_assert(n > 50, "%d", n);
}

Test(balance_replay, random_strategies_as_in_a_plain_replay)
{
    struct random r = {20};
    int n = 0;
    for (int k = 0; k < 4000; k++) {
        const struct balance_shape shape = shape_drawn(&r);
        if (balance_shape_misfit(&shape) != NULL)
            continue;
        check_random(&r, &shape, k);
        n++;
    }
    cr_assert(n > 1500, "%d", n);
}
