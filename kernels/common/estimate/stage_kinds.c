// SPDX-License-Identifier: Apache-2.0
// Passes of a stage follow one another in runs of micro-batches of one chunk. While forward and
// backward passes alternate, what is alive changes at one rate as long as both stay in their runs;
// hence its peaks lie where a run ends, and there are a few runs a chunk, not a few tasks.
#include "kernels/common/estimate/stage_kinds.h"

#include "kernels/common/estimate/stage_layers.h"

#include <assert.h>

// ---- layers of chunks ---------------------------------------------------------------------------

static int64_t chunk_layers(int64_t layers, int32_t chunks, int32_t chunk)
{
    return layers / chunks + (chunk >= chunks - layers % chunks);
}

// First layer of each chunk of stage 0. Stages have q or q + 1 layers.
static void begin_chunks(const struct nd_pipeline *p, int64_t *begin)
{
    int64_t q = p->layers / p->stages, more = p->layers % p->stages, sum = 0;
    for (int32_t v = 0; v < p->chunks; v++) {
        begin[v] = sum;
        sum += more * chunk_layers(q + 1, p->chunks, v) +
               (p->stages - more) * chunk_layers(q, p->chunks, v);
    }
}

static int64_t dense_of(const struct nd_pipeline *p, int64_t begin, int64_t layers)
{
    const int64_t dense = p->dense - begin;
    return dense < 0 ? 0 : dense > layers ? layers : dense;
}

void nd_count_layers(const struct nd_pipeline *p, int64_t begin, int64_t layers,
                     int64_t n[MODELDESC_KINDS])
{
    if (p->model != NULL) {
        modeldesc_kinds_of(p->model, begin, layers, n);
        return;
    }
    n[0] = dense_of(p, begin, layers);
    n[1] = layers - n[0];
}

// ---- one stage ----------------------------------------------------------------------------------

struct walk {
    const struct nd_pipeline *p;
    int64_t *begin; // of each chunk of the stage at hand
    int64_t layers; // of the stage
    struct nd_peak peak;
    void (*visit)(void *self, const struct nd_peak *peak);
    void *self;
};

static void add_live_kinds(struct walk *w, int32_t chunk, int64_t layers, int64_t n)
{
    int64_t of[MODELDESC_KINDS];
    nd_count_layers(w->p, w->begin[chunk], layers, of);
    for (int k = 0; k < w->p->model->n_kinds; k++)
        *nd_peak_live(&w->peak, k) += (int32_t)(n * of[k]);
}

// Adds n micro-batches of a chunk to what is alive.
static inline void add_live(struct walk *w, int32_t chunk, int64_t n)
{
    const int64_t layers = chunk_layers(w->layers, w->p->chunks, chunk);
    if (w->p->model != NULL) {
        add_live_kinds(w, chunk, layers, n);
        return;
    }
    const int64_t dense = dense_of(w->p, w->begin[chunk], layers);
    w->peak.kind.live_dense += (int32_t)(n * dense);
    w->peak.kind.live_moe += (int32_t)(n * (layers - dense));
}

// A place in the list of forward passes; the list of backward passes is the same with chunks
// reversed.
struct place {
    int32_t chunk; // of the run
    int64_t left;  // passes of the run from here
};

static struct place next_run(const struct nd_pipeline *p, struct place at)
{
    return (struct place){at.chunk + 1 < p->chunks ? at.chunk + 1 : 0, p->stages};
}

// Passes the first part by itself: its runs are longer.
struct cursor {
    struct place place;
    int32_t long_runs; // of the first part that are still to come
    int64_t first;     // their length
};

static void step(const struct nd_pipeline *p, struct cursor *c, int64_t n)
{
    c->place.left -= n;
    if (c->place.left > 0)
        return;
    c->place = next_run(p, c->place);
    if (c->long_runs > 0) {
        c->long_runs--;
        c->place.left = c->first;
    }
}

static int64_t first_part(const struct nd_pipeline *p)
{
    return p->micro_batches < p->stages ? p->micro_batches
                                        : p->stages + p->micro_batches % p->stages;
}

static struct cursor start(const struct nd_pipeline *p)
{
    int64_t first = first_part(p);
    return (struct cursor){{0, first}, p->chunks - 1, first};
}

