// SPDX-License-Identifier: Apache-2.0
// Changes strategies.
#include "kernels/balance/search/balance_draft.h"

#include <string.h>

enum { TOUCHED_MAX = 2, TRIES = 64, KIND_CHANGES_MOST = 3, KIND_TRIES = 4 };

struct balance_draft {
    struct balance_task task;
    struct balance_replay *replay;
    int32_t stages, chunks;
    int n_kinds;
    enum balance_kind kinds[BALANCE_KINDS]; // that the task allows
    int32_t *count, *kept;                  // [stage][chunk][kind]
    double *forward, *backward;             // [chunk * stages + stage]
    double *activation_mb;                  // [stage][chunk]
    int n_touched; // stages of the last change, and what they had before
    int32_t touched[TOUCHED_MAX];
    int32_t *before[TOUCHED_MAX]; // [chunk][kind]
};

struct balance_draft *balance_draft_take(const struct balance_shape *shape, struct room *room)
{
    const size_t chunks = (size_t)shape->stages * (size_t)shape->chunks;
    struct balance_draft *taken = room_take(room, 1, sizeof *taken), counted;
    struct balance_draft *d = taken != NULL ? taken : &counted;
    d->count = room_take(room, chunks * BALANCE_KINDS, sizeof *d->count);
    d->kept = room_take(room, chunks * BALANCE_KINDS, sizeof *d->kept);
    d->forward = room_take(room, chunks, sizeof *d->forward);
    d->backward = room_take(room, chunks, sizeof *d->backward);
    d->activation_mb = room_take(room, chunks, sizeof *d->activation_mb);
    for (int i = 0; i < TOUCHED_MAX; i++)
        d->before[i] =
            room_take(room, (size_t)shape->chunks * BALANCE_KINDS, sizeof *d->before[i]);
    return taken;
}

void balance_draft_open(struct balance_draft *d, const struct balance_task *task,
                        struct balance_replay *replay)
{
    d->task = *task;
    d->replay = replay;
    d->stages = task->shape.stages;
    d->chunks = task->shape.chunks;
    d->n_kinds = d->n_touched = 0;
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (task->layers->has[k])
            d->kinds[d->n_kinds++] = (enum balance_kind)k;
}

// ---- a stage ------------------------------------------------------------------------------------

static size_t size_of_stage(const struct balance_draft *d)
{
    return (size_t)d->chunks * BALANCE_KINDS;
}

static int32_t *contents(const struct balance_draft *d, int32_t stage, int32_t chunk)
{
    return d->count + (size_t)stage * size_of_stage(d) + (size_t)chunk * BALANCE_KINDS;
}

static int32_t layers_of(const int32_t content[BALANCE_KINDS])
{
    int32_t n = 0;
    for (int k = 0; k < BALANCE_KINDS; k++)
        n += content[k];
    return n;
}

static void refresh_chunk(struct balance_draft *d, int32_t stage, int32_t chunk)
{
    const struct balance_layers *layers = d->task.layers;
    const int32_t *content = contents(d, stage, chunk);
    const struct balance_ends ends = balance_ends_of(layers, (int64_t)chunk * d->stages + stage,
                                                     (int64_t)d->chunks * d->stages);
    double forward = ends.forward, backward = ends.backward, mb = ends.activation_mb;
    for (int i = 0; i < d->n_kinds; i++) {
        const int32_t n = content[d->kinds[i]];
        forward += n * layers->forward;
        backward += n * layers->backward[d->kinds[i]];
        mb += n * layers->activation_mb[d->kinds[i]];
    }
    d->forward[chunk * d->stages + stage] = forward;
    d->backward[chunk * d->stages + stage] = backward;
    d->activation_mb[stage * d->chunks + chunk] = mb;
}

static void refresh(struct balance_draft *d, int32_t stage)
{
    for (int32_t v = 0; v < d->chunks; v++)
        refresh_chunk(d, stage, v);
}

// Returns by how much the peak of a stage exceeds the limit, and the vector in flight that does.
static double excess(const struct balance_draft *d, int32_t stage, const int32_t **worst)
{
    const struct balance_layers *layers = d->task.layers;
    const double *mb = d->activation_mb + stage * d->chunks;
    const int32_t *vectors;
    const int32_t n = balance_in_flight(d->replay, stage, &vectors);
    double most = -1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t *vector = vectors + (size_t)i * (size_t)d->chunks;
        double sum = 0;
        for (int32_t v = 0; v < d->chunks; v++)
            sum += vector[v] * mb[v];
        if (sum > most) {
            most = sum;
            *worst = vector;
        }
    }
    int32_t count = 0, full = 0;
    for (int32_t v = 0; v < d->chunks; v++) {
        count += layers_of(contents(d, stage, v));
        full += contents(d, stage, v)[BALANCE_FULL];
    }
    return layers->constant_mb + count * layers->parameter_mb +
           (stage == 0 ? layers->head_mb : 0) + (stage == d->stages - 1 ? layers->tail_mb : 0) +
           balance_working_mb(layers, stage, full > 0) + most - d->task.limit_mb -
           BALANCE_TOLERANCE_MB;
}

