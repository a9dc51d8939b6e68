// SPDX-License-Identifier: Apache-2.0
// Builds the command lines of the stages of `ppsweep nd auto`: search, dry runs, fit, profiles, parse
// and rank.
#pragma once

#include "base/text/status.h"
#include "engine/command/command.h"

#include <stdbool.h>
#include <stdint.h>

enum nd_stage {
    ND_STAGE_SEARCH,  // candidates without measurements, and the dry runs to make
    ND_STAGE_DRYRUN,  // runs the dry runs
    ND_STAGE_FIT,     // candidates that fit in memory by the dry runs, and the runs to profile
    ND_STAGE_PROFILE, // runs the profiles
    ND_STAGE_PARSE,   // layer times of the profiles
    ND_STAGE_RANK,    // splits layers, ranks, and writes the best configurations
    ND_N_STAGES
};

// A command line: words[0] is the name of the command, "nd rank".
struct nd_stage_line {
    const struct pps_command *command;
    char **words;
    int n, room;
    bool failed; // out of memory
};

// Returns the name of a stage: "dryrun".
const char *nd_stage_name(enum nd_stage stage);

// Returns the stage with this name; ND_N_STAGES if there is none.
enum nd_stage nd_stage_find(const char *name);

// Returns whether the stage starts the framework.
bool nd_stage_runs(enum nd_stage stage);

// Builds the line of a stage from the options of `nd auto`. folder: of the workflow. dry_runs: the
// results of dry runs are used. The caller frees the line with nd_stage_line_free() in every case.
void nd_stage_line_build(struct nd_stage_line *line, enum nd_stage stage,
                         const struct pps_args *args, const char *folder, bool dry_runs,
                         bool profiles);
void nd_stage_line_free(struct nd_stage_line *line);

// Adds --force, which is no part of what a stage is.
void nd_stage_line_force(struct nd_stage_line *line);

// Returns the line as a shell accepts it: "ppsweep nd rank ...". The caller frees it; NULL: out of
// memory.
char *nd_stage_line_text(const struct nd_stage_line *line);

// ---- state --------------------------------------------------------------------------------------

struct nd_workflow_state {
    uint64_t input;           // digest of the model's and the cluster's files
    char *lines[ND_N_STAGES]; // command line of each complete stage; NULL: not complete
};

// Reads the state of a folder; without a file, no stage is complete. A state for another input is
// ignored. Returns PPS_E_INPUT for a file that is no state, unless force. After an error there is
// nothing to close.
PPS_MUST_CHECK enum pps_status nd_workflow_state_open(struct nd_workflow_state *state,
                                                      const char *folder, uint64_t input,
                                                      bool force, struct pps_error *err);
void nd_workflow_state_close(struct nd_workflow_state *state);

// Returns whether a stage is complete with this command line.
bool nd_workflow_state_has(const struct nd_workflow_state *state, enum nd_stage stage,
                           const char *line);

// Records that a stage is complete; later stages are no longer complete. Writes the file.
PPS_MUST_CHECK enum pps_status nd_workflow_state_set(struct nd_workflow_state *state,
                                                     const char *folder, enum nd_stage stage,
                                                     const char *line, struct pps_error *err);
