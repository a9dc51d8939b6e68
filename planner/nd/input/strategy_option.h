// SPDX-License-Identifier: Apache-2.0
// Reads strategies that options name by their degrees: --at dp=8,tp=4,pp=2.
#ifndef PPS_PLANNER_ND_INPUT_STRATEGY_OPTION_H
#define PPS_PLANNER_ND_INPUT_STRATEGY_OPTION_H

#include "planner/nd/input/search_options.h"

// Reads "dp=8,tp=4,pp=2". Missing degrees are 1, except: dp is the number of remaining devices, op
// is dp * cp, mbs the smallest size to try, and sp is on if tp > 1. option: its name, for messages.
PPS_MUST_CHECK enum pps_status nd_strategy_read(const struct nd_job *job,
                                                const char *option,
                                                const char *text,
                                                struct nd_strategy *strategy,
                                                struct pps_error *err);

// Returns whether the text of a strategy sets this degree.
bool nd_strategy_sets(const char *text, const char *degree);

// Refuses a number of chunks per stage that the training's schedule does not allow. As published,
// any schedule allows any number.
PPS_MUST_CHECK enum pps_status nd_strategy_check_chunks(const struct nd_job *job,
                                                        const char *option,
                                                        const char *text,
                                                        const struct nd_strategy *strategy,
                                                        struct pps_error *err);

// Like nd_strategy_read, but without a search space; the strategy must use all devices of the
// cluster.
PPS_MUST_CHECK enum pps_status nd_strategy_read_whole(struct nd_job *job,
                                                      const char *option,
                                                      const char *text,
                                                      struct nd_strategy *strategy,
                                                      struct pps_error *err);

#endif
