// SPDX-License-Identifier: Apache-2.0
// Reads back what a command is about to write, so that the figures that it prints are those of the file.
#ifndef PPS_PLANNER_SHARED_PLAN_WRITTEN_H
#define PPS_PLANNER_SHARED_PLAN_WRITTEN_H

#include "planner/shared/plan_configuration.h"

// A file as read back, with the other documents and options of a command.
struct plan_written {
    struct plan_run run;
    struct plan_mine mine;
    bool can_run;
    char why[512]; // otherwise
};

// Evaluates a training whose file of the framework is replaced. like: the run of the command; where the text
// replaces a model's document, as a new launch script does, devices and stack are those of this run. A training
// that cannot run, or that has another batch, is no error. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status plan_written_open(struct plan_written *written,
                                                 const struct pps_args *args,
                                                 const struct plan_run *like,
                                                 const struct plan_text *text,
                                                 struct poll *poll,
                                                 struct pps_error *err);
void plan_written_close(struct plan_written *written);

#endif
