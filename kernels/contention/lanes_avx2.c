// SPDX-License-Identifier: Apache-2.0
// Four lanes in AVX2. Compiled for it; called only where the processor has it.
#ifdef __AVX2__

enum { LANES = 4 };

#include "vec_portable.h"

#include "lane_state.h"

#include "lane_shares.h"

#include "lane_steps.h"

#include "lane_jumps.h"

#include "lane_snapshots.h"

#include "lane_pool.h"

bool contention_lanes_avx2(struct contention_lane_job **jobs,
                           size_t n,
                           struct contention_lane_room *room,
                           const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}

#endif
