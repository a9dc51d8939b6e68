// SPDX-License-Identifier: Apache-2.0
// Reads the baseline of a search: the strategy of --baseline, or the strategy that a document sets.
#pragma once

#include "base/text/status.h"
#include "planner/nd/input/search_options.h"
#include "planner/shared/plan_run.h"

// ---- strategy option ----------------------------------------------------------------------------

// Reads "dp=8,tp=4,pp=2". Missing degrees are 1, except: dp is the number of remaining devices, op
// is dp * cp, mbs the smallest size to try, and sp is on if tp > 1. option: its name, for messages.
PPS_MUST_CHECK enum pps_status nd_strategy_read(const struct nd_job *job, const char *option,
                                                const char *text, struct nd_strategy *strategy,
                                                struct pps_error *err);

// Returns whether the text of a strategy sets this degree.
bool nd_strategy_sets(const char *text, const char *degree);

// Refuses a number of chunks per stage that the training's schedule does not allow. As published,
// any schedule allows any number.
PPS_MUST_CHECK enum pps_status nd_strategy_check_chunks(const struct nd_job *job,
                                                        const char *option, const char *text,
                                                        const struct nd_strategy *strategy,
                                                        struct pps_error *err);

// Like nd_strategy_read, but without a search space; the strategy must use all devices of the
// cluster.
PPS_MUST_CHECK enum pps_status nd_strategy_read_whole(struct nd_job *job, const char *option,
                                                      const char *text,
                                                      struct nd_strategy *strategy,
                                                      struct pps_error *err);

// ---- baseline -----------------------------------------------------------------------------------

enum { ND_BASELINE_BYTES = 160 };

// Writes a baseline of a document as text, in the form of --baseline: "dp=8,tp=4,pp=2". *devices is
// the number of devices of the strategy; 0 if dp is missing, which the cluster then decides.
PPS_MUST_CHECK enum pps_status nd_baseline_text(const struct pps_json *document,
                                                const struct cJSON *baseline,
                                                char text[ND_BASELINE_BYTES], double *devices,
                                                struct pps_error *err);

// Writes the strategy that a document sets as text. The text is "" if no document sets a strategy, if the strategy cannot run, or if it needs another
// number of devices than the cluster has; a note on stderr reports the second and the third case unless `quiet`.
PPS_MUST_CHECK enum pps_status nd_baseline_of_document(const struct plan_run *run, bool quiet,
                                                       char text[ND_BASELINE_BYTES],
                                                       struct pps_error *err);