static bool fits(const struct balance_draft *d, int32_t stage)
{
    const int32_t *worst;
    return excess(d, stage, &worst) <= 0;
}

// Changes the kind of a layer. Written lists could not tell a chunk with both selective kinds from one with `both`.
static bool may_add(const int32_t content[BALANCE_KINDS], enum balance_kind kind)
{
    return !(kind == BALANCE_SELECT && content[BALANCE_SELECT_COMM] > 0) &&
           !(kind == BALANCE_SELECT_COMM && content[BALANCE_SELECT] > 0);
}

static void change_kind(struct balance_draft *d, int32_t stage, int32_t chunk,
                        enum balance_kind from, enum balance_kind to)
{
    int32_t *content = contents(d, stage, chunk);
    content[from]--;
    content[to]++;
    refresh_chunk(d, stage, chunk);
}

// Whether a layer of a chunk may change its kind.
static bool may_change(const int32_t content[BALANCE_KINDS], enum balance_kind from,
                       enum balance_kind to)
{
    int32_t rest[BALANCE_KINDS];
    memcpy(rest, content, sizeof rest);
    return rest[from]-- > 0 && may_add(rest, to);
}

struct kind_change {
    int32_t chunk;
    enum balance_kind from, to;
    double value; // the greatest is taken; below 0: there is none
};

// Calls `weigh` for every change of the kind of a layer of a stage, and returns the change with the greatest value.
static struct kind_change best_change(struct balance_draft *d, int32_t stage,
                                      double (*weigh)(struct balance_draft *d, int32_t stage,
                                                      const struct kind_change *change,
                                                      const void *with),
                                      const void *with)
{
    struct kind_change best = {.value = -1};
    for (int32_t v = 0; v < d->chunks; v++)
        for (int i = 0; i < d->n_kinds * d->n_kinds; i++) {
            struct kind_change change = {v, d->kinds[i / d->n_kinds], d->kinds[i % d->n_kinds],
                                         0};
            if (change.from == change.to ||
                !may_change(contents(d, stage, v), change.from, change.to))
                continue;
            change.value = weigh(d, stage, &change, with);
            if (change.value > best.value)
                best = change;
        }
    return best;
}

struct weights {
    const int32_t *vector;
    struct search_draws *draws;
};

// Memory that a change frees, by the time it costs; at random up to a factor of 2.
static double weigh_repair(struct balance_draft *d, int32_t stage,
                           const struct kind_change *change, const void *with)
{
    const struct weights *weights = with;
    const struct balance_layers *layers = d->task.layers;
    (void)stage;
    const double freed = weights->vector[change->chunk] * (layers->activation_mb[change->from] -
                                                           layers->activation_mb[change->to]);
    const double cost = layers->backward[change->to] - layers->backward[change->from];
    if (freed <= 0)
        return -1;
    return freed / ((cost > 0 ? cost : 0) + 1e-9) * (1 + search_fraction(weights->draws));
}

// Time that a change saves, if the stage fits afterwards; at random up to a factor of 2.
static double weigh_relaxation(struct balance_draft *d, int32_t stage,
                               const struct kind_change *change, const void *with)
{
    const struct weights *weights = with;
    const struct balance_layers *layers = d->task.layers;
    const double saved = layers->backward[change->from] - layers->backward[change->to];
    if (saved <= 0)
        return -1;
    int32_t *content = contents(d, stage, change->chunk);
    const double before = d->activation_mb[stage * d->chunks + change->chunk];
    content[change->from]--;
    content[change->to]++;
    d->activation_mb[stage * d->chunks + change->chunk] +=
        layers->activation_mb[change->to] - layers->activation_mb[change->from];
    const bool fitting = fits(d, stage);
    d->activation_mb[stage * d->chunks + change->chunk] = before;
    content[change->from]++;
    content[change->to]--;
    return fitting ? saved * (1 + search_fraction(weights->draws)) : -1;
}

// Recomputes more until the stage fits. Returns false if it cannot.
static bool repair(struct balance_draft *d, int32_t stage, struct search_draws *draws)
{
    struct weights weights = {.draws = draws};
    while (excess(d, stage, &weights.vector) > 0) {
        const struct kind_change change = best_change(d, stage, weigh_repair, &weights);
        if (change.value < 0)
            return false;
        change_kind(d, stage, change.chunk, change.from, change.to);
    }
    return true;
}

