// SPDX-License-Identifier: Apache-2.0
// Replays the pipelines of candidates: the closed form of the search orders and filters, what is shown is executed.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "planner/nd/input/search_options.h"
#include "planner/nd/strategies/search.h"

// Sets the step and the rates of a candidate to those of its executed pipeline. A candidate without an
// order keeps the closed form. Memory stays: both are the same unless it was measured.
PPS_MUST_CHECK enum pps_status nd_replay_one(struct nd_candidate *candidate,
                                             const struct nd_job *job, struct poll *poll,
                                             struct pps_error *err);

// Does so for the candidates that are fastest by the closed form: for all of them unless that takes more than a few
// seconds. The others keep the closed form.
PPS_MUST_CHECK enum pps_status nd_replay(struct nd_search_result *result,
                                         const struct nd_job *job, struct poll *poll,
                                         struct pps_error *err);
