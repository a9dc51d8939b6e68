// SPDX-License-Identifier: Apache-2.0
// Takes the arrays of the micro-batches of a step from one block of memory.
#include "kernels/dynapipe/model/micro_batches.h"

void micro_batches_take(struct micro_batches *batches, int32_t count, int32_t stages,
                        struct room *room)
{
    const size_t n = (size_t)count * (size_t)stages;
    batches->count = count;
    batches->stages = stages;
    double **const arrays[] = {&batches->forward, &batches->backward,      &batches->stored,
                               &batches->peak,    &batches->backward_peak, &batches->activation,
                               &batches->gradient};
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++)
        *arrays[a] = room_take(room, n, sizeof **arrays[a]);
}
