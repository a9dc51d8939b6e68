// SPDX-License-Identifier: Apache-2.0
// What the readers of a request share.
#pragma once

#include "planner/dynapipe/request.h"

// Reads --memory, which replaces the limit of the setup.
PPS_MUST_CHECK enum pps_status dynaplan_read_memory(struct dynaplan_request *request,
                                                    const struct pps_args *args,
                                                    struct pps_error *err);

// Opens a setup, and refuses devices that cannot hold their state.
PPS_MUST_CHECK enum pps_status dynaplan_open_state(struct step_setup *setup,
                                                   struct pps_error *err);

// Reads the training file and the cluster that the first words name, and opens the setups of the request.
PPS_MUST_CHECK enum pps_status dynaplan_open_training(struct dynaplan_request *request,
                                                      const struct pps_args *args,
                                                      struct pps_error *err);
