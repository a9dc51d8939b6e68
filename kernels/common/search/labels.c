// SPDX-License-Identifier: Apache-2.0
// Searches splits of 1F1B stage by stage and keeps labels. A label describes the effect of stages
// 0 ... i - 1 on the objective, for any choice of the later stages. The notation is that of
// one_f_one_b.h and chain.h.
//
// Let q be a stage at which the longest path turns early. Before a path turns, the recompute of
// each stage that it passes adds to its bracket. When a path turns at q, its bracket gains d(q)
// times the slowest backward (or forward) so far and loses C(>q). Greatest brackets of a label:
//
//   z    paths that have not turned: N(j) c(j) + W(>j) + R(j, i), where R(j, i) is the growth of
//        stages j+1 ... i-1
//   zb   paths that have turned among the backwards: z + d(q) b - W(>q), without later growth
//   zf   paths that have turned among the forwards: z + d(q) f - W(>q), without later growth
//   both paths that have turned twice. The second turn subtracts R(>q) again, so that of the total
//        growth only R of the stages up to q remains. `both` includes this R.
//
// The objective is the greater of W(0) + R + max(z + R(i ...), zb, zf) and W(0) + both. The numbers
// after a stage never decrease if the numbers before it increase. So a label at a place is not
// needed if another label at this place is at most as large in all numbers.
#include "kernels/common/search/labels.h"

#include "base/text/grow_list.h"
#include "kernels/common/search/time_limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct label {
    double growth;    // R
    double full;      // z for all micro-batches: the bound of chain.h
    double z, zb, zf; // for the micro-batches that are laid out
    double both;      // includes the growth R
    double slow_f, slow_b;
    double first_f, first_b; // M = P: replace the rounds of stage 0; else -HUGE_VAL
    double slow_c;           // price of periods that are not laid out; else 0
    double bound;
    int32_t x;
    int32_t parent; // index among the labels of the stage before
};

struct level {
    struct label *labels;
    int32_t n;
    size_t room;
    int32_t *first; // [layers + 2]: first label of each place
};

struct search {
    const struct nd_chain *chain;
    int32_t laid_out; // micro-batches
    double price;     // of slow_c
    double limit;
    double *useless_b;    // [places]: a slowest pass up to this does not matter
    struct level *levels; // [stages + 1]
    struct nd_watch watch;
    uint64_t nodes;
};

// ---- one step -----------------------------------------------------------------------------------

// Adds the paths that turn at stage i. behind: W(>i); d: number of stages behind stage i.
static void turn(struct label *l, double d, double behind)
{
    const double b = d * l->slow_b - behind, f = d * l->slow_f - behind;
    l->zb = nd_greater(l->zb, l->z + b);
    l->zf = nd_greater(l->zf, l->z + f);
    l->both = nd_greater(l->both, l->growth + nd_greater(l->zb + f, l->zf + b));
    l->both = nd_greater(l->both, l->growth + nd_greater(l->first_f + b, l->first_b + f));
}

// Raises numbers that are too small to matter to the largest value that does not matter. Then more
// labels dominate each other.
static void settle(const struct search *s, struct label *l, int32_t place)
{
    l->zb = nd_greater(l->zb, l->z);
    l->zf = nd_greater(l->zf, l->z);
    l->both = nd_greater(l->both, l->growth + nd_greater(l->zb, l->zf));
    l->slow_b = nd_greater(l->slow_b, s->useless_b[place]);
    l->slow_f = nd_greater(l->slow_f, s->useless_b[place]);
}

