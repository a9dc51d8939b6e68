// SPDX-License-Identifier: Apache-2.0
// Writes a strategy and its replay in the form of the published tool, so that scripts and readers that know the form can
// use it.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/balance/model/replay.h"

// Appends "To put in yaml configuration:" and the lists.
void published_lists(const struct balance_layers *layers,
                     const struct balance_strategy *strategy, struct text_buffer *text);

// Appends the bubble with its parts, and the peak memory of every stage, MiB.
void published_result(const struct balance_shape *shape, const struct balance_result *result,
                      struct text_buffer *text);

// Appends the bubble on one line, as the pictures show it: "real bubble: 0.5317, ideal bubble: 0.3125, ...".
void published_bubble_line(const struct balance_bubble *bubble, struct text_buffer *text);
