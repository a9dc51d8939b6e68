// SPDX-License-Identifier: Apache-2.0
// Fits named factors of devices and software stacks to measured steps: minimises the sum of the
// squared logarithms of predicted over measured time. Deterministic; allocates no memory.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/estimate/estimate.h"
#include "planner/nd/profiling/factors.h"

struct cJSON;

// One measured step. All replicas share optimizer states unless the point sets op.
struct nd_measurement {
    char set[48];    // name of its set
    char source[24]; // of the set: sets of one source are left out of a fit together
    bool judges;     // no constant was chosen on this set
    char model_name[48];
    struct modeldesc model;
    struct training training; // with its stack: always named
    struct hardware hardware;
    struct nd_point
        point;      // strategy.mbs 0: whichever power of two takes least, as not published
    double seconds; // a step; 0: only known whether it fits
    bool fits;      // false: it ran out of memory
    double memory;  // bytes of the fullest device; 0: not measured
};

// A document: {"models": {name: model}, "sets": [{"name", "from", "part", "source", "hardware",
// "training", "seq_length", "measurements": [{"model", dp ... sp, "recompute", "gbs", and one of
// "seconds", "tflops", "mfu", or only "fits": whether it ran, or ran out of memory; and "stack", what the recipe of this step says}]}]}. "from" names the source of several sets (the set itself); "part"
// is "fit" or "judge". "tflops" are a device's TFLOP/s by equation 3 of Narayanan et al. 2021, "mfu"
// is as nd_estimate has it. At most `max` measurements; *n of them.
bool nd_measurements_read(struct nd_measurement *measurements, int max, int *n,
                          const struct cJSON *document, struct pps_fault *fault);

// Returns the predicted seconds of a measurement. Uses only the scratch of the cache.
double nd_predict(const struct nd_measurement *measurement, struct nd_cache *cache);

// A factor to fit. `of` selects the records that it belongs to, as a list with commas: names of
// stacks, "name@DEVICE" for a stack on devices with the efficiencies of DEVICE, or such devices;
// empty: all records.
struct nd_unknown {
    enum nd_factor factor;
    char of[64];
    double start; // before the fit
    double value; // found
};

enum { ND_UNKNOWNS = 32, ND_MEASURED = 2048 }; // at most, in one fit

// Sets the factors of a measurement to the values of the unknowns that select its records.
void nd_take_unknowns(struct nd_measurement *measurement, const struct nd_unknown *unknowns,
                      int n);

// How a fit weighs: `drawn` is the weight of a unit of u (factors.h) against the logarithm of a
// measured time; `by_table`: a table of n rows weighs sqrt(n), not n; `bend`: errors of the logarithm
// beyond it count by their size, not their square (0: all count by their square).
struct nd_fit_weights {
    double drawn;
    bool by_table;
    double bend;
};

// An efficiency is known beforehand to within a factor of e, a measured step to within 5 %. Drawn
// less, published points that are left out of a fit come out worse.
static const struct nd_fit_weights ND_ONE_TABLE = {0.05, false, 0};

// Fits the unknowns, from their start values, to the measurements i with skip[i] false (NULL: all).
void nd_fit(const struct nd_measurement *const *measurements, int n, const bool *skip,
            struct nd_unknown *unknowns, int n_unknowns, const struct nd_fit_weights *weights,
            struct nd_cache *cache);

// Returns one factor of all times. A step says as much about its own strategy as about the machine,
// so the record counts as one more step, without error: the logarithm of the factor is n / (n + 1) of
// the mean logarithm of measured over predicted time. On published tables the whole ratio of one step
// makes predictions of the other steps worse, and half of the way makes them better. Strategies hardly
// explain more than ND_STEP_SPREAD / n of the mean: what is beyond it counts in full.
#define ND_STEP_SPREAD 0.15
double nd_fit_scale(const struct nd_measurement *const *measurements, int n,
                    struct nd_cache *cache);

// The same of n steps of which the logarithms of measured over predicted time add up to `sum`.
double nd_scale_of(double sum, int n);

// Returns predicted / measured - 1 with the values of the unknowns.
double nd_error_of(const struct nd_measurement *measurement, const struct nd_unknown *unknowns,
                   int n, struct nd_cache *cache);

// Returns the mean absolute error of measurements, each predicted by a fit to all others: the error
// to expect for steps that were not measured.
double nd_left_out_error(const struct nd_measurement *const *measurements, int n,
                         const struct nd_unknown *unknowns, int n_unknowns,
                         struct nd_cache *cache);

// ---- fitted records -----------------------------------------------------------------------------

// Appends {key: record} and a newline, and frees the record; NULL: out of memory.
void nd_add_record(struct text_buffer *text, const char *key, struct cJSON *record);

// Returns the value with as many digits as a fit is worth.
double nd_rounded(double value);

// Appends {"hardware": record} and a newline. The measurement has the records from which the fit
// started.
void nd_add_hardware_record(struct text_buffer *text, const struct nd_measurement *measurement,
                            const struct nd_unknown *unknowns, int n);

// Appends {"stack": record} and a newline; all times grow by `scale`.
void nd_add_stack_record(struct text_buffer *text, const struct nd_measurement *measurement,
                         const struct nd_unknown *unknowns, int n, double scale);
