// SPDX-License-Identifier: Apache-2.0
// Measures the speed of a kernel and of the engine on this machine: the kernel alone for
// several sizes of points, its reference, output cost, and whole runs for several numbers of
// threads. Figures of one thread are CPU time, figures of several threads are wall time; each
// is the median of several passes. Compared figures are timed in turns.
#pragma once

#include "base/text/status.h"
#include "engine/experiment/documents.h"
#include "ppsweep/kernel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PPS_BENCH_AXES = 4,
    PPS_BENCH_CELLS = 64,
    PPS_BENCH_CODECS = 3,
    PPS_BENCH_SCALES = 16,
};

// The kernel alone, at one size of points.
struct pps_bench_cell {
    double value[PPS_BENCH_AXES]; // values of the bench_axes of the kernel
    uint64_t points;              // measured points, evenly spread over the default sweep
    double point_s;
    double events; // simulated events per point; 0: unknown
    size_t scratch_bytes;
};

// Output cost: visiting points, formatting and compression without the kernel; file_row_s also
// includes the file.
struct pps_bench_codec {
    char name[16];
    uint64_t rows;
    double text_bytes, data_bytes; // per row
    double row_s;                  // CPU seconds per row, to /dev/null
    double file_row_s;             // wall seconds per row, to a file that is synced at the end
};

// Whole runs, zlib:1 to /dev/null.
struct pps_bench_scale {
    int threads;
    uint64_t points;      // points with a row; skipped points do not count
    double points_s;      // points per second
    double gain;          // speed-up over one thread, measured in the same turn
    double wall_s, cpu_s; // sums over all turns; their ratio is the number of CPUs
};

struct pps_benchmark {
    const struct pps_kernel *kernel;
    int n_axes;
    int n_cells;
    struct pps_bench_cell cells[PPS_BENCH_CELLS];
    double reference_s;          // seconds per point of cells[0]; 0: no reference
    double reference_ratio;      // time relative to the kernel in the same turn
    double reference_difference; // largest difference, as in an audit
    int n_codecs;
    struct pps_bench_codec codecs[PPS_BENCH_CODECS];
    int n_scales;
    struct pps_bench_scale scales[PPS_BENCH_SCALES];
    double run_point_s, kernel_point_s; // CPU seconds per point, of the same points
    double run_events;                  // simulated events per point of these runs; 0: unknown
    double run_left_out;                // skipped points per row
};

struct pps_bench_ask {
    const struct pps_kernel *kernel;
    struct pps_input_words inputs; // input documents of the kernel
    int threads;                   // maximum number of threads
    bool quick;                    // about 5 s instead of 25
    const atomic_bool *stop;
};

// Runs the benchmark. Returns PPS_E_POINTS if the fast path and the reference differ or rows
// are missing, PPS_E_STOPPED if the stop flag is set.
PPS_MUST_CHECK enum pps_status pps_benchmark_run(const struct pps_bench_ask *ask,
                                                 struct pps_benchmark *benchmark,
                                                 struct pps_error *err);
