// SPDX-License-Identifier: Apache-2.0
// Resumes interrupted runs: finds existing files with the name of the result, and builds the
// command that resumes the run.
#ifndef PPS_CLI_CONTINUE_H
#define PPS_CLI_CONTINUE_H

#include "engine/cli/verbs.h"
#include "engine/manifest/manifest.h"
#include "engine/store/whole_prefix.h"

enum { PPS_COMMAND_TEXT = 2048 };

// Writes the command line as typed, with --resume if it is missing; or a description of this
// command if the command line is too long.
void pps_continue_command(const struct pps_args *args, char out[PPS_COMMAND_TEXT]);

// Examines existing files at `path` ("-": stdout); sets *complete if `path` already is the complete
// result of the same run. `manifest` is the manifest of the run without its counts. With --resume, returns PPS_E_INPUT with the differing
// key if there is an interrupted result of another run or, without --force, a complete result
// of another run.
PPS_MUST_CHECK enum pps_status pps_continue_find(const struct pps_args *args,
                                                 const char *path,
                                                 const char *manifest,
                                                 bool *complete,
                                                 struct pps_error *err);

// Adds the command that resumes the run to the text of an error, if there is an interrupted
// result at `path`.
void pps_continue_hint(const struct pps_args *args, const char *path, struct pps_error *err);

// Prints the number of finished points on stderr.
void pps_continue_say(uint64_t earlier_points, uint64_t points, const char *path);

// Reads the totals of the interrupted run from the rows of the prefix.
PPS_MUST_CHECK enum pps_status pps_continue_totals(const struct pps_sweep *sweep,
                                                   const struct pps_prefix *prefix,
                                                   const char *path,
                                                   struct pps_totals *totals,
                                                   struct pps_error *err);

// Adds the totals that rows do not contain, by computing points of the prefix again: the audit,
// and the best rows by a column that is not in the result. This may take as long as the
// interrupted runs. Therefore it is done when all blocks are written: otherwise a run repeated
// with a time limit would never end. Sets *complete to false if the run was stopped.
PPS_MUST_CHECK enum pps_status pps_continue_review(const struct pps_sweep *sweep,
                                                   const struct pps_prefix *prefix,
                                                   struct pps_totals *totals,
                                                   bool *complete,
                                                   struct pps_error *err);

#endif
