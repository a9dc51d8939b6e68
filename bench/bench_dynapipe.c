// SPDX-License-Identifier: Apache-2.0
// Speed of planning micro-batches that differ: evaluations of plans by the fast and the general evaluator, plans in all
// modes, division of samples, instructions, and the scratch of a plan. One JSON line per measurement, CPU time, the least of
// several runs. Not a test: a wrong makespan is a failure, a slow machine is not.
#include "base/math/random.h"
#include "base/system/machine.h"
#include "kernels/dynapipe/instructions/instructions_check.h"
#include "kernels/dynapipe/reference.h"
#include "kernels/dynapipe/search/plan_search.h"
#include "kernels/dynapipe/split/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 5, EVALUATIONS = 20000 };

struct bench {
    struct dynapipe_pipeline pipeline;
    struct micro_batches of[DYNAPIPE_RECOMPUTE_TYPES];
    struct plan_request request;
    struct plan_search *search;
    struct linear *linear;
    struct linear_plan plan;
    struct micro_batches ordered;
    struct rule rule;
    struct rule_plan rule_plan;
    struct instructions in;
    struct instruction_room *made;
    struct instruction_check *check;
    int32_t *device_of;
    double *state, *limit;
    size_t search_bytes;
    char *memory;
};

static double draw(uint64_t number)
{
    return (double)pps_random_53(21, number, 1) / 9007199254740992.0;
}

static void take(struct bench *b, int32_t stages, int32_t count, struct room *room)
{
    const struct plan_size size = {stages, stages, 1, count};
    b->device_of = room_take(room, (size_t)stages, sizeof *b->device_of);
    b->state = room_take(room, (size_t)stages, sizeof *b->state);
    b->limit = room_take(room, (size_t)stages, sizeof *b->limit);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        micro_batches_take(&b->of[type], count, stages, room);
    micro_batches_take(&b->ordered, count, stages, room);
    const size_t before = room->used;
    b->search = plan_search_take(&size, room);
    b->search_bytes = room->used - before;
    b->linear = linear_take(count, stages, room);
    linear_plan_take(&b->plan, count, stages, room);
    rule_take(&b->rule, &size, room);
    rule_plan_take(&b->rule_plan, &size, room);
    instructions_take(&b->in, stages, stages, 1, count, room);
    b->made = instruction_room_take(&b->in, room);
    b->check = instruction_check_take(&b->in, 1, room);
}

static void fill(struct bench *b)
{
    static const double backward[] = {2, 3, 2.4}, stored[] = {1, 0.1, 0.375};
    for (int32_t m = 0; m < b->of[0].count; m++) {
        const double size = 0.3 + 3 * draw(2 * (uint64_t)m) * draw(2 * (uint64_t)m + 1);
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
            for (int32_t s = 0; s < b->of[0].stages; s++) {
                const int64_t at = micro_batches_at(&b->of[type], m, s);
                b->of[type].forward[at] = 8000 * size;
                b->of[type].backward[at] = 8000 * size * backward[type];
                b->of[type].stored[at] = 400 * size * stored[type];
                b->of[type].peak[at] = 500 * size;
                b->of[type].activation[at] = b->of[type].gradient[at] =
                    s < b->of[0].stages - 1 ? 300 * size : 0;
            }
    }
}

static void open_bench(struct bench *b, int32_t stages, int32_t count, double limit)
{
    struct room room = {NULL, 0};
    take(b, stages, count, &room);
    b->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){b->memory, 0};
    take(b, stages, count, &room);
    for (int32_t s = 0; s < stages; s++) {
        b->device_of[s] = s;
        b->state[s] = 1000;
        b->limit[s] = limit;
    }
    b->pipeline = (struct dynapipe_pipeline){stages, stages, b->device_of, b->state, b->limit};
    fill(b);
    b->request = (struct plan_request){
        .task = {.pipeline = &b->pipeline, .of = {&b->of[0], &b->of[1], &b->of[2]}, .seed = 1},
        .method = PLAN_ANY_METHOD};
    linear_open(b->linear, &b->pipeline, b->request.task.of);
}

