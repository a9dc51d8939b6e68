// SPDX-License-Identifier: Apache-2.0
// Executes lanes: every lane runs as far as its inputs allow, until all have run.
#include "kernels/dynapipe/methods/lanes.h"

#include <string.h>

struct lanes_times {
    int32_t stages;
    double *start[LANES][2],
        *end[LANES][2]; // [backward][micro_batch * stages + stage]; end < 0: has not run
    int32_t *next;      // [devices * LANES]: position of the next operation
    double *free_at;    // [devices * LANES]
    int32_t *waiting;   // [devices * LANES]: lanes to look at, a stack
    bool *is_waiting;
    double makespan;
};

void lanes_take(struct lanes *lanes, int32_t devices, int32_t room, struct room *memory)
{
    *lanes = (struct lanes){.devices = devices, .room = room};
    for (int lane = 0; lane < LANES; lane++) {
        lanes->n[lane] = room_take(memory, (size_t)devices, sizeof *lanes->n[lane]);
        lanes->operations[lane] =
            room_take(memory, (size_t)devices * (size_t)room, sizeof *lanes->operations[lane]);
    }
    if (memory->memory != NULL)
        lanes_clear(lanes);
}

void lanes_clear(struct lanes *lanes)
{
    for (int lane = 0; lane < LANES; lane++)
        memset(lanes->n[lane], 0, (size_t)lanes->devices * sizeof *lanes->n[lane]);
}

void lanes_send_as_computed(struct lanes *lanes, const struct dynapipe_pipeline *pipeline)
{
    for (int32_t d = 0; d < lanes->devices; d++) {
        lanes->n[LANE_SEND][d] = 0;
        for (int32_t i = 0; i < lanes->n[LANE_COMPUTE][d]; i++) {
            const struct lane_operation *op =
                &lanes->operations[LANE_COMPUTE][lanes_at(lanes, d, i)];
            if (lane_sends(pipeline->stages, op))
                lanes_add(lanes, LANE_SEND, d, op);
        }
    }
}

// ---- execution ------------------------------------------------------------------------------------

struct lanes_times *lanes_times_take(int32_t devices, int32_t stages, int32_t micro_batches,
                                     struct room *room)
{
    struct lanes_times *taken = room_take(room, 1, sizeof *taken), counted;
    struct lanes_times *t = taken != NULL ? taken : &counted;
    const size_t n = (size_t)stages * (size_t)micro_batches,
                 lanes = (size_t)devices * (size_t)LANES;
    t->stages = stages;
    for (int lane = 0; lane < LANES; lane++)
        for (int way = 0; way < 2; way++) {
            t->start[lane][way] = room_take(room, n, sizeof(double));
            t->end[lane][way] = room_take(room, n, sizeof(double));
        }
    t->next = room_take(room, lanes, sizeof *t->next);
    t->free_at = room_take(room, lanes, sizeof *t->free_at);
    t->waiting = room_take(room, lanes, sizeof *t->waiting);
    t->is_waiting = room_take(room, lanes, sizeof *t->is_waiting);
    return taken;
}

static int64_t index_of(const struct lanes_times *t, const struct lane_operation *op)
{
    return (int64_t)op->micro_batch * t->stages + op->stage;
}

double lanes_start(const struct lanes_times *t, enum lane lane, const struct lane_operation *op)
{
    return t->start[lane][op->backward][index_of(t, op)];
}

double lanes_end(const struct lanes_times *t, enum lane lane, const struct lane_operation *op)
{
    return t->end[lane][op->backward][index_of(t, op)];
}

double lanes_makespan(const struct lanes_times *t)
{
    return t->makespan;
}

void lanes_set_makespan(struct lanes_times *t, double makespan)
{
    t->makespan = makespan;
}

void lanes_set(struct lanes_times *t, enum lane lane, const struct lane_operation *op,
               double start, double end)
{
    t->start[lane][op->backward][index_of(t, op)] = start;
    t->end[lane][op->backward][index_of(t, op)] = end;
}

