// SPDX-License-Identifier: Apache-2.0
// Spreads layers over chunks and recompute over layers, and drops dominated options.
#include "kernels/common/search/stage_options.h"

#include "kernels/common/split/cheapest_recompute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTIONS_MOST = 60000,  // of all stages together
    SPREADS_MOST = 40000,  // examined, of one number of layers over the chunks of a stage
    TRIES_MOST = 1 << 22,  // ways to recompute in these spreads, and comparisons of the ways
    TRIES_FEW = 1 << 16,   // with many chunks
    TRIES_START = 1 << 14, // if only a start is needed
    CHUNKS_FEW = 8,
    WAYS_MOST = 4096, // to recompute in a chunk
};

// ---- ways to recompute --------------------------------------------------------------------------

struct way {
    struct nd_chunk_plan chunk;
    double kept, growth;
    bool full; // makes layers again wholly
};

static int compare_ways(const void *left, const void *right)
{
    const struct way *a = left, *b = right;
    if (a->growth != b->growth)
        return a->growth < b->growth ? -1 : 1;
    return a->kept < b->kept ? -1 : a->kept > b->kept;
}

// Adds a way unless it exceeds the published bounds.
static void add_way(const struct nd_program *p, const struct nd_chunk_plan *chunk, bool head,
                    struct way *ways, int32_t *n)
{
    if (!nd_chunk_within(p, chunk, head))
        return;
    ways[(*n)++] = (struct way){.chunk = *chunk,
                                .kept = nd_chunk_kept(p, chunk),
                                .growth = nd_chunk_growth(p, chunk),
                                .full = chunk->full[0] + chunk->full[1] > 0};
}

// Lists all ways. Returns their number.
static int32_t all_ways(const struct nd_program *p, const struct nd_chunk_plan *bare, bool head,
                        struct way *ways, bool *cut_short)
{
    int32_t n = 0;
    for (int full = 0; full < 2; full++) {
        const bool allowed = full ? p->allow_full : p->allow_select;
        for (int32_t a = 0; a <= (allowed ? bare->layers[0] : 0); a++)
            for (int32_t c = 0; c <= (allowed ? bare->layers[1] : 0); c++) {
                if (n == WAYS_MOST) {
                    *cut_short = true;
                    break;
                }
                struct nd_chunk_plan chunk = *bare;
                int32_t *counts = full ? chunk.full : chunk.part;
                counts[0] = a;
                counts[1] = c;
                if (nd_again_allows(p, (struct nd_again_place){0, 0}, &chunk))
                    add_way(p, &chunk, head, ways, &n);
            }
    }
    return n;
}

// Finds the undominated ways of a chunk, by growth. A
// way that makes no layer again wholly is only dominated by such ways, as it may spare memory of the
// stage. Returns their number.
static int32_t ways_of(const struct nd_program *p, const struct nd_chunk_plan *bare,
                       struct nd_again_place place, bool head, struct way *ways,
                       bool *cut_short)
{
    int32_t n = 0, kept = 0;
    double least[2] = {HUGE_VAL, HUGE_VAL}; // of all, of ways without
    struct nd_chunk_plan fixed = *bare;
    if (nd_again_is_fixed(p)) {
        nd_again_set(p, place, &fixed);
        add_way(p, &fixed, head, ways, &n);
        return n;
    }
    n = all_ways(p, bare, head, ways, cut_short);
    qsort(ways, (size_t)n, sizeof *ways, compare_ways);
    for (int32_t k = 0; k < n; k++) {
        const bool without = !ways[k].full && p->working > 0;
        if (ways[k].kept >= least[without])
            continue;
        least[0] = nd_lesser(least[0], ways[k].kept);
        if (!ways[k].full)
            least[1] = ways[k].kept;
        ways[kept++] = ways[k];
    }
    return kept;
}

// ---- options of a stage -------------------------------------------------------------------------

