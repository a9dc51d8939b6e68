// SPDX-License-Identifier: Apache-2.0
// Reads the baseline of a search: the strategy of --baseline, or the strategy that a document sets.
#ifndef PPS_PLANNER_ND_INPUT_BASELINE_H
#define PPS_PLANNER_ND_INPUT_BASELINE_H

#include "base/text/status.h"
#include "planner/shared/plan_run.h"

enum { ND_BASELINE_BYTES = 160 };

// Writes a baseline of a document as text, in the form of --baseline: "dp=8,tp=4,pp=2". *devices is
// the number of devices of the strategy; 0 if dp is missing, which the cluster then decides.
PPS_MUST_CHECK enum pps_status nd_baseline_text(const struct pps_json *document,
                                                const struct cJSON *baseline,
                                                char text[ND_BASELINE_BYTES],
                                                double *devices,
                                                struct pps_error *err);

// Writes the strategy that a document sets as text. The text is "" if no document sets a strategy, if the strategy cannot run, or if it needs another
// number of devices than the cluster has; a note on stderr reports the second and the third case unless `quiet`.
PPS_MUST_CHECK enum pps_status nd_baseline_of_document(const struct plan_run *run,
                                                       bool quiet,
                                                       char text[ND_BASELINE_BYTES],
                                                       struct pps_error *err);

#endif
