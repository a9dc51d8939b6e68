// SPDX-License-Identifier: Apache-2.0
// Solves 1F1B exactly. The fronts of chain.h give the best split if warm-up and cool-down cost
// nothing extra, as is usual. If the objective of the split equals its lower bound, the split is
// proven optimal. Otherwise labels.h searches for a split below this objective.
#include "kernels/common/search/solve_private.h"

#include "kernels/common/interleaved/memory_line.h"
#include "kernels/common/search/chain.h"
#include "kernels/common/search/labels.h"
#include "kernels/common/split/cheapest_recompute.h"

#include <math.h>
#include <stdlib.h>

struct solver {
    const struct nd_program *program;
    const struct nd_effort *effort;
    struct nd_watch watch;
    struct nd_chain *chain;
    struct nd_evaluator *evaluator;
    struct nd_draft *draft;
    int32_t *layers; // [stages]
    int32_t *most;   // [stages]: layers looked at
    double *forward, *backward;
};

// ---- splits -------------------------------------------------------------------------------------

static struct nd_chunk_plan chunk_of(const struct nd_program *p, int32_t stage, int32_t n,
                                     int32_t x)
{
    struct nd_chunk_plan chunk = nd_segment(p, n, x);
    nd_cheapest_1f1b(p, stage, &chunk);
    return chunk;
}

// Evaluates the split in s->layers, and stores the split in the draft if it is the best so far.
static void offer(struct solver *s)
{
    const struct nd_program *p = s->program;
    for (int32_t i = 0, n = 0; i < p->stages; n += s->layers[i++]) {
        const struct nd_chunk_plan chunk = chunk_of(p, i, n, s->layers[i]);
        s->forward[i] = nd_chunk_forward(p, &chunk, i == p->stages - 1);
        s->backward[i] = nd_chunk_backward(p, &chunk, i == p->stages - 1);
    }
    const double value = nd_evaluator_objective(s->evaluator, s->forward, s->backward);
    if (value >= s->draft->objective)
        return;
    s->draft->objective = value;
    nd_watch_found(&s->watch, value);
    for (int32_t i = 0, n = 0; i < p->stages; n += s->layers[i++])
        s->draft->chunks[i] = chunk_of(p, i, n, s->layers[i]);
}

// ---- fronts -------------------------------------------------------------------------------------

// Offers the splits of all ends of place (0, 0). Returns the least of their bounds.
static double offer_ends(struct solver *s)
{
    const struct nd_chain *c = s->chain;
    const struct nd_ends_of root = c->ends_of[0];
    double least = HUGE_VAL;
    for (int32_t k = root.first; k < root.first + root.n; k++) {
        const struct nd_end *end = &c->ends[k];
        least = fmin(least, c->work[0] + end->growth + end->z);
        for (int32_t i = 0, n = 0; i < c->stages; i++) {
            s->layers[i] = end->x;
            n += end->x;
            end = &c->ends[c->ends_of[nd_place(c, i + 1, n)].first + end->next];
        }
        offer(s);
    }
    return least;
}

// Returns a lower bound of all splits: the least growth and the least bottleneck, each by itself.
static double first_bound(const struct nd_chain *c)
{
    const double z = c->past_z[nd_place(c, c->stages, c->layers)];
    return c->work[0] + c->least_growth[0] + fmax(z, 0);
}

// Raises the limit until ends exist; a low limit keeps the fronts small. Sets *bound to the least
// (1) of chain.h.
static enum nd_outcome find_ends(struct solver *s, double *bound, double *limit)
{
    const double first = first_bound(s->chain);
    *bound = HUGE_VAL;
    for (double more = 1.0 / 512; *bound == HUGE_VAL && !nd_watch_now(&s->watch); more *= 4) {
        *limit = more < 16 ? first * (1 + more) + 1e-6 : HUGE_VAL;
        if (nd_chain_ends(s->chain, *limit, &s->draft->nodes) != ND_DONE)
            return ND_NO_MEMORY;
        if (!nd_watch_now(&s->watch))
            *bound = offer_ends(s);
    }

    return ND_DONE;
}

