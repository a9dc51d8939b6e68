// SPDX-License-Identifier: Apache-2.0
// Measured steps, and the efficiencies of a device that explain them best: those that make the
// squares of the logarithms of predicted over measured time smallest. Deterministic; no memory of
// its own.
#ifndef PPS_NDSEARCH_CALIBRATE_H
#define PPS_NDSEARCH_CALIBRATE_H

#include "estimate.h"

struct cJSON;

// One measured step. Optimizer states are shared by all replicas unless the point says otherwise.
struct nd_measurement {
    char set[48]; // what it belongs to
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
// "tflops", "mfu"}]}]}. "tflops" are a device's TFLOP/s by equation 3 of Narayanan et al. 2021, "mfu"
// is as nd_estimate has it. At most `max` measurements; *n of them.
bool nd_measurements_read(struct nd_measurement *measurements,
                          int max,
                          int *n,
                          const struct cJSON *document,
                          struct docfault *fault);

enum nd_efficiency {
    ND_GEMM,
    ND_ATTENTION,
    ND_MEMORY,
    ND_LINK,
    ND_EFFICIENCIES,
};

double nd_efficiency_of(const struct hardware *hardware, enum nd_efficiency which);

// Seconds that the model says of a measurement, with the efficiencies of `hardware`. Of the cache
// only scratch is used.
double nd_predict(const struct nd_measurement *measurement,
                  const struct hardware *hardware,
                  struct nd_cache *cache);

struct nd_fit {
    struct hardware hardware; // with the efficiencies found
    double mean_error;        // mean of |predicted / measured - 1|
    double worst_error;
    int rounds;
};

// Fits the efficiencies in `which` (bits 1 << enum nd_efficiency) to the n measurements, from those
// of `start`, which the others keep; all within 0.02 ... 1. Each is drawn a little to what it was:
// one of which the measurements say nothing stays so.
void nd_calibrate(const struct nd_measurement *const *measurements,
                  int n,
                  unsigned which,
                  const struct hardware *start,
                  struct nd_cache *cache,
                  struct nd_fit *fit);

// Mean error of measurements that each are predicted by a fit to all the others: what to expect of
// steps that were not measured.
double nd_left_out_error(const struct nd_measurement *const *measurements,
                         int n,
                         unsigned which,
                         const struct hardware *start,
                         struct nd_cache *cache);

#endif
