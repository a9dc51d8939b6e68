// SPDX-License-Identifier: Apache-2.0
// Holds a strategy that a search changes, with its times, its memory and its makespan. After every change the
// touched stages recompute as little as their memory allows.
#pragma once

#include "kernels/balance/search/balance_task.h"
#include "kernels/common/search/local_search.h"

struct balance_draft; // one thread

// Takes a draft for tasks of a shape; NULL if the room only counts.
struct balance_draft *balance_draft_take(const struct balance_shape *shape, struct room *room);

// Starts a task. The replay has been opened for its shape, and is used by balance_draft_evaluate.
void balance_draft_open(struct balance_draft *draft, const struct balance_task *task,
                        struct balance_replay *replay);

// Makes the draft a strategy. Returns whether it fits in the memory of every stage.
bool balance_draft_set(struct balance_draft *draft, const struct balance_strategy *strategy);
void balance_draft_get(const struct balance_draft *draft, struct balance_strategy *strategy);

// Makes the draft the even split, the first chunks with a layer more, and recomputes as little as memory allows.
// Where a stage cannot hold its layers, they move to stages that can. Returns false if this fails.
bool balance_draft_even(struct balance_draft *draft, struct search_draws *draws);

// Returns the makespan.
double balance_draft_evaluate(struct balance_draft *draft);

// Changes the strategy at random: moves layers between chunks, exchanges chunks, or moves recomputation between the
// chunks of a stage. Returns false if no change was possible; the draft is as before then.
bool balance_draft_change(struct balance_draft *draft, struct search_draws *draws);
void balance_draft_undo(struct balance_draft *draft); // takes the last change back

// Remember the present strategy, and return to it.
void balance_draft_keep(struct balance_draft *draft);
void balance_draft_go_back(struct balance_draft *draft);
