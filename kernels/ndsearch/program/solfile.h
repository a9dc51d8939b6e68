// SPDX-License-Identifier: Apache-2.0
// Solutions of the exported pipeline program as text: a line `name value` a variable. Written from a
// choice with every task as early as it can be; read from what any solver wrote.
#ifndef PPS_NDSEARCH_SOLFILE_H
#define PPS_NDSEARCH_SOLFILE_H

#include "kernels/common/table.h"
#include "kernels/common/textroom.h"
#include "program.h"

#include <stdbool.h>
#include <stddef.h>

// Adds all variables to `text`. The program has passed nd_program_check, the choice
// nd_choice_check. false: the program is too large, or memory ran out, as `why` says.
bool nd_sol_write(struct textroom *text,
                  const struct nd_program *program,
                  const struct nd_choice *choice,
                  char *why,
                  size_t why_size);

struct nd_sol {
    struct nd_choice choice;
    double objective; // by the start times of the file
    void *room;       // holds the arrays
};

// Reads the solution of this very program. Lines whose first word names no variable of it are
// skipped, and variables that no line names are 0, as solvers leave these out; what comes after a
// line "# Dual..." is not read. Refused are a choice that the program does not allow, and start
// times of a stage that fall along its order ("time sequence error"). To be freed whatever comes
// back.
bool nd_sol_read(struct nd_sol *sol,
                 const struct nd_program *program,
                 const char *text,
                 size_t n,
                 struct table_fault *fault);
void nd_sol_free(struct nd_sol *sol);

#endif
