// SPDX-License-Identifier: Apache-2.0
// Predicts the utilisation of many cores: a model of cores, with block costs measured on this
// machine.
#pragma once

#include "engine/measure/benchmark.h"
#include "engine/measure/core_model.h"

enum { PPS_BENCH_CORES = 8, PPS_BENCH_CORE_SWEEPS = 3 };

struct pps_bench_core_sweep {
    const char *name;
    uint64_t n_blocks;
    double block_s; // mean time to make a block, in seconds
    struct pps_coremodel model[PPS_BENCH_CORES];
};

struct pps_bench_cores {
    const struct pps_kernel *kernel;
    int n_cores;
    int cores[PPS_BENCH_CORES]; // set by the caller
    double write_row_s;         // seconds per row in the ordered section, measured
    struct pps_bench_core_sweep sweeps[PPS_BENCH_CORE_SWEEPS];
};

// Measures blocks of the kernel's default sweep for some seconds, then runs the models.
PPS_MUST_CHECK enum pps_status pps_benchcores_run(const struct pps_bench_ask *ask,
                                                  struct pps_bench_cores *cores,
                                                  struct pps_error *err);
