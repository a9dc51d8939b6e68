// SPDX-License-Identifier: Apache-2.0
// Searches the least limits of time under which the pipeline holds all layers.
#include "kernels/balance/proxy/proxy_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A value is optimal if none is smaller by more than this, relatively.
#define PROVEN 1e-9

struct proxy *proxy_take(const struct balance_layers *layers, const struct balance_shape *shape,
                         bool allow_empty, struct room *room)
{
    const size_t chunks = (size_t)shape->chunks, all = chunks * (size_t)shape->stages;
    struct proxy *proxy = room_take(room, 1, sizeof *proxy), counted = {.answer = NULL};
    struct proxy *p = proxy == NULL ? &counted : proxy;
    *p = counted;
    int64_t most = layers->layers - (allow_empty ? 0 : (int64_t)all - 1);
    most = most < 1 ? 1 : most;
    p->layers_max = (int32_t)most;
    p->fit.columns = (int32_t)most + 1;
    p->n_ways = contents_ways(layers);
    for (int way = 0; way < p->n_ways; way++)
        contents_take(&p->contents[way], layers, p->layers_max, room);
    p->way = room_take(room, (size_t)shape->stages, sizeof *p->way);
    p->fit.activation_mb =
        room_take(room, chunks * (size_t)p->fit.columns, sizeof *p->fit.activation_mb);
    p->fit.most = room_take(room, chunks, sizeof *p->fit.most);
    p->fit.layers = room_take(room, chunks, sizeof *p->fit.layers);
    p->fit.now = room_take(room, chunks, sizeof *p->fit.now);
    p->layers = room_take(room, all, sizeof *p->layers);
    p->chosen = room_take(room, all, sizeof *p->chosen);
    p->slowest = room_take(room, chunks, sizeof *p->slowest);
    p->per_layer = room_take(room, chunks, sizeof *p->per_layer);
    p->count = room_take(room, BALANCE_KINDS * all, sizeof *p->count);
    p->times_cap = 2 * (size_t)p->n_ways * contents_cap(layers, p->layers_max);
    p->times = room_take(room, p->times_cap, sizeof *p->times);
    return proxy;
}

void proxy_keep(struct proxy *proxy, const struct balance_strategy *strategy)
{
    const struct balance_shape *shape = &proxy->program->shape;
    struct proxy_answer *answer = proxy->answer;
    const struct proxy_value value = proxy_evaluate(proxy->program, strategy);
    if (answer->has_strategy && answer->value.value <= value.value)
        return;
    answer->has_strategy = true;
    answer->value = value;
    answer->strategy.stages = shape->stages;
    answer->strategy.chunks = shape->chunks;
    memcpy(answer->strategy.count, strategy->count,
           BALANCE_KINDS * (size_t)shape->chunks * (size_t)shape->stages * sizeof(int32_t));
}

static double sum_of(const struct proxy_limits *terms)
{
    return terms->stage + fmax(terms->stage, terms->last);
}

// A search over one number, both terms' common limit or one of them.
struct descent {
    double low;   // no strategy is below
    double found; // a strategy reaches it
};

// Tests limits at the middle and directly below the best; ends when nothing below the best is left.
static void descend_equal(struct proxy *proxy, struct descent *descent, double *best)
{
    for (bool below = true; descent->found - descent->low > PROVEN * descent->found;
         below = !below) {
        const double limit = below ? descent->found * (1 - PROVEN)
                                   : descent->low + (descent->found - descent->low) / 2;
        struct proxy_limits limits = {limit, limit};
        if (proxy_test(proxy, &limits)) {
            descent->found = fmin(limit, fmax(limits.stage, limits.last));
            *best = fmin(*best, sum_of(&limits));
        } else if (proxy_has_ended(proxy)) {
            return;
        } else {
            descent->low = limit;
        }
    }
}