struct maker {
    const struct nd_program *program;
    const struct nd_flights *flights;
    const struct nd_pattern *pattern;
    struct nd_options *options;
    int32_t stage, layers;
    int32_t spread; // greatest difference between two chunks
    int32_t wanted_spread;
    double slowest;
    uint64_t tries;               // 0: no limit
    struct nd_chunk_plan *chunks; // [chunks]: bare
    struct way *ways;             // [chunks][WAYS_MOST]
    int32_t *n_ways;              // [chunks]
    double *least;                // [chunks]: memory that any way keeps
    int32_t *way;                 // [chunks]: chosen
    double *kept;                 // [chunks]
    double layers_mb;
    int32_t first;       // option of this spreading
    int32_t stage_first; // of this stage
    int32_t n_spreads;   // of these layers
    int32_t n_tries;     // of these layers
    struct nd_watch *watch;
    bool no_memory, too_many, stopped;
};

// Returns the array with the new size; the old one and *ok = false if memory runs out.
static void *resized(void *array, size_t bytes, bool *ok)
{
    void *const moved = realloc(array, bytes);
    *ok = *ok && moved != NULL;
    return moved != NULL ? moved : array;
}

static bool grow(struct nd_options *o)
{
    struct split_options *split = &o->split;
    bool ok = true;
    if (split->n < o->room)
        return true;
    o->room = o->room > 0 ? 2 * o->room : 256;
    const size_t n = (size_t)o->room, v = (size_t)split->chunks;
    split->layers = resized(split->layers, n * sizeof *split->layers, &ok);
    split->id = resized(split->id, n * sizeof *split->id, &ok);
    split->forward = resized(split->forward, n * v * sizeof *split->forward, &ok);
    split->backward = resized(split->backward, n * v * sizeof *split->backward, &ok);
    o->chunk = resized(o->chunk, n * v * sizeof *o->chunk, &ok);
    return ok;
}

// full: the stage makes layers again wholly.
static bool fits(const struct maker *m, bool full)
{
    return nd_stage_mb(m->program, m->flights, m->stage, m->kept, m->layers_mb) <=
           nd_program_budget(m->program, m->stage) + (full ? 0 : m->program->working) +
               0.5 * ND_SLACK_MB;
}

// Returns whether an option of the same spreading grows no more in any chunk than the chosen
// ways.
static bool is_dominated(struct maker *m)
{
    const struct nd_options *o = m->options;
    m->n_tries += o->split.n - m->first;
    for (int32_t k = m->first; k < o->split.n; k++) {
        int32_t v = 0;
        while (v < o->split.chunks &&
               nd_chunk_growth(m->program, &o->chunk[k * o->split.chunks + v]) <=
                   m->ways[v * WAYS_MOST + m->way[v]].growth)
            v++;
        if (v == o->split.chunks)
            return true;
    }
    return false;
}

static void put(struct maker *m)
{
    struct nd_options *o = m->options;
    if (is_dominated(m))
        return;
    if (!grow(o)) {
        m->no_memory = true;
        return;
    }
    o->split.layers[o->split.n] = m->layers;
    for (int32_t v = 0; v < o->split.chunks; v++) {
        const int32_t k = v * o->split.stages + m->stage, at = o->split.n * o->split.chunks + v;
        const bool head = k == o->split.stages * o->split.chunks - 1;
        o->chunk[at] = m->ways[v * WAYS_MOST + m->way[v]].chunk;
        o->split.forward[at] = nd_chunk_forward(m->program, &o->chunk[at], head);
        o->split.backward[at] = nd_chunk_backward(m->program, &o->chunk[at], head);
    }
    o->split.id[o->split.n] = o->split.n;
    o->split.n++;
}

static int32_t tries_most(const struct maker *m)
{
    return m->wanted_spread == ND_EVEN_WAY         ? TRIES_START
           : m->options->split.chunks > CHUNKS_FEW ? TRIES_FEW
                                                   : TRIES_MOST;
}

