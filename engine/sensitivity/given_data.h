// SPDX-License-Identifier: Apache-2.0
// Estimates first-order indices from any sample, without a design, by dividing the values of a parameter
// into classes (Plischke, Borgonovo, Smith: Global sensitivity measures from given data; European
// Journal of Operational Research 226, 2013).
#ifndef PPS_ENGINE_SENSITIVITY_GIVEN_DATA_H
#define PPS_ENGINE_SENSITIVITY_GIVEN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns a number of classes for n results: the cube root of n, from 2 to 50.
uint32_t pps_usual_classes(uint64_t n);

// Divides the levels 0 ... levels - 1 of a parameter, in order, into at most n_classes classes of about
// equally many of the n results; equal values share a class. code[i] < levels. Writes the class of each
// level and returns the number of classes.
uint32_t pps_classes(const uint32_t *code,
                     uint64_t n,
                     uint32_t levels,
                     uint32_t n_classes,
                     uint64_t *counts, // [levels], overwritten
                     uint32_t *class_of);

// n results y, all finite, with the class of each.
struct pps_given_data {
    const double *y;
    const uint32_t *class_of;
    size_t n;
    uint32_t n_classes;
};

// Writes one value, the estimate of the first-order index:
//   1 - (1 - R) (n - 1) / (n - k),  R: the correlation ratio of k classes that are not empty
// Without the correction, k classes of n random numbers explain (k - 1) / (n - 1) of any variance
// (Kelley: An unbiased correlation ratio measure; PNAS 21, 1935). What remains is a bias downwards:
// changes within a class do not count. NAN if the variance is 0 or n <= k. `self` is a struct
// pps_given_data: the function is a statistic for pps_bootstrap.
void pps_first_order(const void *self, const uint32_t *counts, double *index);

#endif