// Returns the end of the operation before this one in its chain; < 0: it has not run.
static double arrival(const struct lanes_times *t, enum lane lane,
                      const struct lane_operation *op)
{
    const int64_t at = index_of(t, op);
    if (lane == LANE_SEND)
        return t->end[LANE_COMPUTE][op->backward][at];
    if (!op->backward)
        return op->stage == 0 ? 0 : t->end[LANE_SEND][0][at - 1];
    return op->stage == t->stages - 1 ? t->end[LANE_COMPUTE][0][at]
                                      : t->end[LANE_SEND][1][at + 1];
}

// Returns the device and the lane of the operation behind this one in its chain, as device * LANES + lane; -1: none.
static int32_t receiver(const struct dynapipe_pipeline *pipeline, enum lane lane,
                        const struct lane_operation *op)
{
    const int32_t device = pipeline->device_of[op->stage];
    if (lane == LANE_COMPUTE && lane_sends(pipeline->stages, op))
        return device * LANES + LANE_SEND;
    if (lane == LANE_COMPUTE)
        return op->backward ? -1 : device * LANES + LANE_COMPUTE;
    return pipeline->device_of[op->backward ? op->stage - 1 : op->stage + 1] * LANES +
           LANE_COMPUTE;
}

static int32_t look_at(struct lanes_times *t, int32_t which, int32_t n)
{
    if (which < 0 || t->is_waiting[which])
        return n;
    t->is_waiting[which] = true;
    t->waiting[n] = which;
    return n + 1;
}

bool lanes_execute(struct lanes_times *t, const struct dynapipe_pipeline *pipeline,
                   const struct micro_batches *batches, const struct lanes *lanes)
{
    const size_t all = (size_t)batches->count * (size_t)batches->stages;
    int64_t left = 0;
    int32_t n = 0;
    for (int lane = 0; lane < LANES; lane++)
        for (size_t k = 0; k < all; k++)
            t->end[lane][0][k] = t->end[lane][1][k] = -1;
    for (int32_t which = lanes->devices * LANES - 1; which >= 0; which--) {
        t->next[which] = 0;
        t->free_at[which] = 0;
        t->is_waiting[which] = false;
        left += lanes->n[which % LANES][which / LANES];
        n = look_at(t, which, n);
    }
    t->makespan = 0;
    if (left != (int64_t)batches->count * (4 * (int64_t)batches->stages - 2))
        return false; // an operation is missing
    while (n > 0) {
        const int32_t which = t->waiting[--n], device = which / LANES;
        const enum lane lane = which % LANES == 0 ? LANE_COMPUTE : LANE_SEND;
        t->is_waiting[which] = false;
        for (; t->next[which] < lanes->n[lane][device]; t->next[which]++) {
            const struct lane_operation *op =
                &lanes->operations[lane][lanes_at(lanes, device, t->next[which])];
            const double ready = arrival(t, lane, op);
            if (ready < 0)
                break;
            const double start = ready > t->free_at[which] ? ready : t->free_at[which],
                         end = start + lane_duration(batches, lane, op);
            lanes_set(t, lane, op, start, end);
            t->free_at[which] = end;
            t->makespan = end > t->makespan ? end : t->makespan;
            left--;
            n = look_at(t, receiver(pipeline, lane, op), n);
        }
    }
    return left == 0;
}

// ---- figures --------------------------------------------------------------------------------------

double lanes_busy(const struct lanes *lanes, const struct micro_batches *batches,
                  int32_t device)
{
    double sum = 0;
    for (int32_t i = 0; i < lanes->n[LANE_COMPUTE][device]; i++)
        sum += lane_duration(batches, LANE_COMPUTE,
                             &lanes->operations[LANE_COMPUTE][lanes_at(lanes, device, i)]);
    return sum;
}

double lanes_peak(const struct lanes *lanes, const struct dynapipe_pipeline *pipeline,
                  const struct micro_batches *batches, int32_t device)
{
    double now = pipeline->state[device], most = now;
    for (int32_t i = 0; i < lanes->n[LANE_COMPUTE][device]; i++) {
        const struct lane_operation *op =
            &lanes->operations[LANE_COMPUTE][lanes_at(lanes, device, i)];
        const int64_t at = micro_batches_at(batches, op->micro_batch, op->stage);
        const double needs =
            now + (op->backward ? batches->backward_peak[at] : batches->peak[at]);
        most = needs > most ? needs : most;
        now += op->backward ? -batches->stored[at] : batches->stored[at];
    }
    return most;
}
