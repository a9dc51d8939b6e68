// SPDX-License-Identifier: Apache-2.0
// Reads the documents of the schedule commands: a plan, and an order of operations.
#ifndef PPS_PLANNER_SCHEDULE_INPUTS_H
#define PPS_PLANNER_SCHEDULE_INPUTS_H

#include "base/text/status.h"
#include "kernels/schedule/documents.h"

// A zeroed struct has no documents.
struct schedule_inputs {
    const char *plan_path, *order_path; // NULL: none
    struct pps_json plan_json;
    struct plan *plan;
    struct schedule_means means;
    char *order_text;
    struct order_document order;
    struct schedule_shared shared; // the documents for the kernel
};

// Read a file ("-": standard input). The caller frees the inputs in every case. cluster: see plan_file_read.
PPS_MUST_CHECK enum pps_status schedule_inputs_plan(struct schedule_inputs *inputs,
                                                    const char *path,
                                                    const char *cluster,
                                                    struct pps_error *err);
// An order: our text, PyTorch's CSV, or JSON. Checks that every operation is there exactly once and that
// the order does not deadlock.
PPS_MUST_CHECK enum pps_status schedule_inputs_order(struct schedule_inputs *inputs,
                                                     const char *path,
                                                     struct pps_error *err);
// Checks that the messages that the order lists do not deadlock if they are blocking.
PPS_MUST_CHECK enum pps_status schedule_inputs_messages(struct schedule_inputs *inputs,
                                                        struct pps_error *err);
void schedule_inputs_free(struct schedule_inputs *inputs);

// Writes the values of the parameters that the documents set.
void schedule_inputs_values(const struct schedule_inputs *inputs, double value[N_PARAMS]);

#endif
