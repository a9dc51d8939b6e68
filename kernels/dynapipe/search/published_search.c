// SPDX-License-Identifier: Apache-2.0
// Searches plans as published: orders, then recomputation where devices have time to spare.
#include "kernels/dynapipe/search/published_search.h"

#include "base/math/random.h"
#include "kernels/dynapipe/search/plan_task.h"

#include <string.h>

// ---- clusters ----------------------------------------------------------------------------------

enum { CLUSTERS_MAX = 4, FEATURES = 4, ROUNDS = 100 };

struct feature {
    double of[FEATURES]; // forward of the first and the last stage, backward likewise
};

// Returns the clusters of the published search: four for at most 20 micro-batches, else three.
static int32_t order_clusters_of(int32_t count)
{
    return count <= 20 ? 4 : 3;
}

static struct feature feature_of(const struct plan_task *task, int32_t m)
{
    const struct micro_batches *b = task->of[DYNAPIPE_KEEP];
    const int64_t first = micro_batches_at(b, m, 0), last = first + b->stages - 1;
    return (struct feature){
        {b->forward[first], b->forward[last], b->backward[first], b->backward[last]}};
}

static double distance(const struct feature *a, const struct feature *b)
{
    double sum = 0;
    for (int k = 0; k < FEATURES; k++)
        sum += (a->of[k] - b->of[k]) * (a->of[k] - b->of[k]);
    return sum;
}

static int32_t nearest(const struct feature *centres, int32_t n, const struct feature *f,
                       double *d)
{
    int32_t best = 0;
    *d = distance(&centres[0], f);
    for (int32_t c = 1; c < n; c++) {
        const double to = distance(&centres[c], f);
        if (to < *d) {
            *d = to;
            best = c;
        }
    }
    return best;
}

// The first centre is the first micro-batch; each further one lies farthest from those before it.
static void place(const struct plan_task *task, int32_t clusters, struct feature *centres)
{
    centres[0] = feature_of(task, 0);
    for (int32_t c = 1; c < clusters; c++) {
        double most = -1;
        for (int32_t m = 0; m < task->of[DYNAPIPE_KEEP]->count; m++) {
            const struct feature f = feature_of(task, m);
            double d;
            nearest(centres, c, &f, &d);
            if (d > most) {
                most = d;
                centres[c] = f;
            }
        }
    }
}

static void centre(const struct plan_task *task, int32_t clusters, const int32_t *cluster,
                   struct feature *centres)
{
    struct feature sum[CLUSTERS_MAX];
    int32_t n[CLUSTERS_MAX] = {0};
    memset(sum, 0, sizeof sum);
    for (int32_t m = 0; m < task->of[DYNAPIPE_KEEP]->count; m++) {
        const struct feature f = feature_of(task, m);
        n[cluster[m]]++;
        for (int k = 0; k < FEATURES; k++)
            sum[cluster[m]].of[k] += f.of[k];
    }
    for (int32_t c = 0; c < clusters; c++)
        for (int k = 0; k < FEATURES && n[c] > 0; k++)
            centres[c].of[k] = sum[c].of[k] / n[c];
}

// Writes the cluster of every micro-batch: Lloyd's algorithm with centres far from each other at the start. Some clusters
// may be empty. The result depends on the micro-batches only. cluster: [count].
static void order_clusters_find(const struct plan_task *task, int32_t clusters,
                                int32_t *cluster)
{
    const int32_t count = task->of[DYNAPIPE_KEEP]->count;
    struct feature centres[CLUSTERS_MAX];
    bool changes = count > 0;
    if (changes)
        place(task, clusters, centres);
    for (int32_t m = 0; m < count; m++)
        cluster[m] = 0;
    for (int round = 0; round < ROUNDS && changes; round++) {
        changes = false;
        for (int32_t m = 0; m < count; m++) {
            const struct feature f = feature_of(task, m);
            double d;
            const int32_t to = nearest(centres, clusters, &f, &d);
            changes = changes || to != cluster[m];
            cluster[m] = to;
        }
        centre(task, clusters, cluster, centres);
        changes = changes || round == 0;
    }
}

