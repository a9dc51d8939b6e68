// SPDX-License-Identifier: Apache-2.0
// Enumerates the plans of small tasks: all orders and warm-ups, and of those that are short enough but do not fit in
// memory all recomputations that could help.
#include "kernels/dynapipe/search/linear_private.h"

#include <string.h>

#define SHORTER (1 - 1e-12) // a plan that is shorter by less than this does not count

// Returns whether two micro-batches cost the same everywhere.
static bool are_equal(const struct linear_search *s, int32_t a, int32_t b)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const struct micro_batches *t = s->task->of[type], *keep = s->task->of[DYNAPIPE_KEEP];
        const int64_t i = micro_batches_at(keep, a, 0), j = micro_batches_at(keep, b, 0);
        const size_t bytes = (size_t)s->stages * sizeof(double);
        if (t != NULL && (memcmp(t->forward + i, t->forward + j, bytes) != 0 ||
                          memcmp(t->backward + i, t->backward + j, bytes) != 0 ||
                          memcmp(t->stored + i, t->stored + j, bytes) != 0 ||
                          memcmp(t->peak + i, t->peak + j, bytes) != 0 ||
                          memcmp(t->backward_peak + i, t->backward_peak + j, bytes) != 0))
            return false;
        if (memcmp(keep->activation + i, keep->activation + j, bytes) != 0 ||
            memcmp(keep->gradient + i, keep->gradient + j, bytes) != 0)
            return false;
    }
    return true;
}

// Returns whether recomputation never makes a pass shorter: then a plan without it bounds all plans with it.
static bool is_monotone(const struct linear_search *s)
{
    const struct micro_batches *keep = s->task->of[DYNAPIPE_KEEP];
    for (int type = 1; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const struct micro_batches *t = s->task->of[type];
        for (int64_t at = 0; t != NULL && at < (int64_t)s->count * s->stages; at++)
            if (t->forward[at] < keep->forward[at] || t->backward[at] < keep->backward[at])
                return false;
    }
    return true;
}

static double distinct_orders(const struct linear_search *s)
{
    double n = 1;
    if (s->task->keeps_order)
        return 1;
    for (int32_t m = 0; m < s->count; m++) {
        int32_t equal = 1;
        for (int32_t other = 0; other < m; other++)
            equal += are_equal(s, m, other);
        n *= (double)(m + 1) / equal;
    }
    return n;
}

// The vectors of `stages` numbers 1 to `count` that do not increase.
static double distinct_warm_ups(const struct linear_search *s)
{
    double n = 1;
    for (int32_t k = 1; k <= s->stages && s->warm_ups == LINEAR_ANY_WARM_UP; k++)
        n *= (double)(s->count + k - 1) / k;
    return n;
}

static bool must_end(struct linear_search *s)
{
    s->is_over = s->is_over || poll_over_after(s->poll, linear_steps(s));
    return s->is_over || s->evaluations > s->enumerated;
}

static bool is_short(struct linear_search *s)
{
    s->evaluations++;
    return linear_evaluate(s->linear, &s->trial, s->makespan) < s->makespan * SHORTER;
}

static int32_t first_over(const struct linear_search *s, struct linear_peak *peak)
{
    for (int32_t stage = 0; stage < s->stages; stage++) {
        *peak = linear_peak_of(s->linear, &s->trial, stage, -1);
        if (!plan_fits(peak->memory, s->task->pipeline->limit[stage]))
            return stage;
    }
    return -1;
}

// The trial plan is short enough. Some micro-batch in flight at a peak above the limit must be recomputed: tries each, and
// leaves those before it as they are. Returns false if the search ends.
static bool relieve(struct linear_search *s)
{
    struct linear_peak peak;
    const int32_t stage = first_over(s, &peak);
    bool goes_on = !must_end(s);
    if (stage < 0)
        linear_try(s, HUGE_VAL);
    for (int32_t p = peak.first; stage >= 0 && p < peak.end; p++) {
        const int64_t at = (int64_t)s->trial.order[p] * s->stages + stage;
        if (s->decided[at])
            continue;
        s->decided[at] = 1;
        for (int type = 1; type < DYNAPIPE_RECOMPUTE_TYPES && goes_on; type++) {
            const struct micro_batches *t = s->task->of[type];
            if (t == NULL)
                continue;
            s->trial.recompute[at] = (uint8_t)type;
            goes_on = !is_short(s) || relieve(s);
            s->trial.recompute[at] = DYNAPIPE_KEEP;
        }
        s->decided[at] = 2; // by this call
    }
    for (int32_t p = peak.first; stage >= 0 && p < peak.end; p++) {
        const int64_t at = (int64_t)s->trial.order[p] * s->stages + stage;
        s->decided[at] = s->decided[at] == 2 ? 0 : s->decided[at];
    }
    return goes_on;
}

static bool next_warm_up(struct linear_search *s)
{
    int32_t *w = s->trial.warm_up;
    for (int32_t stage = s->stages - 1; stage >= 0; stage--) {
        if (w[stage] < (stage == 0 ? s->count : w[stage - 1])) {
            w[stage]++;
            for (int32_t k = stage + 1; k < s->stages; k++)
                w[k] = 1;
            return true;
        }
    }
    return false;
}

// Tries all warm-ups with the order of the trial plan.
static bool try_order(struct linear_search *s)
{
    const bool is_free = s->warm_ups == LINEAR_ANY_WARM_UP;
    for (int32_t stage = 0; stage < s->stages; stage++)
        s->trial.warm_up[stage] = is_free ? 1 : linear_warm_up(s, s->warm_ups, stage);
    do {
        if (must_end(s) || (is_short(s) && !relieve(s)))
            return false;
    } while (is_free && next_warm_up(s));
    return true;
}

// Tries all orders whose first `depth` micro-batches are those of the trial plan.
static bool try_orders(struct linear_search *s, int32_t depth)
{
    int32_t *order = s->trial.order;
    if (depth >= s->count - 1 || s->task->keeps_order)
        return try_order(s);
    for (int32_t k = depth; k < s->count; k++) {
        bool is_new = true;
        for (int32_t i = depth; i < k; i++)
            is_new = is_new && !are_equal(s, order[i], order[k]);
        if (!is_new)
            continue;
        const int32_t first = order[depth], chosen = order[k];
        order[depth] = chosen;
        order[k] = first;
        const bool goes_on = try_orders(s, depth + 1);
        order[k] = chosen;
        order[depth] = first;
        if (!goes_on)
            return false;
    }
    return true;
}

bool linear_enumerate(struct linear_search *s)
{
    const int64_t most = (s->task->budget - s->evaluations) / 2;
    if (s->count == 0 || s->is_over || !is_monotone(s) ||
        distinct_orders(s) * distinct_warm_ups(s) > (double)most)
        return false;
    s->enumerated = s->evaluations + most;
    memset(s->decided, 0, (size_t)s->count * (size_t)s->stages);
    memset(s->trial.recompute, DYNAPIPE_KEEP, (size_t)s->count * (size_t)s->stages);
    for (int32_t m = 0; m < s->count; m++)
        s->trial.order[m] = m;
    return try_orders(s, 0);
}