// Chooses ways to recompute for chunks v and later. Chunks after v start with their least growth,
// so a later option never dominates an earlier option that has equal ways before v. The last chunk
// takes the first way that fits. full: an earlier chunk makes layers again wholly.
static void choose_ways(struct maker *m, int32_t v, double takes, bool full)
{
    const int32_t last = m->options->split.chunks - 1;
    for (int32_t w = 0; w < m->n_ways[v] && !m->no_memory && !m->stopped; w++) {
        m->stopped =
            nd_watch_often(m->watch) || (++m->options->tries >= m->tries && m->tries > 0);
        if (++m->n_tries > tries_most(m)) {
            m->options->cut_short = true;
            return;
        }
        const bool fully = full || m->ways[v * WAYS_MOST + w].full;
        const double so_far = takes + m->ways[v * WAYS_MOST + w].growth;
        if (so_far >= m->slowest)
            return;
        m->way[v] = w;
        m->kept[v] = m->ways[v * WAYS_MOST + w].kept;
        // Does the way fit if the later chunks keep the least?
        for (int32_t u = v + 1; u <= last; u++)
            m->kept[u] = m->least[u];
        if (!fits(m, fully))
            continue;
        if (v == last) {
            put(m);
            return;
        }
        choose_ways(m, v + 1, so_far, fully);
    }
}

static void find_ways(struct maker *m, int32_t v, int32_t before, bool head)
{
    struct way *ways = &m->ways[v * WAYS_MOST];
    m->n_ways[v] = ways_of(m->program, &m->chunks[v], (struct nd_again_place){v, before}, head,
                           ways, &m->options->cut_short);
    m->least[v] = HUGE_VAL;
    for (int32_t w = 0; w < m->n_ways[v]; w++)
        m->least[v] = nd_lesser(m->least[v], ways[w].kept);
}

static void put_spreading(struct maker *m)
{
    double takes = 0;
    int32_t before = 0;
    m->first = m->options->split.n;
    m->layers_mb = 0;
    for (int32_t v = 0; v < m->options->split.chunks; v++) {
        const int32_t k = v * m->options->split.stages + m->stage;
        const bool head = k == m->options->split.stages * m->options->split.chunks - 1;
        m->layers_mb += nd_chunk_layers_mb(m->program, &m->chunks[v]);
        m->stopped = m->stopped || nd_watch_often(m->watch);
        if (m->n_ways[v] < 0)
            find_ways(m, v, before, head);
        if (m->n_ways[v] == 0)
            return;
        before += m->chunks[v].layers[0] + m->chunks[v].layers[1];
        takes += nd_chunk_forward(m->program, &m->chunks[v], head) +
                 nd_chunk_backward(m->program, &m->chunks[v], head);
    }
    choose_ways(m, 0, takes, false);
}

