// SPDX-License-Identifier: Apache-2.0
// Builds the links of stages and the fronts of their ends.
#include "kernels/common/search/chain.h"

#include "base/text/grow_list.h"
#include "kernels/common/split/cheapest_recompute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void nd_chain_free(struct nd_chain *c)
{
    if (c == NULL)
        return;
    free(c->link_start);
    free(c->links);
    free(c->work);
    free(c->ends_of);
    free(c->ends);
    free(c);
}

// ---- links --------------------------------------------------------------------------------------

// Returns false if the stage cannot hold these layers.
static bool make_link(const struct nd_program *p, int32_t stage, int32_t n, int32_t x,
                      struct nd_link *link)
{
    const bool head = stage == p->stages - 1;
    struct nd_chunk_plan chunk = nd_segment(p, n, x);
    if (!nd_cheapest_1f1b(p, stage, &chunk))
        return false;
    link->x = x;
    link->growth = nd_chunk_growth(p, &chunk);
    link->f = nd_chunk_forward(p, &chunk, head);
    link->b = nd_chunk_backward(p, &chunk, head);
    link->c = link->f + link->b;
    return true;
}

static bool add_link(struct nd_chain *c, const struct nd_link *link, size_t *room)
{
    struct nd_link *links = pps_grow(c->links, room, (size_t)c->n_links + 1, sizeof *links);
    if (links == NULL)
        return false;
    c->links = links;
    c->links[c->n_links++] = *link;
    return true;
}

// Limits the number of layers of a link: each later stage needs at least one of the layers that
// remain, and the later stages can hold all of them.
struct window {
    const int32_t *most; // [stages]
    int32_t *behind;     // [stages + 1]: most layers of the stages from i on
    int32_t *type2;      // most layers of these stages if all layers are of type 2
};

static int32_t most_of_type2(const struct nd_chain *c, int32_t i, int32_t most)
{
    struct nd_link link;
    int32_t x = 0;
    while (x < most && x < c->program->layers[1] && !nd_watch_often(c->watch) &&
           make_link(c->program, i, c->program->layers[0], x + 1, &link))
        x++;
    return x;
}

static void set_window(const struct nd_chain *c, struct window *w)
{
    w->behind[c->stages] = w->type2[c->stages] = 0;
    for (int32_t i = c->stages - 1; i >= 0; i--) {
        const int32_t all = w->behind[i + 1] + w->most[i];
        const int32_t some = w->type2[i + 1] + most_of_type2(c, i, w->most[i]);
        w->behind[i] = all < c->layers ? all : c->layers;
        w->type2[i] = some < c->layers ? some : c->layers;
    }
}

static int32_t least_layers(const struct nd_chain *c, const struct window *w, int32_t i,
                            int32_t n)
{
    const int32_t left = c->layers - n, behind = w->behind[i + 1];
    int32_t least = left - behind;
    // Once all layers of type 1 are placed, later stages have layers of type 2 only.
    if (n >= c->program->layers[0] && left - w->type2[i + 1] > least)
        least = left - w->type2[i + 1];
    return least > 1 ? least : 1;
}

static int32_t most_layers(const struct nd_chain *c, const struct window *w, int32_t i,
                           int32_t n)
{
    const int32_t most = c->layers - n - (c->stages - 1 - i);
    return most < w->most[i] ? most : w->most[i];
}

// Adds the links of place (i, n). A stage that cannot hold x layers cannot hold x + 1 layers, since
// every layer takes memory and time.
static bool make_links_of(struct nd_chain *c, const struct window *w, int32_t i, int32_t n,
                          bool *reached, size_t *room)
{
    const int32_t most = most_layers(c, w, i, n);
    for (int32_t x = least_layers(c, w, i, n); x <= most; x++) {
        struct nd_link link;
        if (nd_watch_often(c->watch) || !make_link(c->program, i, n, x, &link))
            break;
        if (!add_link(c, &link, room))
            return false;
        reached[nd_place(c, i + 1, n + x)] = true;
    }
    return true;
}

