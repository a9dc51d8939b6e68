// SPDX-License-Identifier: Apache-2.0
// The contention model simulates one training iteration of a pipeline whose transfers share one
// network port per GPU. It is a plain library, independent of engine, files and threads.
// Equations and algorithm: model.md.
//
// Work, time and lengths are in one arbitrary unit; rates and shares are fractions of a GPU's
// compute or of a port. All functions are pure: the same point gives the same bits, and scaling
// all lengths by a power of two scales every time by the same factor, bit for bit. Any number
// of threads may call them, each with its own scratch.
#pragma once

#include "kernels/contention/model/point.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Parts of the time of the critical GPU in [0, total_time]. They add up to it; none is
// negative.
struct contention_parts {
    int32_t gpu;     // the GPU whose last task ends last; of several, the lowest number
    double compute;  // of its forwards and backwards at full rate
    double slowdown; // time that synchronisations add to them
    double waits
        [CONTENTION_N_SHARING]; // without compute, for a transfer on its way to the GPU: see model.md
    double bubble;     // without compute, before the last one, with no transfer on its way
    double final_sync; // after its last compute
};

struct contention_result {
    double total_time; // of the last event
    int64_t n_events;  // distinct times at which something finished, as far as simulated

    // Set only if metrics are wanted; over [0, total_time]. See model.md.
    double bubble_ratio;
    double compute_slowdown;
    double port_utilization;
    double exposed_comm;
    double latency[CONTENTION_N_SHARING]; // mean finish - ready; 0 without tasks of the kind
    int64_t throttled_tasks;
    int32_t peak_in_flight;
    double ideal_time; // total_time with channels ideal
    struct contention_parts critical;

    double sensitivity;                // set by contention_sensitivity only
    double slope[CONTENTION_N_SLOPES]; // set by contention_slopes only
};

// Groups of metrics, each of which is computed only if it is wanted.
enum contention_metrics {
    CONTENTION_BUSY = 1 << 0,          // bubble_ratio, compute_slowdown
    CONTENTION_EXPOSED = 1 << 1,       // exposed_comm
    CONTENTION_LATENCY = 1 << 2,       // latency
    CONTENTION_THROTTLED = 1 << 3,     // throttled_tasks
    CONTENTION_PEAK = 1 << 4,          // peak_in_flight
    CONTENTION_PARTS = 1 << 5,         // critical
    CONTENTION_WATCHED = (1 << 6) - 1, // all of these, which are watched while events go by
    CONTENTION_PORT = 1 << 6,          // port_utilization
    CONTENTION_IDEAL_TIME = 1 << 7,    // ideal_time
    CONTENTION_ALL = (1 << 8) - 1,
};

// GPUs whose ends differ by less than this, relative, count as ending together.
#define CONTENTION_CRITICAL_SLACK 1e-9

// What is known of a point when its simulation ends. A simulation sets what it watches.
struct contention_watch {
    double busy;                          // time of all compute tasks
    double exposed;                       // time without compute, for transfers
    double latency[CONTENTION_N_SHARING]; // of all tasks of a kind together
    double throttled_tasks;
    int32_t peak_in_flight;
    int32_t critical_gpu;
    double critical_busy, critical_last;         // of that GPU: of its compute, the end of it
    double critical_waits[CONTENTION_N_SHARING]; // time without compute, by what it waits for
};

// Sets all metrics of *result but ideal_time, from total_time and what was watched.
void contention_summarise(const struct contention_point *p, const struct contention_watch *w,
                          struct contention_result *result);

enum contention_status {
    CONTENTION_DONE,
    CONTENTION_STUCK,   // nothing makes progress: an internal error, the result is undefined
    CONTENTION_LIMITED, // more events than most_events, the result is undefined
    CONTENTION_STOPPED, // the stop flag was up, the result is undefined
};

// A segment of a task during which its rate is constant and above 0.
struct contention_piece {
    enum contention_kind kind;
    int32_t micro_batch; // from 0; of a synchronisation, the last one it covers
    int32_t ordinal;     // among the tasks of its kind and GPU, from 0
    int32_t gpu;
    double start, end; // start < end
    double rate;
    bool throttled; // held back by its receiver
};

struct contention_sink {
    void *self;
    void (*piece)(void *self, const struct contention_piece *piece);
};

// Returns the bytes of scratch for every point with at most the n and gpus of `largest`;
// for gpipe points only if `largest` is a gpipe point. O(gpus) for 1f1b, O(n + gpus) for gpipe.
// SIZE_MAX: more than the address space. Other fields of `largest` are ignored.
size_t contention_scratch_bytes(const struct contention_point *largest);

// Simulates a point, which must be within the ranges above. Without `exact` and metrics it
// jumps over periods in which everything repeats; that changes total_time by rounding only
// (1e-9 relative). `scratch` is 64-byte aligned and has contention_scratch_bytes bytes; its
// contents are undefined before and after. `stop` is polled every few milliseconds; NULL:
// never. Allocates nothing.
enum contention_status contention_simulate(const struct contention_point *point,
                                           bool want_metrics, bool exact, void *scratch,
                                           const atomic_bool *stop,
                                           struct contention_result *result);

// Returns the work of all transfers divided by the time of all ports.
double contention_port_utilization(const struct contention_point *p, double total_time);

// Simulates a point without jumps, and sets all metrics except ideal_time. Arguments as above.
enum contention_status contention_simulate_watched(const struct contention_point *point,
                                                   void *scratch, const atomic_bool *stop,
                                                   struct contention_result *result);

// Computes the relative change of total_time when fwd_len or prop_len changes by the relative
// amount 2^-50 (about 1e-15): the larger of the two changes. Takes three simulations. The
// arguments are as for contention_simulate.
enum contention_status contention_sensitivity(const struct contention_point *point, bool exact,
                                              void *scratch, const atomic_bool *stop,
                                              double *sensitivity);

// Computes the derivatives of total_time by the lengths and, in units of contention_unit, by the impacts,
// from one simulation without jumps.
// Where tasks end together, total_time has a kink: then they are those of one of its sides. The arguments
// are as for contention_simulate.
enum contention_status contention_slopes(const struct contention_point *point, void *scratch,
                                         const atomic_bool *stop,
                                         double slope[CONTENTION_N_SLOPES]);

// Multiplies all parts by a factor.
void contention_scale_parts(struct contention_parts *parts, double factor);

// Scales all parts except `compute` so that the parts add up to total_time, to rounding. Needed
// for parts measured in another simulation of the point than total_time.
void contention_fit_parts(struct contention_parts *parts, double total_time);

// Simulates a point like contention_simulate without metrics and sends every segment of every
// task to `sink`, in order of start. Segments of one task with equal rate are joined, as far as
// the queue of unfinished segments in the scratch allows.
enum contention_status contention_trace(const struct contention_point *point, void *scratch,
                                        const atomic_bool *stop,
                                        const struct contention_sink *sink,
                                        struct contention_result *result);
