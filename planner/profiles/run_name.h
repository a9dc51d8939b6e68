// SPDX-License-Identifier: Apache-2.0
// Names of runs and of their files state how a run was distributed: the degrees of parallelism in
// the name of a run's folder, and the rank in the path of a file below the folder.
#ifndef PPS_PLANNER_PROFILES_RUN_NAME_H
#define PPS_PLANNER_PROFILES_RUN_NAME_H

#include <stdbool.h>
#include <stdint.h>

// Degrees of a run. 0: not in the name, except op, whose -1 means "not searched".
struct run_degrees {
    int32_t dp, tp, pp, ep, cp, op, vp, mbs;
};

// Reads a name such as DP8_TP2_PP4_EP16 or DP8_TP1_PP1_EP1_CP1_FSDP8_pretrain: keys in upper or
// lower case, each followed by its number, separated by '_', '-' or '.'. FSDP is a name of op.
// Returns true if the name has dp, tp and pp.
bool run_degrees_read(const char *name, struct run_degrees *degrees);

// Returns the number of ranks of one pipeline stage: dp tp cp.
int64_t run_stage_ranks(const struct run_degrees *degrees);

// Returns the pipeline stage of a rank, or -1 if the rank is unknown (below 0) or outside the run.
// Consecutive ranks belong to the same stage, as in Megatron-LM, MindSpore and torchtitan.
int32_t run_stage_of(const struct run_degrees *degrees, int32_t rank);

// Returns the rank that the path of a file names, or -1. The last of these decides: rank_3, rank3,
// rank-3, worker_3, device_3, or a folder 3 that holds stdout.log or stderr.log (torchrun).
int32_t run_rank_of_path(const char *path);

#endif