// Visits places from stage 0 on, so that only reachable places get links.
static bool make_links(struct nd_chain *c, const int32_t *most)
{
    const int32_t places = (c->stages + 1) * (c->layers + 1);
    bool *reached = calloc((size_t)places, sizeof *reached);
    struct window w = {.most = most};
    size_t room = 0;
    bool made = false;
    w.behind = malloc(2 * ((size_t)c->stages + 1) * sizeof *w.behind);
    if (reached == NULL || w.behind == NULL)
        goto end;
    w.type2 = w.behind + c->stages + 1;
    set_window(c, &w);
    reached[0] = made = true;
    for (int32_t place = 0; made && place < places; place++) {
        const int32_t i = place / (c->layers + 1), n = place % (c->layers + 1);
        c->link_start[place] = c->n_links;
        if (reached[place] && i < c->stages)
            made = make_links_of(c, &w, i, n, reached, &room);
    }
    c->link_start[places] = c->n_links;
end:
    free(reached);
    free(w.behind);
    return made;
}

// ---- bounds of places ---------------------------------------------------------------------------

static void make_work(struct nd_chain *c)
{
    const struct nd_program *p = c->program;
    const double of_head = isnan(p->head_backward) ? p->backward_ratio : p->head_backward;
    for (int32_t n = 0; n <= c->layers; n++) {
        const struct nd_chunk_plan rest = nd_segment(p, n, c->layers - n);
        c->work[n] = (1 + p->backward_ratio) * nd_chunk_forward(p, &rest, false) +
                     (n < c->layers ? (1 + of_head) * p->head_ratio : 0);
    }
}

double nd_bracket(const struct nd_chain *c, const struct nd_link *link, int32_t i, int32_t n,
                  int32_t micro_batches)
{
    const double rounds = nd_rounds(c, micro_batches, i);
    if (rounds > 0)
        return rounds * link->c + c->work[n + link->x];
    return (c->stages - 1) * nd_greater(link->f, link->b); // M = P, stage 0
}

static void find_least(struct nd_chain *c)
{
    const int32_t end = nd_place(c, c->stages, c->layers);
    for (int32_t k = 0; k <= end; k++)
        c->least_growth[k] = c->past_growth[k] = c->past_z[k] = HUGE_VAL;
    c->least_growth[end] = 0;
    c->past_growth[0] = 0;
    c->past_z[0] = -HUGE_VAL;
    for (int32_t i = c->stages - 1; i >= 0; i--)
        for (int32_t n = 0; n <= c->layers; n++) {
            const int32_t place = nd_place(c, i, n);
            for (int32_t k = c->link_start[place]; k < c->link_start[place + 1]; k++) {
                const int32_t next = nd_place(c, i + 1, n + c->links[k].x);
                c->least_growth[place] = nd_lesser(c->least_growth[place],
                                                   c->links[k].growth + c->least_growth[next]);
            }
        }
    for (int32_t i = 0; i < c->stages; i++)
        for (int32_t n = 0; n <= c->layers; n++) {
            const int32_t place = nd_place(c, i, n);
            for (int32_t k = c->link_start[place]; k < c->link_start[place + 1]; k++) {
                const struct nd_link *link = &c->links[k];
                const int32_t next = nd_place(c, i + 1, n + link->x);
                const bool rounds = nd_rounds(c, c->program->micro_batches, i) > 0;
                const double z =
                    rounds ? nd_bracket(c, link, i, n, c->program->micro_batches) : -HUGE_VAL;
                c->past_growth[next] =
                    nd_lesser(c->past_growth[next], c->past_growth[place] + link->growth);
                c->past_z[next] = nd_lesser(c->past_z[next], nd_greater(c->past_z[place], z));
            }
        }
}

struct nd_chain *nd_chain_new(const struct nd_program *program, const int32_t *most,
                              struct nd_watch *watch)
{
    struct nd_chain *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->program = program;
    c->watch = watch;
    c->stages = program->stages;
    c->layers = program->layers[0] + program->layers[1];
    const size_t places = ((size_t)c->stages + 1) * ((size_t)c->layers + 1);
    c->link_start = calloc(places + 1, sizeof *c->link_start);
    c->ends_of = calloc(places + 1, sizeof *c->ends_of);
    c->work = malloc(((size_t)c->layers + 1 + 3 * places) * sizeof *c->work);
    if (c->link_start == NULL || c->ends_of == NULL || c->work == NULL ||
        !make_links(c, most)) {
        nd_chain_free(c);
        return NULL;
    }
    c->least_growth = c->work + c->layers + 1;
    c->past_growth = c->least_growth + places;
    c->past_z = c->past_growth + places;
    make_work(c);
    if (!nd_watch_now(watch)) // else links are missing
        find_least(c);
    return c;
}

