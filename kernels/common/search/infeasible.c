// SPDX-License-Identifier: Apache-2.0
// Describes why a program has no solution: reasons known without a search, and reasons that a
// search finds.
#include "kernels/common/search/solve_private.h"

#include <stdio.h>

void nd_why_layers(const struct nd_program *p, struct nd_infeasible *why)
{
    const int64_t most = (int64_t)ND_ORIG_LAYERS * p->stages * p->chunks;
    why->limit = ND_LIMIT_LAYERS;
    why->stage = -1;
    if (p->layers[0] > most || p->layers[1] > most)
        snprintf(
            why->text, sizeof why->text,
            "%d layers of one type are %d too many for %d chunks: as published a chunk has at "
            "most %d",
            p->layers[0] > most ? p->layers[0] : p->layers[1],
            (int)((p->layers[0] > most ? p->layers[0] : p->layers[1]) - most),
            p->stages * p->chunks, ND_ORIG_LAYERS);
    else
        snprintf(why->text, sizeof why->text,
                 "no split of %d and %d layers over %d chunks is within the published bounds "
                 "(20 layers, forward 20, backward 60, %.0f MiB per micro-batch)",
                 p->layers[0], p->layers[1], p->stages * p->chunks, ND_ORIG_KEPT);
}

void nd_why_again(const struct nd_program *p, struct nd_infeasible *why)
{
    why->limit = ND_LIMIT_MEMORY;
    why->stage = -1;
    snprintf(
        why->text, sizeof why->text,
        "does not fit: no split over %d chunks fits with the layers that must be recomputed",
        p->stages * p->chunks);
}

void nd_why_memory(const struct nd_program *p, int32_t stage, double missing_mb,
                   struct nd_infeasible *why)
{
    why->limit = ND_LIMIT_MEMORY;
    why->stage = stage;
    why->missing_mb = missing_mb;
    why->needed_mb = nd_program_budget(p, stage) + missing_mb;
    const double rest = nd_program_static(p, stage);
    nd_does_not_fit(why->text, sizeof why->text, stage, " in the best split",
                    rest + why->needed_mb, rest + nd_program_budget(p, stage));
}

bool nd_never_feasible(const struct nd_program *p, struct nd_infeasible *why)
{
    const int32_t chunks = p->stages * p->chunks, layers = p->layers[0] + p->layers[1];
    *why = (struct nd_infeasible){.stage = -1};
    if (p->micro_batches < p->stages) {
        why->limit = ND_LIMIT_MICRO_BATCHES;
        snprintf(
            why->text, sizeof why->text,
            "stage = %d is greater than micro batch = %d: use at least %d micro-batches, or at "
            "most %d stages",
            p->stages, p->micro_batches, p->stages, p->micro_batches);
    } else if (layers < chunks) {
        why->limit = ND_LIMIT_FEW_LAYERS;
        snprintf(why->text, sizeof why->text,
                 "%d layers are %d too few for %d chunks: every chunk needs at least one layer",
                 layers, chunks - layers, chunks);
    } else if (p->compat == ND_ORIG && p->splits > 1) {
        why->limit = ND_LIMIT_SPLITS;
        snprintf(
            why->text, sizeof why->text,
            "as published each sequence split waits for its own end: expected 1 split, not "
            "%d",
            p->splits);
    }
    return why->limit != ND_LIMIT_NONE;
}
