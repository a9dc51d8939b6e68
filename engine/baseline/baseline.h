// SPDX-License-Identifier: Apache-2.0
// A baseline compares every row of a result with the same point at some fixed parameter values,
// such as equal weights. The kernel computes the baseline of a row; it need not be in the result.
#pragma once

#include "base/text/status.h"
#include "engine/read/view.h"

#include <stdatomic.h>
#include <stdio.h>

#define PPS_BASELINE_VALUE "baseline"     // the value at the baseline
#define PPS_BASELINE_GAIN  "gain_percent" // how much better the row is

struct pps_baseline;

struct pps_baseline_ask {
    const char *path; // a result with a manifest, not "-"
    const struct pps_kernel *const *kernels;
    const char *words;     // "KEY=VALUE,KEY=VALUE", or "default": what the kernel states
    const char *objective; // a result of the kernel; NULL: what ranks the rows of the file
    const atomic_bool *stop;
};

// Checks the words of a baseline against a kernel before there is a result.
PPS_MUST_CHECK enum pps_status pps_baseline_check(const struct pps_kernel *kernel,
                                                  const char *words, struct pps_error *err);

// Opens a baseline. PPS_E_INPUT for an unknown parameter, a value out of range, a kernel that
// states no baseline, and an objective that is no number of the kernel. The caller calls
// pps_baseline_close in every case; *baseline may be NULL.
PPS_MUST_CHECK enum pps_status pps_baseline_open(struct pps_baseline **baseline,
                                                 const struct pps_baseline_ask *ask,
                                                 struct pps_error *err);
void pps_baseline_close(struct pps_baseline *baseline);

// Adds two columns to a view of the result: PPS_BASELINE_VALUE, and PPS_BASELINE_GAIN, in percent
// of the baseline: 100 (1 - value/baseline) where lower values are better, otherwise
// 100 (value/baseline - 1). The cells are empty where the row has no result or the kernel computes
// no baseline. Every baseline is computed once. For struct pps_view_ask; the view uses `baseline`.
PPS_MUST_CHECK enum pps_status pps_baseline_add(void *baseline, struct pps_view *view,
                                                struct pps_error *err);

// Says what the baseline is, and how many baselines could not be computed and why.
void pps_baseline_say(const struct pps_baseline *baseline, FILE *out);
