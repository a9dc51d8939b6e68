// SPDX-License-Identifier: Apache-2.0
// Writes the layers of a strategy as arguments of Megatron-LM. Recomputation is not part of them.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/balance/model/strategy.h"

// Appends the value of --pipeline-model-parallel-layout.
void balance_megatron_layout(const struct balance_strategy *strategy, struct text_buffer *text);

// Appends arguments on lines of their own: the layout, and what may stand for it if the split is even or only its ends
// differ.
void balance_megatron_flags(const struct balance_layers *layers,
                            const struct balance_strategy *strategy, struct text_buffer *text);