static enum nd_outcome find_best(struct solver *s)
{
    struct nd_draft *draft = s->draft;
    struct nd_labels_result result;
    double limit = HUGE_VAL;
    if (find_ends(s, &draft->bound, &limit) != ND_DONE)
        return ND_NO_MEMORY;
    if (draft->bound == HUGE_VAL) { // stopped
        draft->bound = nd_program_average_bound(s->program);
        return ND_DONE;
    }
    draft->proven = draft->objective <= draft->bound * (1 + ND_SAME) + 1e-12;
    if (draft->proven)
        return ND_DONE;
    if (limit < draft->objective &&
        nd_chain_ends(s->chain, draft->objective, &draft->nodes) != ND_DONE)
        return ND_NO_MEMORY;
    if (nd_watch_now(&s->watch))
        return ND_DONE;
    offer_ends(s);
    const double below = draft->objective * (1 - ND_SAME);
    if (nd_labels_search(s->chain, below, s->effort, s->watch.started, s->layers, &result,
                         &draft->nodes) != ND_DONE)
        return ND_NO_MEMORY;
    if (result.found)
        offer(s);
    draft->proven = result.finished;
    return ND_DONE;
}

// ---- layers of a stage ----------------------------------------------------------------------------

// Returns the most layers that stage i can have in a split below `limit`: by one_f_one_b.h no
// makespan is below W(0) + n(i) c(i) + d(i) max(f(i), b(i)).
static int32_t most_below(const struct nd_program *p, int32_t i, double limit)
{
    const int32_t all = p->layers[0] + p->layers[1];
    const double light = p->layers[0] > 0 ? fmin(p->layer_ratio, 1) : 1;
    const double rounds = p->micro_batches - p->stages + i, behind = p->stages - 1 - i;
    const double each =
        light * (rounds * (1 + p->backward_ratio) + behind * fmax(1, p->backward_ratio));
    const double work =
        (1 + p->backward_ratio) * (p->layers[1] + p->layer_ratio * p->layers[0]);
    const double most = each > 0 ? (limit - work) / each + 1 : all;
    return most < all ? (int32_t)fmax(most, 1) : all;
}

// Raises s->most to the layers that each stage can have in a better split. Returns whether the
// number of any stage was raised.
static bool raise_most(struct solver *s, int32_t at_least)
{
    const int32_t all = s->program->layers[0] + s->program->layers[1];
    bool raised = false;
    for (int32_t i = 0; i < s->program->stages; i++) {
        int32_t most = s->draft->objective < HUGE_VAL
                           ? most_below(s->program, i, s->draft->objective)
                           : at_least;
        most = most < all ? most : all;
        if (most > s->most[i]) {
            s->most[i] = most;
            raised = true;
        }
    }
    return raised;
}

// Searches splits with few layers per stage first, since there are fewer of them. Allows more layers
// per stage as long as a better split may exist.
static enum nd_outcome find_all(struct solver *s)
{
    const struct nd_program *p = s->program;
    int32_t most = (p->layers[0] + p->layers[1]) / p->stages + 4;
    enum nd_outcome outcome = ND_DONE;
    while (outcome == ND_DONE && raise_most(s, most)) {
        nd_chain_free(s->chain);
        s->chain = nd_chain_new(p, s->most, &s->watch);
        if (s->chain == NULL)
            return ND_NO_MEMORY;
        if (nd_watch_now(&s->watch)) {
            s->draft->proven = false; // more layers per stage may be better
            s->draft->bound = nd_program_average_bound(p);
            break;
        }
        if (s->chain->least_growth[0] < HUGE_VAL)
            outcome = find_best(s);
        most *= 2;
    }
    return outcome;
}

// ---- infeasible programs ------------------------------------------------------------------------

static double needed(const struct nd_program *p, int32_t stage,
                     const struct nd_chunk_plan *chunk)
{
    const double live = memline_1f1b(p->stages, p->micro_batches, stage);
    return live * nd_chunk_kept(p, chunk) + nd_chunk_layers_mb(p, chunk) -
           (chunk->full[0] + chunk->full[1] == 0 ? p->working : 0);
}

// Returns the least memory that the stage needs with these layers, MiB; HUGE_VAL if the layers
// exceed the published bounds.
static double needs(const struct nd_program *p, int32_t stage, int32_t n, int32_t x)
{
    const bool head = stage == p->stages - 1;
    const struct nd_chunk_plan chunk = nd_segment(p, n, x);
    struct nd_chunk_plan least = chunk, tried = chunk;
    double low = nd_least_kept(p, &chunk), high = nd_chunk_kept(p, &chunk);
    if (nd_again_is_fixed(p)) {
        nd_again_set(p, (struct nd_again_place){0, 0}, &tried);
        return needed(p, stage, &tried);
    }
    if (!nd_cheapest(p, high, 0, head, &least))
        return HUGE_VAL;
    if (nd_cheapest(p, low, 0, head, &tried)) {
        const struct nd_chunk_plan parts = {{chunk.layers[0], chunk.layers[1]},
                                            {0, 0},
                                            {chunk.layers[0], chunk.layers[1]}};
        const double all = fmin(needed(p, stage, &tried), needed(p, stage, &least));
        return p->allow_select && p->working > 0 ? fmin(all, needed(p, stage, &parts)) : all;
    }
    // Full recompute exceeds the published bound of a backward: find the most that does not.
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        tried = chunk;
        if (nd_cheapest(p, middle, 0, head, &tried)) {
            high = middle;
            least = tried;
        } else {
            low = middle;
        }
    }
    return needed(p, stage, &least);
}