// Recomputes less as long as the stage fits.
static void relax(struct balance_draft *d, int32_t stage, struct search_draws *draws)
{
    const struct weights weights = {.draws = draws};
    for (;;) {
        const struct kind_change change = best_change(d, stage, weigh_relaxation, &weights);
        if (change.value < 0)
            return;
        change_kind(d, stage, change.chunk, change.from, change.to);
    }
}

// ---- whole strategies ---------------------------------------------------------------------------

static bool may_have(const struct balance_draft *d, int kind)
{
    for (int i = 0; i < d->n_kinds; i++)
        if ((int)d->kinds[i] == kind)
            return true;
    return false;
}

bool balance_draft_set(struct balance_draft *d, const struct balance_strategy *strategy)
{
    bool fitting = true; // and has only kinds that the task allows
    d->n_touched = 0;
    for (int32_t s = 0; s < d->stages; s++) {
        for (int32_t v = 0; v < d->chunks; v++)
            for (int k = 0; k < BALANCE_KINDS; k++) {
                const int32_t n =
                    strategy->count[balance_at(strategy, (enum balance_kind)k, v, s)];
                contents(d, s, v)[k] = n;
                fitting = fitting && (n == 0 || may_have(d, k));
            }
        refresh(d, s);
        fitting = fits(d, s) && fitting;
    }
    return fitting;
}

void balance_draft_get(const struct balance_draft *d, struct balance_strategy *strategy)
{
    for (int32_t s = 0; s < d->stages; s++)
        for (int32_t v = 0; v < d->chunks; v++)
            for (int k = 0; k < BALANCE_KINDS; k++)
                strategy->count[balance_at(strategy, (enum balance_kind)k, v, s)] =
                    contents(d, s, v)[k];
}

double balance_draft_evaluate(struct balance_draft *d)
{
    return balance_makespan(d->replay, d->forward, d->backward);
}

void balance_draft_keep(struct balance_draft *d)
{
    memcpy(d->kept, d->count, (size_t)d->stages * size_of_stage(d) * sizeof *d->kept);
}

void balance_draft_go_back(struct balance_draft *d)
{
    memcpy(d->count, d->kept, (size_t)d->stages * size_of_stage(d) * sizeof *d->kept);
    d->n_touched = 0;
    for (int32_t s = 0; s < d->stages; s++)
        refresh(d, s);
}

// ---- changes ------------------------------------------------------------------------------------

static void touch(struct balance_draft *d, int32_t stage)
{
    for (int i = 0; i < d->n_touched; i++)
        if (d->touched[i] == stage)
            return;
    memcpy(d->before[d->n_touched], contents(d, stage, 0), size_of_stage(d) * sizeof *d->count);
    d->touched[d->n_touched++] = stage;
}

void balance_draft_undo(struct balance_draft *d)
{
    for (int i = 0; i < d->n_touched; i++) {
        memcpy(contents(d, d->touched[i], 0), d->before[i],
               size_of_stage(d) * sizeof *d->count);
        refresh(d, d->touched[i]);
    }
    d->n_touched = 0;
}

struct chunk_at {
    int32_t stage, chunk;
};

static struct chunk_at any_chunk(const struct balance_draft *d, struct search_draws *draws)
{
    const uint32_t k = search_below(draws, (uint32_t)(d->stages * d->chunks));
    return (struct chunk_at){.stage = (int32_t)k % d->stages, .chunk = (int32_t)k / d->stages};
}

static bool settle(struct balance_draft *d, struct search_draws *draws)
{
    for (int i = 0; i < d->n_touched; i++)
        if (!repair(d, d->touched[i], draws))
            return false;
    for (int i = 0; i < d->n_touched; i++)
        relax(d, d->touched[i], draws);
    return true;
}

// Moves a layer of any kind to a chunk, as a layer of the kind with the shortest backward.
static bool move_layer(struct balance_draft *d, struct search_draws *draws)
{
    const struct chunk_at from = any_chunk(d, draws), to = any_chunk(d, draws);
    int32_t *source = contents(d, from.stage, from.chunk);
    const int32_t n = layers_of(source);
    if ((from.stage == to.stage && from.chunk == to.chunk) ||
        n <= balance_least_layers(&d->task))
        return false;
    touch(d, from.stage);
    touch(d, to.stage);
    int32_t chosen = (int32_t)search_below(draws, (uint32_t)n);
    int kind = 0;
    while (chosen >= source[kind])
        chosen -= source[kind++];
    source[kind]--;
    contents(d, to.stage, to.chunk)[BALANCE_NONE]++;
    refresh_chunk(d, from.stage, from.chunk);
    refresh_chunk(d, to.stage, to.chunk);
    return true;
}

