// SPDX-License-Identifier: Apache-2.0
// Eight lanes for many stages in AVX-512. Called only if the processor supports AVX-512.
#ifdef __AVX512F__

#include "vec_avx512.h"

#include "lane_common.h"

#include "lane_many.h"

#include "lane_many_record.h"

#include "lane_many_stage.h"

#include "lane_many_search.h"

#include "lane_shares.h"

#include "lane_tasks.h"

#include "lane_many_congestion.h"

#include "lane_many_receivers.h"

#include "lane_many_steps.h"

#include "lane_points.h"

#include "lane_many_snapshots.h"

#include "lane_jumps.h"

#include "lane_pool.h"

bool contention_lanes_many_avx512(struct contention_lane_job **jobs,
                                  size_t n,
                                  void *room,
                                  const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}

#endif
