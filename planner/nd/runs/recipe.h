// SPDX-License-Identifier: Apache-2.0
// The command of a run, a text for /bin/sh: the user's command or the launcher of the framework, after
// the variables that the run needs.
#pragma once

#include "base/text/status.h"
#include "base/text/text_buffer.h"
#include "planner/nd/runs/configurations.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_recipe {
    bool dry_run;                      // simulate single ranks where the framework can do so
    const char *command;               // the user's, with placeholders; NULL: the launcher
    const char *folders[N_FRAMEWORKS]; // where the framework is installed; NULL: unknown
    const char *ranks; // to simulate: "stages", "largest", "none", "0,8"; NULL: by framework
};

// One process to start, without its devices.
struct nd_order {
    const struct nd_configuration *configuration;
    int64_t rank; // simulated; -1: the command runs all ranks
    int i_rank;   // 0 for the first simulated rank of a configuration
};

// What a run gets from the machine.
struct nd_place {
    const char *log;     // absolute folder of the logs of the configuration
    const char *devices; // "0,1,2,3"; "": not restricted
    int port;            // for the first rank of a run; 0: not set
};

// Checks the command and the folders of the frameworks. Returns PPS_E_INPUT for a misspelt
// placeholder, a command without {file} and {name}, a missing value of a placeholder, and a missing
// launcher. has_devices: runs get devices.
PPS_MUST_CHECK enum pps_status nd_recipe_check(const struct nd_recipe *recipe,
                                               const struct nd_configurations *all,
                                               bool has_devices, struct pps_error *err);

enum { ND_RANKS_MAX = 4096 }; // simulated ranks of a configuration

// Lists the runs of a configuration; orders has room for ND_RANKS_MAX. Returns PPS_E_INPUT if the
// ranks do not fit the configuration, or if its degrees are unknown.
PPS_MUST_CHECK enum pps_status nd_recipe_orders(const struct nd_recipe *recipe,
                                                const struct nd_configuration *configuration,
                                                struct nd_order *orders, int *n,
                                                struct pps_error *err);

// Appends the command of a run.
void nd_recipe_command(struct text_buffer *out, const struct nd_recipe *recipe,
                       const struct nd_order *order, const struct nd_place *place);