// Returns whether chunks 0 ... v are nearly equal, if this is required, and the later chunks
// can be nearly equal with the `left` remaining layers.
static bool is_even(const struct maker *m, int32_t v, int32_t left)
{
    const int32_t spread = m->spread == ND_EVEN_WAY ? 1 : m->spread;
    const int64_t behind = m->options->split.chunks - 1 - v;
    int32_t low = INT32_MAX, high = 0;
    for (int32_t u = 0; m->spread < INT32_MAX && u <= v; u++) {
        const int32_t x = m->chunks[u].layers[1];
        if (u * m->options->split.stages + m->stage < m->pattern->n)
            continue;
        if (m->spread == ND_EVEN_WAY && x < high)
            return false;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    if (low > high)
        return true;
    return high - low <= spread && left >= behind * (high - spread) &&
           left <= behind * ((int64_t)low + spread);
}

// Spreads the remaining layers of m->layers over chunks v and up.
static void spread(struct maker *m, int32_t v, int32_t left)
{
    const int32_t k = v * m->options->split.stages + m->stage;
    const int32_t most = nd_pattern_most(m->program, m->pattern, k);
    int32_t x = nd_pattern_least(m->pattern, k);
    if (v == m->options->split.chunks - 1) // the last chunk takes all remaining layers
        x = x > left ? x : left;
    m->chunks[v] = (struct nd_chunk_plan){.layers = {m->pattern->dense[k], 0}};
    for (; x <= most && x <= left && !m->no_memory && !m->too_many && !m->stopped; x++) {
        m->chunks[v].layers[1] = x;
        m->n_ways[v] = -1; // not known for this number of layers
        m->stopped = nd_watch_often(m->watch);
        if (!is_even(m, v, left - x))
            continue;
        if (v < m->options->split.chunks - 1) {
            spread(m, v + 1, left - x);
            continue;
        }
        put_spreading(m);
        m->too_many =
            m->spread != ND_EVEN_WAY &&
            (++m->n_spreads > SPREADS_MOST || m->n_tries > tries_most(m) ||
             m->options->split.n - m->stage_first > OPTIONS_MOST / m->options->split.stages);
    }
}

static void make_stage(struct maker *m, int32_t stage)
{
    struct nd_options *o = m->options;
    m->stage = stage;
    m->stage_first = o->split.n;
    m->spread = m->wanted_spread;
    for (m->layers = 0; m->layers <= o->split.most && !m->no_memory && !m->stopped;) {
        const int32_t before = o->split.n;
        o->split.start[stage * (o->split.most + 2) + m->layers] = before;
        m->n_spreads = m->n_tries = 0;
        m->too_many = false;
        spread(m, 0, m->layers);
        if (!m->too_many) {
            m->layers++;
            continue;
        }
        o->split.n = before; // again from here, with only the nearly even spreads
        o->cut_short = true;
        m->spread = m->spread > 2 ? 2 : m->spread == 2 ? 1 : ND_EVEN_WAY;
    }
    o->split.start[stage * (o->split.most + 2) + o->split.most + 1] = o->split.n;
}

bool nd_options_make(const struct nd_program *program, const struct nd_flights *flights,
                     const struct nd_pattern *pattern, const struct nd_wanted *wanted,
                     struct nd_watch *watch, struct nd_options *o)
{
    const int32_t most = wanted->most;
    const size_t v = (size_t)program->chunks, stages = (size_t)program->stages;
    struct maker m = {program,
                      flights,
                      pattern,
                      o,
                      .wanted_spread = wanted->spread,
                      .slowest = wanted->slowest,
                      .tries = wanted->tries,
                      .watch = watch};
    *o = (struct nd_options){
        .split = {.stages = program->stages, .chunks = program->chunks, .most = most}};
    o->split.start = calloc(stages * ((size_t)most + 2), sizeof *o->split.start);
    m.chunks = malloc(v * sizeof *m.chunks);
    m.ways = malloc(v * WAYS_MOST * sizeof *m.ways);
    m.n_ways = malloc(2 * v * sizeof *m.n_ways);
    m.kept = malloc(2 * v * sizeof *m.kept);
    m.no_memory = o->split.start == NULL || m.chunks == NULL || m.ways == NULL ||
                  m.n_ways == NULL || m.kept == NULL;
    for (int32_t i = 0; !m.no_memory && !m.stopped && i < program->stages; i++) {
        m.way = m.n_ways + v;
        m.least = m.kept + v;
        make_stage(&m, i);
    }
    free(m.chunks);
    free(m.ways);
    free(m.n_ways);
    free(m.kept);
    if (m.no_memory)
        nd_options_free(o);
    return !m.no_memory;
}

void nd_options_free(struct nd_options *o)
{
    free(o->split.start);
    free(o->split.layers);
    free(o->split.id);
    free(o->chunk);
    free(o->split.forward);
    free(o->split.backward);
    *o = (struct nd_options){0};
}
