// SPDX-License-Identifier: Apache-2.0
// The state of a search for orders, and its moves.
#pragma once

#include "kernels/dynapipe/methods/pass_orders.h"
#include "kernels/dynapipe/search/pass_search.h"

enum { PASS_STARTS = 4 }; // plans that are kept of those offered

struct pass_search {
    struct plan_size size;
    struct pass_orders *orders;
    struct pass_plan best, current, trial, kept; // kept: by pass_search_again
    double kept_makespan;                        // INFINITY: there is none
    struct pass_plan starts[PASS_STARTS];        // the shortest first
    double start_makespans[PASS_STARTS];
    int32_t n_starts;
    bool *is_changed;              // [devices]: the memory of the trial plan is not known
    int32_t *order, *map;          // [count]
    int32_t *moved;                // [passes of a device]
    int32_t *critical, n_critical; // [passes]: on a longest path of the present plan

    // Of the present task.
    const struct plan_task *task;
    struct poll *poll;
    bool is_limited;
    double bound;    // no plan has a smaller makespan
    double makespan; // of the best plan; INFINITY: none
    int64_t evaluations;
    uint64_t draws; // of random numbers
    bool is_over;   // the poll has ended the search
};

// Returns a random number in 0 to end - 1.
int32_t pass_draw(struct pass_search *search, int32_t end);

// Changes the trial plan at random and makes it fit in memory. Returns false if nothing changes or it does not fit.
bool pass_move(struct pass_search *search);

// Makes the trial plan fit: devices whose memory changed recompute more, or let forwards wait for backwards. Returns false
// if that does not help.
bool pass_fit(struct pass_search *search);

// Moves a pass of the trial plan behind another place of its device, or before it; passes of its micro-batch that lie between
// move with it.
void pass_move_behind(struct pass_search *search, int32_t pass, int32_t place);
void pass_move_before(struct pass_search *search, int32_t pass, int32_t place);

// Lets a forward of a micro-batch wait for a backward of another one, here and at all later stages: otherwise the devices would
// wait for each other.
void pass_wait(struct pass_search *search, int32_t forward, int32_t backward);

// Lets a forward run before the backward of another micro-batch, here and at all earlier stages.
void pass_overtake(struct pass_search *search, int32_t forward, int32_t backward);
