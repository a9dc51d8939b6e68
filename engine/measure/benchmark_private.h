// SPDX-License-Identifier: Apache-2.0
// Declares the parts of a benchmark, which share the request and the figures.
#pragma once

#include "engine/measure/benchmark.h"
#include "engine/run/sweep.h"

// Room for the points of a pass, and for the passes, of which the median is reported.
enum { PPS_BENCH_POINTS = 512, PPS_BENCH_REPEATS = 5, PPS_BENCH_TURNS = 15 };

// Effort: time and repetitions of each part.
struct pps_bench_effort {
    int repeats;     // at most PPS_BENCH_REPEATS
    double cell_s;   // seconds per size of points
    double fast_s;   // seconds of the kernel before each pass of its reference
    double run_s;    // seconds of a whole run over threads
    uint64_t rows;   // rows that output cost is measured on
    double fewest;   // minimum number of points per size
    int share_turns; // turns of kernel and whole run, at most PPS_BENCH_TURNS
    double share_s;  // seconds of the run in a turn, and of the kernel in a turn
    int scale_turns; // turns of whole runs over threads, at most PPS_BENCH_TURNS
};

struct pps_bench {
    const struct pps_bench_ask *ask;
    const struct pps_kernel *kernel;
    struct pps_bench_effort effort;
    struct pps_benchmark *out;
    struct pps_error *err;
};

// Loads the default sweep of the kernel with the values of the cell on its bench axes.
PPS_MUST_CHECK enum pps_status pps_bench_load_cell(const struct pps_bench *bench,
                                                   const struct pps_bench_cell *cell,
                                                   struct pps_experiment **experiment);

// Loads the benchmark sweep of the kernel with many values of one real parameter, limited to
// `limit` points. With `first`: the default sweep with many values of the first integer
// parameter.
PPS_MUST_CHECK enum pps_status pps_bench_load_long(const struct pps_bench *bench,
                                                   const struct pps_kernel *kernel, bool first,
                                                   uint64_t limit,
                                                   struct pps_experiment **experiment);

// Returns a sweep with zlib:1 to /dev/null that adds its bytes to *bytes.
struct pps_sweep pps_bench_sweep(const struct pps_bench *bench,
                                 const struct pps_experiment *experiment, int threads,
                                 double *bytes);

// Runs the sweep and checks that every point has a row; totals hold no best rows.
PPS_MUST_CHECK enum pps_status pps_bench_sweep_once(const struct pps_bench *bench,
                                                    const struct pps_sweep *sweep,
                                                    struct pps_totals *totals);

// Figures of a block that one thread made and wrote.
struct pps_bench_block {
    double make_s, write_s; // CPU seconds
    uint64_t bytes, rows;   // written to the file
};

struct pps_bench_watch {
    struct pps_bench_block *blocks; // cap
    uint64_t n, cap;
    double since;
};

// Runs a sweep that writes the file `path`, overwriting it. Fills the watch, if there is one,
// with its blocks.
PPS_MUST_CHECK enum pps_status pps_bench_sweep_to_file(const struct pps_bench *bench,
                                                       struct pps_sweep sweep, const char *path,
                                                       struct pps_bench_watch *watch,
                                                       double *wall_s);
void pps_bench_remove(const char *path); // the result with its index and manifest

// Calls `work` with a new folder in $TMPDIR or /tmp and removes the folder afterwards; `work`
// must leave the folder empty.
typedef enum pps_status pps_bench_work(const struct pps_bench *bench, const char *folder,
                                       void *self);
PPS_MUST_CHECK enum pps_status pps_bench_in_folder(const struct pps_bench *bench,
                                                   pps_bench_work *work, void *self);

// The measurements, in their order: pps_bench_time_runs uses the figures of the others.
PPS_MUST_CHECK enum pps_status pps_bench_time_rows(const struct pps_bench *bench);
PPS_MUST_CHECK enum pps_status pps_bench_time_runs(const struct pps_bench *bench);