// Sets both forms of a plan to 1F1B in the order given.
static void set_plans(struct bench *b)
{
    const int32_t count = b->of[0].count, stages = b->of[0].stages;
    for (int32_t m = 0; m < count; m++)
        b->plan.order[m] = b->rule_plan.order[m] = m;
    for (int32_t s = 0; s < stages; s++) {
        b->plan.warm_up[s] = stages - s < count ? stages - s : count;
        b->rule_plan.in_flight[s] = 0;
    }
    for (int32_t at = 0; at < count * stages; at++)
        b->plan.recompute[at] = b->rule_plan.recompute[at] = 0;
    b->rule_plan.method = METHOD_1F1B;
    b->rule_plan.by_memory = false;
}

static double seconds_of(double (*work)(struct bench *), struct bench *b, int times,
                         double *result)
{
    double best = HUGE_VAL;
    for (int run = 0; run < RUNS; run++) {
        const double start = pps_cpu_seconds();
        for (int i = 0; i < times; i++)
            *result = work(b);
        best = fmin(best, (pps_cpu_seconds() - start) / times);
    }
    return best;
}

static double evaluate_fast(struct bench *b)
{
    return linear_evaluate(b->linear, &b->plan, HUGE_VAL);
}

static double evaluate_general(struct bench *b)
{
    rule_evaluate(&b->rule, &b->request.task, &b->rule_plan, false, NULL);
    return b->rule.makespan;
}

static double evaluate_plain(struct bench *b)
{
    return dynapipe_replay(&b->pipeline, &b->rule.ordered, &b->rule.lanes);
}

static int evaluations(int32_t stages, int32_t count)
{
    struct bench b;
    double fast, general, plain;
    open_bench(&b, stages, count, HUGE_VAL);
    set_plans(&b);
    const double t = seconds_of(evaluate_fast, &b, EVALUATIONS, &fast),
                 u = seconds_of(evaluate_general, &b, EVALUATIONS / 20, &general),
                 v = seconds_of(evaluate_plain, &b, EVALUATIONS / 20, &plain);
    printf("{\"bench\":\"evaluation\",\"stages\":%d,\"micro_batches\":%d,\"per_s\":%.0f,"
           "\"general_per_s\":%.0f,"
           "\"plain_per_s\":%.0f,\"ratio_to_general\":%.1f,\"ratio_to_plain\":%.1f,"
           "\"makespan\":%.6g}\n",
           (int)stages, (int)count, 1 / t, 1 / u, 1 / v, u / t, v / t, fast);
    free(b.memory);
    return fabs(fast - general) <= 1e-9 * fast && fabs(fast - plain) <= 1e-9 * fast ? 0 : 1;
}

// ---- plans ----------------------------------------------------------------------------------------

// Plans once in a mode. *normal: the makespan of mode normal, if it fits.
static bool plan(int32_t stages, int32_t count, double limit, enum plan_mode mode,
                 double *normal)
{
    struct bench b;
    struct plan_answer answer;
    double least = HUGE_VAL;
    open_bench(&b, stages, count, limit);
    b.request.mode = mode;
    for (int run = 0; run < 3; run++) {
        const double start = pps_cpu_seconds();
        plan_search_run(b.search, &b.request, NULL, &answer);
        least = fmin(least, pps_cpu_seconds() - start);
    }
    if (mode == PLAN_NORMAL)
        *normal = answer.fits ? answer.makespan : 0;
    printf("{\"bench\":\"plan\",\"stages\":%d,\"micro_batches\":%d,\"limit_mb\":%.0f,\"mode\":"
           "\"%s\","
           "\"ms\":%.2f,\"fits\":%s,\"makespan_ms\":%.3f,\"of_normal\":%.4f,\"evaluations\":%"
           "lld}\n",
           (int)stages, (int)count, limit, plan_mode_names[mode], 1e3 * least,
           answer.fits ? "true" : "false", answer.makespan / 1000,
           *normal > 0 && answer.fits ? answer.makespan / *normal : 0,
           (long long)answer.evaluations);
    free(b.memory);
    return answer.fits || mode == PLAN_FAST;
}

static int plans(int32_t stages, int32_t count, double limit)
{
    static const enum plan_mode modes[] = {PLAN_NORMAL, PLAN_FAST, PLAN_QUICK, PLAN_BEST};
    double normal = 0;
    bool fits = true;
    for (int k = 0; k < 4; k++)
        fits = plan(stages, count, limit, modes[k], &normal) && fits;
    return fits ? 0 : 1;
}

