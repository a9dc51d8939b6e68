// SPDX-License-Identifier: Apache-2.0
// The greedy scheduler of the published project. An operation becomes ready when another one has run, and
// ends never go back, so the ready operations of a device are a queue in the order of their earliest start.
#include "extras/serial/serial.h"

#include <string.h>

struct entry {
    double since; // earliest start
    int32_t item;
    enum serial_type type;
};

struct queue {
    struct entry
        *entry; // [SERIAL_TYPES * micro_batches]: every operation of a device comes once
    int32_t first, end;
};

struct serial_greedy {
    struct queue *queue; // [devices]
    struct entry *chosen;
    int32_t *chooser; // devices that chose an operation in this round
};

struct serial_greedy *serial_greedy_take(const struct serial_problem *most, struct room *room)
{
    const size_t devices = (size_t)most->devices,
                 own = SERIAL_TYPES * (size_t)most->micro_batches;
    struct serial_greedy *greedy = room_take(room, 1, sizeof *greedy);
    struct queue *queue = room_take(room, devices, sizeof *queue);
    struct entry *chosen = room_take(room, devices, sizeof *chosen),
                 *entries = room_take(room, devices * own, sizeof *entries);
    int32_t *chooser = room_take(room, devices, sizeof *chooser);
    if (greedy == NULL)
        return NULL;
    *greedy = (struct serial_greedy){queue, chosen, chooser};
    for (size_t d = 0; d < devices; d++)
        queue[d].entry = entries + d * own;
    return greedy;
}

static void add(struct queue *queue, double since, int32_t item, enum serial_type type)
{
    queue->entry[queue->end++] = (struct entry){since, item, type};
}

// Adds the operations that the end of an operation makes ready.
static void release(struct serial_greedy *greedy, const struct serial_problem *problem,
                    int32_t stage, struct entry done, double end)
{
    const int32_t last = problem->devices - 1;
    struct queue *own = &greedy->queue[stage];
    if (done.type == SERIAL_F && stage < last)
        add(own + 1, end, done.item, SERIAL_F);
    else if (done.type == SERIAL_F)
        add(own, end, done.item, SERIAL_B);
    if (done.type == SERIAL_B)
        add(own, end, done.item, SERIAL_W);
    if (done.type == SERIAL_B && stage > 0)
        add(own - 1, end, done.item, SERIAL_B);
}

// Takes the operation that a device chooses out of its queue, which is not empty.
static struct entry choose(struct queue *queue, const struct serial_problem *problem,
                           struct serial_stream *stream)
{
    const int32_t first = queue->first;
    int32_t end = first + 1, best = first;
    while (end < queue->end && queue->entry[end].since <= queue->entry[first].since)
        end++;
    double least = end > first + 1 ? serial_draw(problem, queue->entry[first].type, stream) : 0;
    for (int32_t i = first + 1; i < end; i++) {
        const double drawn = serial_draw(problem, queue->entry[i].type, stream);
        if (drawn < least) {
            least = drawn;
            best = i;
        }
    }
    const struct entry chosen = queue->entry[best];
    memmove(queue->entry + first + 1, queue->entry + first,
            (size_t)(best - first) * sizeof chosen);
    queue->first++;
    return chosen;
}

static int32_t choose_all(struct serial_greedy *greedy, const struct serial_problem *problem,
                          struct serial_stream *stream)
{
    int32_t n = 0;
    for (int32_t d = 0; d < problem->devices; d++) {
        struct queue *queue = &greedy->queue[d];
        if (queue->first == queue->end)
            continue;
        greedy->chooser[n] = d;
        greedy->chosen[n++] = choose(queue, problem, stream);
    }
    return n;
}

struct serial_result serial_greedy_run(struct serial_greedy *greedy,
                                       const struct serial_problem *problem,
                                       struct serial_stream *stream, double *work,
                                       int32_t *order)
{
    double clock = 0;
    int32_t done = 0;
    for (int32_t d = 0; d < problem->devices; d++) {
        work[d] = 0;
        greedy->queue[d].first = greedy->queue[d].end = 0;
    }
    for (int32_t m = 0; m < problem->micro_batches; m++)
        add(&greedy->queue[0], 0, m, SERIAL_F);
    while (done < serial_operations(problem)) {
        const int32_t n = choose_all(greedy, problem, stream);
        for (int32_t i = 0; i < n; i++) {
            const int32_t stage = greedy->chooser[i];
            const struct entry run = greedy->chosen[i];
            const double time = serial_draw(problem, run.type, stream);
            clock += time;
            work[stage] += time;
            if (order != NULL)
                order[done] = serial_index(problem, run.item, stage, run.type);
            done++;
            release(greedy, problem, stage, run, clock);
        }
    }
    return serial_result_of(problem, clock, work);
}
