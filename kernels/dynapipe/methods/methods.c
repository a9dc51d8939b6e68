// SPDX-License-Identifier: Apache-2.0
// Runs the scheduling method that a caller names, and collects its times and peaks.
#include "kernels/dynapipe/methods/methods_private.h"

#include <math.h>

const char *const method_names[METHODS] = {"wait-free-cyclic", "1F1B", "interleaved-1F1B",
                                           "cyclic", "fifo"};

bool method_allows(enum method method, enum assignment assignment)
{
    return method == METHOD_1F1B          ? assignment == ASSIGNMENT_LINEAR
           : method == METHOD_INTERLEAVED ? assignment == ASSIGNMENT_INTERLEAVED
                                          : true;
}

struct method_room *method_room_take(int32_t devices, int32_t stages, int32_t lane_room,
                                     struct room *room)
{
    struct method_room *taken = room_take(room, 1, sizeof *taken), counted;
    struct method_room *r = taken != NULL ? taken : &counted;
    const size_t s = (size_t)stages, d = (size_t)devices;
    for (int lane = 0; lane < LANES; lane++)
        for (int way = 0; way < 2; way++) {
            r->done[lane][way] = room_take(room, s, sizeof(int32_t));
            r->ready[lane][way] = room_take(room, s, sizeof(int32_t));
            r->released[lane][way] = room_take(room, s, sizeof(int32_t));
        }
    r->heads[0] = room_take(room, s, sizeof *r->heads[0]);
    r->heads[1] = room_take(room, s, sizeof *r->heads[1]);
    r->merged = room_take(room, 2 * s, sizeof *r->merged);
    r->memory = room_take(room, d, sizeof *r->memory);
    r->started = room_take(room, d, sizeof *r->started);
    r->finished = room_take(room, d, sizeof *r->finished);
    lanes_take(&r->queue, devices, lane_room, room);
    r->first = room_take(room, LANES * d, sizeof *r->first);
    r->running = room_take(room, LANES * d, sizeof *r->running);
    r->ended = room_take(room, LANES * d, sizeof *r->ended);
    r->ends = room_take(room, LANES * d, sizeof *r->ends);
    return taken;
}

static bool execute(const struct making *m)
{
    return lanes_execute(m->times, m->pipeline, m->batches, m->lanes);
}

// The published order loses much if micro-batches are fewer than devices; then the order without empty slots is tried,
// too. Either may stall.
static enum method_outcome run_interleaved(const struct making *m)
{
    interleaved_make(m, false);
    const bool done = execute(m);
    const double makespan = lanes_makespan(m->times);
    if (m->batches->count >= m->pipeline->devices)
        return done ? METHOD_DONE : METHOD_NO_SCHEDULE;
    interleaved_make(m, true);
    if (execute(m) && (!done || lanes_makespan(m->times) < makespan))
        return METHOD_DONE;
    if (!done)
        return METHOD_NO_SCHEDULE;
    interleaved_make(m, false);
    return execute(m) ? METHOD_DONE : METHOD_NO_SCHEDULE;
}

enum method_outcome method_run(enum method method, const struct dynapipe_pipeline *pipeline,
                               const struct micro_batches *batches,
                               const struct method_limits *limits, struct method_room *room,
                               struct lanes *lanes, struct lanes_times *times,
                               struct poll *poll)
{
    const struct making making = {pipeline, batches, limits, room, lanes, times, poll};
    enum method_outcome outcome = METHOD_DONE;
    switch (method) {
    case METHOD_1F1B:
        one_f_one_b_make(&making);
        return execute(&making) ? METHOD_DONE : METHOD_NO_SCHEDULE;
    case METHOD_INTERLEAVED:
        return run_interleaved(&making);
    case METHOD_FIFO:
        return fifo_make(&making);
    case METHOD_CYCLIC:
        return cyclic_make(&making);
    case METHOD_WAIT_FREE_CYCLIC:
        outcome = cyclic_make(&making);
        if (outcome == METHOD_DONE && !execute(&making))
            outcome = METHOD_NO_SCHEDULE;
        break;
    case METHODS:
        break;
    }
    return outcome;
}

// ---- the bound ------------------------------------------------------------------------------------

// Returns the time of the chain of a micro-batch before the forward of a stage and behind its backward; *whole: all of it.
static double ways(const struct micro_batches *b, int32_t micro_batch, int32_t stage, int way)
{
    double sum = 0;
    for (int32_t s = 0; s < stage; s++) {
        const int64_t at = micro_batches_at(b, micro_batch, s);
        sum +=
            way == 0 ? b->forward[at] + b->activation[at] : b->backward[at] + b->gradient[at];
    }
    return sum;
}

static double chain(const struct micro_batches *b, int32_t micro_batch)
{
    const int32_t last = b->stages - 1;
    const int64_t at = micro_batches_at(b, micro_batch, last);
    return ways(b, micro_batch, last, 0) + b->forward[at] + b->backward[at] +
           ways(b, micro_batch, last, 1);
}

// Returns the bound of a device whose first stage is `first`.
static double device_bound(const struct dynapipe_pipeline *pipeline,
                           const struct micro_batches *b, int32_t device, int32_t first)
{
    double before = HUGE_VAL, behind = HUGE_VAL, work = 0;
    for (int32_t m = 0; m < b->count; m++) {
        before = fmin(before, ways(b, m, first, 0));
        behind = fmin(behind, ways(b, m, first, 1));
        for (int32_t s = first; s < b->stages; s++)
            if (pipeline->device_of[s] == device) {
                const int64_t at = micro_batches_at(b, m, s);
                work += b->forward[at] + b->backward[at];
            }
    }
    return before + work + behind;
}

double method_bound(const struct dynapipe_pipeline *pipeline, const struct micro_batches *b)
{
    double most = 0;
    for (int32_t m = 0; m < b->count; m++)
        most = fmax(most, chain(b, m));
    for (int32_t d = 0; b->count > 0 && d < pipeline->devices; d++) {
        int32_t first = 0;
        while (first < pipeline->stages && pipeline->device_of[first] != d)
            first++;
        if (first < pipeline->stages)
            most = fmax(most, device_bound(pipeline, b, d, first));
    }
    return most;
}
