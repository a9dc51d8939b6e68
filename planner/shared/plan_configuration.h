// SPDX-License-Identifier: Apache-2.0
// Reads the configuration of a training run: what its documents say, and options that edit it.
#ifndef PPS_PLANNER_SHARED_PLAN_CONFIGURATION_H
#define PPS_PLANNER_SHARED_PLAN_CONFIGURATION_H

#include "base/text/text_buffer.h"
#include "kernels/configuration/configuration.h"
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
    struct text_buffer cannot_run;    // why the training cannot run; "" or NULL: it can
};

// Makes the configuration of a run. A document and options that contradict each other are errors; a
// configuration that cannot run is not, its `cannot_run` says why. After an error there is nothing to
// close; the run must outlive the configuration.
PPS_MUST_CHECK enum pps_status plan_configuration_open(struct plan_configuration *plan,
                                                       struct plan_run *run,
                                                       const struct pps_args *args,
                                                       struct pps_error *err);
void plan_configuration_close(struct plan_configuration *plan);

#endif