static struct label step(const struct search *s, const struct label *from,
                         const struct nd_link *link, int32_t i, int32_t n)
{
    const struct nd_chain *c = s->chain;
    const int32_t last = c->stages - 1, all = c->program->micro_batches;
    const double behind = c->work[n + link->x];
    struct label l = *from;
    l.x = link->x;
    l.growth += link->growth;
    l.slow_f = nd_greater(l.slow_f, link->f);
    l.slow_b = nd_greater(l.slow_b, link->b);
    l.slow_c = s->price > 0 ? nd_greater(l.slow_c, link->c) : 0;
    l.full += link->growth;
    l.z += link->growth;
    if (nd_rounds(c, all, i) > 0)
        l.full = nd_greater(l.full, nd_bracket(c, link, i, n, all));
    if (nd_rounds(c, s->laid_out, i) > 0) {
        l.z = nd_greater(l.z, nd_bracket(c, link, i, n, s->laid_out));
    } else {
        l.first_f = last * link->f;
        l.first_b = last * link->b;
    }
    if (i < last)
        turn(&l, last - i, behind);
    return l;
}

static double bound_of(const struct search *s, const struct label *l, int32_t place)
{
    const struct nd_chain *c = s->chain;
    const double rest = c->least_growth[place], first = nd_greater(l->first_f, l->first_b);
    const double most = nd_greater(nd_greater(l->z + rest, first), nd_greater(l->zb, l->zf));
    const double own = nd_greater(c->work[0] + l->growth + rest + most, c->work[0] + l->both) +
                       s->price * l->slow_c;
    return nd_greater(own, nd_chain_least(c, place, l->growth, l->full, first));
}

// ---- labels of a stage --------------------------------------------------------------------------

static bool dominates(const struct label *a, const struct label *b)
{
    return a->growth <= b->growth && a->z <= b->z && a->full <= b->full && a->zb <= b->zb &&
           a->zf <= b->zf && a->both <= b->both && a->slow_f <= b->slow_f &&
           a->slow_b <= b->slow_b && a->slow_c <= b->slow_c && a->first_f <= b->first_f &&
           a->first_b <= b->first_b;
}

// Adds a label to the labels of its place, which start at `first`, unless one of these dominates
// the new label. Drops the labels that the new label dominates. Returns false when out of memory.
static bool add(struct level *level, int32_t first, const struct label *label)
{
    int32_t kept = first;
    for (int32_t k = first; k < level->n; k++)
        if (dominates(&level->labels[k], label))
            return true;
    for (int32_t k = first; k < level->n; k++)
        if (!dominates(label, &level->labels[k]))
            level->labels[kept++] = level->labels[k];
    level->n = kept;
    struct label *labels =
        pps_grow(level->labels, &level->room, (size_t)level->n + 1, sizeof *labels);
    if (labels == NULL)
        return false;
    level->labels = labels;
    level->labels[level->n++] = *label;
    return true;
}

static const struct nd_link *link_of(const struct nd_chain *c, int32_t place, int32_t x)
{
    const int32_t first = c->link_start[place], end = c->link_start[place + 1];
    const int32_t k = first < end ? first + x - c->links[first].x : end;
    return k >= first && k < end ? &c->links[k] : NULL;
}

// Adds the labels of place (i, n) that extend labels of place (i - 1, m). Returns false when out
// of memory.
static bool fill_from(struct search *s, int32_t i, int32_t n, int32_t m)
{
    const struct level *before = &s->levels[i - 1];
    struct level *level = &s->levels[i];
    const struct nd_link *link = link_of(s->chain, nd_place(s->chain, i - 1, m), n - m);
    const int32_t place = nd_place(s->chain, i, n);
    for (int32_t j = before->first[m]; link != NULL && j < before->first[m + 1]; j++) {
        if (nd_watch_often(&s->watch))
            break;
        struct label label = step(s, &before->labels[j], link, i - 1, m);
        label.parent = j;
        label.bound = bound_of(s, &label, place);
        s->nodes++;
        if (label.bound >= s->limit)
            continue;
        settle(s, &label, place);
        if (!add(level, level->first[n], &label))
            return false;
    }
    return true;
}

static bool fill_place(struct search *s, int32_t i, int32_t n)
{
    s->levels[i].first[n] = s->levels[i].n;
    for (int32_t m = 0; m < n; m++)
        if (!fill_from(s, i, n, m))
            return false;
    s->levels[i].first[n + 1] = s->levels[i].n;
    return true;
}

// ---- the search ---------------------------------------------------------------------------------

