// SPDX-License-Identifier: Apache-2.0
// A program of the user in place of a kernel: the "command" of an experiment. Its table is that of a kernel,
// so that a sweep, its results and everything that reads them treat it like one. `run` starts the
// program once per point, or keeps one copy per thread that answers line by line.
//
// Rows are as reproducible as the program is. The engine's own promises hold: order, blocks, resume, shards.
#pragma once

#include "base/document/json.h"
#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>

#define PPS_PROGRAM_KERNEL "command" // the name of the kernel
#define PPS_LOGS           ".logs" // ends the name of the folder of logs, after that of the result

struct pps_program;

// Name and version of the kernel of every command; it has no parameters and no results.
extern const struct pps_kernel pps_program_table;

struct pps_program_ask {
    const struct pps_json *file; // the experiment, for places of errors
    const cJSON *command;        // its "command": a text, a list of words, or an object
    // Kinds of parameters ("integer", "real", "boolean", or a list of names) that the command does not
    // declare under "params"; or NULL.
    const cJSON *params;
    // Result columns, where the command declares none under "results"; or NULL: not known yet.
    const cJSON *results;
};

// Reads a command. Returns PPS_E_INPUT with the place of the first error: quotes that are not closed,
// {NAME} that is no parameter, unknown keys. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_program_open(struct pps_program **program,
                                                const struct pps_program_ask *ask,
                                                struct pps_error *err);
// Ends the copies of the program that still run. NULL is fine.
void pps_program_close(struct pps_program *program);

// Returns the program as a kernel, valid until it is closed. Without known results it has one column.
const struct pps_kernel *pps_program_kernel(const struct pps_program *program);

// Returns the command with its parameters and results written out, from which pps_program_open makes the same
// kernel. Owned by the program.
const cJSON *pps_program_resolved(const struct pps_program *program);

// Returns whether the results are known.
bool pps_program_knows_results(const struct pps_program *program);

// Runs the program for one point and returns the names and kinds of its results, in the form of "results". The
// caller frees *results with cJSON_Delete. Returns PPS_E_INPUT if the program fails or prints no results.
PPS_MUST_CHECK enum pps_status pps_program_first_results(struct pps_program *program,
                                                         const double *point, cJSON **results,
                                                         struct pps_error *err);

// Returns PPS_E_INPUT if there is no such program.
PPS_MUST_CHECK enum pps_status pps_program_check(const struct pps_program *program,
                                                 struct pps_error *err);

// Returns PPS_E_MACHINE if the program could not be started for want of descriptors or processes. Its points have stopped.
PPS_MUST_CHECK enum pps_status pps_program_lack(struct pps_program *program,
                                                struct pps_error *err);

// From now on a point that fails leaves a log in this folder, which is made with the first one.
PPS_MUST_CHECK enum pps_status pps_program_keep_logs(struct pps_program *program,
                                                     const char *folder, struct pps_error *err);

// Calls `placeholder` for every {NAME} of a command, in the forms of struct pps_program_ask. A
// command that pps_program_open refuses has none.
void pps_program_placeholders(const cJSON *command,
                              void (*placeholder)(void *self, const char *name, size_t n),
                              void *self);
