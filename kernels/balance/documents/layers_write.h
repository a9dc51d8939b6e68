// SPDX-License-Identifier: Apache-2.0
// Writes the layers of a model as a JSON document that balance_layers_read reads back with the same numbers.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/balance/model/layers.h"

// Appends the document. `time` of an entry is its forward time; times of backwards are written where readers do not
// derive them. text->failed: out of memory.
void balance_layers_write(const struct balance_layers *layers, struct text_buffer *text);
