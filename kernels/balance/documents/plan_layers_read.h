// SPDX-License-Identifier: Apache-2.0
// Reads layers and pipeline from a plan (kernels/common/plan/plan_json.h) that says of which layers its stages are
// made, as plans of `balance` and of `nd pipeline` do. Times become ms, memory MiB.
#pragma once

#include "kernels/balance/model/strategy.h"
#include "kernels/common/plan/plan.h"
#include "ppsweep/fault.h"

struct cJSON;

// What a plan says of a task.
struct balance_planned {
    struct balance_layers layers; // no body layers: the plan does not say them
    struct balance_shape shape;   // whole micro-batches; without transfer
    bool
        has_other_order; // the plan has an order or a placement that no shape has; that of `shape` is assumed
    double memory_mb; // least limit of a device; INFINITY: none
    struct balance_strategy
        mine; // the layers and the recomputation of the plan; count NULL: not known
};

// Reads a plan. Returns false with a fault, also for plans that are no pipeline of chunks s mod P; an empty fault->text
// means out of memory. The caller frees what was read with balance_planned_free.
bool balance_planned_of(const struct plan *plan, struct balance_planned *planned,
                        struct pps_fault *fault);
void balance_planned_free(struct balance_planned *planned); // a zeroed struct is allowed

// Reads the plan of a document, as balance_planned_of.
bool balance_planned_read(const struct cJSON *root, struct balance_planned *planned,
                          struct pps_fault *fault);

// Converts in both directions; a unit of time of the layers takes `seconds`.
void balance_layers_of_plan(const struct plan_layers *from, struct balance_layers *layers);
void balance_layers_to_plan(const struct balance_layers *layers, double seconds,
                            struct plan_layers *to);
