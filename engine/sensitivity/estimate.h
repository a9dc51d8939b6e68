// SPDX-License-Identifier: Apache-2.0
// An estimate is a number with a 95 % confidence interval; the bootstrap makes intervals of any statistic.
#pragma once

#include "base/text/status.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// 97.5 % point of the normal distribution.
#define PPS_Z975 1.959963984540054

// half: half-width of the interval; 0: the value is exact; NAN: unknown. value NAN: there is none.
struct pps_estimate {
    double value, half;
};

// A statistic of n items, of which item i counts counts[i] times; it writes n_values numbers. It is
// called by several threads at the same time and may only read `self`.
struct pps_statistic {
    const void *self;
    void (*compute)(const void *self, const uint32_t *counts, double *values);
    size_t n; // items, below 2^32
    int n_values;
};

struct pps_bootstrap {
    uint64_t seed;
    uint32_t resamples;
    int threads;
    const atomic_bool *stop; // or NULL
};

// Computes the statistic of all items, and the half-widths 1.96 s, where s is the standard deviation of
// the statistic over resamples with replacement (Archer, Saltelli, Sobol': Sensitivity measures,
// ANOVA-like techniques and the use of bootstrap; J. Stat. Comput. Simul. 58, 1997). The interval is
// centred on the estimate, so a bias of the resamples does not move it. Half-widths are NAN if n < 2.
// The result has equal bits for any number of threads. Returns PPS_E_STOPPED after a stop.
PPS_MUST_CHECK enum pps_status pps_bootstrap(const struct pps_bootstrap *how,
                                             const struct pps_statistic *statistic,
                                             struct pps_estimate *estimates,
                                             struct pps_error *err);
