// SPDX-License-Identifier: Apache-2.0
// Prices the exchange of gradients and parameters between data-parallel replicas.
#pragma once

#include "kernels/common/estimate/estimate.h"

// Parameters that one device exchanges.
struct nd_held {
    double common, routed; // without and of routed experts, which have fewer replicas
};

// Returns those of an average stage.
struct nd_held nd_held_of(const struct nd_estimate *e, const struct nd_strategy *s);

// Devices among which the parameters are exchanged: dp * cp replicas, and for routed experts
// dp * cp * tp / (ep * etp).
struct nd_replicas {
    int64_t common, routed;
};

// Devices that share an optimizer state.
struct nd_replicas nd_shards_of(const struct nd_estimate *e, const struct nd_strategy *s);

// Stages of a device: two with DualPipe, else one.
static inline int nd_stages_of(const struct nd_estimate *e, const struct nd_strategy *s)
{
    return e->schedule == TRAINING_DUALPIPE && s->pp > 1 && s->vp == 1 ? 2 : 1;
}

// Which states the devices of a shard group share. Some stacks keep parameters and gradients whole
// while several stages or micro-batches use them.
struct nd_sharing {
    bool parameters, gradients, optimizer;
    bool on_host; // all states are in the memory of the host
    double
        param; // bytes a parameter on the device, with the 8-bit copy of parameters that are not shared,
    double grad, optim; // of gradients and optimizer state
};
struct nd_sharing nd_sharing_of(const struct nd_estimate *e, const struct nd_strategy *s,
                                int64_t micro_batches);

// What replicas exchange in a step, s, and which part of it the stack hides. nd_exchanges_exposed needs
// no other figures, so programs that choose their own split of layers price the same exchange.
struct nd_exchanges {
    double each, once;    // of every micro-batch, and once a step
    double late;          // part of `once` that nothing hides: parameters of ZeRO level 1
    double micro_batches; // a step
    // zero_hidden, zero_exposed, dp_hidden and dp_exposed of stacks
    double each_hidden, each_exposed, once_hidden, once_exposed;
};
struct nd_exchanges nd_exchanges_of(const struct nd_estimate *e, const struct nd_strategy *s,
                                    const struct nd_held *held, double micro_batches);

// Returns the part of a step's exchanges that a stage of this time for a micro-batch does not hide.
static inline double nd_exchanges_exposed(const struct nd_exchanges *x, double stage)
{
    const double rest = x->once - x->late;
    const double each_least = x->each_exposed * x->each, once_least = x->once_exposed * rest;
    const double each = x->each - x->each_hidden * stage, once = rest - x->once_hidden * stage;
    return x->micro_batches * (each > each_least ? each : each_least) + x->late +
           (once > once_least ? once : once_least);
}

// Returns the time of the optimizer's step, s: it reads and writes the optimizer state and reads the gradients
// of the parameters that a device updates. What the host updates it reads and writes at the rate of the link to the
// device: its gradients come over the link, and its parameters go back.
double nd_optimizer_of(const struct nd_estimate *e, const struct nd_strategy *s,
                       const struct nd_held *held);