// ---- the search -----------------------------------------------------------------------------------

enum {
    PURPOSE = 0x7075626c, // of the random numbers
};

#define GAP 1e-6 // us; shorter gaps are none
#define FULL_FROM                                                                              \
    0.5 // of the length of a backward: with a gap this long a device recomputes all

struct published_search {
    struct plan_size size;
    struct rule *rule;
    struct rule_plan best, trial;
    int32_t *cluster, *members; // [count]

    // Of the present task.
    const struct published_task *task;
    struct poll *poll;
    struct published_answer *answer;
    uint64_t draw;
    int32_t adjustments; // of the present order, or candidate if as published
    bool is_over;        // by the poll
};

struct published_search *published_search_take(const struct plan_size *size, struct rule *rule,
                                               struct room *room)
{
    struct published_search *taken = room_take(room, 1, sizeof *taken), counted;
    struct published_search *s = taken != NULL ? taken : &counted;
    s->size = *size;
    s->rule = rule;
    rule_plan_take(&s->best, size, room);
    rule_plan_take(&s->trial, size, room);
    s->cluster = room_take(room, (size_t)size->count, sizeof *s->cluster);
    s->members = room_take(room, (size_t)size->count, sizeof *s->members);
    return taken;
}

// ---- recomputation --------------------------------------------------------------------------------

// Returns the gap behind a backward as a part of its length; < 0: the published search never relieves it.
static double slack_of(const struct published_search *s, int32_t device, int32_t i)
{
    const struct lanes *lanes = &s->rule->lanes;
    const struct lane_operation *op =
        &lanes->operations[LANE_COMPUTE][lanes_at(lanes, device, i)];
    if (i + 1 == lanes->n[LANE_COMPUTE][device])
        return s->task->as_published ? -1 : 0;
    const double end = lanes_end(s->rule->times, LANE_COMPUTE, op),
                 gap = lanes_start(s->rule->times, LANE_COMPUTE, op + 1) - end,
                 length = lane_duration(&s->rule->ordered, LANE_COMPUTE, op);
    return gap <= GAP || length <= 0 ? 0 : gap / length;
}

// Returns the micro-batch whose recomputation changes for an operation at a position.
static int32_t relieved(const struct published_search *s, int32_t position)
{
    const int32_t m = s->trial.order[position];
    return s->task->as_published ? s->trial.order[m] : m;
}

static bool is_allowed(const struct published_search *s, int type)
{
    return s->task->plan->of[type] != NULL;
}

// Returns the next type of a stage on the way to a target; the present one if there is none.
static int next_type(const struct published_search *s, int present, int target)
{
    const int next = present == DYNAPIPE_KEEP ? target : DYNAPIPE_FULL;
    if (is_allowed(s, next))
        return next;
    const int other = next == DYNAPIPE_FULL ? DYNAPIPE_SELECTIVE : DYNAPIPE_FULL;
    return present == DYNAPIPE_KEEP && is_allowed(s, other) ? other : present;
}

// Changes the stages of a device for a micro-batch. Returns whether anything changed.
static bool recompute_more(struct published_search *s, int32_t device, int32_t m, int target)
{
    bool changes = false;
    for (int32_t stage = 0; stage < s->size.stages; stage++) {
        uint8_t *type = &s->trial.recompute[(int64_t)m * s->size.stages + stage];
        if (s->task->plan->pipeline->device_of[stage] != device || *type == DYNAPIPE_FULL)
            continue;
        const int next = next_type(s, *type, target);
        changes = changes || next != *type;
        *type = (uint8_t)next;
    }
    return changes;
}

static bool can_recompute_more(const struct published_search *s, int32_t device, int32_t m)
{
    for (int32_t stage = 0; stage < s->size.stages; stage++) {
        const int type = s->trial.recompute[(int64_t)m * s->size.stages + stage];
        if (s->task->plan->pipeline->device_of[stage] == device && type != DYNAPIPE_FULL &&
            next_type(s, type, DYNAPIPE_SELECTIVE) != type)
            return true;
    }
    return false;
}

