// SPDX-License-Identifier: Apache-2.0
// How fast a kernel and the engine are on this machine: the kernel alone over sizes of points,
// its reference, the way of a row to the file, and whole runs over threads. Figures of one
// thread are CPU time, figures of several wall time; each is the median of several passes. What is
// compared is timed in turns.
#ifndef PPS_BENCHMARK_H
#define PPS_BENCHMARK_H

#include "inputs.h"
#include "kernel.h"
#include "status.h"

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

// The kernel alone at one size of points.
struct pps_bench_cell {
    double value[PPS_BENCH_AXES]; // of the kernel's bench_axes
    uint64_t points;              // that were measured, evenly spread over the default sweep
    double point_s;
    double events; // simulated, a point; 0: the kernel tells none
    size_t scratch_bytes;
};

// Rows without a kernel: walking, text, compression, and with `file_s` the file as well.
struct pps_bench_codec {
    char name[16];
    uint64_t rows;
    double text_bytes, data_bytes; // a row
    double row_s;                  // CPU, into nowhere
    double file_row_s;             // wall, into a file that is synced in the end
};

// Whole runs, zlib:1 into nowhere.
struct pps_bench_scale {
    int threads;
    uint64_t points;      // with a row: those that the space leaves out do not count
    double points_s;      // of these, a second
    double gain;          // times the points a second of one thread, of one turn
    double wall_s, cpu_s; // of all turns: whether the threads had a processor each
};

struct pps_benchmark {
    const struct pps_kernel *kernel;
    int n_axes;
    int n_cells;
    struct pps_bench_cell cells[PPS_BENCH_CELLS];
    double reference_s;          // a point of cells[0]; 0: the kernel has none
    double reference_ratio;      // times the kernel's in the same turn
    double reference_difference; // the largest, as an audit measures it
    int n_codecs;
    struct pps_bench_codec codecs[PPS_BENCH_CODECS];
    int n_scales;
    struct pps_bench_scale scales[PPS_BENCH_SCALES];
    double run_point_s, kernel_point_s; // CPU, of the same points
    double run_events;                  // simulated, a point of these; 0: the kernel tells none
    double run_left_out;                // points that the space leaves out, for one with a row
};

struct pps_bench_ask {
    const struct pps_kernel *kernel;
    struct pps_input_words inputs; // documents for it
    int threads;                   // the most
    bool quick;                    // about 5 s instead of 25
    const atomic_bool *stop;
};

// Measures. PPS_E_POINTS where fast path and reference differ or rows are missing;
// PPS_E_STOPPED when the stop flag went up.
PPS_MUST_CHECK enum pps_status pps_benchmark_run(const struct pps_bench_ask *ask,
                                                 struct pps_benchmark *benchmark,
                                                 struct pps_error *err);

#endif
