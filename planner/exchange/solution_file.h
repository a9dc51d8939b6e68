// SPDX-License-Identifier: Apache-2.0
// Reads and writes solutions of the exported pipeline program as text: one line `name value` per
// variable. Writes a choice with every task as early as possible; reads the output of any solver.
#pragma once

#include "base/table/table.h"
#include "base/text/text_buffer.h"
#include "kernels/common/split/program.h"

#include <stdbool.h>
#include <stddef.h>

// Adds all variables to `text`. The program has passed nd_program_check, the choice
// nd_choice_check. Returns false with the reason in `why` if the program is too large or memory ran
// out.
bool nd_sol_write(struct text_buffer *text, const struct nd_program *program,
                  const struct nd_choice *choice, char *why, size_t why_size);

struct nd_sol {
    struct nd_choice choice;
    bool timed;       // the file has start times
    double objective; // of the start times in the file; without them meaningless
    void *room;       // holds the arrays
};

// Reads a solution of this program. Skips lines whose first word is not a variable of the program,
// and all lines after a line "# Dual...". Variables without a line are 0, since solvers skip zeros.
// Refuses a choice that the program does not allow, and start times that decrease along the order
// of a stage ("time sequence error"). The caller frees *sol with nd_sol_free() in every case.
bool nd_sol_read(struct nd_sol *sol, const struct nd_program *program, const char *text,
                 size_t n, struct pps_fault *fault);
void nd_sol_free(struct nd_sol *sol);