// Recomputes more of the micro-batch behind whose backward the device has the longest gap, as a part of its length.
static bool relieve(struct published_search *s, int32_t device)
{
    const struct lanes *lanes = &s->rule->lanes;
    double most = -1;
    int32_t chosen = -1;
    for (int32_t i = 0; i < lanes->n[LANE_COMPUTE][device]; i++) {
        const struct lane_operation *op =
            &lanes->operations[LANE_COMPUTE][lanes_at(lanes, device, i)];
        const double slack = op->backward ? slack_of(s, device, i) : -1;
        if (slack > most && can_recompute_more(s, device, relieved(s, op->micro_batch))) {
            most = slack;
            chosen = relieved(s, op->micro_batch);
        }
    }
    return chosen >= 0 &&
           recompute_more(s, device, chosen,
                          most >= FULL_FROM ? DYNAPIPE_FULL : DYNAPIPE_SELECTIVE);
}

static bool relieve_all(struct published_search *s)
{
    bool changes = false;
    if (s->task->fast && s->adjustments >= PUBLISHED_FAST_STEPS)
        return false;
    s->adjustments++;
    s->answer->adjustments++;
    for (int32_t d = 0; d < s->size.devices; d++)
        if (!plan_fits(s->rule->peaks[d], s->task->plan->pipeline->limit[d]))
            changes = relieve(s, d) || changes;
    return changes;
}

// ---- orders ---------------------------------------------------------------------------------------

static double lacking(const struct published_search *s)
{
    double most = 0;
    for (int32_t d = 0; d < s->size.devices; d++)
        most = fmax(most, s->rule->peaks[d] - s->task->plan->pipeline->limit[d]);
    return most;
}

// Keeps the trial plan if it is better than the best one. Plans that fit come first; of those that do not, the one with
// the least excess.
static void keep(struct published_search *s)
{
    struct published_answer *a = s->answer;
    const struct rule *r = s->rule;
    const double excess = r->fits ? 0 : lacking(s);
    const bool as_published = s->task->as_published, is_first = a->plan == NULL;
    if (r->fits && a->first_fit == 0)
        a->first_fit = a->evaluations;
    if (!is_first && (as_published || r->fits == a->fits)
            ? (as_published || r->fits ? r->makespan >= a->makespan : excess >= a->excess)
            : !is_first && a->fits)
        return;
    a->plan = &s->best;
    a->makespan = r->makespan;
    a->fits = r->fits;
    a->excess = excess;
    rule_plan_copy(&s->best, &s->trial, &s->size);
}

static bool evaluate(struct published_search *s)
{
    s->is_over = s->is_over || poll_has_ended(s->poll);
    if (s->is_over)
        return false;
    rule_evaluate(s->rule, s->task->plan, &s->trial, s->task->as_published, s->poll);
    s->answer->evaluations++;
    return s->rule->makespan < HUGE_VAL;
}

// Adds recomputation to the order of the trial plan until it fits or nothing changes. Returns whether it fits.
static bool adjust(struct published_search *s, int type)
{
    memset(s->trial.recompute, type, (size_t)s->size.count * (size_t)s->size.stages);
    if (!s->task->as_published)
        s->adjustments = 0;
    do {
        if (!evaluate(s))
            return false;
        if (s->task->shorter_than > 0 && s->rule->makespan >= s->task->shorter_than)
            return s->rule->fits;
    } while (!s->rule->fits && relieve_all(s));
    s->answer->worst = fmax(s->answer->worst, s->rule->makespan);
    keep(s);
    return s->rule->fits;
}

static void try_order(struct published_search *s)
{
    s->answer->orders++;
    if (!adjust(s, DYNAPIPE_KEEP) && !s->task->as_published && s->task->start != DYNAPIPE_KEEP)
        adjust(s, (int)s->task->start);
}