static int64_t warm_up(const struct nd_pipeline *p, int32_t stage)
{
    int64_t after = p->stages - 1 - stage;
    return (p->chunks - 1) * first_part(p) + (p->low_mem ? after : 2 * after);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Forward passes before the first backward one, then one of each in turn until there is no forward
// one left.
static void walk_interleaved(struct walk *w, int32_t stage)
{
    const struct nd_pipeline *p = w->p;
    int64_t all = p->chunks * p->micro_batches, ahead = least(warm_up(p, stage) + 1, all);
    struct cursor forward = start(p), backward = start(p);
    for (int64_t n = ahead; n > 0;) {
        int64_t run = least(n, forward.place.left);
        add_live(w, forward.place.chunk, run);
        step(p, &forward, run);
        n -= run;
    }
    w->visit(w->self, &w->peak);
    for (int64_t n = all - ahead; n > 0;) {
        int64_t run = least(n, least(forward.place.left, backward.place.left));
        add_live(w, p->chunks - 1 - backward.place.chunk, -run);
        add_live(w, forward.place.chunk, run);
        w->visit(w->self, &w->peak);
        step(p, &forward, run);
        step(p, &backward, run);
        n -= run;
    }
}

static void walk_plain(struct walk *w, int32_t stage)
{
    const struct nd_pipeline *p = w->p;
    const int64_t most = p->dualpipe ? p->stages + 1 : p->stages - stage;
    add_live(w, 0, least(p->micro_batches, most));
    w->visit(w->self, &w->peak);
}

static void begin_stage(struct walk *w, int32_t i)
{
    const struct nd_pipeline *p = w->p;
    w->layers = nd_stage_layers(p->layers, p->stages, i);
    w->peak.kind = (struct nd_kind){.stage = i};
    if (p->model != NULL)
        w->peak.more = (struct nd_more){.of[0].layers = 0};
    for (int32_t v = 0; v < p->chunks; v++) {
        int64_t of[MODELDESC_KINDS];
        nd_count_layers(p, w->begin[v], chunk_layers(w->layers, p->chunks, v), of);
        for (int k = 0; k < nd_layer_kinds(p); k++)
            *nd_peak_layers(&w->peak, k) += (int32_t)of[k];
    }
    struct nd_kind *kind = &w->peak.kind;
    kind->ends = (uint16_t)((i == 0 ? ND_FIRST : 0) | (i == p->stages - 1 ? ND_LAST : 0));
    for (int k = 0; k < nd_layer_kinds(p); k++)
        kind->holds |= (uint16_t)(*nd_peak_layers(&w->peak, k) > 0 ? 1U << k : 0);
}

void nd_walk_kinds(const struct nd_pipeline *p, int64_t *begin,
                   void (*visit)(void *self, const struct nd_peak *peak), void *self)
{
    assert(p->chunks <= ND_MAX_CHUNKS);
    begin_chunks(p, begin);
    struct walk w = {.p = p, .begin = begin, .visit = visit, .self = self};
    for (int32_t i = 0; i < p->stages; i++) {
        begin_stage(&w, i);
        if (p->chunks == 1)
            walk_plain(&w, i);
        else
            walk_interleaved(&w, i);
        for (int32_t v = 0; v < p->chunks; v++)
            begin[v] += chunk_layers(w.layers, p->chunks, v);
    }
}

// ---- the kinds that matter ----------------------------------------------------------------------

// Whether a has at least as much as b. kinds: of layers.
static bool covers(const struct nd_peak *a, const struct nd_peak *b, bool with_live, int kinds)
{
    const struct nd_kind *x = &a->kind, *y = &b->kind;
    const int lacks = y->ends & ~x->ends;
    if (with_live &&
        (x->live_dense < y->live_dense || x->live_moe < y->live_moe || (lacks & ND_FIRST)))
        return false;
    for (int k = 0; k < kinds - ND_TWO; k++)
        if (a->more.of[k].layers < b->more.of[k].layers ||
            (with_live && a->more.of[k].live < b->more.of[k].live))
            return false;
    return x->dense >= y->dense && x->moe >= y->moe && !(lacks & ND_LAST);
}

// Most models have two kinds of layers, whose peaks are a quarter of the size.
static inline void copy_peak(struct nd_peak *to, const struct nd_peak *from, int kinds)
{
    to->kind = from->kind;
    if (kinds > ND_TWO)
        to->more = from->more;
}

// Peaks of all stages of which none covers another; n: ND_KINDS + 1: there are more.
struct peaks {
    struct nd_peak peak[ND_KINDS];
    int n;
};

static void add_peak(struct peaks *peaks, const struct nd_peak *peak, bool with_live, int kinds)
{
    int kept = 0;
    if (peaks->n > ND_KINDS)
        return;
    for (int i = 0; i < peaks->n; i++)
        if (covers(&peaks->peak[i], peak, with_live, kinds))
            return;
    for (int i = 0; i < peaks->n; i++)
        if (!covers(peak, &peaks->peak[i], with_live, kinds))
            copy_peak(&peaks->peak[kept++], &peaks->peak[i], kinds);
    if (kept < ND_KINDS)
        copy_peak(&peaks->peak[kept], peak, kinds);
    peaks->n = kept + 1;
}

// Peaks of the current stage, sorted by live_dense. A peak between two others is not stored: for any
// weights of layers one of the two others is larger.
enum { CORNERS = 24 };

struct corners {
    struct peaks memory, time;
    int kinds; // of layers
    struct nd_peak peak[CORNERS];
    int n;
};

// Whether b, between a and c, is on or below the line between them.
static bool below(const struct nd_kind *a, const struct nd_kind *b, const struct nd_kind *c)
{
    int64_t right = b->live_dense - a->live_dense, up = b->live_moe - a->live_moe;
    int64_t far = c->live_dense - a->live_dense, high = c->live_moe - a->live_moe;
    return up * far <= high * right;
}

// Inserts the kind at its place, and removes the kinds that it covers.
static void insert(struct corners *c, const struct nd_peak *peak)
{
    int n = 0, at = 0;
    for (int i = 0; i < c->n; i++)
        if (!covers(peak, &c->peak[i], true, c->kinds))
            copy_peak(&c->peak[n++], &c->peak[i], c->kinds);
    while (at < n && c->peak[at].kind.live_dense < peak->kind.live_dense)
        at++;
    for (int i = n; i > at; i--)
        copy_peak(&c->peak[i], &c->peak[i - 1], c->kinds);
    copy_peak(&c->peak[at], peak, c->kinds);
    c->n = n + 1;
}

static void cut_corners(struct corners *c)
{
    int n = 0;
    if (c->kinds > ND_TWO)
        return;
    for (int i = 0; i < c->n; i++) {
        while (n >= 2 && below(&c->peak[n - 2].kind, &c->peak[n - 1].kind, &c->peak[i].kind))
            n--;
        c->peak[n++].kind = c->peak[i].kind;
    }
    c->n = n;
}

static void flush(struct corners *c)
{
    if (c->n > CORNERS)
        c->memory.n = ND_KINDS + 1;
    for (int i = 0; i < c->n && i < CORNERS; i++)
        add_peak(&c->memory, &c->peak[i], true, c->kinds);
    c->n = 0;
}

static void keep(void *self, const struct nd_peak *peak)
{
    struct corners *c = self;
    if (c->n == 0 || c->peak[0].kind.stage != peak->kind.stage) {
        flush(c);
        add_peak(&c->time, peak, false, c->kinds);
    }
    if (c->n > CORNERS)
        return;
    for (int i = 0; i < c->n; i++)
        if (covers(&c->peak[i], peak, true, c->kinds))
            return;
    if (c->n == CORNERS) {
        c->n++;
        return;
    }
    insert(c, peak);
    cut_corners(c);
}

static int pack(const struct peaks *peaks, bool more, struct nd_kind *kind, struct nd_more *of)
{
    for (int i = 0; i < peaks->n && i < ND_KINDS; i++) {
        kind[i] = peaks->peak[i].kind;
        if (more)
            of[i] = peaks->peak[i].more;
    }
    return peaks->n;
}

void nd_find_kinds(const struct nd_pipeline *p, int64_t *begin, struct nd_kinds *kinds)
{
    struct corners corners;
    corners.memory.n = corners.time.n = corners.n = 0;
    corners.kinds = nd_layer_kinds(p);
    nd_walk_kinds(p, begin, keep, &corners);
    flush(&corners);
    const bool more = corners.kinds > ND_TWO;
    kinds->n_memory = pack(&corners.memory, more, kinds->memory, kinds->more->memory);
    kinds->n_time = pack(&corners.time, more, kinds->time, kinds->more->time);
}
