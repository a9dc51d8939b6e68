// SPDX-License-Identifier: Apache-2.0
// Four lanes for many stages in AVX2. Called only if the processor supports AVX2.
#ifdef __AVX2__

enum { LANES = 4 };

#include "kernels/contention/lanes/vector_portable.h"

#include "kernels/contention/lanes/common.h"

#include "kernels/contention/lanes/many.h"

#include "kernels/contention/lanes/many_record.h"

#include "kernels/contention/lanes/many_stage.h"

#include "kernels/contention/lanes/many_search.h"

#include "kernels/contention/lanes/shares.h"

#include "kernels/contention/lanes/tasks.h"

#include "kernels/contention/lanes/many_congestion.h"

#include "kernels/contention/lanes/many_receivers.h"

#include "kernels/contention/lanes/many_steps.h"

#include "kernels/contention/lanes/points.h"

#include "kernels/contention/lanes/many_snapshots.h"

#include "kernels/contention/lanes/jumps.h"

#include "kernels/contention/lanes/pool.h"

bool contention_lanes_many_avx2(struct contention_lane_job **jobs,
                                size_t n,
                                void *room,
                                const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}

#endif
