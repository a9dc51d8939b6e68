// SPDX-License-Identifier: Apache-2.0
// Writes performance logs: how long every batch took to plan, and which recomputation its plan has.
#ifndef PPS_PLANNER_DYNAPIPE_PLAN_LOG_H
#define PPS_PLANNER_DYNAPIPE_PLAN_LOG_H

#include "base/write/new_file.h"
#include "planner/dynapipe/plan_batch.h"

#include <stdio.h>

// performance.log has a record a line, recompute_plans.json an array of plans. Zeroed: no log.
struct plan_log {
    bool is_open;
    FILE *records;
    struct pps_new_file plans;
    int64_t n;
};

// Opens the logs in a folder: "" is that of DYNAPIPE_PERFORMANCE_LOG_DIR, or performance_logs; NULL: no log. Earlier
// records are continued; plans go through the gate.
PPS_MUST_CHECK enum pps_status plan_log_open(struct plan_log *log,
                                             const char *folder,
                                             const struct pps_gate *gate,
                                             struct pps_error *err);

// Ends and closes the logs, if they are open.
PPS_MUST_CHECK enum pps_status plan_log_close(struct plan_log *log, struct pps_error *err);

// Appends the recomputation of a plan: a list of [layer, next layer, type] for each micro-batch of each replica.
void plan_log_collect(const struct planned *planned, struct text_buffer *out);

// Writes what a batch took, and its recomputation as collected.
PPS_MUST_CHECK enum pps_status plan_log_write(struct plan_log *log,
                                              const struct batch *batch,
                                              const struct planned *planned,
                                              const struct text_buffer *recompute,
                                              struct pps_error *err);

#endif
