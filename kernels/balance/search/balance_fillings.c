// SPDX-License-Identifier: Apache-2.0
// Enumerates fillings: layers over the chunks of a stage, then contents for these layers.
#include "kernels/balance/search/balance_fillings.h"

#include <math.h>
#include <string.h>

enum { FILLINGS_MAX = 1 << 17, CHUNKS_OF_FILLINGS_MAX = 1 << 19 };

struct maker {
    struct balance_fillings *f;
    const struct balance_task *task;
    const struct balance_bound *bound;
    const struct balance_replay *replay;
    struct balance_weights weights;
    struct poll *poll;
    int32_t stage, total; // layers of the filling
    uint8_t way;
    int32_t first; // filling with the present layers of chunks
    double limit;
    int64_t steps, steps_max;
    bool is_over;
};

int32_t balance_fillings_max(const struct balance_shape *shape)
{
    const int32_t most = CHUNKS_OF_FILLINGS_MAX / shape->chunks;
    return most < FILLINGS_MAX ? most : FILLINGS_MAX;
}

void balance_fillings_take(struct balance_fillings *f, const struct balance_layers *layers,
                           const struct balance_shape *shape, bool allow_empty,
                           struct room *room)
{
    const int32_t others = allow_empty ? 0 : shape->stages * shape->chunks - 1;
    const size_t chunks = (size_t)shape->chunks, stages = (size_t)shape->stages,
                 columns = (size_t)layers->layers + 1, n = (size_t)balance_fillings_max(shape);
    f->layers = layers->layers;
    f->layers_max = layers->layers > others ? layers->layers - others : 0;
    f->fillings_max = (int32_t)n;
    for (int way = 0; way < contents_ways(layers); way++)
        contents_take(&f->contents[way], layers, f->layers_max, room);
    f->split = (struct split_options){
        .stages = shape->stages,
        .chunks = shape->chunks,
        .most = f->layers_max,
        .start = room_take(room, stages * ((size_t)f->layers_max + 2), sizeof(int32_t)),
        .end = room_take(room, stages * ((size_t)f->layers_max + 2), sizeof(int32_t)),
        .layers = room_take(room, n, sizeof(int32_t)),
        .id = room_take(room, n, sizeof(int32_t)),
        .forward = room_take(room, n * chunks, sizeof(double)),
        .backward = room_take(room, n * chunks, sizeof(double))};
    f->contents_of = room_take(room, n * chunks, sizeof *f->contents_of);
    f->way_of = room_take(room, n, sizeof *f->way_of);
    f->layers_now = room_take(room, chunks, sizeof *f->layers_now);
    f->now = room_take(room, chunks, sizeof *f->now);
    f->rest = room_take(room, (stages + 1) * columns, sizeof *f->rest);
    f->before = room_take(room, (stages + 1) * columns, sizeof *f->before);
    f->others = room_take(room, columns, sizeof *f->others);
}

// ---- the least cost of other stages -------------------------------------------------------------

static double *row_of(const struct balance_fillings *f, double *rows, int32_t stage)
{
    return rows + (size_t)stage * ((size_t)f->layers + 1);
}

static void fill_row(const struct balance_fillings *f, double *row, double value)
{
    for (int32_t n = 0; n <= f->layers; n++)
        row[n] = value;
}

// Sets `to` to the least cost of `from` and one more stage, by the bound of the stage.
static void add_stage(const struct maker *m, const double *from, int32_t stage, double *to)
{
    fill_row(m->f, to, (double)INFINITY);
    for (int32_t n = 0; n <= m->f->layers; n++) {
        const double cost = balance_bound_of_stage(m->bound, stage, n);
        for (int32_t all = n; isfinite(cost) && all <= m->f->layers; all++)
            to[all] = fmin(to[all], from[all - n] + cost);
    }
}

// Sets rest[stage] to the least costs of the stages from each one on, and before[stage] to those before it.
static void find_rests(const struct maker *m)
{
    const struct balance_fillings *f = m->f;
    const int32_t stages = m->task->shape.stages;
    fill_row(f, row_of(f, f->rest, stages), (double)INFINITY);
    row_of(f, f->rest, stages)[0] = 0;
    for (int32_t s = stages - 1; s >= 0; s--)
        add_stage(m, row_of(f, f->rest, s + 1), s, row_of(f, f->rest, s));
    fill_row(f, row_of(f, f->before, 0), (double)INFINITY);
    row_of(f, f->before, 0)[0] = 0;
    for (int32_t s = 0; s < stages; s++)
        add_stage(m, row_of(f, f->before, s), s, row_of(f, f->before, s + 1));
}

