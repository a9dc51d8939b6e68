// SPDX-License-Identifier: Apache-2.0
// Reads the configuration file of a run, in the folder of the run or beside it, as far as it helps to
// read the run's logs and profile.
#pragma once

#include "planner/profiles/run_folders.h"

#include <stdbool.h>
#include <stdint.h>

enum { RUN_CONFIG_STAGES = 4096 };

struct run_config {
    bool is_found; // all other fields are zeros otherwise
    struct run_degrees degrees;
    int32_t micro_batches; // per step; 0: unknown
    bool has_dense;
    int32_t dense;    // leading layers without experts, if has_dense
    int32_t n_layers; // stages in `layers`; 0: unknown
    int32_t layers[RUN_CONFIG_STAGES];
};

// Looks for the configuration of the run in the folder `path`: the only configuration of a framework
// in the folder, else a file NAME.yaml, .yml, .sh or .toml, also NAME_pretrain, with the name of the
// folder, in the two folders above, as `nd dryrun` and `nd profile` lay out their logs. Configurations
// with errors are not used.
void run_config_find(struct run_config *config, const char *path);

// A run_guess (run_folders.h) without `self`.
bool run_config_guess(void *self, const char *path, struct run_degrees *degrees);