// Writes the next permutation in lexicographic order. Returns false behind the last one.
static bool next_permutation(int32_t *order, int32_t n)
{
    int32_t i = n - 2, j = n - 1;
    while (i >= 0 && order[i] >= order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[j] <= order[i])
        j--;
    const int32_t moved = order[i];
    order[i] = order[j];
    order[j] = moved;
    for (int32_t a = i + 1, b = n - 1; a < b; a++, b--) {
        const int32_t other = order[a];
        order[a] = order[b];
        order[b] = other;
    }
    return true;
}

static void write_identity(struct published_search *s)
{
    for (int32_t m = 0; m < s->size.count; m++)
        s->trial.order[m] = m;
}

static int32_t draw(struct published_search *s, int32_t end)
{
    const uint64_t bits = pps_random_bits(s->task->plan->seed, s->draw++, PURPOSE) >> 32;
    return (int32_t)(bits * (uint64_t)end >> 32);
}

// Writes cluster by cluster, each in random order.
static void write_clusters(struct published_search *s, const int32_t *clusters, int32_t k)
{
    int32_t n = 0;
    for (int32_t c = 0; c < k; c++) {
        const int32_t first = n;
        for (int32_t m = 0; m < s->size.count; m++)
            if (s->cluster[m] == clusters[c])
                s->trial.order[n++] = m;
        for (int32_t i = n - 1; i > first; i--) {
            const int32_t j = first + draw(s, i - first + 1), other = s->trial.order[i];
            s->trial.order[i] = s->trial.order[j];
            s->trial.order[j] = other;
        }
    }
}

static void try_orders(struct published_search *s)
{
    const int32_t k = order_clusters_of(s->size.count);
    int32_t clusters[4] = {0, 1, 2, 3};
    if (!s->task->plan->keeps_order && s->size.count <= k) {
        memcpy(s->members, clusters, (size_t)s->size.count * sizeof *clusters);
        do {
            memcpy(s->trial.order, s->members, (size_t)s->size.count * sizeof *clusters);
            try_order(s);
        } while (!s->is_over && next_permutation(s->members, s->size.count));
    } else if (!s->task->plan->keeps_order) {
        order_clusters_find(s->task->plan, k, s->cluster);
        do {
            write_clusters(s, clusters, k);
            try_order(s);
        } while (!s->is_over && next_permutation(clusters, k));
    }
    write_identity(s);
    if (!s->is_over)
        try_order(s);
}

// Nothing fits: the cyclic rule holds forwards back.
static void try_limits(struct published_search *s)
{
    s->trial.method = METHOD_WAIT_FREE_CYCLIC;
    s->trial.by_memory = true;
    write_identity(s);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES && !s->answer->fits; type++) {
        memset(s->trial.recompute, type, (size_t)s->size.count * (size_t)s->size.stages);
        if (is_allowed(s, type) && evaluate(s))
            keep(s);
    }
}

// Limits are those of the cyclic rule.
static bool has_cyclic(const struct published_task *task)
{
    for (int32_t k = 0; k < task->n_methods; k++)
        if (task->methods[k] == METHOD_WAIT_FREE_CYCLIC)
            return true;
    return false;
}

bool published_search_run(struct published_search *s, const struct published_task *task,
                          struct poll *poll, struct published_answer *answer)
{
    *answer = (struct published_answer){.makespan = HUGE_VAL};
    s->task = task;
    s->poll = poll;
    s->answer = answer;
    s->draw = 0;
    s->is_over = false;
    memset(s->trial.in_flight, 0, (size_t)s->size.devices * sizeof *s->trial.in_flight);
    for (int32_t k = 0; k < task->n_methods && !s->is_over; k++) {
        s->trial.method = task->methods[k];
        s->trial.by_memory = false;
        s->adjustments = 0;
        try_orders(s);
    }
    if (!answer->fits && !task->as_published && !task->fast && has_cyclic(task))
        try_limits(s);
    return !s->is_over;
}
