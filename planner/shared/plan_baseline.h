// SPDX-License-Identifier: Apache-2.0
// Completes the strategy that a document sets, when the number of devices is known.
#pragma once

#include "planner/shared/plan_configuration.h"
#include "planner/shared/plan_run.h"

// ---- plan written -------------------------------------------------------------------------------

// A file as read back, with the other documents and options of a command.
struct plan_written {
    struct plan_run run;
    struct plan_mine mine;
    bool can_run;
    char why[512]; // otherwise
};

// Reads a training whose file of the framework is replaced. A text that is refused leaves written->run without
// documents, and the reason. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status plan_written_read(struct plan_written *written,
                                                 const struct pps_args *args,
                                                 const struct plan_run *like,
                                                 const struct plan_text *text,
                                                 struct pps_error *err);

// Evaluates it, too. like: the run of the command; where the text
// replaces a model's document, as a new launch script does, devices and stack are those of this run. A training
// that cannot run, or that has another batch, is no error. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status plan_written_open(struct plan_written *written,
                                                 const struct pps_args *args,
                                                 const struct plan_run *like,
                                                 const struct plan_text *text,
                                                 struct poll *poll, struct pps_error *err);
void plan_written_close(struct plan_written *written);

// ---- plan baseline ------------------------------------------------------------------------------

// Adds dp and op to a baseline with dp_replicate, and sets the global batch from replica_batch and the sequence
// length of the model from seq_length, as framework_file describes them. A number of devices that is
// not a multiple of the degrees becomes cannot_run of the document.
PPS_MUST_CHECK enum pps_status plan_baseline_complete(struct plan_run *run,
                                                      struct pps_error *err);
