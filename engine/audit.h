// SPDX-License-Identifier: Apache-2.0
// Checking a real run: a fraction of its rows is computed once more by the kernel's reference
// and compared, column by column. Which rows is decided by their points' numbers alone, so it
// does not depend on threads or blocks.
#ifndef PPS_AUDIT_H
#define PPS_AUDIT_H

#include "experiment.h"
#include "kernel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_BATCH = 256 }; // points a kernel is given at a time

// What has been compared.
struct pps_audited {
    uint64_t rows;
    double largest; // difference, relative as pps_auditor_batch says
    uint64_t
        sensitive; // rows that differ because rounding decides their digits: not counted above
    bool stopped;  // the reference gave way to the stop flag: the batch does not count
};

void pps_audited_add(struct pps_audited *total, const struct pps_audited *part);

// Whether the point of this number is among the fraction.
bool pps_audit_chooses(double fraction, uint64_t index);

// PPS_E_INPUT for a kernel without a reference.
PPS_MUST_CHECK enum pps_status pps_audit_possible(const struct pps_kernel *kernel,
                                                  struct pps_error *err);

struct pps_auditor; // one a worker; all its memory is taken when it is opened

PPS_MUST_CHECK enum pps_status pps_auditor_open(struct pps_auditor **auditor,
                                                const struct pps_experiment *experiment,
                                                double fraction,
                                                struct pps_error *err);
void pps_auditor_close(struct pps_auditor *auditor); // NULL is fine

// Compares the chosen rows of a batch of at most PPS_BATCH points that `run` has finished.
// Point i has the number index[i]. Adds to *audited. PPS_E_POINTS names the first point that
// differs, unless the reference itself differs as much (an eighth will do) at points that are
// some rounding beside it.
//
// The difference of two results is relative to the larger of them, or to what a result of its
// kind is measured by where both are smaller: the largest result of the row that has the same
// unit, 1 for a real number without a unit (a ratio).
PPS_MUST_CHECK enum pps_status pps_auditor_batch(struct pps_auditor *auditor,
                                                 const struct pps_batch *batch,
                                                 const uint64_t *index,
                                                 const struct pps_worker *worker,
                                                 struct pps_audited *audited,
                                                 struct pps_error *err);

// Compares what an earlier result says of a point (then) with what has been computed now: both are
// the cells of the experiment's columns with commas between and a newline. The point is row i of
// the parameters' arrays. PPS_E_POINTS names the first cell that differs.
PPS_MUST_CHECK enum pps_status pps_audit_reused(const struct pps_experiment *experiment,
                                                const double *const *param,
                                                size_t i,
                                                const char *then,
                                                const char *now,
                                                struct pps_error *err);

#endif
