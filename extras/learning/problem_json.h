// SPDX-License-Identifier: Apache-2.0
// Reads and writes distributions of training problems as JSON: an object with the names of struct
// problem_space as keys. A value is a list [least, most], or a number for both; a key that is absent keeps
// the value of problem_default:
//
//   {"devices": [2, 8], "chunks": 1, "level": [0, 0.4], "outlier_k": 20}
#pragma once

#include "extras/learning/problem.h"
#include "ppsweep/fault.h"

struct cJSON;

bool problem_space_read(const struct cJSON *root, struct problem_space *space,
                        struct pps_fault *fault);

// Returns the object with all keys, which the caller frees with cJSON_Delete. NULL: out of memory.
struct cJSON *problem_space_tree(const struct problem_space *space);
