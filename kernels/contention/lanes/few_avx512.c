// SPDX-License-Identifier: Apache-2.0
// Eight lanes for few stages in AVX-512. Called only if the processor supports AVX-512.
#ifdef __AVX512F__

#include "kernels/contention/lanes/vector_avx512.h"

#include "kernels/contention/lanes/common.h"

#include "kernels/contention/lanes/few.h"

#include "kernels/contention/lanes/shares.h"

#include "kernels/contention/lanes/tasks.h"

#include "kernels/contention/lanes/few_steps.h"

#include "kernels/contention/lanes/points.h"

#include "kernels/contention/lanes/few_snapshots.h"

#include "kernels/contention/lanes/jumps.h"

#include "kernels/contention/lanes/pool.h"

bool contention_lanes_avx512(struct contention_lane_job **jobs,
                             size_t n,
                             void *room,
                             const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}

#endif
