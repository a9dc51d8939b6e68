// SPDX-License-Identifier: Apache-2.0
// Folds table lines by one degree at a time: sorting places lines that differ only in that degree
// next to each other.
#include "planner/nd/strategies/folded_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"op", "vp", "mbs"};

static int32_t *minor_of(struct nd_strategy *s, enum nd_folded degree)
{
    int32_t *const all[] = {&s->op, &s->vp, &s->mbs};
    return all[degree];
}

static int compare(int32_t a, int32_t b)
{
    return (a > b) - (a < b);
}

// ---- orders -------------------------------------------------------------------------------------

static int compare_strategies(const struct nd_strategy *a, const struct nd_strategy *b)
{
    const int32_t x[] = {a->dp, a->tp, a->cp,  a->pp, a->ep,
                         a->op, a->vp, a->mbs, a->sp, (int32_t)a->recompute};
    const int32_t y[] = {b->dp, b->tp, b->cp,  b->pp, b->ep,
                         b->op, b->vp, b->mbs, b->sp, (int32_t)b->recompute};
    for (size_t k = 0; k < sizeof x / sizeof *x; k++)
        if (x[k] != y[k])
            return compare(x[k], y[k]);
    return 0;
}

static int compare_steps(const void *left, const void *right)
{
    const struct nd_line *a = left, *b = right;
    if (a->first.step_ms != b->first.step_ms)
        return a->first.step_ms < b->first.step_ms ? -1 : 1;
    return compare_strategies(&a->first.strategy, &b->first.strategy);
}

// Compares without one degree; a line folded by another degree equals no other line.
static int compare_without(const struct nd_line *a, const struct nd_line *b,
                           enum nd_folded degree)
{
    struct nd_strategy x = a->first.strategy, y = b->first.strategy;
    if (a->degree == ND_FOLDED_NOT && b->degree == ND_FOLDED_NOT)
        *minor_of(&x, degree) = *minor_of(&y, degree) = 0;
    const int order = compare_strategies(&x, &y);
    return order != 0 ? order : compare((int32_t)a->degree, (int32_t)b->degree);
}

// Sorts equal lines together, the fastest first.
static int compare_for(const void *left, const void *right, enum nd_folded degree)
{
    const int order = compare_without(left, right, degree);
    return order != 0 ? order : compare_steps(left, right);
}

static int for_op(const void *left, const void *right)
{
    return compare_for(left, right, ND_FOLDED_OP);
}

static int for_vp(const void *left, const void *right)
{
    return compare_for(left, right, ND_FOLDED_VP);
}

static int for_mbs(const void *left, const void *right)
{
    return compare_for(left, right, ND_FOLDED_MBS);
}

// ---- folding ------------------------------------------------------------------------------------

static void join(struct nd_line *line, struct nd_line *other, enum nd_folded degree)
{
    const int32_t value = *minor_of(&other->first.strategy, degree);
    if (line->degree == ND_FOLDED_NOT)
        line->least = line->most = *minor_of(&line->first.strategy, degree);
    line->degree = degree;
    line->least = value < line->least ? value : line->least;
    line->most = value > line->most ? value : line->most;
    if (other->first.step_ms > line->slowest_ms)
        line->slowest_ms = other->first.step_ms;
}

static void fold_by(struct nd_lines *lines, enum nd_folded degree)
{
    int (*const orders[])(const void *, const void *) = {for_op, for_vp, for_mbs};
    size_t kept = 0;
    qsort(lines->all, lines->n, sizeof *lines->all, orders[degree]);
    for (size_t k = 0; k < lines->n;) {
        struct nd_line line = lines->all[k];
        const struct nd_line like = line;
        for (k++; k < lines->n && like.degree == ND_FOLDED_NOT &&
                  compare_without(&like, &lines->all[k], degree) == 0;
             k++)
            join(&line, &lines->all[k], degree);
        lines->all[kept++] = line;
    }
    lines->n = kept;
}

bool nd_lines_of(struct nd_lines *lines, struct nd_search_result *result, bool fold)
{
    lines->n = result->n;
    lines->all = malloc((result->n + 1) * sizeof *lines->all);
    if (lines->all == NULL)
        return false;
    for (size_t k = 0; k < result->n; k++)
        lines->all[k] = (struct nd_line){.first = result->candidates[k],
                                         .degree = ND_FOLDED_NOT,
                                         .slowest_ms = result->candidates[k].step_ms};
    for (int degree = ND_FOLDED_OP; fold && degree < ND_FOLDED_NOT; degree++)
        fold_by(lines, (enum nd_folded)degree);
    qsort(lines->all, lines->n, sizeof *lines->all, compare_steps);
    if (result->best.n > lines->n)
        result->best.n = lines->n;
    for (size_t k = 0; k < result->best.n; k++)
        result->best.heap[k] = lines->all[k].first;
    return true;
}

const char *nd_line_text(const struct nd_line *line, char text[ND_LINE_TEXT])
{
    text[0] = '\0';
    if (line->degree != ND_FOLDED_NOT)
        snprintf(text, ND_LINE_TEXT, "%s %d-%d, up to +%.1f %%", names[line->degree],
                 line->least, line->most, 100 * (line->slowest_ms / line->first.step_ms - 1));
    return text;
}
