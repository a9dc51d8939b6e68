// SPDX-License-Identifier: Apache-2.0
// Prices the choice of a pipeline program as a configuration, so that the figures are those of
// `ppsweep check` for the same training.
#pragma once

#include "kernels/common/split/program.h"
#include "kernels/configuration/step.h"
#include "planner/nd/input/program_input.h"

// Returns whether times and memory of a program come from the models alone: then its choices are priced.
bool nd_choice_has_price(const struct nd_input *input, enum nd_ratio_source source);

// Makes the configuration of a choice. The caller frees it with configuration_free in any case.
// Returns false when out of memory.
bool nd_choice_configuration(struct configuration *configuration, const struct plan_run *run,
                             const struct nd_strategy *strategy,
                             const struct nd_program *program, const struct nd_choice *choice);

// Evaluates it. The caller frees the step in any case.
enum configuration_status nd_choice_step(struct configuration_step *step,
                                         const struct plan_run *run,
                                         const struct nd_strategy *strategy,
                                         const struct nd_program *program,
                                         const struct nd_choice *choice, struct poll *poll);

// The `price` of an nd_rank_source; maker: an nd_maker.
bool nd_maker_price(void *maker, const struct nd_strategy *strategy,
                    const struct nd_rank_case *used, const struct nd_choice *choice,
                    struct nd_rank_price *price, bool *no_memory);
