// SPDX-License-Identifier: Apache-2.0
// Writes the lists of a strategy as text, as configurations contain them: "[[0, 1, 0, -1], [0, 0, 0, 0]]".
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/balance/model/strategy.h"

// Appends one list of numbers per chunk, in a list. text->failed: out of memory.
void balance_list_text(const struct balance_layers *layers,
                       const struct balance_strategy *strategy, enum balance_list list,
                       struct text_buffer *text);

// Appends a strategy that balance_manual_read reads back unchanged if it is canonical; its keys are those of training
// configurations, and one chunk is one list of numbers.
void balance_fragment_text(const struct balance_layers *layers,
                           const struct balance_strategy *strategy, struct text_buffer *text);
