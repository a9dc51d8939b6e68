// SPDX-License-Identifier: Apache-2.0
// Compares, keeps and writes candidates.
#include "planner/nd/strategies/candidates.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// ---- orders -------------------------------------------------------------------------------------

static int compare_strategies(const struct nd_strategy *a, const struct nd_strategy *b)
{
    const int32_t x[] = {a->dp, a->tp, a->pp, a->ep, a->cp, a->op, a->vp, a->mbs, a->sp};
    const int32_t y[] = {b->dp, b->tp, b->pp, b->ep, b->cp, b->op, b->vp, b->mbs, b->sp};
    for (size_t k = 0; k < sizeof x / sizeof *x; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static int by_degrees(const void *a, const void *b)
{
    return compare_strategies(&((const struct nd_candidate *)a)->strategy,
                              &((const struct nd_candidate *)b)->strategy);
}

void nd_candidates_sort(struct nd_candidate *candidates, size_t n)
{
    if (n > 1)
        qsort(candidates, n, sizeof *candidates, by_degrees);
}

// Sorts faster candidates first, candidates of unknown time last.
static int by_time(const void *a, const void *b)
{
    const double x = ((const struct nd_candidate *)a)->step_ms;
    const double y = ((const struct nd_candidate *)b)->step_ms;
    if (x < y || (!isnan(x) && isnan(y)))
        return -1;
    if (y < x || (isnan(x) && !isnan(y)))
        return 1;
    return by_degrees(a, b);
}

// ---- the best of many ---------------------------------------------------------------------------

bool nd_best_init(struct nd_best *best, size_t cap)
{
    *best = (struct nd_best){.cap = cap};
    best->heap = calloc(cap + 1, sizeof *best->heap);
    return best->heap != NULL;
}

static void swap(struct nd_candidate *a, struct nd_candidate *b)
{
    const struct nd_candidate other = *a;
    *a = *b;
    *b = other;
}

static void sift_up(struct nd_best *best, size_t k)
{
    for (; k > 0 && by_time(&best->heap[(k - 1) / 2], &best->heap[k]) < 0; k = (k - 1) / 2)
        swap(&best->heap[(k - 1) / 2], &best->heap[k]);
}

static void sift_down(struct nd_best *best, size_t k)
{
    for (;;) {
        size_t worst = k;
        for (size_t child = 2 * k + 1; child <= 2 * k + 2 && child < best->n; child++)
            if (by_time(&best->heap[worst], &best->heap[child]) < 0)
                worst = child;
        if (worst == k)
            return;
        swap(&best->heap[k], &best->heap[worst]);
        k = worst;
    }
}

void nd_best_offer(struct nd_best *best, const struct nd_candidate *candidate)
{
    if (best->n < best->cap) {
        best->heap[best->n] = *candidate;
        sift_up(best, best->n++);
    } else if (best->cap > 0 && by_time(candidate, &best->heap[0]) < 0) {
        best->heap[0] = *candidate;
        sift_down(best, 0);
    }
}

void nd_best_sort(struct nd_best *best)
{
    if (best->n > 1)
        qsort(best->heap, best->n, sizeof *best->heap, by_time);
}

void nd_best_free(struct nd_best *best)
{
    free(best->heap);
    *best = (struct nd_best){0};
}

// ---- the table ----------------------------------------------------------------------------------

void nd_candidates_header(struct text_buffer *text, enum nd_candidate_columns columns,
                          bool dense)
{
    text_buffer_add(text, dense ? "dp,tp,pp" : "dp,tp,pp,ep");
    if (columns == ND_COLUMNS_STATIC)
        text_buffer_add(text, ",cp,op");
    text_buffer_add(text, ",evaluate_mem");
    if (columns == ND_COLUMNS_ALL)
        text_buffer_add(text, ",cp,op,sp,mbs,vp,mem_full_recompute,mem_none,est_step_ms");
    text_buffer_add(text, "\n");
}

static void add_cell(struct text_buffer *text, double value)
{
    text_buffer_add(text, isnan(value) ? "," : ",%.6f", value);
}

void nd_candidates_line(struct text_buffer *text, enum nd_candidate_columns columns, bool dense,
                        const struct nd_candidate *c)
{
    const struct nd_strategy *s = &c->strategy;
    text_buffer_add(text, "%d,%d,%d", s->dp, s->tp, s->pp);
    if (!dense)
        text_buffer_add(text, ",%d", s->ep);
    if (columns == ND_COLUMNS_STATIC)
        text_buffer_add(text, ",%d,%d", s->cp, s->op);
    add_cell(text, c->memory_mb);
    if (columns == ND_COLUMNS_ALL) {
        text_buffer_add(text, ",%d,%d,%d,%d,%d", s->cp, s->op, s->sp, s->mbs, s->vp);
        add_cell(text, c->full_mb);
        add_cell(text, c->none_mb);
        add_cell(text, c->step_ms);
    }
    text_buffer_add(text, "\n");
}
