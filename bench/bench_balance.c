// SPDX-License-Identifier: Apache-2.0
// Speed of balancing: evaluating a changed strategy, the bound, and a whole search. One JSON line per measurement, CPU
// time, the least of several runs. Not a test: a wrong makespan is a failure, a slow machine is not.
#include "base/system/machine.h"
#include "kernels/balance/search/balance_search.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 7, EVALUATIONS = 2000 };

static struct balance_layers model(void)
{
    struct balance_layers layers = {.name = "175b",
                                    .layers = 96,
                                    .head = 0.05,
                                    .tail = 3.55,
                                    .head_backward = 0.1,
                                    .tail_backward = 7.1,
                                    .forward = 3.134,
                                    .has = {true, true, true, true, false},
                                    .activation_mb = {1002, 783, 695, 423, 0},
                                    .parameter_mb = 2217,
                                    .head_mb = 4614,
                                    .tail_mb = 5885,
                                    .constant_mb = 1206};
    static const double part[BALANCE_KINDS] = {0, 0.04, 0.125, 0.165, 0.5};
    for (int k = 0; k < BALANCE_KINDS; k++)
        layers.backward[k] = 2 * layers.forward * (1 + part[k]);
    return layers;
}

struct bench {
    struct balance_task task;
    struct balance_search *search;
    struct balance_answer answer;
    char *memory;
};

static void open_bench(struct bench *b, const struct balance_layers *layers, int32_t m)
{
    const struct balance_shape shape = {.stages = 16,
                                        .chunks = 3,
                                        .micro_batches = m,
                                        .pieces = 1,
                                        .order = BALANCE_LESS_MEMORY};
    const size_t counts = BALANCE_KINDS * 48 * sizeof(int32_t);
    struct room room = {NULL, 0};
    b->task = (struct balance_task){.layers = layers,
                                    .shape = shape,
                                    .limit_mb = 56000,
                                    .budget = BALANCE_BUDGET,
                                    .seed = 42};
    balance_search_take(layers, &shape, false, &room);
    b->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){b->memory, 0};
    b->search = balance_search_take(layers, &shape, false, &room);
    b->answer = (struct balance_answer){.best.strategy = {16, 3, malloc(counts)},
                                        .proxy.strategy = {16, 3, malloc(counts)}};
}

static void close_bench(struct bench *b)
{
    free(b->answer.best.strategy.count);
    free(b->answer.proxy.strategy.count);
    free(b->memory);
}

// A changed strategy: one layer moves to and fro.
static void evaluate(const struct balance_layers *layers, int32_t m)
{
    struct bench b;
    double forward[48], backward[48], best = 1e9, sum = 0;
    open_bench(&b, layers, m);
    struct balance_replay *replay = balance_search_replay(b.search);
    balance_replay_open(replay, NULL);
    for (int k = 0; k < 48; k++) {
        forward[k] = 2 * layers->forward;
        backward[k] = 2 * layers->backward[0];
    }
    for (int run = 0; run < RUNS; run++) {
        const double start = pps_cpu_seconds();
        for (int i = 0; i < EVALUATIONS; i++) {
            forward[i % 48] = (1 + i % 3) * layers->forward;
            sum += balance_makespan(replay, forward, backward);
        }
        const double seconds = pps_cpu_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    const double operations = 2.0 * 48 * m;
    printf("{\"bench\":\"evaluation\",\"stages\":16,\"chunks\":3,\"micro_batches\":%d,"
           "\"us\":%.3f,\"us_per_1000_operations\":%.3f,\"checksum\":%.6g}\n",
           m, best / EVALUATIONS * 1e6, best / EVALUATIONS * 1e6 / operations * 1000, sum);
    close_bench(&b);
}

static void search(const struct balance_layers *layers, int32_t m)
{
    struct bench b;
    double best = 1e9;
    open_bench(&b, layers, m);
    for (int run = 0; run < 3; run++) {
        const double start = pps_cpu_seconds();
        balance_search_run(b.search, &b.task, 1, NULL, 0, NULL, &b.answer);
        const double seconds = pps_cpu_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    printf("{\"bench\":\"search\",\"stages\":16,\"chunks\":3,\"micro_batches\":%d,\"s\":%.3f,"
           "\"step_time\":%.6g,\"bound\":%.6g,\"us_per_evaluation\":%.3f}\n",
           m, best, b.answer.best.makespan, b.answer.bound,
           best / (double)b.answer.evaluations * 1e6);
    close_bench(&b);
}

int main(void)
{
    const struct balance_layers layers = model();
    for (int32_t m = 16; m <= 64; m *= 2)
        evaluate(&layers, m);
    for (int32_t m = 16; m <= 64; m *= 2)
        search(&layers, m);
    return 0;
}
