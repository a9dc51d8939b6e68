// SPDX-License-Identifier: Apache-2.0
// A run that goes on from an interrupted one: what is found under its name, and the command that
// continues it.
#ifndef PPS_CLI_CONTINUE_H
#define PPS_CLI_CONTINUE_H

#include "command.h"
#include "engine/manifest.h"
#include "engine/prefix.h"

enum { PPS_COMMAND_TEXT = 2048 };

// The command line as typed with --resume added where it is not there, or words that say so
// where it is too long.
void pps_continue_command(const struct pps_args *args, char out[PPS_COMMAND_TEXT]);

// What is at path already: *complete where there is nothing left to do. manifest is that of the
// run, without its counts. With --resume an interrupted or, without --force, a complete result of
// another run is refused (PPS_E_INPUT) with the key that differs.
PPS_MUST_CHECK enum pps_status pps_continue_find(const struct pps_args *args,
                                                 const char *path,
                                                 bool is_default,
                                                 const char *manifest,
                                                 bool *complete,
                                                 struct pps_error *err);

// Adds the command to the text of an error, where there is an interrupted result at path.
void pps_continue_hint(const struct pps_args *args, const char *path, struct pps_error *err);

// Says what there is, on stderr.
void pps_continue_say(uint64_t earlier_points, uint64_t points, const char *path);

// What the interrupted run had found in the blocks of the prefix, as far as rows show it.
PPS_MUST_CHECK enum pps_status pps_continue_totals(const struct pps_sweep *sweep,
                                                   const struct pps_prefix *prefix,
                                                   const char *path,
                                                   struct pps_totals *totals,
                                                   struct pps_error *err);

// What they do not show, the audit and best rows by a column that is not there, into `totals`, by
// computing points of the prefix once more. This may take as long as the interrupted runs, so it
// is to be done when all blocks are there: repeated under a limit of time, a run then comes to its
// end. *complete is false where it was stopped.
PPS_MUST_CHECK enum pps_status pps_continue_review(const struct pps_sweep *sweep,
                                                   const struct pps_prefix *prefix,
                                                   struct pps_totals *totals,
                                                   bool *complete,
                                                   struct pps_error *err);

#endif
