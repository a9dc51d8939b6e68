// SPDX-License-Identifier: Apache-2.0
// Measures the order of a point by the plain simulation.
#include "kernels/schedule/reference.h"

#include "kernels/common/executor/reference.h"

#include <stdlib.h>

enum schedule_status schedule_refer(struct schedule_scratch *scratch,
                                    const struct schedule_point *point,
                                    struct poll *poll,
                                    struct schedule_figures *figures)
{
    const struct order *order = &scratch->order;
    const size_t n = (size_t)order->devices * (size_t)order->room;
    double *times = malloc(2 * n * sizeof *times + 1);
    enum executor_status status = EXECUTOR_DEADLOCK;
    const bool done =
        times != NULL &&
        (point->messages != NULL
             ? reference_run_blocking(&scratch->pipeline, order, point->messages, times,
                                      times + n, &status)
             : reference_run(&scratch->pipeline, order, NULL, poll, times, times + n, &status));
    if (done && status == EXECUTOR_DONE) {
        metrics_of(&scratch->pipeline, order, times, times + n, &figures->metrics,
                   scratch->busy, scratch->peak);
        metrics_idle_of(&scratch->pipeline, order, times, times + n, &figures->idle);
    }
    free(times);
    if (!done || status == EXECUTOR_DONE)
        return done ? SCHEDULE_DONE : SCHEDULE_FAILED;
    return status == EXECUTOR_STOPPED ? SCHEDULE_STOPPED : SCHEDULE_FAILED;
}
