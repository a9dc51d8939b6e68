// SPDX-License-Identifier: Apache-2.0
// Speed of pipeline schedules: executing a new order, and a known order with other times; times of
// replicates; policies; the automatic schedulers; the exact optimum. One JSON line per measurement, CPU
// time, the least of several runs. Not a test: a wrong makespan is a failure, a slow machine is not.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system/machine.h"
#include "kernels/common/executor/lanes_private.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/noise/noise.h"
#include "kernels/schedule/online/limited.h"
#include "kernels/schedule/online/pull.h"

enum { RUNS = 9 };

struct bench {
    struct pipeline *pipeline;
    struct order *order;
    struct executor *executor;
    struct executor_lanes *lanes;
    struct executor_times times;
    void *family_memory;
    char *memory;
};

static void take_lanes(struct bench *b, const struct pipeline_shape *shape, struct room *room)
{
    const size_t n = (size_t)shape->directions * (size_t)shape->stages *
                     (size_t)shape->micro_batches * EXECUTOR_LANES;
    b->lanes = executor_lanes_take(shape, room);
    for (int k = 0; k < 3; k++)
        b->times.time[k] = room_take(room, n, sizeof(double));
    for (int k = 0; k < 2; k++)
        b->times.delay[k] = room_take(room, n, sizeof(double));
}

static struct bench open_bench(const struct family *family,
                               const struct family_options *options, int32_t p, int32_t m,
                               int32_t v)
{
    struct bench b = {.order = NULL};
    const struct pipeline_shape shape = {p, p * family->chunks(v), m, 1, family->directions};
    struct room room = {NULL, 0};
    b.pipeline = pipeline_new(&shape);
    pipeline_place(b.pipeline, family->placement);
    b.order = order_new(p, order_room(b.pipeline, false));
    for (int pass = 0; pass < 2; pass++) {
        b.executor = executor_take(&shape, b.order->room, &room);
        take_lanes(&b, &shape, &room);
        b.family_memory = family_take(family, &shape, options, &room);
        if (pass == 0) {
            b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
            room = (struct room){b.memory, 0};
        }
    }
    return b;
}

static void close_bench(struct bench *b)
{
    pipeline_free(b->pipeline);
    order_free(b->order);
    free(b->memory);
}

static void set_times(struct pipeline *p, double f, double b, double w, double latency)
{
    pipeline_set_uniform(p,
                         &(struct pipeline_stage){.f = f, .b = b, .w = w, .kept_until_w = 1});
    p->links.latency = latency;
}

// ---- execution ----------------------------------------------------------------------------------

// Repeats an action until it has taken some milliseconds; returns the least time of one, in s.
#define LEAST(seconds, repeats, ...)                                                           \
    do {                                                                                       \
        (seconds) = HUGE_VAL;                                                                  \
        for (int run_ = 0; run_ < RUNS; run_++) {                                              \
            const double start_ = pps_cpu_seconds();                                           \
            for (int k_ = 0; k_ < (repeats); k_++)                                             \
                __VA_ARGS__;                                                                   \
            (seconds) = fmin(seconds, (pps_cpu_seconds() - start_) / (repeats));               \
        }                                                                                      \
    } while (0)

