// SPDX-License-Identifier: Apache-2.0
// Keeps the candidates of the search (strategies that survive filters and memory), sorts them by
// step time or by degrees, and writes their table.
#pragma once

#include "kernels/common/estimate/strategy.h"

#include "base/text/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>

// NAN: not known.
struct nd_candidate {
    struct nd_strategy strategy;
    double memory_mb; // of the worst stage, MiB, as the strategy recomputes; it decided
    double full_mb;   // with full recompute
    double none_mb;   // without any
    double step_ms;   // estimated, or executed where it is shown
    double mfu, hfu;  // rates of model and executed FLOPs of this step
};

// By (dp, tp, pp, ep, cp, op), then vp, mbs, sp: what the choice of profiles wants.
void nd_candidates_sort(struct nd_candidate *candidates, size_t n);

// ---- the best of many ---------------------------------------------------------------------------

// Keeps the candidates with the least step_ms, at most cap of them; among equal candidates the
// first in the order of nd_candidates_sort. Memory does not grow with the number of offered
// candidates.
struct nd_best {
    struct nd_candidate *heap; // the worst kept candidate first
    size_t n, cap;
};

bool nd_best_init(struct nd_best *best, size_t cap); // false: no memory
void nd_best_offer(struct nd_best *best, const struct nd_candidate *candidate);
// The best first. The heap is none afterwards.
void nd_best_sort(struct nd_best *best);
void nd_best_free(struct nd_best *best);

// ---- nd_candidate_config.csv --------------------------------------------------------------------

enum nd_candidate_columns {
    ND_COLUMNS_DRYRUN, // dp, tp, pp, ep, evaluate_mem: as published, from dry runs
    ND_COLUMNS_STATIC, // dp, tp, pp, ep, cp, op, evaluate_mem: as published, from static memory
    ND_COLUMNS_ALL,    // dp, tp, pp, ep, evaluate_mem, cp, op, sp, mbs, vp, mem_full_recompute,
                       // mem_none, est_step_ms
};

// dense: no ep. Memory in MiB with six decimals, what is not known is left empty.
void nd_candidates_header(struct text_buffer *text, enum nd_candidate_columns columns,
                          bool dense);
void nd_candidates_line(struct text_buffer *text, enum nd_candidate_columns columns, bool dense,
                        const struct nd_candidate *candidate);