// Finds the least limit of both terms.
static double search_equal(struct proxy *proxy, struct descent *descent)
{
    const struct proxy_program *program = proxy->program;
    const struct balance_layers *layers = program->layers;
    const int64_t chunks = (int64_t)program->shape.stages * program->shape.chunks;
    const int64_t most = (layers->layers + chunks - 1) / chunks; // in one chunk at least
    const double least = (double)most * (proxy->contents[CONTENT_ALL_KINDS].least_backward +
                                         (proxy_has_two_terms(program) ? 0 : layers->forward));
    const double start =
        fmax(least, 1e-9 * (layers->layers * layers->forward + layers->head + layers->tail));
    double best = (double)INFINITY;
    for (double slack = 0; !proxy_has_ended(proxy); slack = slack > 0 ? 2 * slack : 0.05) {
        const double limit = start * (1 + slack);
        struct proxy_limits limits = {limit, limit};
        if (proxy_test(proxy, &limits)) {
            descent->found = fmin(limit, fmax(limits.stage, limits.last));
            best = sum_of(&limits);
            descend_equal(proxy, descent, &best);
            break;
        }
        if (!proxy_has_ended(proxy))
            descent->low = limit;
    }
    return best;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Adds the backwards up to `most` of the contents of a way to n times; returns their number.
static size_t add_times(struct proxy *proxy, const struct contents *contents, double most,
                        size_t n)
{
    const size_t end = contents->built < 0 ? 0 : contents->first[contents->built + 1];
    for (size_t i = end > 0 ? contents->first[proxy->fit.least] : 0; i < end; i++)
        for (int head = 0; head < 2; head++) {
            const double time =
                contents->list[i].backward + head * proxy->program->layers->head_backward;
            if (time <= most && n < proxy->times_cap)
                proxy->times[n++] = time;
        }
    return n;
}

// Lists the times up to `most` that Tmax can have: the backwards of chunks before the last one.
static size_t list_times(struct proxy *proxy, double most)
{
    double *times = proxy->times;
    size_t n = 0, distinct = 0;
    for (int way = 0; way < proxy->n_ways; way++)
        n = add_times(proxy, &proxy->contents[way], most, n);
    qsort(times, n, sizeof *times, by_size);
    for (size_t i = 0; i < n; i++) {
        distinct += distinct == 0 || times[i] > times[distinct - 1] * (1 + 1e-12);
        times[distinct - 1] = times[i];
    }
    return distinct;
}

// Finds the least Tlast under a limit of Tmax; `found` is reached.
static void descend_last(struct proxy *proxy, double time, double found, double *best)
{
    double low = time;
    for (bool below = true; found > time && !proxy_has_ended(proxy); below = !below) {
        const double high = fmin(found, *best - time);
        const double limit =
            below || high <= low ? *best * (1 - PROVEN) - time : low + (high - low) / 2;
        struct proxy_limits limits = {time, limit};
        if (limit < time)
            return;
        if (proxy_test(proxy, &limits)) {
            found = limits.last;
            *best = fmin(*best, sum_of(&limits));
        } else if (limit >= *best * (1 - PROVEN) - time) {
            return;
        } else {
            low = limit;
        }
    }
}

// Searches all pairs of Tmax among times[first..last] and Tlast whose sum is below the best.
static void search_pairs(struct proxy *proxy, size_t first, size_t last, double *best)
{
    const double *times = proxy->times;
    while (last > first && 2 * times[last] > *best)
        last--;
    struct proxy_limits limits = {times[last], *best * (1 - PROVEN) - times[first]};
    if (limits.last < times[first] || !proxy_test(proxy, &limits))
        return;
    *best = fmin(*best, sum_of(&limits));
    if (first == last) {
        descend_last(proxy, times[first], limits.last, best);
        return;
    }
    const size_t middle = first + (last - first) / 2;
    search_pairs(proxy, first, middle, best);
    if (!proxy_has_ended(proxy))
        search_pairs(proxy, middle + 1, last, best);
}

// Minimises Tmax, or Tmax + max(Tmax, Tlast). Returns a bound of the least value; *longest is a bound of the
// larger term.
static double solve_terms(struct proxy *proxy, double *longest)
{
    struct descent descent = {.low = 0};
    double best = search_equal(proxy, &descent);
    const bool has_ended = proxy_has_ended(proxy);
    *longest = has_ended ? descent.low : descent.found * (1 - PROVEN);
    if (!proxy_has_two_terms(proxy->program))
        return *longest;
    const double bound =
        *longest + proxy->fit.least * proxy->contents[CONTENT_ALL_KINDS].least_backward;
    const size_t n = has_ended || proxy->program->level == 2 ? 0 : list_times(proxy, best / 2);
    if (n == 0)
        return bound;
    search_pairs(proxy, 0, n - 1, &best);
    return proxy_has_ended(proxy) ? bound : best;
}

// Bounds level 2 by a bound of its larger term: all layers of the kind with the shortest backward, no waits.
static double bound_of_level_2(const struct proxy *proxy, double longest)
{
    const struct balance_layers *layers = proxy->program->layers;
    struct proxy_value value = {.stage = longest};
    value.filling =
        layers->layers * (layers->forward + proxy->contents[CONTENT_ALL_KINDS].least_backward);
    return proxy_value_of_level_2(proxy->program, &value) * (1 - PROVEN);
}

// Sets the bound of the answer.
static void solve_level(struct proxy *proxy)
{
    struct proxy_answer *answer = proxy->answer;
    double longest;
    answer->bound = solve_terms(proxy, &longest);
    if (proxy->program->level == 2)
        answer->bound = bound_of_level_2(proxy, longest);
    else if (!proxy_has_ended(proxy))
        answer->bound = answer->value.value;
    if (answer->has_strategy)
        answer->bound = fmin(answer->bound, answer->value.value);
}

enum proxy_outcome proxy_solve(struct proxy *proxy, const struct proxy_program *program,
                               struct poll *poll, struct proxy_answer *answer)
{
    proxy->program = program;
    proxy->poll = poll;
    proxy->answer = answer;
    proxy->is_stopped = poll_has_ended(poll);
    answer->has_strategy = false;
    answer->tests = 0;
    answer->bound = 0;
    proxy->n_ways = contents_open_ways(proxy->contents, program->layers, &proxy->not_full);
    for (int32_t s = 0; s < program->shape.stages; s++)
        proxy->way[s] = CONTENT_ALL_KINDS;
    const int64_t others = (int64_t)program->shape.stages * program->shape.chunks - 1;
    const int64_t most = program->layers->layers - others * proxy_least(program);
    proxy->layers_max = most < proxy->fit.columns - 1 ? (int32_t)most : proxy->fit.columns - 1;
    proxy->fit.chunks = program->shape.chunks;
    proxy->fit.least = proxy_least(program);
    proxy->fit.parameter_mb = program->layers->parameter_mb;
    if (!proxy->is_stopped && !proxy_memory_suffices(proxy))
        return PROXY_INFEASIBLE;
    if (!proxy->is_stopped)
        solve_level(proxy);
    return proxy_is_full(proxy) ? PROXY_TOO_LARGE
           : proxy->is_stopped  ? PROXY_STOPPED
                                : PROXY_DONE;
}
