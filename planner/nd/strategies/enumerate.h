// SPDX-License-Identifier: Apache-2.0
// Enumerates the space of parallel strategies: the degrees that a number of devices allows, in
// nested loops over divisors. No list of points exists; memory does not depend on their number.
//
// A point is a quadruple (dp, tp, cp, pp) whose product is the number of devices, and inside it
// (ep, op, vp, mbs, sp). The domains of these depend on the quadruple alone; only that of op of the
// classic preset depends on ep, too. Points come in the order of the loops: dp, tp, cp (pp is what
// is left), ep, op, vp, mbs, sp, each ascending, sp off before on.
#pragma once

#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "kernels/common/estimate/strategy.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ND_DEVICES_MAX = 1 << 24,
    ND_DIVISORS_MAX = 512, // no number of devices has more
    ND_EXPERTS_MAX = 8192,
    ND_EP_MAX = ND_EXPERTS_MAX / 2 + 1, // values of ep a quadruple can have
};

enum nd_preset {
    ND_CLASSIC,  // graph engines: ep within dp * tp, op a multiple of an expert's replicas
    ND_FSDP,     // presets zero and fsdp: op is any divisor of dp
    ND_MEGATRON, // as ND_FSDP, op within dp * cp
};

// What may vary; false: that degree is 1. fsdp false: op is dp alone (compat orig: every other op
// is replaced by the marker -1, and counted as often); the classic preset does not ask.
struct nd_switches {
    bool dp, tp, pp, ep, cp, fsdp;
};

// Filled by nd_space_init(); fields may be changed before the space is used, except devices.
struct nd_space {
    enum nd_preset preset;
    bool orig; // domains and rules as published; otherwise corrected (search.md)
    struct nd_switches vary;
    int32_t devices;
    int32_t node_devices;          // of one fast domain
    int32_t layers;                // layers that pp and vp divide
    int32_t experts;               // 0: dense
    int64_t gbs;                   // sequences a step
    int32_t mbs[TRAINING_MBS_MAX]; // micro-batch sizes, ascending
    int n_mbs;
    bool expert_tensor_parallel; // experts are split over tp, too
    enum training_schedule schedule;
    struct modeldesc model; // what rules of legality read; heads == 0: there is no model
    int n_divisors;         // of devices
    int32_t divisors[ND_DIVISORS_MAX];
};

// A space without a model: all switches on but cp, one micro-batch size of 1, eight devices a node.
// false: devices is not within 1..ND_DEVICES_MAX.
bool nd_space_init(struct nd_space *space, enum nd_preset preset, bool orig, int64_t devices);

// Takes layers (with MTP layers), experts and shape of the model, and batch, sizes of micro-batches
// (ascending, once each; compat orig: 1, 2, 4), splitting of experts and schedule (orig: any) of
// the training.
void nd_space_set_model(struct nd_space *space, const struct modeldesc *model);
void nd_space_set_training(struct nd_space *space, const struct training *training);

struct nd_quad {
    int32_t dp, tp, cp, pp;
};

static inline struct nd_strategy nd_quad_point(const struct nd_quad *quad)
{
    return (struct nd_strategy){.dp = quad->dp, .tp = quad->tp, .cp = quad->cp, .pp = quad->pp};
}

// Goes through quadruples: start with {.space = space}; false: there are no more.
struct nd_quads {
    const struct nd_space *space;
    int i_dp, i_tp, i_cp; // of the divisors that come next
};
bool nd_quads_next(struct nd_quads *quads, struct nd_quad *quad);

// The values of the other dimensions within one quadruple. vp is first_vp ... last_vp; there is no
// vp if last_vp < first_vp. mbs has the values of the space.
struct nd_domains {
    int n_ep, n_op;
    int32_t first_vp, last_vp;
    bool sp_off, sp_on;
    int32_t ep[ND_EP_MAX];
    int32_t op[ND_DIVISORS_MAX]; // may hold -1, and more than once
    bool op_of_ep;               // nd_op_follows() decides which of op go with an ep
};
void nd_domains_of(const struct nd_space *space, const struct nd_quad *quad,
                   struct nd_domains *domains);

// Classic: op holds whole sets of an expert's dp * tp / ep replicas.
static inline bool nd_op_follows(const struct nd_quad *quad, int32_t ep, int32_t op)
{
    return (int64_t)op * ep % ((int64_t)quad->dp * quad->tp) == 0;
}

// Called with every point; returns false to stop.
typedef bool nd_visit(void *context, const struct nd_strategy *point);

// Visits every point of the space in plain loops; tests and benchmarks compare the walks of walk.h
// with this function. Returns false if visit stopped.
bool nd_points(const struct nd_space *space, nd_visit *visit, void *context);

const char *nd_preset_name(enum nd_preset preset);
bool nd_preset_find(const char *name, enum nd_preset *preset);
