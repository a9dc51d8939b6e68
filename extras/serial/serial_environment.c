// SPDX-License-Identifier: Apache-2.0
// The environment of the published project.
#include "extras/serial/serial_environment.h"

#include <math.h>
#include <string.h>

void serial_environment_take(struct serial_environment *environment,
                             const struct serial_problem *problem, struct room *room)
{
    const size_t n = (size_t)serial_operations(problem);
    *environment = (struct serial_environment){.problem = *problem};
    environment->done = room_take(room, n, 1);
    environment->ready = room_take(room, n, 1);
    environment->load = room_take(room, (size_t)problem->devices, sizeof(double));
}

static void make_ready(struct serial_environment *e, int32_t item, int32_t stage,
                       enum serial_type type)
{
    e->ready[serial_index(&e->problem, item, stage, type)] = 1;
    e->n_ready++;
}

void serial_environment_start(struct serial_environment *e)
{
    const size_t n = (size_t)serial_operations(&e->problem);
    memset(e->done, 0, n);
    memset(e->ready, 0, n);
    memset(e->load, 0, (size_t)e->problem.devices * sizeof *e->load);
    memset(e->done_of, 0, sizeof e->done_of);
    e->clock = 0;
    e->n_ready = e->n_done = 0;
    for (int32_t m = 0; m < e->problem.micro_batches; m++)
        make_ready(e, m, 0, SERIAL_F);
}

// Makes the operations ready whose last dependency has run.
static void release(struct serial_environment *e, int32_t item, int32_t stage,
                    enum serial_type type)
{
    if (type == SERIAL_F && stage + 1 < e->problem.devices)
        make_ready(e, item, stage + 1, SERIAL_F);
    else if (type == SERIAL_F)
        make_ready(e, item, stage, SERIAL_B);
    if (type == SERIAL_B)
        make_ready(e, item, stage, SERIAL_W);
    if (type == SERIAL_B && stage > 0)
        make_ready(e, item, stage - 1, SERIAL_B);
}

static double mean_load(const struct serial_environment *e)
{
    double sum = 0;
    for (int32_t d = 0; d < e->problem.devices; d++)
        sum += e->load[d];
    return sum / e->problem.devices;
}

double serial_environment_step(struct serial_environment *e, int32_t action, double duration)
{
    if (!e->ready[action])
        return -1;
    const enum serial_type type = (enum serial_type)(action % SERIAL_TYPES);
    const int32_t unit = action / SERIAL_TYPES, stage = unit % e->problem.devices;
    e->ready[action] = 0;
    e->done[action] = 1;
    e->n_ready--;
    e->n_done++;
    e->done_of[type]++;
    e->clock += duration;
    e->load[stage] += duration;
    release(e, unit / e->problem.devices, stage, type);
    return 1 + 0.5 / (duration + 0.1) + 0.3 / (fabs(e->load[stage] - mean_load(e)) + 0.1) +
           0.2 * fmin(1, e->n_ready / 10.0);
}

void serial_environment_state(const struct serial_environment *e, double *state)
{
    const int32_t n = serial_operations(&e->problem);
    for (int32_t i = 0; i < n; i++) {
        *state++ = e->done[i];
        *state++ = e->ready[i];
        *state++ = e->done[i];
    }
    for (int32_t d = 0; d < e->problem.devices; d++)
        *state++ = fmin(1, e->load[d] / 100);
    *state++ = fmin(1, e->clock / 1000);
    for (int type = 0; type < SERIAL_TYPES; type++)
        *state++ = e->done_of[type] / (double)n;
}
