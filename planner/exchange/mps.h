// SPDX-License-Identifier: Apache-2.0
// Exports the pipeline program as a mixed-integer program in free MPS for general solvers: layers,
// recompute, durations, memory along the order of every stage, and a start time for every task.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/split/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nd_mps_size {
    int32_t variables;
    int32_t constraints; // the objective not counted
    int64_t numbers;     // of the matrix, none of them 0
};

// Adds the whole file to `text`. The program has passed nd_program_check and has at least as
// many micro-batches as stages. false: the program is too large, or out of memory; `why` names
// the reason.
bool nd_mps_write(struct text_buffer *text, const struct nd_program *program,
                  const char *name, // of the program, without blanks
                  struct nd_mps_size *size, char *why, size_t why_size);