static bool exchange_chunks(struct balance_draft *d, struct search_draws *draws)
{
    const struct chunk_at a = any_chunk(d, draws), b = any_chunk(d, draws);
    int32_t *one = contents(d, a.stage, a.chunk), *two = contents(d, b.stage, b.chunk),
            held[BALANCE_KINDS];
    if (memcmp(one, two, sizeof held) == 0)
        return false;
    touch(d, a.stage);
    touch(d, b.stage);
    memcpy(held, one, sizeof held);
    memcpy(one, two, sizeof held);
    memcpy(two, held, sizeof held);
    refresh_chunk(d, a.stage, a.chunk);
    refresh_chunk(d, b.stage, b.chunk);
    return true;
}

// Gives a random layer of a chunk another kind. Returns false if it has no layer of the kind drawn.
static bool change_any_kind(struct balance_draft *d, struct chunk_at at,
                            struct search_draws *draws)
{
    const enum balance_kind from = d->kinds[search_below(draws, (uint32_t)d->n_kinds)],
                            to = d->kinds[search_below(draws, (uint32_t)d->n_kinds)];
    if (from == to || !may_change(contents(d, at.stage, at.chunk), from, to))
        return false;
    touch(d, at.stage);
    change_kind(d, at.stage, at.chunk, from, to);
    return true;
}

// Gives a layer of a chunk another kind; the rest of the stage follows.
static bool move_recomputation(struct balance_draft *d, struct search_draws *draws)
{
    return change_any_kind(d, any_chunk(d, draws), draws);
}

// Gives layers of a stage other kinds: one after the other in any of its chunks, so that what a chunk loses
// another can take. With one chunk there is nothing to exchange.
static bool exchange_kinds(struct balance_draft *d, struct search_draws *draws)
{
    struct chunk_at at = any_chunk(d, draws);
    const int n = 2 + (int)search_below(draws, KIND_CHANGES_MOST - 1);
    int changed = 0;
    for (int i = 0; i < n * KIND_TRIES && changed < n; i++) {
        at.chunk = (int32_t)search_below(draws, (uint32_t)d->chunks);
        changed += change_any_kind(d, at, draws);
    }
    return changed > 0;
}

static bool change_once(struct balance_draft *d, struct search_draws *draws)
{
    const uint32_t which = search_below(draws, 8);
    const bool changed = which < 4                     ? move_layer(d, draws)
                         : which < 5                   ? exchange_chunks(d, draws)
                         : which < 6 && d->n_kinds > 1 ? exchange_kinds(d, draws)
                                                       : move_recomputation(d, draws);
    return changed && settle(d, draws);
}

bool balance_draft_change(struct balance_draft *d, struct search_draws *draws)
{
    d->n_touched = 0;
    for (int i = 0; i < TRIES; i++) {
        if (change_once(d, draws))
            return true;
        balance_draft_undo(d);
    }
    return false;
}

// ---- the even split -----------------------------------------------------------------------------

// Moves a layer from a stage that cannot hold its layers to one that can.
static bool move_away(struct balance_draft *d, int32_t stage, struct search_draws *draws)
{
    for (int i = 0; i < TRIES * d->stages; i++) {
        const struct chunk_at to = any_chunk(d, draws);
        const int32_t v = (int32_t)search_below(draws, (uint32_t)d->chunks);
        int32_t *source = contents(d, stage, v);
        if (to.stage == stage || layers_of(source) <= balance_least_layers(&d->task))
            continue;
        d->n_touched = 0;
        touch(d, to.stage);
        contents(d, to.stage, to.chunk)[BALANCE_NONE]++;
        refresh_chunk(d, to.stage, to.chunk);
        if (!repair(d, to.stage, draws)) {
            balance_draft_undo(d);
            continue;
        }
        int kind = 0;
        while (source[kind] == 0)
            kind++;
        source[kind]--;
        refresh_chunk(d, stage, v);
        return true;
    }
    return false;
}

bool balance_draft_even(struct balance_draft *d, struct search_draws *draws)
{
    const int32_t all = d->stages * d->chunks, base = d->task.layers->layers / all,
                  more = d->task.layers->layers % all;
    for (int32_t k = 0; k < all; k++) {
        int32_t *content = contents(d, k % d->stages, k / d->stages);
        memset(content, 0, BALANCE_KINDS * sizeof *content);
        content[BALANCE_NONE] = base + (k < more ? 1 : 0);
        refresh_chunk(d, k % d->stages, k / d->stages);
    }
    for (int32_t s = 0; s < d->stages; s++)
        while (!repair(d, s, draws))
            if (!move_away(d, s, draws))
                return false;
    for (int32_t s = 0; s < d->stages; s++)
        relax(d, s, draws);
    d->n_touched = 0;
    return true;
}
