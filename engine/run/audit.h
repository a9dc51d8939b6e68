// SPDX-License-Identifier: Apache-2.0
// The auditor checks a run: the kernel's reference recomputes a fraction of the rows, and every
// column is compared. The numbers of the points alone decide which rows are audited, so the
// choice does not depend on threads or blocks.
#pragma once

#include "base/text/status.h"
#include "engine/experiment/experiment.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_BATCH = 256 }; // points per call of the kernel

// Counts of the audited rows.
struct pps_audited {
    uint64_t rows;
    double largest;     // largest difference, relative as pps_auditor_batch defines it
    uint64_t sensitive; // rows whose digits depend on rounding; not in `largest`
    bool stopped;       // the stop flag ended the reference: the batch does not count
};

// Adds the counts of *part to *total; `largest` becomes the larger of the two.
void pps_audited_add(struct pps_audited *total, const struct pps_audited *part);

// Returns true if the point with number `index` belongs to the audited fraction (0 ... 1).
// Thread-safe.
bool pps_audit_chooses(double fraction, uint64_t index);

// Returns PPS_E_INPUT for a kernel without a reference.
PPS_MUST_CHECK enum pps_status pps_audit_possible(const struct pps_kernel *kernel,
                                                  struct pps_error *err);

struct pps_auditor; // one per worker thread; pps_auditor_open allocates all its memory

// Opens an auditor of the fraction 0 ... 1 of all points. The experiment must outlive the
// auditor. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_auditor_open(struct pps_auditor **auditor,
                                                const struct pps_experiment *experiment,
                                                double fraction, struct pps_error *err);
void pps_auditor_close(struct pps_auditor *auditor); // NULL is fine

// Compares the audited rows of a batch of at most PPS_BATCH points that `run` has finished.
// Point i of the batch has the number index[i]. Adds the counts to *audited. Returns
// PPS_E_POINTS and names the first point that differs, unless the reference is sensitive there:
// it changes by at least an eighth of that difference when the parameters change by a few
// roundings.
//
// The difference of two results is relative to the larger result. If both results are smaller
// than the scale of their kind, it is relative to that scale: the largest result of the row
// with the same unit, or 1 for a real number without a unit (a ratio).
PPS_MUST_CHECK enum pps_status pps_auditor_batch(
    struct pps_auditor *auditor, const struct pps_batch *batch, const uint64_t *index,
    const struct pps_worker *worker, struct pps_audited *audited, struct pps_error *err);

// Compares the row of a point in an earlier result (then) with the row that was computed now.
// Both rows are the cells of the experiment's columns, separated by commas and ended by a
// newline. The point is row i of the parameter arrays. Returns PPS_E_POINTS and names the first
// cell that differs.
PPS_MUST_CHECK enum pps_status pps_audit_reused(const struct pps_experiment *experiment,
                                                const double *const *param, size_t i,
                                                const char *then, const char *now,
                                                struct pps_error *err);
