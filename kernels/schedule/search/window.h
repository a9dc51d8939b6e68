// SPDX-License-Identifier: Apache-2.0
// Orders the operations of a window of time anew, on all devices at once, by a random dispatch: a large
// neighbourhood. What runs before and after the window keeps its order.
#ifndef PPS_SCHEDULE_SEARCH_WINDOW_H
#define PPS_SCHEDULE_SEARCH_WINDOW_H

#include "kernels/common/search/local_search.h"
#include "kernels/schedule/search/draft.h"

struct window;

// NULL: the room only counts.
struct window *window_take(const struct pipeline_shape *most, struct room *room);

// Changes the draft, whose order has run and has no pairs. Returns false, and leaves the order as it is,
// if the dispatch ends without room for memory. On true, draft_run follows, and then window_undo to take
// the change back.
bool window_change(struct window *window, struct draft *draft, struct search_draws *draws);

void window_undo(struct window *window, struct draft *draft);

#endif
