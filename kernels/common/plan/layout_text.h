// SPDX-License-Identifier: Apache-2.0
// Reads and writes the layers of pipeline stages as Megatron-LM's --pipeline-model-parallel-layout:
//
//   layout = stage { "|" stage }        in the order of the model; a stage may be empty
//   stage  = { item }
//   item   = layer | layer "*" number | "(" text ")*" number
//   layer  = E embedding | t layer | m multi-token-prediction layer | L loss
//
// Commas are removed first. Then every (text)*n is repeated; the text may contain |, but no parentheses. Then every x*n
// of one character is repeated, and the result is split at |. E is the first letter and L the last one, each once, and
// no t follows an m.
#pragma once

#include "base/text/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sets layers[i] and mtp[i] to the numbers of t and m of stage i; the arrays have room for `most` stages. Returns the
// number of stages; 0: the text is not a layout, *why says what is wrong, one of a fixed set of texts.
size_t layout_text_read(const char *text, int64_t *layers, int64_t *mtp, size_t most,
                        const char **why);

// Returns whether a layout of n stages fits so many devices: the stages are a multiple of the devices, and all m are in
// one stage that is the last chunk of its device. Otherwise sets *why.
bool layout_text_fits(const int64_t *mtp, size_t n, size_t devices, const char **why);

// Appends the layout of n stages with these numbers of layers and no m: "Et*3|(tt|)*29tL".
void layout_text_write(const int32_t *layers, size_t n, struct text_buffer *text);
