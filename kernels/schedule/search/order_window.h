// SPDX-License-Identifier: Apache-2.0
// Changes the order of a window of time: the operations of all devices there run again by dispatch, with
// random priorities near the times that they had.
#pragma once

#include "kernels/common/search/local_search.h"
#include "kernels/schedule/search/draft.h"
#include "kernels/schedule/search/order_times.h"

struct order_window;

// NULL: the room only counts.
struct order_window *order_window_take(const struct pipeline_shape *most, struct room *room);

// Changes the draft, whose order has these times and no pairs, and tells the times. Returns false if
// the order is as before, or the memory does not suffice; order_window_undo follows then as well.
bool order_window_change(struct order_window *window, struct draft *draft,
                         struct order_times *times, struct search_draws *draws);

// Puts the operations of the last change back, and tells the times.
void order_window_undo(struct order_window *window, struct draft *draft,
                       struct order_times *times);
