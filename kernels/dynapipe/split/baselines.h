// SPDX-License-Identifier: Apache-2.0
// Divides samples by simple rules, for comparison: by a number of tokens, or into micro-batches of equal size.
#pragma once

#include "kernels/dynapipe/split/split.h"

// Both functions take the samples in order of length, and use the first limit and recompute type with which all
// micro-batches fit. Of SPLIT_INFEASIBLE, result->lack names the first sample of a micro-batch that does not fit.
// task->order, measure and total are ignored.

// Closes a micro-batch when its padded input and target lengths, each sample padded alone, would exceed `tokens`.
// A longer sample is a micro-batch of its own. task->pack: micro-batches are packed into rows where that is faster.
enum split_outcome split_by_tokens(struct split_memory *memory, const struct split_task *task,
                                   int64_t tokens, struct split_result *result);

// Packs all samples into rows of the longest padded lengths of the batch, and makes micro-batches of `rows` >= 1 rows; the
// last one may have fewer.
enum split_outcome split_uniformly(struct split_memory *memory, const struct split_task *task,
                                   int32_t rows, struct split_result *result);

// Takes every sample as a ready micro-batch of task->samples->rows rows with these padded lengths, in the order given.
enum split_outcome split_as_given(struct split_memory *memory, const struct split_task *task,
                                  struct split_result *result);
