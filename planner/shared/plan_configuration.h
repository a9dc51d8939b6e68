// SPDX-License-Identifier: Apache-2.0
// Reads the configuration of a training run: what its documents say, and options that edit it.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/configuration/step.h"
#include "planner/shared/plan_run.h"

// The options that plan_configuration_open() reads, for a table of options.
#define PLAN_CONFIGURATION_OPTIONS                                                             \
    {"at", 0, "DEGREES",                                                                       \
     "change the strategy: dp=8,tp=4,pp=16, also cp ep op vp mbs sp=on schedule=NAME"},        \
        {"layers", 0, "LIST",                                                                  \
         "layers per stage, 4,5,4,3; with several chunks a row each: 2,2|2,1"},                \
    {                                                                                          \
        "recompute", 0, "LIST",                                                                \
            "layers per stage to make again, as --layers; or none, select or full for all"     \
    }

struct plan_configuration {
    struct configuration configuration;
    struct configuration_items items; // in the documents of the run
    cJSON *removed;                   // items that options have replaced
    struct text_buffer cannot_run;    // why the training cannot run; "" or NULL: it can
};

// Makes the configuration of a run; args: of the options above, or NULL. A document and options that contradict each other are errors; a
// configuration that cannot run is not, its `cannot_run` says why. After an error there is nothing to
// close; the run must outlive the configuration.
PPS_MUST_CHECK enum pps_status plan_configuration_open(struct plan_configuration *plan,
                                                       struct plan_run *run,
                                                       const struct pps_args *args,
                                                       struct pps_error *err);
void plan_configuration_close(struct plan_configuration *plan);

// The training of the user, with which commands compare what they find.
struct plan_mine {
    bool has; // a document sets it, and it can run
    struct plan_configuration plan;
    struct configuration_step step;
};

// Evaluates the configuration that a document of the run sets. A configuration that cannot run is reported
// in one line on stderr (unless `quiet`) and skipped. poll: may be NULL. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status plan_mine_open(struct plan_mine *mine, struct plan_run *run,
                                              bool quiet, struct poll *poll,
                                              struct pps_error *err);
void plan_mine_close(struct plan_mine *mine); // a zeroed struct is allowed

// Returns whether it fits in memory.
bool plan_mine_fits(const struct plan_mine *mine);

// Returns "none", "select", "full", or "mixed" where layers differ.
const char *plan_mine_recompute(const struct configuration *configuration);
