// SPDX-License-Identifier: Apache-2.0
// Two lanes for few stages, for every processor.
enum { LANES = 2 };

#include "kernels/contention/lanes/vector_portable.h"

#include "kernels/contention/lanes/common.h"

#include "kernels/contention/lanes/few.h"

#include "kernels/contention/lanes/shares.h"

#include "kernels/contention/lanes/tasks.h"

#include "kernels/contention/lanes/few_steps.h"

#include "kernels/contention/lanes/points.h"

#include "kernels/contention/lanes/few_snapshots.h"

#include "kernels/contention/lanes/jumps.h"

#include "kernels/contention/lanes/pool.h"

bool contention_lanes_pair(struct contention_lane_job **jobs,
                           size_t n,
                           void *room,
                           const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}