// Sets others[n] to the least cost of n layers on all stages but one.
static void find_others(const struct balance_fillings *f, int32_t stage)
{
    const double *before = row_of(f, f->before, stage), *after = row_of(f, f->rest, stage + 1);
    fill_row(f, f->others, (double)INFINITY);
    for (int32_t a = 0; a <= f->layers; a++)
        for (int32_t b = 0; isfinite(before[a]) && a + b <= f->layers; b++)
            f->others[a + b] = fmin(f->others[a + b], before[a] + after[b]);
}

// ---- memory and cost of a stage -----------------------------------------------------------------

static double free_mb(const struct maker *m)
{
    const struct balance_layers *of = m->task->layers;
    return m->task->limit_mb + BALANCE_TOLERANCE_MB - of->constant_mb -
           m->total * of->parameter_mb - (m->stage == 0 ? of->head_mb : 0) -
           balance_working_mb(of, m->stage, m->f->n_ways > 1 && m->way == CONTENT_ALL_KINDS) -
           (m->stage == m->task->shape.stages - 1 ? of->tail_mb : 0);
}

static const struct contents *contents_of(const struct maker *m)
{
    return &m->f->contents[m->way];
}

// The contents of a chunk with so many layers, the fastest first.
static int32_t fastest(const struct maker *m, int32_t layers)
{
    return (int32_t)contents_of(m)->first[layers];
}

static int32_t lightest(const struct maker *m, int32_t layers)
{
    return (int32_t)contents_of(m)->first[layers + 1] - 1;
}

// Returns whether the contents that are chosen for the first chunks fit, the others being the lightest of their
// layers.
static bool fits(const struct maker *m, int32_t chosen)
{
    const struct balance_fillings *f = m->f;
    const int32_t chunks = m->task->shape.chunks;
    const double rest = free_mb(m);
    const int32_t *vectors;
    const int32_t n = balance_in_flight(m->replay, m->stage, &vectors);
    for (int32_t i = 0; i < n; i++) {
        double sum =
            m->stage == 0 ? vectors[i * chunks] * m->task->layers->head_activation_mb : 0;
        for (int32_t v = 0; v < chunks; v++) {
            const int32_t at = v < chosen ? f->now[v] : lightest(m, f->layers_now[v]);
            sum += vectors[i * chunks + v] * contents_of(m)->list[at].activation_mb;
        }
        if (sum > rest)
            return false;
    }
    return true;
}

static double cost_of(const struct maker *m, int32_t chunk, int32_t content)
{
    const size_t at = (size_t)chunk * (size_t)m->task->shape.stages + (size_t)m->stage;
    return m->weights.forward[at] * m->f->layers_now[chunk] * m->task->layers->forward +
           m->weights.backward[at] * contents_of(m)->list[content].backward;
}

static double ends_of(const struct maker *m)
{
    const struct balance_shape *shape = &m->task->shape;
    const struct balance_layers *layers = m->task->layers;
    const int32_t last = shape->stages * shape->chunks - 1;
    double cost = 0;
    if (m->stage == 0)
        cost += layers->head * m->weights.forward[0] +
                layers->head_backward * m->weights.backward[0];
    if (m->stage == shape->stages - 1)
        cost += layers->tail * m->weights.forward[last] +
                layers->tail_backward * m->weights.backward[last];
    return cost;
}

// ---- fillings -----------------------------------------------------------------------------------

// Lists are in the order of backwards.
static bool is_dominated(const struct maker *m)
{
    const struct balance_fillings *f = m->f;
    const int32_t chunks = f->split.chunks;
    for (int32_t k = m->first; k < f->split.n; k++) {
        int32_t v = 0;
        while (v < chunks && f->contents_of[k * chunks + v] <= f->now[v])
            v++;
        if (v == chunks)
            return true;
    }
    return false;
}

