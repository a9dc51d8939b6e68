// SPDX-License-Identifier: Apache-2.0
// Fits the efficiencies of a device to measured steps: minimises the sum of the squared logarithms
// of predicted over measured time. Deterministic; allocates no memory.
#ifndef PPS_PLANNER_ND_PROFILING_CALIBRATE_H
#define PPS_PLANNER_ND_PROFILING_CALIBRATE_H

#include "kernels/ndsearch/estimate/estimate.h"

struct cJSON;

// One measured step. All replicas share optimizer states unless the point sets op.
struct nd_measurement {
    char set[48]; // name of its set
    char model_name[48];
    struct modeldesc model;
    struct training training;
    struct hardware hardware;
    struct nd_point
        point;      // strategy.mbs 0: whichever power of two takes least, as not published
    double seconds; // a step
    double memory;  // bytes of the fullest device; 0: not measured
};

// A document: {"models": {name: model}, "sets": [{"name", "source", "hardware", "training",
// "seq_length", "measurements": [{"model", dp ... sp, "recompute", "gbs", and one of "seconds",
// "tflops", "mfu"}]}]}. "tflops" are a device's TFLOP/s by equation 3 of Narayanan et al. 2021,
// "mfu" is as nd_estimate has it. At most `max` measurements; *n of them.
bool nd_measurements_read(struct nd_measurement *measurements,
                          int max,
                          int *n,
                          const struct cJSON *document,
                          struct pps_fault *fault);

enum nd_efficiency {
    ND_GEMM,
    ND_ATTENTION,
    ND_MEMORY,
    ND_LINK,
    ND_EFFICIENCIES,
};

double nd_efficiency_of(const struct hardware *hardware, enum nd_efficiency which);

// Returns the predicted seconds of a measurement with the efficiencies of `hardware`. Uses only the
// scratch of the cache.
double nd_predict(const struct nd_measurement *measurement,
                  const struct hardware *hardware,
                  struct nd_cache *cache);

struct nd_fit {
    struct hardware hardware; // with the efficiencies found
    double mean_error;        // mean of |predicted / measured - 1|
    double worst_error;
    int rounds;
};

// Fits the efficiencies in `which` (bits 1 << enum nd_efficiency) to the n measurements, starting
// from the values in `start`; other efficiencies keep these values. Results are in 0.02 ... 1. Each
// efficiency is drawn slightly to its start value, so an efficiency on which no measurement depends
// stays unchanged.
void nd_calibrate(const struct nd_measurement *const *measurements,
                  int n,
                  unsigned which,
                  const struct hardware *start,
                  struct nd_cache *cache,
                  struct nd_fit *fit);

// Returns the mean error of measurements, each predicted by a fit to all others: the error to
// expect for steps that were not measured.
double nd_left_out_error(const struct nd_measurement *const *measurements,
                         int n,
                         unsigned which,
                         const struct hardware *start,
                         struct nd_cache *cache);

#endif
