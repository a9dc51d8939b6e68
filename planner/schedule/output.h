// SPDX-License-Identifier: Apache-2.0
// Writes the files of a comparison of schedules: the table, the order and its timeline.
#pragma once

#include "base/write/gate.h"
#include "kernels/schedule/orders/order_document.h"
#include "planner/schedule/compare.h"

struct schedule_output {
    const char *folder, *trace; // NULL: none
    enum order_form form;
    bool messages;
    const struct pps_gate *gate;
};

// Reads --output, --to, --messages, --trace and --force, and refuses files that exist.
PPS_MUST_CHECK enum pps_status schedule_read_output(struct schedule_output *output,
                                                    const struct pps_args *args,
                                                    struct pps_error *err);

// Returns whether the form of the output can hold the order of a candidate, as far as its shape and a given order
// tell; otherwise the fault has the reason.
bool schedule_output_holds(const struct schedule_output *output,
                           const struct schedule_candidate *candidate, struct pps_fault *fault);

// Fails because the form cannot hold the order of a candidate.
PPS_MUST_CHECK enum pps_status schedule_fail_form(const struct schedule_output *output,
                                                  const struct schedule_candidate *candidate,
                                                  struct pps_error *err);

// chosen: its order is written; NULL: none that may be written fits, which is an error if there is anything to
// write.
PPS_MUST_CHECK enum pps_status schedule_write_output(
    const struct schedule_output *output, const struct schedule_comparison *comparison,
    const struct schedule_candidate *base, const struct schedule_candidate *chosen,
    struct pps_error *err);
