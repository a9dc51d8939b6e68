// SPDX-License-Identifier: Apache-2.0
// Durations and results of the published project.
#include "extras/serial/serial.h"

#include "base/math/normal.h"

#include <math.h>

static const double ratio[SERIAL_TYPES] = {1, 1.5, 0.3};

// The kind of random numbers in counters of Philox; 0 to 9 are those of noise.h.
enum { KIND_OF_SEQUENCE = 10 };

struct serial_problem serial_defaults(void)
{
    return (struct serial_problem){.devices = 4,
                                   .micro_batches = 6,
                                   .size = 32,
                                   .base = 1,
                                   .base_comm = 0.5};
}

static double normal_of(struct serial_stream *stream)
{
    const uint32_t key[2] = {(uint32_t)stream->seed, (uint32_t)(stream->seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)stream->used, (uint32_t)KIND_OF_SEQUENCE << 24,
                                 (uint32_t)(stream->used >> 32), 0};
    stream->used++;
    return normal_draw(counter, key);
}

static double with_noise(double nominal, double least, double level,
                         struct serial_stream *stream)
{
    return fmax(least, level > 0 ? nominal * (1 + level * normal_of(stream)) : nominal);
}

double serial_draw(const struct serial_problem *problem, enum serial_type type,
                   struct serial_stream *stream)
{
    const double own = problem->base * ratio[type] * problem->size,
                 time = with_noise(own, SERIAL_FLOOR, problem->level, stream);
    if (type == SERIAL_W)
        return time;
    return time + with_noise(problem->base_comm * problem->size, SERIAL_MESSAGE_FLOOR,
                             problem->level, stream);
}

double serial_nominal_total(const struct serial_problem *problem)
{
    struct serial_problem quiet = *problem;
    quiet.level = 0;
    double sum = 0;
    for (int type = 0; type < SERIAL_TYPES; type++)
        sum += serial_draw(&quiet, (enum serial_type)type, NULL);
    return sum * problem->devices * problem->micro_batches;
}

double serial_deviation(const struct serial_problem *problem)
{
    const double message = problem->base_comm * problem->size;
    double squares = 2 * message * message;
    for (int type = 0; type < SERIAL_TYPES; type++) {
        const double own = problem->base * ratio[type] * problem->size;
        squares += own * own;
    }
    return problem->level * sqrt(squares * problem->devices * problem->micro_batches);
}

struct serial_result serial_result_of(const struct serial_problem *problem, double total,
                                      const double *work)
{
    double sum = 0;
    for (int32_t d = 0; d < problem->devices; d++)
        sum += work[d];
    const double room = problem->devices * total;
    return (struct serial_result){.total = total,
                                  .bubble_time = room - sum,
                                  .bubble = (room - sum) / room,
                                  .throughput = problem->micro_batches / total};
}
