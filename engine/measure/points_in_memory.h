// SPDX-License-Identifier: Apache-2.0
// Holds points of an experiment in memory, to time the kernel alone.
#pragma once

#include "engine/experiment/experiment.h"

#include <stdatomic.h>

typedef void pps_bench_function(const struct pps_batch *batch, const struct pps_worker *worker);

struct pps_benchpoints;

// Selects about n points, evenly spread over the experiment, in groups of `together`
// neighbours. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_benchpoints_open(struct pps_benchpoints **points,
                                                    const struct pps_experiment *experiment,
                                                    uint64_t n, uint64_t together,
                                                    struct pps_error *err);
void pps_benchpoints_close(struct pps_benchpoints *points); // NULL is fine

uint64_t pps_benchpoints_count(const struct pps_benchpoints *points);
size_t pps_benchpoints_scratch(const struct pps_benchpoints *points); // bytes
// Events per point in the last pass; 0: unknown.
double pps_benchpoints_events(const struct pps_benchpoints *points);

// CPU seconds per point of `run` or `reference` of the kernel: the median of all passes over
// the points that fit in `seconds`, at least one pass. Returns PPS_E_STOPPED if the stop flag
// is set.
PPS_MUST_CHECK enum pps_status pps_benchpoints_time(struct pps_benchpoints *points,
                                                    pps_bench_function *function,
                                                    double seconds, const atomic_bool *stop,
                                                    double *point_s, struct pps_error *err);

// Compares `run` and `reference` at all points, as an audit does.
PPS_MUST_CHECK enum pps_status pps_benchpoints_audit(struct pps_benchpoints *points,
                                                     const atomic_bool *stop, double *largest,
                                                     struct pps_error *err);

// Sorts n values and returns the median.
double pps_bench_median(double *values, int n);
