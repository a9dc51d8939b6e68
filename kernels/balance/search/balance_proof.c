// SPDX-License-Identifier: Apache-2.0
// Enumerates strategies below a bound.
#include "kernels/balance/search/balance_proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILLINGS_MAX = 1 << 16, // of all stages
    CHUNKS_MAX = 64,        // of a pipeline
    LAYERS_MAX = 2000,      // of a model
    STEPS_EACH = 64         // of the enumeration, for each evaluation of the budget
};

#define MARGIN 1e-10 // relative; sums differ by rounding

// Contents of all chunks of a stage.
struct filling {
    double cost; // weighted sum of its times, a part of the bound
    int32_t layers;
    int32_t first; // in `contents_of`: a content of each chunk
    int32_t skip;  // to the next filling with another number of layers
};

struct balance_proof {
    struct contents contents;
    int32_t layers_max;
    struct filling *fillings; // [FILLINGS_MAX]
    int32_t *contents_of;     // [FILLINGS_MAX * chunks]: index in the lists of contents
    int32_t *first;           // [stages + 1]: fillings of a stage
    double *rest;             // [stages + 1][layers + 1]: least cost of the stages from one on
    double *before;           // the same of the stages before one, by the bound of stages
    double *others;           // [layers + 1]: of all stages but one, by their bounds
    int32_t *now;             // [chunks]: contents of the stage that is filled
    double *forward, *backward; // [chunk * stages + stage]
    int32_t *chosen;            // [stages]
    int32_t layers;             // L of the memory

    // Of the present call.
    const struct balance_task *task;
    const struct balance_bound *bound;
    struct balance_replay *replay;
    struct poll *poll;
    struct balance_proof_answer *answer;
    struct balance_weights weights;
    double best;
    int64_t budget, steps, steps_max;
    bool is_over; // too many fillings, steps or evaluations, or the poll ended the loop
};

static bool is_small(const struct balance_layers *layers, const struct balance_shape *shape)
{
    return (int64_t)shape->stages * shape->chunks <= CHUNKS_MAX && layers->layers <= LAYERS_MAX;
}

static int32_t most_layers(const struct balance_layers *layers,
                           const struct balance_shape *shape,
                           bool allow_empty)
{
    const int32_t others = allow_empty ? 0 : shape->stages * shape->chunks - 1;
    return layers->layers > others ? layers->layers - others : 0;
}

struct balance_proof *balance_proof_take(const struct balance_layers *layers,
                                         const struct balance_shape *shape,
                                         bool allow_empty,
                                         struct room *room)
{
    struct balance_proof *taken = room_take(room, 1, sizeof *taken), counted;
    struct balance_proof *p = taken != NULL ? taken : &counted;
    if (!is_small(layers, shape))
        return taken;
    const size_t chunks = (size_t)shape->chunks, stages = (size_t)shape->stages,
                 columns = (size_t)layers->layers + 1;
    p->layers = layers->layers;
    p->layers_max = most_layers(layers, shape, allow_empty);
    contents_take(&p->contents, layers, p->layers_max, room);
    p->fillings = room_take(room, FILLINGS_MAX, sizeof *p->fillings);
    p->contents_of = room_take(room, FILLINGS_MAX * chunks, sizeof *p->contents_of);
    p->first = room_take(room, stages + 1, sizeof *p->first);
    p->rest = room_take(room, (stages + 1) * columns, sizeof *p->rest);
    p->before = room_take(room, (stages + 1) * columns, sizeof *p->before);
    p->others = room_take(room, columns, sizeof *p->others);
    p->now = room_take(room, chunks, sizeof *p->now);
    p->forward = room_take(room, stages * chunks, sizeof *p->forward);
    p->backward = room_take(room, stages * chunks, sizeof *p->backward);
    p->chosen = room_take(room, stages, sizeof *p->chosen);
    return taken;
}

static double *row_of(const struct balance_proof *p, double *rows, int32_t stage)
{
    return rows + (size_t)stage * ((size_t)p->layers + 1);
}

// ---- the least cost of other stages -------------------------------------------------------------

static void fill_row(const struct balance_proof *p, double *row, double value)
{
    for (int32_t n = 0; n <= p->layers; n++)
        row[n] = value;
}

// Sets `to` to the least cost of `from` and one more stage, by the bound of the stage.
static void add_stage(const struct balance_proof *p,
                      const double *from,
                      int32_t stage,
                      double *to)
{
    fill_row(p, to, (double)INFINITY);
    for (int32_t n = 0; n <= p->layers; n++) {
        const double cost = balance_bound_of_stage(p->bound, stage, n);
        for (int32_t all = n; isfinite(cost) && all <= p->layers; all++)
            to[all] = fmin(to[all], from[all - n] + cost);
    }
}

