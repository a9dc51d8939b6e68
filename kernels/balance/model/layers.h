// SPDX-License-Identifier: Apache-2.0
// Describes the layers of a model as the balance of a pipeline sees them: a head, equal body layers with up to
// five kinds of recomputation, and a tail. Times have any unit, but one unit; memory is MiB (2^20 bytes).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What the backward of a layer computes again. The order is also that of unknowns in equations.
enum balance_kind {
    BALANCE_NONE,
    BALANCE_SELECT,      // chosen operators
    BALANCE_SELECT_COMM, // communication
    BALANCE_BOTH,        // chosen operators and communication
    BALANCE_FULL,        // the whole layer
    BALANCE_KINDS,
};

extern const char
    *const balance_kind_names[BALANCE_KINDS]; // "none", "select", "select_comm", "both", "full"

struct balance_layers {
    char name[64];                       // of the model
    char devices[48];                    // "64 H100", to which times and memory apply; or ""
    int32_t layers;                      // L: body layers
    double head, tail;                   // forward times h, t
    double head_backward, tail_backward; // usually twice the forward
    double forward;                      // f of a body layer
    double backward[BALANCE_KINDS];      // b[k] of a body layer, with what it computes again
    bool has[BALANCE_KINDS];             // the kind is considered; BALANCE_NONE always is
    double activation_mb[BALANCE_KINDS]; // a[k] of a body layer and a micro-batch
    double parameter_mb;     // p of a body layer, with gradients and optimiser state
    double head_mb, tail_mb; // mh, mt: what the first and the last stage hold besides
    double constant_mb;      // c of every stage
    // Layers that stay in the first chunk, such as leading dense ones, are part of the head. A micro-batch keeps
    // head_activation_mb there.
    double head_activation_mb;
    // wh, w: what a stage holds besides while it computes layers again wholly: the first one for its head, every
    // one that has a body layer with full recomputation. Of both it holds the larger.
    double head_working_mb, working_mb;
    double transfer; // time of a message between neighbouring stages; the proxy knows none
};

// Shares of the backward time that the kinds compute again where nothing is measured: of the published tool.
extern const double balance_usual_coefs[BALANCE_KINDS];

// Returns b[k] of a body layer that takes `time` forward, by the shares coef. `plain` is b[none] if it is measured, otherwise 0 or
// less: then it is twice the forward.
double balance_backward_of(double time, double plain, const double coef[BALANCE_KINDS],
                           enum balance_kind kind);

// Times of head and tail on a chunk, and what they keep for a micro-batch; chunks are numbered in the order of the
// model, 0 to n - 1.
struct balance_ends {
    double forward, backward, activation_mb;
};

static inline struct balance_ends balance_ends_of(const struct balance_layers *layers,
                                                  int64_t chunk, int64_t n)
{
    struct balance_ends ends = {0, 0, 0};
    if (chunk == 0)
        ends = (struct balance_ends){layers->head, layers->head_backward,
                                     layers->head_activation_mb};
    if (chunk == n - 1) {
        ends.forward += layers->tail;
        ends.backward += layers->tail_backward;
    }
    return ends;
}

// Returns what a stage holds for layers that are computed again. full: a body layer of the stage has full
// recomputation.
static inline double balance_working_mb(const struct balance_layers *layers, int32_t stage,
                                        bool full)
{
    const double head = stage == 0 ? layers->head_working_mb : 0,
                 body = full ? layers->working_mb : 0;
    return head > body ? head : body;
}

// Makes the backwards of head and tail twice as long as their forwards.
static inline void balance_usual_ends(struct balance_layers *layers)
{
    layers->head_backward = 2 * layers->head;
    layers->tail_backward = 2 * layers->tail;
}

// Returns whether a step takes time at all.
bool balance_layers_take_time(const struct balance_layers *layers);

// Returns what is wrong, as a sentence without a full stop; NULL: nothing.
const char *balance_layers_misfit(const struct balance_layers *layers);