// ---- ends ---------------------------------------------------------------------------------------

static int compare_ends(const void *left, const void *right)
{
    const struct nd_end *a = left, *b = right;
    if (a->growth != b->growth)
        return a->growth < b->growth ? -1 : 1;
    return a->z < b->z ? -1 : a->z > b->z;
}

static bool more_room(struct nd_chain *c, int32_t n)
{
    struct nd_end *ends =
        pps_grow(c->ends, &c->ends_room, (size_t)(c->n_ends + n) + 1, sizeof *ends);
    if (ends != NULL)
        c->ends = ends;
    return ends != NULL;
}

// Appends an end for each end of the next place, with the link before it.
static bool extend(struct nd_chain *c, int32_t i, int32_t n, const struct nd_link *link,
                   double limit)
{
    const int32_t place = nd_place(c, i, n), next = nd_place(c, i + 1, n + link->x);
    const int32_t first = c->ends_of[next].first, last = first + c->ends_of[next].n;
    const double own = nd_bracket(c, link, i, n, c->program->micro_batches);
    const bool rounds = nd_rounds(c, c->program->micro_batches, i) > 0;
    if (!more_room(c, last - first))
        return false;
    for (int32_t k = first; k < last; k++) {
        const struct nd_end *end = &c->ends[k];
        const struct nd_end one = {
            .growth = end->growth + link->growth,
            .z = nd_greater(end->z, own + (rounds ? end->growth : 0)),
            .x = link->x,
            .next = k - first,
        };
        const double z = nd_greater(one.z, c->past_z[place] + one.growth);
        if (c->work[0] + c->past_growth[place] + one.growth + z < limit)
            c->ends[c->n_ends++] = one;
    }
    return true;
}

// Sorts the ends from `first` on and drops dominated ends.
static void keep_front(struct nd_chain *c, int32_t first)
{
    const int32_t n = c->n_ends - first;
    struct nd_end *ends = &c->ends[first];
    double least = HUGE_VAL;
    int32_t kept = 0;
    qsort(ends, (size_t)n, sizeof *ends, compare_ends);
    for (int32_t k = 0; k < n; k++)
        if (ends[k].z < least) {
            least = ends[k].z;
            ends[kept++] = ends[k];
        }
    c->n_ends = first + kept;
}

enum nd_outcome nd_chain_ends(struct nd_chain *c, double limit, uint64_t *nodes)
{
    const int32_t last = nd_place(c, c->stages, c->layers);
    memset(c->ends_of, 0, ((size_t)last + 1) * sizeof *c->ends_of);
    c->n_ends = 0;
    if (!more_room(c, 1))
        return ND_NO_MEMORY;
    c->ends[c->n_ends++] = (struct nd_end){0, 0, 0, 0};
    c->ends_of[last].n = 1;
    for (int32_t i = c->stages - 1; i >= 0; i--)
        for (int32_t n = 0; n <= c->layers; n++) {
            const int32_t place = nd_place(c, i, n), first = c->n_ends;
            for (int32_t k = c->link_start[place];
                 k < c->link_start[place + 1] && !nd_watch_often(c->watch); k++)
                if (!extend(c, i, n, &c->links[k], limit))
                    return ND_NO_MEMORY;
            *nodes += (uint64_t)(c->n_ends - first);
            keep_front(c, first);
            c->ends_of[place] = (struct nd_ends_of){first, c->n_ends - first};
        }
    return ND_DONE;
}

double nd_chain_least(const struct nd_chain *c, int32_t place, double growth, double z,
                      double floor)
{
    const struct nd_ends_of *of = &c->ends_of[place];
    double least = HUGE_VAL;
    for (int32_t k = of->first; k < of->first + of->n; k++) {
        const struct nd_end *end = &c->ends[k];
        const double most = nd_greater(floor, nd_greater(z + end->growth, end->z));
        least = nd_lesser(least, growth + end->growth + most);
    }
    return c->work[0] + least;
}
