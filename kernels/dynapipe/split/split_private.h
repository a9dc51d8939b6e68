// SPDX-License-Identifier: Apache-2.0
// The memory of divisions of samples, and the rules of an attempt.
#pragma once

#include "kernels/dynapipe/split/split.h"

struct split_memory {
    struct split_groups groups;
    struct split_divider divider;
    struct split_division division;
    struct split_path_order path;
    struct split_key *keys;
    int32_t *orders[2];                    // by length, along the path
    int32_t *sorted_input, *sorted_target; // lengths by length, for the path
    struct split_result best, trial;
};

enum { SPLIT_ATTEMPTS = SPLIT_LIMITS * DYNAPIPE_RECOMPUTE_TYPES };

// Sets the rules of an attempt: every limit with every recompute type, those that cost less time first. Returns false
// if the task bars the recompute type.
bool split_attempt(const struct split_task *task, int attempt, struct split_rules *rules,
                   enum split_limit *limit);
