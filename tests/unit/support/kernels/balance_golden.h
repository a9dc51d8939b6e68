// SPDX-License-Identifier: Apache-2.0
// Loads golden cases of layers and strategies.
#pragma once

#include "kernels/balance/model/replay.h"
#include "tests/unit/support/kernels/golden.h"

// Sets layers and shape of a case: "case" of a golden file. Fails the test if they are wrong.
void balance_golden_case(const cJSON *of, struct balance_layers *layers,
                         struct balance_shape *shape);

// Allocates the strategy of lists in YAML counting; false, true and 0 stand for whole lists. The caller frees
// strategy.count.
struct balance_strategy balance_golden_lists(const struct balance_layers *layers,
                                             const cJSON *lists, int32_t stages,
                                             int32_t chunks);

// A replay in memory of its own; the caller frees *memory.
struct balance_replay *balance_golden_replay(const struct balance_shape *shape, void **memory);

// A strategy of a golden file with its replay.
struct balance_golden_replayed {
    struct balance_layers layers;
    struct balance_shape shape;
    struct balance_strategy strategy;
    struct balance_replay *replay;
    struct balance_result result;
    void *memory;
};

// Replays strategy `which` of a file of one case.
struct balance_golden_replayed balance_golden_replayed(const char *file, int which);
void balance_golden_done(struct balance_golden_replayed *r);
