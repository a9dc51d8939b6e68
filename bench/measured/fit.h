// SPDX-License-Identifier: Apache-2.0
// Fits the constants of devices and software stacks to all published steps, and predicts every source
// by a fit to all other sources.
#pragma once

#include "planner/nd/profiling/calibrate.h"

struct cJSON;

struct measured {
    struct nd_measurement all[ND_MEASURED];
    const struct nd_measurement *each[ND_MEASURED]; // pointers to all of them
    int n;
    struct nd_unknown unknowns[ND_UNKNOWNS];
    const char *why[ND_UNKNOWNS]; // of the value before the fit; in the document
    int n_unknowns;
    // Predicted / measured - 1: with the records; by a fit without the source of the step; by the
    // fit to the fitting part.
    double built_in[ND_MEASURED], left_out[ND_MEASURED];
    struct nd_cache *cache;
};

// Reads a document of measurements with a list "fit" of unknowns. Exits after an error.
void measured_read(struct measured *m, const struct cJSON *document, const char *path);

// Whether no earlier row has the source of this one.
bool measured_new_source(const struct measured *m, int i);

// Predicts the memory of the fullest device; the total is NAN if nobody knows the size of the micro-batches.
struct nd_memory measured_memory(const struct measured *m, const struct nd_measurement *row);

// Fits the unknowns to the fitting part, and fills built_in and left_out.
void measured_fit(struct measured *m);

// The mean error of the other steps of a table if one of its steps sets a factor of all times
// (nd_fit_scale): the mean and the best over all choices of this step. `fitted` is the mean error of
// the table with the factor that fits all of its steps. Returns the number of rows of the table.
int measured_one_step(const struct measured *m, const char *set, double *mean, double *best,
                      double *fitted);

// Compares two numbers, for qsort.
int measured_by_value(const void *a, const void *b);
