// SPDX-License-Identifier: Apache-2.0
// Simulates gpipe points stage by stage. Private to the model.
#pragma once

#include "kernels/contention/model/state.h"

// Returns whether contention_run_gpipe can simulate the point whose constants are set: a gpipe point
// without a limit of events, of which the event loop counts the distinct times. Tasks that are too
// slow to set the time of an event end at events of other stages, so there must be none.
bool contention_is_gpipe(const struct sim *s);

// Simulates such a point whose state is set up, and sets total_time and n_events. In gpipe nothing
// ever waits for a later stage: forwards go down the pipeline, then backwards go up, and no
// receiver is overloaded. So each stage is simulated alone, from the times at which its inputs
// come to the times at which its outputs arrive.
enum contention_status contention_run_gpipe(struct sim *s, const atomic_bool *stop,
                                            struct contention_result *result);
