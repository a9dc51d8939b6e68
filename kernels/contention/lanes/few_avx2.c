// SPDX-License-Identifier: Apache-2.0
// Four lanes for few stages in AVX2. Called only if the processor supports AVX2.
#ifdef __AVX2__

enum { LANES = 4 };

#include "vec_portable.h"

#include "lane_common.h"

#include "lane_few.h"

#include "lane_shares.h"

#include "lane_tasks.h"

#include "lane_few_steps.h"

#include "lane_points.h"

#include "lane_few_snapshots.h"

#include "lane_jumps.h"

#include "lane_pool.h"

bool contention_lanes_avx2(struct contention_lane_job **jobs,
                           size_t n,
                           void *room,
                           const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}

#endif