// Executes the order of the last run in lanes, with the times of the pipeline. again: time of
// executor_run_again.
static bool execute_lanes(struct bench *b, const char *name, double again, int repeats)
{
    static const char *const names[EXECUTOR_N_SETS] = {"pair", "avx2", "avx512"};
    struct executor_lanes_result result = {.starts = NULL};
    const double n = (double)order_total(b->order) * EXECUTOR_LANES;
    bool ok = true;
    noise_draw(&(struct noise){.level = 0}, b->pipeline, 0, &b->times);
    for (int set = 0; set < EXECUTOR_N_SETS; set++) {
        double seconds;
        if (!executor_lanes_choose(b->lanes, (enum executor_lanes_set)set))
            continue;
        LEAST(seconds, repeats, executor_lanes_run(b->executor, b->lanes, &b->times, &result));
        for (int lane = 0; lane < EXECUTOR_LANES; lane++)
            ok = ok && result.makespan[lane] == executor_makespan(b->executor) &&
                 result.span[lane] == executor_span(b->executor);
        printf(
            "{\"name\":\"schedule_lanes\",\"family\":\"%s\",\"p\":%d,\"m\":%d,\"set\":\"%s\","
            "\"us_per_1000\":%.3f,\"times_faster_than_again\":%.2f}\n",
            name, b->pipeline->shape.devices, b->pipeline->shape.micro_batches, names[set],
            seconds / n * 1e9, again * EXECUTOR_LANES / seconds);
    }
    return ok;
}

static bool execute(const char *name, int32_t p, int32_t m, int32_t v)
{
    const struct family *family = family_named(name);
    const struct family_options options = {.group = 0};
    struct bench b = open_bench(family, &options, p, m, v);
    set_times(b.pipeline, 2, 3, 1, 0);
    bool ok =
        family_build(family,
                     &(struct family_task){b.pipeline, &options, b.family_memory, NULL, b.order,
                                           &(struct family_result){.value = 0}}) == FAMILY_DONE;
    const double n = (double)order_total(b.order);
    const int repeats = (int)fmax(1, 2e6 / n);
    double new_order, again;
    double *durations =
        calloc((size_t)b.order->devices * (size_t)b.order->room, sizeof *durations);
    LEAST(new_order, repeats,
          ok =
              executor_run(b.executor, b.pipeline, b.order, NULL, NULL) == EXECUTOR_DONE && ok);
    const double makespan = executor_makespan(b.executor);
    for (int32_t d = 0; d < b.order->devices; d++)
        for (int32_t i = 0; i < b.order->n[d]; i++) {
            const int64_t at = order_at(b.order, d, i);
            durations[at] = executor_ends(b.executor)[at] - executor_starts(b.executor)[at];
        }
    LEAST(again, repeats, executor_run_again(b.executor, durations, NULL));
    ok = ok && executor_makespan(b.executor) == makespan;
    printf("{\"name\":\"schedule_execute\",\"family\":\"%s\",\"p\":%d,\"m\":%d,\"v\":%d,"
           "\"operations\":%.0f,\"new_million_per_s\":%.1f,\"again_us_per_1000\":%.2f}\n",
           name, p, m, v, n, n / new_order / 1e6, again / n * 1e9);
    ok = execute_lanes(&b, name, again, repeats / EXECUTOR_LANES + 1) && ok;
    free(durations);
    close_bench(&b);
    return ok;
}

// ---- times of replicates ------------------------------------------------------------------------

