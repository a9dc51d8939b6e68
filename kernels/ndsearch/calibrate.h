// SPDX-License-Identifier: Apache-2.0
// Efficiencies of a device from measured steps: those that make the logarithms of predicted over
// measured time smallest in the sense of least squares. Deterministic; no memory of its own beyond what
// it is given.
#ifndef PPS_NDSEARCH_CALIBRATE_H
#define PPS_NDSEARCH_CALIBRATE_H

#include "estimate.h"

// One measured step.
struct nd_measurement {
    const struct modeldesc *model;
    const struct training *training;
    const struct hardware *hardware; // its efficiencies are those to be fitted
    int64_t node_devices;
    struct nd_point point;
    int32_t n_mbs;  // > 0: the best of mbs = 1, 2 ... 2^(n_mbs - 1) that divides the batch
    double seconds; // measured
};

enum nd_efficiency {
    ND_FIT_GEMM = 1,
    ND_FIT_ATTENTION = 2,
    ND_FIT_MEMORY = 4,
    ND_FIT_LINK = 8,
};

struct nd_fit {
    double efficiency[4]; // gemm, attention, memory, link
    double mean_error;    // mean of |predicted / measured - 1|
    double rms_log;       // what is minimised
    int rounds;
};

// Predicted seconds of a measurement with the efficiencies that its hardware has.
double nd_predict(const struct nd_measurement *measurement, struct nd_cache *cache);

// Fits the efficiencies in `which` (others stay as in `start`), within 0.02 ... 1. false: fewer measurements than unknowns.
bool nd_calibrate(const struct nd_measurement *measurements,
                  int n,
                  unsigned which,
                  const struct hardware *start,
                  struct nd_cache *cache,
                  struct nd_fit *fit);

#endif