static void put(struct maker *m)
{
    struct balance_fillings *f = m->f;
    struct split_options *o = &f->split;
    const struct balance_layers *layers = m->task->layers;
    m->steps += o->n - m->first;
    if (is_dominated(m))
        return;
    if (o->n == f->fillings_max) {
        m->is_over = true;
        return;
    }
    o->layers[o->n] = m->total;
    o->id[o->n] = o->n;
    f->way_of[o->n] = m->way;
    for (int32_t v = 0; v < o->chunks; v++) {
        const int32_t k = v * o->stages + m->stage, at = o->n * o->chunks + v;
        const struct balance_ends ends =
            balance_ends_of(layers, k, (int64_t)o->stages * o->chunks);
        f->contents_of[at] = f->now[v];
        o->forward[at] = f->layers_now[v] * layers->forward + ends.forward;
        o->backward[at] = contents_of(m)->list[f->now[v]].backward + ends.backward;
    }
    o->n++;
}

static bool is_over(struct maker *m)
{
    m->is_over = m->is_over || poll_over(m->poll) || ++m->steps > m->steps_max;
    return m->is_over;
}

// Chooses contents for the chunks from one on. `cost` is that of all chunks with the fastest contents there. Contents
// become slower and lighter: the first one of the last chunk that fits dominates the others.
static void choose(struct maker *m, int32_t chunk, double cost)
{
    struct balance_fillings *f = m->f;
    const int32_t n = f->layers_now[chunk], first = fastest(m, n), last = lightest(m, n);
    const double rest = cost - cost_of(m, chunk, first);
    for (int32_t i = first; i <= last && !is_over(m); i++) {
        const double sum = rest + cost_of(m, chunk, i);
        f->now[chunk] = i;
        if (sum >= m->limit)
            return;
        if (!fits(m, chunk + 1))
            continue;
        if (chunk == f->split.chunks - 1) {
            put(m);
            return;
        }
        choose(m, chunk + 1, sum);
    }
}

static void choose_all(struct maker *m)
{
    double cost = ends_of(m) + m->f->others[m->f->layers - m->total];
    m->first = m->f->split.n;
    for (int32_t v = 0; v < m->f->split.chunks; v++)
        cost += cost_of(m, v, fastest(m, m->f->layers_now[v]));
    if (cost < m->limit && fits(m, 0))
        choose(m, 0, cost);
}

// Distributes `left` layers over the chunks from one on.
static void spread(struct maker *m, int32_t chunk, int32_t left)
{
    struct balance_fillings *f = m->f;
    const int32_t behind = f->split.chunks - 1 - chunk, least = balance_least_layers(m->task);
    for (int32_t n = behind == 0 ? left : least; n <= left - behind * least && !is_over(m);
         n++) {
        f->layers_now[chunk] = n;
        for (m->way = 0; behind == 0 && m->way < f->n_ways; m->way++)
            choose_all(m);
        if (behind > 0)
            spread(m, chunk + 1, left - n);
    }
}

static bool extend(struct balance_fillings *f, int32_t layers)
{
    for (int way = 0; way < f->n_ways; way++)
        if (!contents_extend(&f->contents[way], layers))
            return false;
    return true;
}

static void make_stage(struct maker *m, int32_t stage)
{
    struct balance_fillings *f = m->f;
    int32_t *start = f->split.start + (size_t)stage * ((size_t)f->layers_max + 2),
            *end = f->split.end + (size_t)stage * ((size_t)f->layers_max + 2);
    const int32_t least = balance_least_layers(m->task) * f->split.chunks;
    m->stage = stage;
    find_others(f, stage);
    for (m->total = 0; m->total <= f->layers_max; m->total++) {
        start[m->total] = f->split.n;
        const double cost = balance_bound_of_stage(m->bound, stage, m->total);
        if (m->total >= least && !m->is_over &&
            cost + f->others[f->layers - m->total] < m->limit) {
            if (!extend(f, m->total))
                m->is_over = true;
            else
                spread(m, 0, m->total);
        }
        end[m->total] = f->split.n;
    }
    start[f->layers_max + 1] = f->split.n;
}

bool balance_fillings_make(struct balance_fillings *f, const struct balance_task *task,
                           const struct balance_bound *bound,
                           const struct balance_replay *replay, double limit, int64_t steps_max,
                           int64_t *steps, struct poll *poll)
{
    struct maker m = {.f = f,
                      .task = task,
                      .bound = bound,
                      .replay = replay,
                      .weights = balance_bound_weights(bound),
                      .poll = poll,
                      .limit = limit,
                      .steps_max = steps_max};
    f->n_ways = contents_open_ways(f->contents, task->layers, &f->not_full);
    f->split.n = 0;
    find_rests(&m);
    for (int32_t s = 0; s < task->shape.stages && !m.is_over; s++)
        make_stage(&m, s);
    *steps += m.steps;
    return !m.is_over;
}
