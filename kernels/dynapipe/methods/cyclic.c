// SPDX-License-Identifier: Apache-2.0
// The cyclic rule: in every cycle each lane runs the heads of its queues, one of each stage and direction. Queues
// are in the order of the micro-batches, so that two numbers describe a queue.
#include "kernels/dynapipe/methods/methods_private.h"

#include <math.h>
#include <string.h>

static void clear(const struct making *m)
{
    struct method_room *r = m->room;
    const size_t stages = (size_t)m->pipeline->stages, devices = (size_t)m->pipeline->devices;
    for (int lane = 0; lane < LANES; lane++)
        for (int way = 0; way < 2; way++) {
            memset(r->done[lane][way], 0, stages * sizeof(int32_t));
            memset(r->ready[lane][way], 0, stages * sizeof(int32_t));
            memset(r->released[lane][way], 0, stages * sizeof(int32_t));
        }
    memcpy(r->memory, m->pipeline->state, devices * sizeof *r->memory);
    memset(r->started, 0, devices * sizeof *r->started);
    memset(r->finished, 0, devices * sizeof *r->finished);
    r->ready[LANE_COMPUTE][0][0] = m->batches->count;
}

static bool is_first_stage(const struct dynapipe_pipeline *pipeline, int32_t stage)
{
    for (int32_t s = 0; s < stage; s++)
        if (pipeline->device_of[s] == pipeline->device_of[stage])
            return false;
    return true;
}

// Returns whether a forward has to wait for memory or for a backward.
static bool is_held(const struct making *m, const struct lane_operation *op)
{
    const struct method_limits *limits = m->limits;
    const int32_t d = m->pipeline->device_of[op->stage];
    if (limits == NULL || op->backward || op->micro_batch == 0)
        return false;
    const bool begins = limits->as_published ? op->micro_batch > m->room->started[d]
                                             : is_first_stage(m->pipeline, op->stage);
    if (!begins)
        return false;
    const int64_t at = micro_batches_at(m->batches, op->micro_batch, op->stage);
    const double needs =
        fmax(m->batches->peak[at], m->batches->stored[at] + m->batches->backward_peak[at]);
    if (limits->by_memory && m->room->memory[d] + needs > m->pipeline->limit[d])
        return true;
    const int32_t most =
        limits->in_flight_of != NULL ? limits->in_flight_of[d] : limits->in_flight;
    return most > 0 && m->room->started[d] - m->room->finished[d] >= most;
}

static void count(const struct making *m, const struct lane_operation *op)
{
    struct method_room *r = m->room;
    const int32_t d = m->pipeline->device_of[op->stage];
    const int64_t at = micro_batches_at(m->batches, op->micro_batch, op->stage);
    int32_t *counter = op->backward ? &r->finished[d] : &r->started[d];
    r->memory[d] += op->backward ? -m->batches->stored[at] : m->batches->stored[at];
    if (m->limits != NULL && m->limits->as_published)
        *counter = op->micro_batch > *counter ? op->micro_batch : *counter;
    else
        *counter += is_first_stage(m->pipeline, op->stage);
}

// Appends the head of a queue in the order of micro-batches.
static int32_t insert(struct lane_operation *heads, int32_t n,
                      const struct lane_operation *head)
{
    int32_t k = n;
    for (; k > 0 && heads[k - 1].micro_batch > head->micro_batch; k--)
        heads[k] = heads[k - 1];
    heads[k] = *head;
    return n + 1;
}

// Lists the heads of the queues of a lane: backwards and forwards take turns, a backward first. Returns their number.
static int32_t list_heads(const struct making *m, enum lane lane, int32_t device)
{
    struct method_room *r = m->room;
    int32_t n[2] = {0, 0}, all = 0;
    for (int32_t s = 0; s < m->pipeline->stages; s++)
        for (int way = 0; way < 2 && m->pipeline->device_of[s] == device; way++)
            if (r->done[lane][way][s] < r->ready[lane][way][s]) {
                const struct lane_operation head = {.micro_batch = r->done[lane][way][s],
                                                    .stage = s,
                                                    .backward = way == 1};
                n[way] = insert(r->heads[way], n[way], &head);
            }
    for (int32_t k = 0; k < n[0] || k < n[1]; k++)
        for (int way = 1; way >= 0; way--)
            if (k < n[way])
                r->merged[all++] = r->heads[way][k];
    return all;
}

// Lets the operation behind one that has run wait in its queue.
static void release(const struct making *m, enum lane lane, const struct lane_operation *op)
{
    struct method_room *r = m->room;
    const int32_t s = op->stage;
    if (lane == LANE_SEND)
        r->released[LANE_COMPUTE][op->backward][op->backward ? s - 1 : s + 1]++;
    else if (lane_sends(m->pipeline->stages, op))
        r->released[LANE_SEND][op->backward][s]++;
    else if (!op->backward)
        r->released[LANE_COMPUTE][1][s]++;
}

// Runs a cycle of a lane from time `t`; *last: the latest end so far. Returns the number of operations.
static int32_t run_lane(const struct making *m, enum lane lane, int32_t device, double t,
                        double *last)
{
    const int32_t n = list_heads(m, lane, device);
    int32_t ran = 0;
    for (int32_t k = 0; k < n; k++) {
        const struct lane_operation *op = &m->room->merged[k];
        if (lane == LANE_COMPUTE && is_held(m, op))
            continue;
        const double end = t + lane_duration(m->batches, lane, op);
        lanes_add(m->lanes, lane, device, op);
        lanes_set(m->times, lane, op, t, end);
        m->room->done[lane][op->backward][op->stage]++;
        release(m, lane, op);
        if (lane == LANE_COMPUTE)
            count(m, op);
        t = end;
        *last = end > *last ? end : *last;
        ran++;
    }
    return ran;
}

// Shows what the lanes have released to the queues of a lane.
static void show(const struct making *m, enum lane lane)
{
    struct method_room *r = m->room;
    for (int way = 0; way < 2; way++)
        for (int32_t s = 0; s < m->pipeline->stages; s++) {
            r->ready[lane][way][s] += r->released[lane][way][s];
            r->released[lane][way][s] = 0;
        }
}

enum method_outcome cyclic_make(const struct making *m)
{
    const int64_t all = (int64_t)m->batches->count * (4 * (int64_t)m->pipeline->stages - 2);
    int64_t sum = 0;
    double t = 0;
    clear(m);
    lanes_clear(m->lanes);
    for (int32_t ran = 1; ran > 0;) {
        double last = t;
        if (poll_over_after(m->poll, (uint64_t)m->pipeline->stages))
            return METHOD_STOPPED;
        ran = 0;
        for (int32_t d = 0; d < m->pipeline->devices; d++)
            ran += run_lane(m, LANE_COMPUTE, d, t, &last);
        show(m, LANE_SEND);
        for (int32_t d = 0; d < m->pipeline->devices; d++)
            ran += run_lane(m, LANE_SEND, d, t, &last);
        show(m, LANE_COMPUTE);
        t = last;
        sum += ran;
    }
    lanes_set_makespan(m->times, t);
    return sum == all ? METHOD_DONE : METHOD_NO_SCHEDULE;
}
