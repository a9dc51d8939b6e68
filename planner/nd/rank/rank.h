// SPDX-License-Identifier: Apache-2.0
// Ranks candidates by step time: solves the pipeline program of each for one and more chunks per
// stage, adds the costs outside the program, and writes the results as a full and a short table.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "kernels/common/estimate/replicas.h"
#include "kernels/common/estimate/strategy.h"
#include "kernels/common/search/solve.h"
#include "kernels/configuration/step.h"
#include "planner/figures/memory_figures.h"
#include "planner/figures/ratios.h"
#include "planner/nd/rank/known_splits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- what a candidate is solved with ------------------------------------------------------------

// Milliseconds per step that the program does not contain; 0 for none.
struct nd_extra_ms {
    struct nd_exchanges dp; // of gradients and parameters between data-parallel ranks
    double optimizer;       // step of the optimizer
    double embedding;       // forward and backward
};

struct nd_rank_case {
    struct nd_program program;
    double layer_ms; // the program's unit
    enum nd_ratio_source source;
    struct nd_extra_ms extra;
    // Of a type-2 layer, by the models: the gradients of the weights over the backward, and the bytes
    // that wait for them over those that a forward stores.
    double weights_time, weights_memory;
};

// The program of a strategy with one chunk a stage, but for its memory and budgets. Layers of type
// 1 are the leading dense ones of a model with experts; MTP layers are of type 2.
void nd_rank_program(struct nd_program *program, const struct modeldesc *model,
                     const struct nd_strategy *strategy, int64_t gbs,
                     const struct nd_ratios *ratios, enum nd_compat compat);

// ---- one candidate ------------------------------------------------------------------------------

// The price of a choice, ms and MiB.
struct nd_rank_price {
    double step, program, dp, optimizer, embedding;
    double peak_mb; // of the stage with most
};

struct nd_rank_source {
    // Makes the program of a strategy, with one chunk per stage. false: the strategy cannot be
    // evaluated, for the reason in `why`.
    bool (*prepare)(void *self, const struct nd_strategy *strategy,
                    struct nd_rank_case *prepared, char *why, size_t why_size);
    // Prices a choice where the figures of the program are not the ones to show. Returns false if they
    // are; out of memory sets *no_memory. NULL: they always are.
    bool (*price)(void *self, const struct nd_strategy *strategy,
                  const struct nd_rank_case *used, const struct nd_choice *choice,
                  struct nd_rank_price *price, bool *no_memory);
    void *self;
    // Of strategies that only differ in op, the one with the greatest first; NULL: nothing is kept.
    struct nd_known_splits *known;
};

struct nd_rank_options {
    int32_t max_vpp; // >= 1; ignored as published, where vpp is 1
    int32_t min_vpp; // of more than one stage; 0: 1
    enum nd_compat compat;
    const struct nd_effort *effort;  // of each program; or NULL
    const struct training *training; // its batch and its micro-batch sizes; for nd_rank_best
    double (*now)(void);             // seconds; or NULL
    // The training of the user, where its placement or order is none of a loop with 1F1B: candidates are split
    // in this order, too. NULL: there is none.
    const struct configuration *mine;
};

enum nd_rank_outcome {
    ND_RANK_PRICED,
    ND_RANK_INFEASIBLE, // no split fits
    ND_RANK_NOT_PRICED, // no profile, or no program
    ND_RANK_NO_MEMORY,  // of this machine
};

struct nd_ranked {
    struct nd_strategy strategy;
    int64_t index; // in the input
    enum nd_rank_outcome outcome;
    double cost_ms;           // a step; HUGE_VAL unless priced
    double least_ms;          // proven: no split into as many chunks takes less
    double others_ms;         // nor one into another number that was tried; HUGE_VAL: none was
    double program_ms;        // of the cost, the pipeline
    double transfer_ms;       // of these, what transfers between stages add
    double dp_ms;             // what of the exchange between replicas is not hidden
    double peak_mb;           // of the stage with most
    bool given;               // the choice was given, not searched
    bool unwritten;           // no file can be written, for the reason in `why`
    struct nd_rank_case used; // with the best number of chunks
    struct nd_solution solution; // where priced
    const struct family *family; // of the order; NULL: a loop with 1F1B
    double seconds;              // of solving, for all numbers of chunks
    char why[256];               // where not priced or not written
};

// Solves the candidate in the order of options->mine, and keeps that where it is faster. Returns false when out of
// memory.
bool nd_rank_in_order(struct nd_ranked *ranked, const struct nd_rank_case *prepared,
                      const struct nd_rank_options *options);

struct nd_rank_price nd_price_of_step(const struct configuration_step *step);

// The caller frees *ranked with nd_ranked_free() for every outcome.
void nd_rank_one(struct nd_ranked *ranked, const struct nd_strategy *strategy, int64_t index,
                 const struct nd_rank_source *source, const struct nd_rank_options *options);
void nd_ranked_free(struct nd_ranked *ranked);

// The same for a strategy with mbs 0: the fastest micro-batch size of the training. As published there is only one.
void nd_rank_best(struct nd_ranked *ranked, const struct nd_strategy *strategy, int64_t index,
                  const struct nd_rank_source *source, const struct nd_rank_options *options);

// Prices a choice that is given, by the program of the strategy. The caller frees *ranked.
void nd_rank_given(struct nd_ranked *ranked, const struct nd_strategy *strategy,
                   const struct nd_choice *choice, const struct nd_rank_source *source,
                   enum nd_compat compat);

// Sets a price; what is proven of other choices stays in proportion.
void nd_ranked_set_price(struct nd_ranked *ranked, const struct nd_rank_price *price);

// Merges the bounds that are proven for an alternative (the same strategy with another micro-batch
// size) into the candidate, which is faster.
void nd_ranked_beside(struct nd_ranked *ranked, const struct nd_ranked *other);
// Returns the fraction of the step by which an alternative without a proof may be faster; 0: none
// is.
double nd_ranked_others_gap(const struct nd_ranked *ranked);

// Sorts candidates by cost, the cheapest first; candidates that cannot be written come after others,
// candidates without a cost last; candidates of equal cost keep the order of the input.
void nd_rank_sort(struct nd_ranked *ranked, int64_t n);

// ---- tables -------------------------------------------------------------------------------------

enum { ND_GAP_CAP = 16 };

// Writes the gap of the pipeline's time: "0" if it is proven optimal for its number of chunks, else
// the most by which another split may be shorter, as "3.1%"; a star follows if an alternative may
// be faster; "" unless priced. Returns text.
const char *nd_rank_gap(char text[ND_GAP_CAP], const struct nd_ranked *ranked);

enum nd_rank_language {
    ND_LANGUAGE_ORIG, // names of columns as published, some of them Chinese
    ND_LANGUAGE_EN,
};

struct nd_rank_table {
    enum nd_rank_language language;
    enum nd_compat compat; // corrected: more columns follow
    const char *solver;    // as the user calls it
    double limit_gib;
};

// Append lines of CSV. The header starts with a byte-order mark; n numbers the rows from 1. `check`
// is the result of a check of the row's memory, or "".
void nd_rank_header(struct text_buffer *text, const struct nd_rank_table *table);
void nd_rank_line(struct text_buffer *text, const struct nd_rank_table *table, int64_t n,
                  const struct nd_ranked *ranked, const char *check);

// For reading at once: dp, tp, pp, ep and the time of a step in ms, or N/A; behind it the gap,
// where there is one.
void nd_rank_short_header(struct text_buffer *text);
void nd_rank_short_line(struct text_buffer *text, const struct nd_ranked *ranked);