// Computes useless_b: the slowest stage so far does not matter behind a place if d(q) times its
// pass is at most the least possible W(>q), for every later stage q.
static void find_useless(struct search *s)
{
    const struct nd_chain *c = s->chain;
    double least = HUGE_VAL;
    for (int32_t i = c->stages - 1; i >= 0; i--) {
        double behind = HUGE_VAL;
        for (int32_t n = c->layers; n >= 0; n--)
            if (c->ends_of[nd_place(c, i + 1, n)].n > 0) {
                behind = c->work[n];
                break;
            }
        if (i < c->stages - 1)
            least = nd_lesser(least, behind / (c->stages - 1 - i));
        for (int32_t n = 0; n <= c->layers; n++)
            s->useless_b[nd_place(c, i, n)] = least < HUGE_VAL ? least : 0;
    }
    for (int32_t n = 0; n <= c->layers; n++)
        s->useless_b[nd_place(c, c->stages, n)] = HUGE_VAL;
}

static bool start(struct search *s)
{
    const struct nd_chain *c = s->chain;
    const size_t places = ((size_t)c->stages + 1) * ((size_t)c->layers + 1);
    s->useless_b = malloc(places * sizeof *s->useless_b);
    s->levels = calloc((size_t)c->stages + 1, sizeof *s->levels);
    if (s->useless_b == NULL || s->levels == NULL)
        return false;
    for (int32_t i = 0; i <= c->stages; i++) {
        s->levels[i].first = calloc((size_t)c->layers + 2, sizeof *s->levels[i].first);
        if (s->levels[i].first == NULL)
            return false;
    }
    find_useless(s);
    const double none = -HUGE_VAL;
    const struct label root = {0, none, none, none, none, none, 0, 0, none, none, 0, 0, 0, -1};
    for (int32_t n = 1; n <= c->layers + 1; n++)
        s->levels[0].first[n] = 1;
    return add(&s->levels[0], 0, &root);
}

static void finish(struct search *s)
{
    for (int32_t i = 0; s->levels != NULL && i <= s->chain->stages; i++) {
        free(s->levels[i].labels);
        free(s->levels[i].first);
    }
    free(s->levels);
    free(s->useless_b);
}

// Finds the best label behind the last stage, and the split that leads to this label.
static void trace_back(const struct search *s, int32_t *layers, struct nd_labels_result *result)
{
    const struct level *last = &s->levels[s->chain->stages];
    int32_t at = -1;
    for (int32_t k = 0; k < last->n; k++)
        if (at < 0 || last->labels[k].bound < last->labels[at].bound)
            at = k;
    if (at < 0)
        return;
    result->found = true;
    result->value = last->labels[at].bound;
    for (int32_t i = s->chain->stages; i > 0; i--) {
        layers[i - 1] = s->levels[i].labels[at].x;
        at = s->levels[i].labels[at].parent;
    }
}

enum nd_outcome nd_labels_search(const struct nd_chain *chain, double limit,
                                 const struct nd_effort *effort, double started,
                                 int32_t *layers, struct nd_labels_result *result,
                                 uint64_t *nodes)
{
    struct search s = {.chain = chain,
                       .limit = limit,
                       .watch = {.effort = effort, .started = started}};
    const int32_t residue = nd_program_residue(chain->program);
    enum nd_outcome outcome = ND_NO_MEMORY;
    s.laid_out = chain->program->micro_batches - residue * chain->stages;
    s.price = (double)residue * chain->stages;
    *result = (struct nd_labels_result){.finished = true};
    if (!start(&s))
        goto end;
    for (int32_t i = 1; result->finished && i <= chain->stages; i++)
        for (int32_t n = 0; result->finished && n <= chain->layers; n++) {
            if (!fill_place(&s, i, n))
                goto end;
            result->finished = !nd_watch_over(&s.watch, *nodes + s.nodes);
        }
    result->timed_out = s.watch.timed_out;
    if (result->finished)
        trace_back(&s, layers, result);
    outcome = ND_DONE;
end:
    *nodes += s.nodes;
    finish(&s);
    return outcome;
}
