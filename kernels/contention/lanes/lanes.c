// SPDX-License-Identifier: Apache-2.0
// Chooses the widest lanes that the processor can run.
#include "kernels/contention/lanes/records.h"

size_t contention_lanes_room_bytes(int32_t gpus)
{
    if (gpus > LANE_GPUS_MAX)
        gpus = LANE_GPUS_MAX;
    return sizeof(struct lane_room) + LANE_JOBS_MAX * snapshot_bytes(gpus) +
           (size_t)LANES_MAX * LANE_LOOKS * look_bytes(gpus);
}

static enum contention_lanes_set widest(int32_t gpus)
{
    int set = LANES_N_SETS - 1;
    while (contention_lanes_of((enum contention_lanes_set)set, gpus) == NULL)
        set--;
    return (enum contention_lanes_set)set;
}

contention_lanes_run *contention_lanes_of(enum contention_lanes_set set, int32_t gpus)
{
    const bool few = gpus <= LANE_GPUS_FEW;
    if (set == LANES_WIDEST)
        set = widest(gpus);
    if (set == LANES_PAIR)
        return few ? contention_lanes_few_pair : contention_lanes_many_pair;
#ifdef __x86_64__
    if (set == LANES_AVX2 && __builtin_cpu_supports("avx2"))
        return few ? contention_lanes_few_avx2 : contention_lanes_many_avx2;
    if (set == LANES_AVX512 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        return few ? contention_lanes_few_avx512 : contention_lanes_many_avx512;
#endif
    return NULL;
}
