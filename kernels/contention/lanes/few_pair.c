// SPDX-License-Identifier: Apache-2.0
// Two lanes for few stages, for every processor.
enum { LANES = 2 };

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

bool contention_lanes_pair(struct contention_lane_job **jobs,
                           size_t n,
                           void *room,
                           const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}
