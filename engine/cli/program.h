// SPDX-License-Identifier: Apache-2.0
// The program as a whole: its commands, exit statuses and environment variables. --help, the man
// page and completion read these lists.
#pragma once

#include "engine/command/command.h"

enum { PPS_MAX_COMMANDS = 64 };

#define PPS_PROGRAM_SUMMARY "parameter sweeps over models of pipeline-parallel training"

struct pps_meaning {
    const char *word, *meaning; // a meaning may have several lines
};

extern const struct pps_meaning pps_exit_meanings[]; // end with a NULL word
extern const struct pps_meaning pps_environment[];

// Lists the commands of the engine, then the commands of the planners; returns their number.
int pps_program_commands(const struct pps_command *list[PPS_MAX_COMMANDS]);

// Returns the command with this name, or NULL. A name of two words has `second`; else it is NULL.
const struct pps_command *pps_program_command(const char *word, const char *second);

// A command that another program would have. It is `command`, or, where that is NULL, `hint` says what to write.
struct pps_expected {
    const char *word;
    const char *command;
    const char *hint;
};

extern const struct pps_expected pps_expected[]; // ends with a NULL word

// Prints the help of the program: the commands that most people need, or `all` of them; and its versions.
void pps_program_help(bool all);
void pps_program_version(void);
