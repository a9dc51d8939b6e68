// SPDX-License-Identifier: Apache-2.0
// Writes a configuration as the file that starts it: the user's file with changes, or a new launch script; and
// reads it back.
#pragma once

#include "planner/shared/plan_baseline.h"

// Appends a copy of the framework's file of the run with the configuration; without such a file, a launch script
// of Megatron-LM. Returns PPS_E_INPUT if the framework cannot express the configuration.
PPS_MUST_CHECK enum pps_status nd_rewrite(struct text_buffer *text, const struct plan_run *run,
                                          const struct configuration *configuration,
                                          struct pps_error *err);

// Evaluates such a text as the file that it will be (plan_written_open).
PPS_MUST_CHECK enum pps_status nd_rewritten_open(struct plan_written *written,
                                                 const struct pps_args *args,
                                                 const struct plan_run *run,
                                                 const struct text_buffer *text,
                                                 struct poll *poll, struct pps_error *err);

// Finds which modules a file recomputes that recomputes parts of all layers, where the file of the run does not say
// so: *modules (training.recompute_modules) changes to those of the file as nd_rewrite would write it.
PPS_MUST_CHECK enum pps_status nd_rewritten_modules(unsigned *modules,
                                                    const struct pps_args *args,
                                                    const struct plan_run *run,
                                                    struct pps_error *err);

// Returns the extension of the file with its dot: ".yaml".
const char *nd_rewritten_ending(const struct plan_run *run);
