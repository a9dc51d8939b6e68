// SPDX-License-Identifier: Apache-2.0
// Lets all threads of a parallel loop ask one poll whether the loop must end.
#pragma once

#include "kernels/common/pipeline/poll.h"

#include <stdatomic.h>

// Begins with both flags false.
struct stop {
    struct poll *poll; // NULL: the loop never ends early
    atomic_bool over, polling;
};

// Asks the poll unless another thread asks it at this moment: any thread does, since the others may have run
// out of work. Returns whether the loop must end.
static inline bool stop_asked(struct stop *stop)
{
    if (!atomic_exchange(&stop->polling, true)) {
        if (poll_has_ended(stop->poll))
            atomic_store(&stop->over, true);
        atomic_store(&stop->polling, false);
    }
    return atomic_load(&stop->over);
}