// Sets rest[stage] to the least costs of the stages from each one on, and before[stage] to those before it.
static void find_rests(struct balance_proof *p)
{
    const int32_t stages = p->task->shape.stages;
    fill_row(p, row_of(p, p->rest, stages), (double)INFINITY);
    row_of(p, p->rest, stages)[0] = 0;
    for (int32_t s = stages - 1; s >= 0; s--)
        add_stage(p, row_of(p, p->rest, s + 1), s, row_of(p, p->rest, s));
    fill_row(p, row_of(p, p->before, 0), (double)INFINITY);
    row_of(p, p->before, 0)[0] = 0;
    for (int32_t s = 0; s < stages; s++)
        add_stage(p, row_of(p, p->before, s), s, row_of(p, p->before, s + 1));
}

// Sets others[n] to the least cost of n layers on all stages but one.
static void find_others(struct balance_proof *p, int32_t stage)
{
    const double *before = row_of(p, p->before, stage), *after = row_of(p, p->rest, stage + 1);
    fill_row(p, p->others, (double)INFINITY);
    for (int32_t a = 0; a <= p->layers; a++)
        for (int32_t b = 0; isfinite(before[a]) && a + b <= p->layers; b++)
            p->others[a + b] = fmin(p->others[a + b], before[a] + after[b]);
}

// ---- fillings of a stage ------------------------------------------------------------------------

static const struct content *content_at(const struct balance_proof *p, int32_t at)
{
    return &p->contents.list[at];
}

static int32_t layers_at(const struct content *content)
{
    int32_t n = 0;
    for (int k = 0; k < BALANCE_KINDS; k++)
        n += content->count[k];
    return n;
}

static bool fits(const struct balance_proof *p, int32_t stage, int32_t chunks, int32_t layers)
{
    const struct balance_task *task = p->task;
    const struct balance_layers *of = task->layers;
    const double rest = task->limit_mb + BALANCE_TOLERANCE_MB - of->constant_mb -
                        layers * of->parameter_mb - (stage == 0 ? of->head_mb : 0) -
                        (stage == task->shape.stages - 1 ? of->tail_mb : 0);
    const int32_t *vectors;
    const int32_t n = balance_in_flight(p->replay, stage, &vectors);
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t v = 0; v < chunks; v++)
            sum +=
                vectors[i * task->shape.chunks + v] * content_at(p, p->now[v])->activation_mb;
        if (sum > rest)
            return false;
    }
    return true;
}

static void add_filling(struct balance_proof *p, int32_t stage, double cost, int32_t layers)
{
    const int32_t chunks = p->task->shape.chunks, at = p->first[stage + 1];
    if (at == FILLINGS_MAX) {
        p->is_over = true;
        return;
    }
    p->fillings[at] = (struct filling){.cost = cost, .layers = layers, .first = at * chunks};
    memcpy(p->contents_of + (size_t)at * (size_t)chunks, p->now,
           (size_t)chunks * sizeof *p->now);
    p->first[stage + 1]++;
}

// Adds the fillings of a stage whose first chunks are chosen.
static void fill(struct balance_proof *p,
                 int32_t stage,
                 int32_t chunk,
                 double cost,
                 int32_t layers)
{
    const struct balance_task *task = p->task;
    const int32_t chunks = task->shape.chunks, least = balance_least_layers(task);
    const size_t at = (size_t)(chunk * task->shape.stages + stage);
    if (chunk == chunks) {
        if (cost + p->others[p->layers - layers] < p->best)
            add_filling(p, stage, cost, layers);
        return;
    }
    for (int32_t n = least; layers + n + (chunks - 1 - chunk) * least <= p->layers_max; n++) {
        bool some = false;
        if (!contents_extend(&p->contents, n)) {
            p->is_over = true;
            return;
        }
        for (size_t i = p->contents.first[n]; i < p->contents.first[n + 1] && !p->is_over;
             i++) {
            const struct content *content = &p->contents.list[i];
            const double more = p->weights.forward[at] * n * task->layers->forward +
                                p->weights.backward[at] * content->backward;
            p->now[chunk] = (int32_t)i;
            p->is_over = poll_over(p->poll) || ++p->steps > p->steps_max;
            if (!fits(p, stage, chunk + 1, layers + n))
                continue;
            some = true;
            fill(p, stage, chunk + 1, cost + more, layers + n);
        }
        if (!some || p->is_over)
            return;
    }
}

static double ends_of(const struct balance_proof *p, int32_t stage)
{
    const struct balance_shape *shape = &p->task->shape;
    const struct balance_layers *layers = p->task->layers;
    const int32_t last = shape->stages * shape->chunks - 1;
    double cost = 0;
    if (stage == 0)
        cost += layers->head * (p->weights.forward[0] + 2 * p->weights.backward[0]);
    if (stage == shape->stages - 1)
        cost += layers->tail * (p->weights.forward[last] + 2 * p->weights.backward[last]);
    return cost;
}

