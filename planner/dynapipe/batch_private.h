// SPDX-License-Identifier: Apache-2.0
// A batch while it is planned.
#pragma once

#include "planner/dynapipe/plan_batch.h"

struct batch_task {
    const struct dynaplan_request *request;
    const struct step_setup *setup;   // of the request
    const struct step_choice *choice; // of the request, or of a simple rule
    const struct batch *batch;
    struct plan_batch_room *room;
    struct planned *planned;
    struct split_samples samples;
    struct step_division *division;
    struct poll poll;
    double lacks; // MB that any plan of a replica lacks; 0: none
    bool ranks;   // divisions, by short plans: no instructions, and no stricter division
};

// Divides the samples as the choice says. Returns false with a reason in t->planned.
bool batch_divide(struct batch_task *task, struct step_caution caution);

// Plans all replicas of the present division. Returns false likewise.
bool batch_plan_replicas(struct batch_task *task);

// Returns the makespan of the replicas that were planned last.
double batch_slowest(const struct batch_task *task);

// Chooses a division: the usual choice, or the way to divide that gives the shortest step.
struct step_choice batch_choose_division(struct batch_task *task);
