// SPDX-License-Identifier: Apache-2.0
// Checks instructions before they leave: every pass, load, transfer and wait appears once and in order, both sides of every
// transfer agree, nothing waits forever, slots hold the tensors of what uses them, and the memory of every device suffices.
#pragma once

#include "kernels/dynapipe/instructions/instructions.h"

struct instruction_check; // memory; one thread

struct instruction_check *instruction_check_take(const struct instructions *instructions,
                                                 int32_t widest, struct room *room);

// Checks instructions, and replays them: batches are in the order of the plan, with its recomputation. tensors: of the output
// of every stage. checks_memory: the
// peaks must be within the limits of the pipeline. Returns false with a text that names device and instruction.
// *makespan, peaks[devices]: of the replay.
bool instructions_check(const struct instructions *instructions,
                        const struct dynapipe_pipeline *pipeline,
                        const struct micro_batches *batches, const int32_t *tensors,
                        bool checks_memory, struct instruction_check *check, double *makespan,
                        double *peaks, char *text, size_t size);
