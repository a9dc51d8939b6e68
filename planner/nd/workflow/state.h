// SPDX-License-Identifier: Apache-2.0
// The state of a workflow: which stages are complete, and with which command line. It is the file
// workflow.json in the folder of the workflow.
#ifndef PPS_PLANNER_ND_WORKFLOW_STATE_H
#define PPS_PLANNER_ND_WORKFLOW_STATE_H

#include "base/text/status.h"
#include "planner/nd/workflow/stages.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_workflow_state {
    uint64_t input;           // digest of the model's and the cluster's files
    char *lines[ND_N_STAGES]; // command line of each complete stage; NULL: not complete
};

// Reads the state of a folder; without a file, no stage is complete. A state for another input is
// ignored. Returns PPS_E_INPUT for a file that is no state, unless force. After an error there is
// nothing to close.
PPS_MUST_CHECK enum pps_status nd_workflow_state_open(struct nd_workflow_state *state,
                                                      const char *folder,
                                                      uint64_t input,
                                                      bool force,
                                                      struct pps_error *err);
void nd_workflow_state_close(struct nd_workflow_state *state);

// Returns whether a stage is complete with this command line.
bool nd_workflow_state_has(const struct nd_workflow_state *state,
                           enum nd_stage stage,
                           const char *line);

// Records that a stage is complete; later stages are no longer complete. Writes the file.
PPS_MUST_CHECK enum pps_status nd_workflow_state_set(struct nd_workflow_state *state,
                                                     const char *folder,
                                                     enum nd_stage stage,
                                                     const char *line,
                                                     struct pps_error *err);

#endif
