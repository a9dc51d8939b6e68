// SPDX-License-Identifier: Apache-2.0
// Defines the pipeline program: how many layers each chunk of each stage gets, and how many of them
// are recomputed, so that the step time is minimal and no stage exceeds its memory.
//
// Layers are of two types: type 1, the leading dense layers of a mixture-of-experts model, and
// type 2, all others. The unit of time is the forward of one type-2 layer. Matrices are
// [chunk][stage], that is [chunk * stages + stage]; types are indices 0 and 1 below.
#pragma once

#include "kernels/common/interleaved/orders.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MiB. A micro-batch leaves act, select or re_comp in each layer, according to what is recomputed.
struct nd_figures {
    double select_mem0, select_mem12, select_mem; // of type 1, 1 (in peaks), 2
    double re_comp_mem0, re_comp_mem12, re_comp_mem;
    double act_mem0, act_mem12, act_mem;
    double layer_mem012, layer_mem; // a layer itself, of type 1, 2
    double static_mem0;             // all else on the first stage,
    double static_mem;              // on one in the middle,
    double lm_head_mem;             // on the last
};

extern const struct nd_figures nd_figures_default;

enum nd_compat {
    ND_CORRECTED,
    ND_ORIG, // bounds, rounding of periods and lost factor as published
};

// Which layers may be made again.
enum nd_again {
    ND_AGAIN_ANY,   // any of a chunk
    ND_AGAIN_FIRST, // the first ones of a chunk, so that those of type 1 come before others
    ND_AGAIN_EACH,  // wholly: the first `again_n` of every chunk, all of a shorter one
    // Wholly: as many of a chunk, from its first on, as the stage has layers whose number is a multiple of
    // again_n, counted from 1 over the chunks of the stage.
    ND_AGAIN_EVERY,
    ND_AGAIN_DEALT, // wholly: again_n layers of every stage, which are dealt to its chunks in turn
    ND_AGAIN_PARTS, // all layers, selectively
};

// What the file of a framework can say of recomputed layers.
enum nd_dialect {
    ND_SAYS_ANY,   // a number for every chunk
    ND_SAYS_EACH,  // one number for all chunks
    ND_SAYS_EVERY, // all layers, none, or every n-th
    ND_SAYS_DEALT, // one number for all stages, which is dealt to their chunks
};

struct nd_program {
    int32_t stages;        // P
    int32_t chunks;        // V of a stage
    int32_t micro_batches; // M >= P
    int32_t splits;        // S of a sequence
    int32_t layers[2];     // of type 1 and 2
    double layer_ratio;    // rho: forward of type 1 over type 2
    double backward_ratio; // beta: backward over forward
    double head_backward;  // backward over forward of the head; NAN: as beta
    double head_ratio;     // H: forward of the head over that of a type-2 layer
    double full_growth;    // gamma: what full recompute adds to the backward, over the forward
    double select_growth;  // sigma: selective recompute
    double hop;            // of a transfer between stages, in forwards of a type-2 layer
    struct nd_figures memory;
    double budget_first, budget_middle, budget_last; // MiB, without static_mem0 and the like
    bool allow_select, allow_full;
    bool low_mem; // interleaved: ORDERS_LOW
    enum nd_compat compat;
    // MiB of static_mem0 and the like that a stage only needs if it makes layers again wholly.
    double working;
    enum nd_again again;
    int32_t again_n;
    enum nd_dialect dialect; // of what nd_solve may choose; other functions do not look at it
};

// Sets fields to their defaults: ratios, one chunk and split, full recompute, no hop.
void nd_program_default(struct nd_program *program);

// Returns false with the fault in `text`. All functions below need a program that has passed this
// check. M < P is not a fault but infeasible.
bool nd_program_check(const struct nd_program *program, char *text, size_t size);

// Returns whether `less` is the same program but for memory, and allows no choice that `program` does not allow.
bool nd_program_allows_less(const struct nd_program *program, const struct nd_program *less);

struct orders_shape nd_program_shape(const struct nd_program *program);

// As published: of 6 parts and more only 5 are laid out; `residue` more are priced by what one of
// them takes in the steady state. 0 in the corrected mode.
int32_t nd_program_residue(const struct nd_program *program);

double nd_program_budget(const struct nd_program *program, int32_t stage);

// Returns the time of the head, forward and backward, of one micro-batch.
double nd_program_head(const struct nd_program *program);

// Returns a lower bound of every choice: the slowest stage is at least as slow as the average.
double nd_program_average_bound(const struct nd_program *program);

// ---- a choice and what it is worth --------------------------------------------------------------

struct nd_choice {
    const int32_t *layers[2]; // x of type 1, 2: [chunks * stages] each
    const int32_t *full[2];   // a: recomputed wholly
    const int32_t *part[2];   // r: selectively
};

// Per chunk and micro-batch: forward and backward, and MiB kept. [chunks * stages] each; any may
// be NULL.
void nd_durations(const struct nd_program *program, const struct nd_choice *choice,
                  double *forward, double *backward);
void nd_kept(const struct nd_program *program, const struct nd_choice *choice, double *kept_mb);

struct nd_value {
    double objective; // what the program minimises: the makespan, or as published where ND_ORIG
    double makespan;  // of all micro-batches
};

enum nd_outcome {
    ND_DONE,
    ND_NO_MEMORY,
};

enum nd_outcome nd_evaluate(const struct nd_program *program, const struct nd_choice *choice,
                            struct nd_value *value);

// Memory that a stage holds at most, MiB, layers and static part included; and the index of the
// task in its order that takes it there.
struct nd_peak {
    double memory_mb;
    double limit_mb; // that it must not exceed
    int32_t at;
};

enum nd_outcome nd_peaks(const struct nd_program *program, const struct nd_choice *choice,
                         struct nd_peak *peaks); // [stages]

// Returns whether the program allows the choice; otherwise `text` names the violated constraint.
bool nd_choice_check(const struct nd_program *program, const struct nd_choice *choice,
                     char *text, size_t size);