static int instruct(int32_t stages, int32_t count)
{
    struct bench b;
    struct plan_answer answer;
    int32_t tensors[64];
    char text[256];
    double peaks[64], makespan = 0, best = HUGE_VAL;
    bool valid = true;
    open_bench(&b, stages, count, 5000);
    b.request.mode = PLAN_QUICK;
    plan_search_run(b.search, &b.request, NULL, &answer);
    for (int s = 0; s < 64; s++)
        tensors[s] = 1;
    for (int run = 0; run < 100; run++) {
        const double start = pps_cpu_seconds();
        instructions_make(&b.in, &b.pipeline, &answer.rule->lanes, answer.rule->times, tensors,
                          true, b.made);
        valid = valid && instructions_check(&b.in, &b.pipeline, &answer.rule->ordered, tensors,
                                            true, b.check, &makespan, peaks, text, sizeof text);
        best = fmin(best, pps_cpu_seconds() - start);
    }
    printf("{\"bench\":\"instructions\",\"stages\":%d,\"micro_batches\":%d,\"ms\":%.3f,"
           "\"search_bytes\":%zu}\n",
           (int)stages, (int)count, 1e3 * best, b.search_bytes);
    free(b.memory);
    return valid && makespan == answer.makespan ? 0 : 1;
}

// ---- division -------------------------------------------------------------------------------------

enum { SAMPLES = 1024, ROWS = 128 };

// Costs of a layer as a smooth function of the shape.
static bool cost(void *self, enum dynapipe_recompute recompute, int32_t rows, int32_t input,
                 int32_t target, struct split_layer_cost *out)
{
    const double tokens = (double)rows * input, answers = (double)rows * target;
    (void)self;
    (void)recompute;
    *out =
        (struct split_layer_cost){.encoder = 1e-4 * tokens * (1 + input / 4096.0),
                                  .decoder = 1e-4 * answers * (2 + (input + target) / 4096.0),
                                  .postprocess = 1e-5 * (tokens + answers),
                                  .encoder_stored = 1e-3 * tokens,
                                  .decoder_stored = 2e-3 * answers,
                                  .encoder_peak = 2e-3 * tokens,
                                  .decoder_peak = 3e-3 * answers};
    return rows <= ROWS;
}

static int divide(bool decoder)
{
    static int32_t input[SAMPLES], target[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
        input[k] = (int32_t)(16 + 2000 * draw(4000 + (uint64_t)k) * draw(8000 + (uint64_t)k));
        target[k] = (int32_t)(8 + 300 * draw(12000 + (uint64_t)k));
    }
    const struct split_samples samples = {SAMPLES, input, decoder ? target : NULL, 0, NULL};
    const struct split_task task = {.samples = &samples,
                                    .pipeline = {4, 1, 4, 1, decoder},
                                    .costs = {cost, NULL},
                                    .available = 400};
    struct split_result result;
    struct room room = {NULL, 0};
    split_memory_take(SAMPLES, ROWS, &room);
    char *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){memory, 0};
    struct split_memory *taken = split_memory_take(SAMPLES, ROWS, &room);
    enum split_outcome outcome = SPLIT_STOPPED;
    double least = HUGE_VAL;
    for (int run = 0; run < RUNS; run++) {
        const double start = pps_cpu_seconds();
        outcome = split_run(taken, &task, NULL, &result);
        least = fmin(least, pps_cpu_seconds() - start);
    }
    printf("{\"bench\":\"division\",\"samples\":%d,\"decoder\":%s,\"ms\":%.3f,\"micro_"
           "batches\":%d,\"objective\":%.6g}\n",
           SAMPLES, decoder ? "true" : "false", 1e3 * least, (int)result.count,
           result.objective);
    free(memory);
    return outcome == SPLIT_FOUND ? 0 : 1;
}

int main(void)
{
    int failed = evaluations(4, 8) | evaluations(8, 16) | evaluations(16, 64);
    failed |= plans(4, 8, 3200) | plans(4, 16, 3200) | plans(8, 16, 4200) | plans(16, 64, 6000);
    failed |= divide(false) | divide(true);
    failed |= instruct(8, 16) | instruct(16, 64);
    return failed;
}
