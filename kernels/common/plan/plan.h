// SPDX-License-Identifier: Apache-2.0
// Holds the plan of a training step, as kernels and commands hand it on: the work of the pipeline in
// seconds and bytes, the order of operations, and who made each part.
#pragma once

#include "kernels/common/plan/order.h"
#include "kernels/common/plan/plan_layers.h"

enum plan_part {
    PLAN_PLACEMENT, // stages on devices
    PLAN_TIMES,     // of operations
    PLAN_MEMORY,    // kept memory, fixed memory, limits
    PLAN_LINKS,     // messages and links
    PLAN_ORDER,     // operations of the devices
    PLAN_PARTS,
};

extern const char *const plan_part_names[PLAN_PARTS]; // "placement", "times", ...

enum { PLAN_NAME = 64 };

// Who made a part, and how good it is.
struct plan_maker {
    char by[PLAN_NAME];        // a command, a family, a profile; "": not known
    char objective[PLAN_NAME]; // what value and bound measure, as in "makespan"; "": none
    double value, bound;       // of the part, and a proven lower bound; NAN: none
};

struct plan {
    struct pipeline *pipeline;  // seconds and bytes; its tables of links belong to the plan
    struct order *order;        // NULL: none
    struct plan_layers *layers; // of which the stages are made; NULL: not known
    // How many body layers of each kind the stages have: [PLAN_RECOMPUTES][stages]; NULL: not known.
    int32_t *split;
    // The training that the plan is of, as an object on one line (kernels/configuration); NULL: not known.
    char *configuration;
    struct plan_maker makers[PLAN_PARTS];
};

// Makes a plan with copies of the pipeline and the order, which may be NULL, no layers and no makers. On the
// diagonals of the tables of links, which mean nothing, latencies are 0 and bandwidths infinite. The
// caller frees it with plan_free. NULL: out of memory.
struct plan *plan_new(const struct pipeline *pipeline, const struct order *order);
void plan_free(struct plan *plan); // NULL is allowed

// Sets the layers to a copy. Returns false if memory runs out.
bool plan_set_layers(struct plan *plan, const struct plan_layers *layers);

// Sets the split to a copy. Returns false if memory runs out.
bool plan_set_split(struct plan *plan, const int32_t *split);

// Sets the training to a copy of the text. Returns false if memory runs out.
bool plan_set_configuration(struct plan *plan, const char *text);

// Names the maker of a part; longer names are cut. value, bound: NAN: none.
void plan_made_by(struct plan *plan, enum plan_part part, const char *by, const char *objective,
                  double value, double bound);
