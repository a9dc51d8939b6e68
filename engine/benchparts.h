// SPDX-License-Identifier: Apache-2.0
// The parts of a benchmark, which share what they are asked and where figures go.
#ifndef PPS_BENCHPARTS_H
#define PPS_BENCHPARTS_H

#include "benchmark.h"
#include "sweep.h"

enum { PPS_BENCH_POINTS = 512, PPS_BENCH_REPEATS = 5, PPS_BENCH_TURNS = 15 };

// How long each part may take.
struct pps_bench_effort {
    int repeats;     // at most PPS_BENCH_REPEATS
    double cell_s;   // a size of points
    double fast_s;   // the kernel before each pass of its reference
    double run_s;    // a whole run over threads
    uint64_t rows;   // of the way of a row
    double fewest;   // points of a size, however long they take
    int share_turns; // of the kernel and whole runs; at most PPS_BENCH_TURNS
    double share_s;  // a run of such a turn, and the kernel's part of it as well
    int scale_turns; // of whole runs over threads; at most PPS_BENCH_TURNS
};

struct pps_bench {
    const struct pps_bench_ask *ask;
    const struct pps_kernel *kernel;
    struct pps_bench_effort effort;
    struct pps_benchmark *out;
    struct pps_error *err;
};

// The kernel's default sweep with the cell's values of its bench axes.
PPS_MUST_CHECK enum pps_status pps_bench_load_cell(const struct pps_bench *bench,
                                                   const struct pps_bench_cell *cell,
                                                   struct pps_experiment **experiment);

// The kernel's sweep for benchmarks at very many values of one parameter, a real one, cut after
// `limit` points; with `first` its default sweep, of the first whole one.
PPS_MUST_CHECK enum pps_status pps_bench_load_long(const struct pps_bench *bench,
                                                   const struct pps_kernel *kernel,
                                                   bool first,
                                                   uint64_t limit,
                                                   struct pps_experiment **experiment);

// A sweep with zlib:1 into nowhere; its bytes are added to *bytes.
struct pps_sweep pps_bench_sweep(const struct pps_bench *bench,
                                 const struct pps_experiment *experiment,
                                 int threads,
                                 double *bytes);

// Runs it and checks that every point has its row; totals hold no best rows.
PPS_MUST_CHECK enum pps_status pps_bench_sweep_once(const struct pps_bench *bench,
                                                    const struct pps_sweep *sweep,
                                                    struct pps_totals *totals);

// What was measured of a block that one thread made and wrote.
struct pps_bench_block {
    double make_s, write_s; // CPU
    uint64_t bytes, rows;   // of the file
};

struct pps_bench_watch {
    struct pps_bench_block *blocks; // cap
    uint64_t n, cap;
    double since;
};

double pps_bench_thread_seconds(void); // CPU time of this thread

// A sweep into the file of this path, which may be there. The watch, if any, has its blocks then.
PPS_MUST_CHECK enum pps_status pps_bench_sweep_to_file(const struct pps_bench *bench,
                                                       struct pps_sweep sweep,
                                                       const char *path,
                                                       struct pps_bench_watch *watch,
                                                       double *wall_s);
void pps_bench_remove(const char *path); // the file and those beside it

// Calls work with a folder in $TMPDIR or /tmp that is removed afterwards; work leaves it empty.
typedef enum pps_status pps_bench_work(const struct pps_bench *bench,
                                       const char *folder,
                                       void *self);
PPS_MUST_CHECK enum pps_status pps_bench_in_folder(const struct pps_bench *bench,
                                                   pps_bench_work *work,
                                                   void *self);

// The measurements. pps_bench_time_runs needs those before it.
PPS_MUST_CHECK enum pps_status pps_bench_time_rows(const struct pps_bench *bench);
PPS_MUST_CHECK enum pps_status pps_bench_time_runs(const struct pps_bench *bench);

#endif
