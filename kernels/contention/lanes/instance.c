// SPDX-License-Identifier: Apache-2.0
// An instance of lanes: the simulation of LANES points at a time. CMakeLists.txt compiles this
// file once for each instruction set and number of stages, and defines
//   LANES         4, 2, or 8: 8 lanes need AVX-512
//   FEW or MANY   stages: at most LANE_GPUS_FEW, or more
//   LANES_RUN     the name of the function
// The headers contain code, and their order matters.
#if LANES == 8
#include "kernels/contention/lanes/vector_avx512.h"
#else
#include "kernels/contention/lanes/vector_portable.h"
#endif

#include "kernels/contention/lanes/common.h"

#ifdef FEW

#include "kernels/contention/lanes/few.h"

#include "kernels/contention/lanes/shares.h"

#include "kernels/contention/lanes/tasks.h"

#include "kernels/contention/lanes/few_watch.h"

#include "kernels/contention/lanes/few_steps.h"

#include "kernels/contention/lanes/points.h"

#include "kernels/contention/lanes/few_snapshots.h"

#else

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

#endif

#include "kernels/contention/lanes/jumps.h"

#include "kernels/contention/lanes/pool.h"

bool LANES_RUN(struct contention_lane_job **jobs, size_t n, void *room, const atomic_bool *stop)
{
    return run_lanes(jobs, n, room, stop);
}
