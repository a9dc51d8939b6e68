// SPDX-License-Identifier: Apache-2.0
// Prices the answers in other circumstances: a network between nodes that is twice as fast, times that fluctuate, and
// more memory.
#include "planner/tune/tuning.h"

#include "kernels/schedule/noise/noise.h"

#include <math.h>
#include <stdlib.h>

// Steps with fluctuating times: so many that about OPERATIONS are drawn.
enum { REPLICATES_LEAST = 32, REPLICATES_MOST = 4096, OPERATIONS = 200000 };

// Sets *seconds to the step of a training in other circumstances. Returns false when out of memory.
typedef bool price_function(const struct plan_mine *training, double *seconds);

static bool price_network(const struct plan_mine *training, double *seconds)
{
    struct configuration faster =
        training->plan.configuration; // the parts stay those of the other
    struct configuration_step step;
    faster.cluster.hardware.inter *= 2;
    const enum configuration_status done = configuration_step_brief(&step, &faster, NULL);
    *seconds = step.seconds;
    configuration_step_free(&step);
    return done == CONFIGURATION_DONE;
}

// ---- fluctuating times --------------------------------------------------------------------------

struct replay {
    struct executor *executor;
    struct executor_lanes *lanes;
    struct executor_times times;
};

static void take_replay(struct replay *replay, const struct configuration_step *step,
                        struct room *room)
{
    const struct pipeline_shape *shape = &step->work->shape;
    replay->executor = executor_take(shape, step->order->room, room);
    replay->lanes = executor_lanes_take(shape, room);
    noise_times_take(&replay->times, shape, false, room);
}

static uint32_t replicates_of(const struct order *order)
{
    const int64_t n = OPERATIONS / order_total(order);
    return n < REPLICATES_LEAST  ? REPLICATES_LEAST
           : n > REPLICATES_MOST ? REPLICATES_MOST
                                 : (uint32_t)n;
}

// Returns the mean time of the pipeline. It is not below the nominal time, except by chance.
static double mean_of(struct replay *replay, const struct configuration_step *step)
{
    const struct noise noise = {.seed = 1, .kind = NOISE_NORMAL, .level = TUNE_NOISE};
    struct executor_lanes_result result = {.starts = NULL};
    const uint32_t n = replicates_of(step->order);
    double sum = 0;
    uint32_t first = 0;
    if (executor_run(replay->executor, step->work, step->order, NULL, NULL) != EXECUTOR_DONE)
        return step->pipeline;
    for (; first < n; first += EXECUTOR_LANES) {
        noise_draw(&noise, step->work, first, &replay->times);
        executor_lanes_run(replay->executor, replay->lanes, &replay->times, &result);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++)
            sum += result.makespan[lane];
    }
    return fmax(step->pipeline, sum / first);
}

static bool price_noise(const struct plan_mine *training, double *seconds)
{
    const struct configuration_step *step = &training->step;
    struct replay replay;
    struct room room = {NULL, 0};
    take_replay(&replay, step, &room);
    char *memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (memory == NULL)
        return false;
    room = (struct room){memory, 0};
    take_replay(&replay, step, &room);
    *seconds = step->seconds - step->pipeline + mean_of(&replay, step);
    free(memory);
    return true;
}

// ---- all answers --------------------------------------------------------------------------------

// Finds the fastest answer by this price. Risky ones count only where all are.
static bool price_answers(const struct tuning *t, price_function *price,
                          struct tune_what_if *result)
{
    *result = (struct tune_what_if){.row = -1};
    for (int k = 0; k < t->n; k++) {
        double seconds;
        if (!price(&t->answers[k].written.mine, &seconds))
            return false;
        if (k == 0)
            result->first = seconds;
        if (t->answers[k].safe == t->answers[0].safe &&
            (result->row < 0 || seconds < result->seconds)) {
            result->row = k;
            result->seconds = seconds;
        }
    }
    return true;
}

enum pps_status tune_price_answers(struct tuning *t, struct pps_error *err)
{
    t->noisy_mine = t->mine.step.seconds;
    if (!price_answers(t, price_network, &t->network) ||
        !price_answers(t, price_noise, &t->noise) ||
        (t->mine.has && t->mine.step.order != NULL && !price_noise(&t->mine, &t->noisy_mine)))
        return pps_fail_memory(err, "the step");
    return t->n > 0 && !tune_ended(t) ? tune_price_memory(t, err) : PPS_OK;
}