// Returns the memory that the worst stage of an even split lacks, MiB.
static double even_lack(const struct nd_program *p)
{
    const int32_t layers = p->layers[0] + p->layers[1];
    double most = -HUGE_VAL;
    for (int32_t i = 0, n = 0; i < p->stages; i++) {
        const int32_t x = layers / p->stages + (i >= p->stages - layers % p->stages);
        most = fmax(most, needs(p, i, n, x) - nd_program_budget(p, i));
        n += x;
    }
    return most;
}

// Finds the split whose worst stage lacks the least memory. Sets *lack to this memory, MiB, and
// *stage to the worst stage; *lack is HUGE_VAL if all splits exceed the published bounds.
static enum nd_outcome find_lack(const struct nd_program *p, struct nd_watch *watch,
                                 double *lack, int32_t *stage)
{
    const int32_t layers = p->layers[0] + p->layers[1], columns = layers + 1;
    double *least = malloc(((size_t)p->stages + 1) * (size_t)columns * sizeof *least);
    int32_t *worst = malloc(((size_t)p->stages + 1) * (size_t)columns * sizeof *worst);
    const double even = even_lack(p);
    if (least != NULL && worst != NULL) {
        for (int32_t k = 0; k < (p->stages + 1) * columns; k++) {
            least[k] = k == 0 ? -HUGE_VAL : HUGE_VAL;
            worst[k] = -1;
        }
        for (int32_t i = 0; i < p->stages; i++)
            for (int32_t n = i; n <= layers; n++)
                for (int32_t x = 1; x <= layers - n; x++) {
                    const int32_t from = i * columns + n, to = from + columns + x;
                    if (least[from] == HUGE_VAL || nd_watch_often(watch))
                        break;
                    const double own = needs(p, i, n, x) - nd_program_budget(p, i);
                    if (own == HUGE_VAL || own > even)
                        break; // more layers need more
                    if (fmax(least[from], own) < least[to]) {
                        least[to] = fmax(least[from], own);
                        worst[to] = own >= least[from] ? i : worst[from];
                    }
                }
        *lack = least[p->stages * columns + layers];
        *stage = worst[p->stages * columns + layers];
    }
    const bool done = least != NULL && worst != NULL;
    free(least);
    free(worst);
    return done ? ND_DONE : ND_NO_MEMORY;
}

// Explains why no split is feasible. *proven: false if the watch stopped the explanation.
static enum nd_outcome explain(const struct nd_program *p, struct nd_watch *watch,
                               struct nd_infeasible *why, bool *proven)
{
    double lack = HUGE_VAL;
    int32_t stage = -1;
    if (find_lack(p, watch, &lack, &stage) != ND_DONE)
        return ND_NO_MEMORY;
    *proven = !nd_watch_now(watch);
    if (!*proven)
        return ND_DONE;
    if (lack == HUGE_VAL)
        nd_why_layers(p, why);
    else
        nd_why_memory(p, stage, lack, why);
    return ND_DONE;
}

// ---- the solver ---------------------------------------------------------------------------------

enum nd_outcome nd_solve_1f1b(const struct nd_program *program, const struct nd_effort *effort,
                              double started, struct nd_draft *draft, struct nd_infeasible *why)
{
    const size_t n = (size_t)program->stages;
    struct solver s = {.program = program,
                       .effort = effort,
                       .watch = {.effort = effort, .started = started},
                       .draft = draft};
    enum nd_outcome outcome = ND_NO_MEMORY;
    s.layers = calloc(n, sizeof *s.layers);
    s.forward = malloc(2 * n * sizeof *s.forward);
    s.most = calloc(n, sizeof *s.most);
    s.evaluator = nd_evaluator_new(program, NULL); // a closed form
    if (s.layers == NULL || s.forward == NULL || s.most == NULL || s.evaluator == NULL)
        goto end;
    s.backward = s.forward + n;
    outcome = find_all(&s);
    if (outcome == ND_DONE && draft->objective == HUGE_VAL)
        outcome = explain(program, &s.watch, why, &draft->proven);
    draft->timed_out = s.watch.timed_out && !draft->proven;
end:
    nd_evaluator_free(s.evaluator);
    nd_chain_free(s.chain);
    free(s.forward);
    free(s.layers);
    free(s.most);
    return outcome;
}
