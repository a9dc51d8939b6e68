// SPDX-License-Identifier: Apache-2.0
// A training of a file, evaluated.
#pragma once

#include "planner/shared/plan_configuration.h"

struct training_case {
    bool opened;
    struct plan_run run;
    struct plan_mine mine; // has
};

// Reads and evaluates a training; cluster: a file or a name, or NULL; args: with --devices. A training that sets no strategy or
// cannot run is an error. The caller closes the case in any case.
PPS_MUST_CHECK enum pps_status training_case_open(struct training_case *training,
                                                  const char *path, const char *cluster,
                                                  const struct pps_args *args,
                                                  struct poll *poll, struct pps_error *err);
void training_case_close(struct training_case *training);
