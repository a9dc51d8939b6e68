// SPDX-License-Identifier: Apache-2.0
// The instances of executor_lanes_run, one for each instruction set.
#pragma once

#include "kernels/common/executor/executor_lanes.h"
#include "kernels/common/executor/executor_private.h"

// Executes the steps of the executor in all lanes. `input` and `clock` are set.
typedef void executor_lanes_steps(const struct executor *executor,
                                  const struct executor_lanes *lanes,
                                  const struct executor_times *times, double *starts,
                                  double *ends);

// Arrays of lines: one double for each lane.
struct executor_lanes {
    executor_lanes_steps *steps;
    double *input; // as executor.input
    double *clock; // [device]: end of its last operation
};

enum executor_lanes_set { EXECUTOR_PAIR, EXECUTOR_AVX2, EXECUTOR_AVX512, EXECUTOR_N_SETS };

executor_lanes_steps executor_lanes_pair, executor_lanes_avx2, executor_lanes_avx512;

// Makes the lanes use an instruction set, instead of the widest that the processor has. Returns false
// if the processor does not have it.
bool executor_lanes_choose(struct executor_lanes *lanes, enum executor_lanes_set set);