// Draws 1000 replicates; the mean of all times must be near the nominal one.
static bool draw_times(const char *model, const struct noise *noise)
{
    enum { P = 8, M = 32, REPLICATES = 1000 };
    const struct pipeline_shape shape = {P, P, M, 1, 1};
    struct pipeline *pipeline = pipeline_new(&shape);
    struct executor_times times;
    struct room room = {NULL, 0};
    noise_times_take(&times, &shape, false, &room);
    room = (struct room){aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
    noise_times_take(&times, &shape, false, &room);
    pipeline_place(pipeline, PIPELINE_LOOP);
    set_times(pipeline, 12, 13, 7, 1);
    double seconds, sum = 0;
    LEAST(seconds, 1, {
        sum = 0;
        for (uint32_t first = 0; first < REPLICATES; first += EXECUTOR_LANES) {
            noise_draw(noise, pipeline, first, &times);
            for (int i = 0; i < P * M * EXECUTOR_LANES; i += 5)
                sum += times.time[0][i] / (12.0 * P * M * REPLICATES / 5);
        }
    });
    printf("{\"name\":\"schedule_draws\",\"model\":\"%s\",\"p\":%d,\"m\":%d,\"ns_per_"
           "operation\":%.2f}\n",
           model, P, M, seconds / (3.0 * P * M * REPLICATES) * 1e9);
    free(room.memory);
    pipeline_free(pipeline);
    return fabs(sum - 1) < 0.01;
}

// ---- policies -------------------------------------------------------------------------------------

struct policy_bench {
    struct pipeline *pipeline;
    struct executor_times times;
    struct pull *pull;
    struct limited *limited;
    char *memory;
};

static struct policy_bench open_policies(const struct pipeline_shape *shape)
{
    struct policy_bench b = {.pipeline = pipeline_new(shape)};
    struct room room = {NULL, 0};
    pipeline_place(b.pipeline, PIPELINE_LOOP);
    set_times(b.pipeline, 12, 13, 7, 1);
    for (int pass = 0; pass < 2; pass++) {
        noise_times_take(&b.times, shape, false, &room);
        b.pull = pull_take(shape, order_room(b.pipeline, false), &room);
        b.limited = limited_take(shape, &room);
        if (pass == 0)
            room = (struct room){b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
    }
    return b;
}

// 1000 replicates of PULL(0.5, 0) on the order of ZB-H1, with their draws.
static bool run_policies(double level, double least, double most)
{
    enum { P = 8, M = 32, REPLICATES = 1000 };
    struct policy_bench b = open_policies(&(struct pipeline_shape){P, P, M, 1, 1});
    const struct noise noise = {.level = level, .message_level = level};
    const struct pull_rule rule = {0.5, 0, PULL_UNLIMITED};
    struct order *order = order_new(P, order_room(b.pipeline, false));
    double makespan[EXECUTOR_LANES], both, draws, bounds, sum = 0;
    bool ok = family_build(family_named("zb_h1"),
                           &(struct family_task){
                               b.pipeline, &(struct family_options){.group = 0}, NULL, NULL,
                               order, &(struct family_result){.value = 0}}) == FAMILY_DONE;
    pull_open(b.pull, b.pipeline, order);
    limited_open(b.limited, b.pipeline);
    LEAST(draws, 1, {
        for (uint32_t first = 0; first < REPLICATES; first += EXECUTOR_LANES)
            noise_draw(&noise, b.pipeline, first, &b.times);
    });
    LEAST(both, 1, {
        sum = 0;
        for (uint32_t first = 0; first < REPLICATES; first += EXECUTOR_LANES) {
            noise_draw(&noise, b.pipeline, first, &b.times);
            pull_run(b.pull, &rule, &b.times, makespan);
            for (int lane = 0; lane < EXECUTOR_LANES; lane++)
                sum += makespan[lane] / REPLICATES;
        }
    });
    LEAST(bounds, 1, {
        for (uint32_t first = 0; first < REPLICATES; first += EXECUTOR_LANES)
            limited_bounds(b.limited, &b.times, true, makespan);
    });
    printf("{\"name\":\"schedule_policy\",\"policy\":\"pull\",\"p\":%d,\"m\":%d,\"level\":%g,"
           "\"replicates\":%d,\"ms\":%.2f,\"ms_draws\":%.2f,\"ns_per_operation\":%.2f,"
           "\"ms_bounds\":%.2f,\"makespan\":%.1f}\n",
           P, M, level, REPLICATES, both * 1e3, draws * 1e3,
           (both - draws) / (3.0 * P * M * REPLICATES) * 1e9, bounds * 1e3, sum);
    order_free(order);
    pipeline_free(b.pipeline);
    free(b.memory);
    return ok && sum > least && sum < most;
}

// ---- schedulers ---------------------------------------------------------------------------------

struct case_of {
    const char *name;
    int32_t p, m;
    double limit, f, b, w, latency;
    bool published;
    enum family_objective objective;
    int64_t budget;
    int runs;
};

static bool schedule(const struct case_of *c)
{
    const struct family *family = family_named(c->name);
    const struct family_options options = {.published = c->published,
                                           .objective = c->objective,
                                           .budget = c->budget,
                                           .seed = 42};
    struct bench b = open_bench(family, &options, c->p, c->m, 1);
    struct family_result result = {.value = 0};
    double seconds = HUGE_VAL;
    bool ok = true;
    set_times(b.pipeline, c->f, c->b, c->w, c->latency);
    for (int32_t d = 0; d < c->p; d++)
        b.pipeline->limit[d] = c->limit;
    for (int run = 0; run < c->runs; run++) {
        order_clear(b.order);
        result = (struct family_result){.value = 0};
        const double start = pps_cpu_seconds();
        ok = family_build(family, &(struct family_task){b.pipeline, &options, b.family_memory,
                                                        NULL, b.order, &result}) == FAMILY_DONE;
        seconds = fmin(seconds, pps_cpu_seconds() - start);
    }
    ok = ok && executor_run(b.executor, b.pipeline, b.order, NULL, NULL) == EXECUTOR_DONE;
    printf("{\"name\":\"schedule_build\",\"family\":\"%s\",\"published\":%s,\"p\":%d,\"m\":%d,"
           "\"limit\":%g,\"ms\":%.3f,\"makespan\":%g,\"span\":%g,\"bound\":%g,\"proven\":%s,"
           "\"evaluations\":%lld}\n",
           c->name, c->published ? "true" : "false", c->p, c->m, c->limit, seconds * 1e3,
           executor_makespan(b.executor), executor_span(b.executor), result.bound,
           result.proven ? "true" : "false", (long long)result.evaluations);
    close_bench(&b);
    return ok;
}

int main(void)
{
    static const struct case_of cases[] = {
        {"zb_auto", 32, 256, 64, 12, 13, 7, 1, true, FAMILY_SPAN, 0, 5},
        {"zb_auto", 32, 256, 64, 12, 13, 7, 1, false, FAMILY_SPAN, 0, 5},
        {"v_half", 8, 32, HUGE_VAL, 1, 1, 1, 0, true, FAMILY_MAKESPAN, 0, 5},
        {"v_half", 8, 32, HUGE_VAL, 1, 1, 1, 0, false, FAMILY_MAKESPAN, 0, 5},
        {"zb_ilp", 4, 8, 4, 1, 1, 1, 0, false, FAMILY_SPAN, 1000000000, 1},
        {"zb_ilp", 5, 10, 5, 1, 1, 1, 0, false, FAMILY_SPAN, 1000000000, 1},
        {"zb_ilp", 4, 32, 4, 1, 1, 1, 0, false, FAMILY_SPAN, 1000000000, 1},
    };
    bool ok = execute("one_f_one_b", 8, 48, 1);
    ok = execute("zb_h1", 8, 32, 1) && ok;
    ok = execute("one_f_one_b", 32, 256, 1) && ok;
    ok = execute("zb_h1", 32, 256, 1) && ok;
    ok = execute("interleaved", 32, 256, 2) && ok;
    ok = draw_times("normal", &(struct noise){.level = 0.2}) && ok;
    ok = draw_times("normal, messages", &(struct noise){.level = 0.2, .message_level = 0.2}) &&
         ok;
    ok = draw_times("lognormal", &(struct noise){.kind = NOISE_LOGNORMAL, .level = 0.2}) && ok;
    ok = draw_times("gamma", &(struct noise){.kind = NOISE_GAMMA, .level = 0.2}) && ok;
    ok = draw_times("outliers",
                    &(struct noise){.level = 0.2, .outlier_p = 0.02, .outlier_k = 20}) &&
         ok;
    ok = run_policies(0, 1178 - 1e-9, 1178 + 1e-9) && ok;
    ok = run_policies(0.3, 1278, 1290) && ok;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok = schedule(&cases[i]) && ok;
    return ok ? 0 : 1;
}
