// SPDX-License-Identifier: Apache-2.0
// Shares the state of the solver between the files of this folder. Private to the solver.
#pragma once

#include "kernels/balance/proxy/contents.h"
#include "kernels/balance/proxy/proxy.h"
#include "kernels/balance/proxy/stage_fit.h"

enum { PROXY_CHUNKS_MAX = 1 << 16 }; // of a pipeline

// ---- the terms of the proxy ---------------------------------------------------------------------

struct proxy_chunk {
    int32_t layers;
    double forward, backward; // with head and tail
    struct balance_ends ends; // head and tail
    double activation_mb;     // with those of the head
};

static inline int64_t proxy_micro_batches(const struct proxy_program *program)
{
    return (int64_t)program->shape.micro_batches * program->shape.pieces;
}

static inline int32_t proxy_least(const struct proxy_program *program)
{
    return program->allow_empty ? 0 : 1;
}

// Returns the times of head and tail in a chunk.
static inline struct balance_ends proxy_ends(const struct proxy_program *program, int32_t chunk,
                                             int32_t stage)
{
    const struct balance_shape *shape = &program->shape;
    return balance_ends_of(program->layers, (int64_t)chunk * shape->stages + stage,
                           (int64_t)shape->chunks * shape->stages);
}

// Returns the memory of a stage without body layers, MiB. full: with what layers with full recomputation need
// besides.
static inline double proxy_static_mb(const struct proxy_program *program, int32_t stage,
                                     bool full)
{
    return program->layers->constant_mb + (stage == 0 ? program->layers->head_mb : 0) +
           (stage == program->shape.stages - 1 ? program->layers->tail_mb : 0) +
           balance_working_mb(program->layers, stage, full);
}

// Returns whether the proxy has the two terms Tmax and Tlast.
bool proxy_has_two_terms(const struct proxy_program *program);

// Returns what a layer of the last chunk adds to Tlast besides its backward: phi / M * f.
double proxy_last_per_layer(const struct proxy_program *program, int32_t stage);

// Terms of a strategy, or limits of both terms. Tlast stands without its limit Tlast >= Tmax.
struct proxy_limits {
    double stage, last; // Tmax, Tlast; of one term: stage only
};

void proxy_terms(const struct proxy_program *program, const struct balance_strategy *strategy,
                 struct proxy_limits *terms);

// Returns the value of level 2 from the terms of a strategy.
double proxy_value_of_level_2(const struct proxy_program *program,
                              const struct proxy_value *value);

// ---- the solver ---------------------------------------------------------------------------------

struct proxy {
    struct contents contents[CONTENT_WAYS];
    struct balance_layers not_full; // of CONTENT_NOT_FULL
    int n_ways;
    uint8_t *way; // [stages]: chosen
    struct stage_fit fit;
    int32_t layers_max;            // of a chunk
    int32_t *layers;               // [chunks * stages]: chosen
    const struct content **chosen; // the same
    double *slowest;               // [chunks]: largest backward, head and tail excluded,
    double *per_layer;             // [chunks]: less this for each layer
    int32_t *count;                // [BALANCE_KINDS * chunks * stages]: candidate strategy
    double *times;                 // [times_cap]: candidates of Tmax
    size_t times_cap;

    // Of the present call.
    const struct proxy_program *program;
    struct poll *poll;
    struct proxy_answer *answer;
    bool is_stopped;
};

// Returns whether the stages hold all layers within limits of time. If they do, makes a strategy of L layers, with
// less recomputation where memory allows it, keeps it if it is the best so far, and sets the limits to its terms.
// False also if the poll ended the search or the contents do not fit in their memory: see proxy_has_ended.
bool proxy_test(struct proxy *proxy, struct proxy_limits *limits);

// Returns whether some contents do not fit in their memory.
static inline bool proxy_is_full(const struct proxy *proxy)
{
    return proxy->contents[CONTENT_ALL_KINDS].is_full ||
           (proxy->n_ways > 1 && proxy->contents[CONTENT_NOT_FULL].is_full);
}

static inline bool proxy_has_ended(const struct proxy *proxy)
{
    return proxy->is_stopped || proxy_is_full(proxy);
}

// Opens the memory of a stage under a limit, in the way that is chosen for it. The caller sets the columns and `most`.
void proxy_open_fit(struct proxy *proxy, int32_t stage, double limit_mb);

// Returns the contents of the way that is chosen for a stage.
static inline struct contents *proxy_contents(struct proxy *proxy, int32_t stage)
{
    return &proxy->contents[proxy->way[stage]];
}

// Returns the memory of a stage that depends on its contents, in the way that is chosen for it.
static inline double proxy_fixed_mb(const struct proxy *proxy, int32_t stage)
{
    return proxy_static_mb(proxy->program, stage,
                           proxy->n_ways > 1 && proxy->way[stage] == CONTENT_ALL_KINDS);
}

// Returns whether memory suffices, whatever the time is; otherwise explains it in the answer. True also if the
// poll ended the search.
bool proxy_memory_suffices(struct proxy *proxy);

// Keeps a strategy if it is the best so far.
void proxy_keep(struct proxy *proxy, const struct balance_strategy *strategy);