static int by_layers(const void *one, const void *two)
{
    const struct filling *a = one, *b = two;
    if (a->layers != b->layers)
        return a->layers - b->layers;
    if (a->cost < b->cost || a->cost > b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->first - b->first;
}

static void sort_fillings(struct balance_proof *p, int32_t stage)
{
    struct filling *list = p->fillings + p->first[stage];
    const int32_t n = p->first[stage + 1] - p->first[stage];
    qsort(list, (size_t)n, sizeof *list, by_layers);
    for (int32_t i = n - 1; i >= 0; i--)
        list[i].skip =
            i < n - 1 && list[i + 1].layers == list[i].layers ? list[i + 1].skip + 1 : 1;
}

static void find_fillings(struct balance_proof *p)
{
    p->first[0] = 0;
    for (int32_t s = 0; s < p->task->shape.stages && !p->is_over; s++) {
        p->first[s + 1] = p->first[s];
        find_others(p, s);
        fill(p, s, 0, ends_of(p, s), 0);
        sort_fillings(p, s);
    }
}

// ---- strategies ---------------------------------------------------------------------------------

// Replaces the bounds of stages by their fillings.
static void tighten_rests(struct balance_proof *p)
{
    const int32_t stages = p->task->shape.stages;
    for (int32_t s = stages - 1; s >= 0; s--) {
        const double *from = row_of(p, p->rest, s + 1);
        double *to = row_of(p, p->rest, s);
        fill_row(p, to, (double)INFINITY);
        for (int32_t i = p->first[s]; i < p->first[s + 1]; i++)
            for (int32_t n = p->fillings[i].layers; n <= p->layers; n++)
                to[n] = fmin(to[n], from[n - p->fillings[i].layers] + p->fillings[i].cost);
    }
}

static void get_strategy(struct balance_proof *p, struct balance_strategy *strategy)
{
    for (int32_t s = 0; s < strategy->stages; s++)
        for (int32_t v = 0; v < strategy->chunks; v++)
            for (int k = 0; k < BALANCE_KINDS; k++)
                strategy->count[balance_at(strategy, (enum balance_kind)k, v, s)] =
                    content_at(p, p->contents_of[p->fillings[p->chosen[s]].first + v])
                        ->count[k];
}

static void evaluate(struct balance_proof *p)
{
    struct balance_proof_answer *answer = p->answer;
    if (answer->evaluations >= p->budget) {
        p->is_over = true;
        return;
    }
    answer->evaluations++;
    const double makespan = balance_makespan(p->replay, p->forward, p->backward);
    if (makespan >= p->best)
        return;
    answer->has_better = true;
    answer->makespan = makespan;
    p->best = makespan * (1 - MARGIN);
    get_strategy(p, &answer->strategy);
}

static void set_times(struct balance_proof *p, int32_t stage, const struct filling *filling)
{
    const struct balance_layers *layers = p->task->layers;
    const struct balance_shape *shape = &p->task->shape;
    for (int32_t v = 0; v < shape->chunks; v++) {
        const struct content *content = content_at(p, p->contents_of[filling->first + v]);
        const size_t at = (size_t)(v * shape->stages + stage);
        const double ends =
            (at == 0 ? layers->head : 0) +
            (v == shape->chunks - 1 && stage == shape->stages - 1 ? layers->tail : 0);
        p->forward[at] = layers_at(content) * layers->forward + ends;
        p->backward[at] = content->backward + 2 * ends;
    }
}

static void try_stages(struct balance_proof *p, int32_t stage, double cost, int32_t layers)
{
    if (stage == p->task->shape.stages) {
        evaluate(p);
        return;
    }
    // Of equally many layers, the fillings are in the order of their costs.
    for (int32_t i = p->first[stage]; i < p->first[stage + 1] && !p->is_over;) {
        const struct filling *filling = &p->fillings[i];
        const int32_t left = layers - filling->layers;
        p->is_over = poll_over(p->poll) || ++p->steps > p->steps_max;
        if (left < 0 || cost + filling->cost + row_of(p, p->rest, stage + 1)[left] >= p->best) {
            i += filling->skip;
            continue;
        }
        p->chosen[stage] = i++;
        set_times(p, stage, filling);
        try_stages(p, stage + 1, cost + filling->cost, left);
    }
}

void balance_proof_run(struct balance_proof *p,
                       const struct balance_task *task,
                       const struct balance_bound *bound,
                       struct balance_replay *replay,
                       double best,
                       int64_t budget,
                       struct poll *poll,
                       struct balance_proof_answer *answer)
{
    answer->is_complete = answer->has_better = false;
    answer->bound = 0;
    answer->evaluations = 0;
    if (!is_small(task->layers, &task->shape))
        return;
    p->task = task;
    p->bound = bound;
    p->replay = replay;
    p->poll = poll;
    p->answer = answer;
    p->weights = balance_bound_weights(bound);
    p->best = best * (1 - MARGIN);
    p->budget = budget;
    p->steps = 0;
    p->steps_max = STEPS_EACH * budget;
    p->is_over = false;
    contents_open(&p->contents, task->layers);
    find_rests(p);
    find_fillings(p);
    if (p->is_over)
        return;
    tighten_rests(p);
    answer->bound = fmin(row_of(p, p->rest, 0)[p->layers], best);
    try_stages(p, 0, 0, p->layers);
    answer->is_complete = !p->is_over;
}
