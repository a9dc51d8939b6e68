// SPDX-License-Identifier: Apache-2.0
// Chooses how a batch is divided: ranks several ways by short plans.
#include "planner/dynapipe/batch_private.h"

#include <math.h>

enum {
    DIVISIONS_MOST = 32,
    RANK_WORK =
        150000,      // of a division in the first round: evaluations x micro-batches x stages
    RANK_LEAST = 60, // evaluations
    RANK_ALL = 500,  // with fewer, alternating orders alone are tried, which are found soonest
    FINALISTS = 2,   // divisions that best plans again, as quick does, beside that of quick
};

// A way to divide, and the step that it gives.
struct division {
    struct step_choice choice;
    double makespan; // INFINITY: no plan
    // Of its micro-batches: equal figures are the same division.
    int32_t count;
    double longest, sum;
};

struct divisions {
    struct division list[DIVISIONS_MOST];
    int n;
};

static struct step_choice *add_division(struct divisions *d, const struct step_choice *from)
{
    struct division *added = &d->list[d->n < DIVISIONS_MOST ? d->n++ : DIVISIONS_MOST - 1];
    *added = (struct division){.choice = *from, .makespan = HUGE_VAL};
    return &added->choice;
}

// Micro-batches of equal tokens, from the longest sample to one for each device.
static void add_tokens(const struct batch_task *t, struct divisions *d)
{
    int64_t longest = 8, sum = 0;
    for (int32_t i = 0; i < t->samples.count; i++) {
        const int64_t length = split_input_of(&t->samples, i) + split_target_of(&t->samples, i);
        longest = length > longest ? length : longest;
        sum += length;
    }
    for (int64_t size = longest; size <= sum && d->n < DIVISIONS_MOST; size *= 2) {
        struct step_choice *choice = add_division(d, &t->request->choice);
        choice->rule = STEP_TOKENS;
        choice->rule_size = size;
    }
}

// Lists the ways: parts of the memory for a micro-batch, the usual one first; micro-batches that all recompute; and equal
// tokens. quick tries the usual one and all of the memory.
static void list_divisions(const struct batch_task *t, struct divisions *d)
{
    static const double parts[] = {2, 4, 0.5};
    const struct step_choice *choice = &t->request->choice;
    const double devices = t->setup->pipeline.devices;
    const bool is_quick = choice->mode == PLAN_QUICK, limited = t->setup->limit < HUGE_VAL;
    d->n = 0;
    add_division(d, choice);
    for (int k = 0; k < 3 && limited && !is_quick; k++)
        if (parts[k] < devices)
            add_division(d, choice)->fraction = parts[k] / devices;
    if (limited && devices > 1)
        add_division(d, choice)->fraction = 1;
    if (is_quick)
        return;
    if (limited)
        add_division(d, choice)->recomputes = true;
    add_tokens(t, d);
}

// Returns the evaluations of a division in the first round.
static int64_t rank_budget(const struct batch_task *t, int32_t count)
{
    const int64_t cells = (int64_t)count * t->setup->pipeline.stages,
                  n = RANK_WORK / (cells + 1);
    return n > RANK_LEAST ? n : RANK_LEAST;
}

// Plans a division that no earlier one is equal to: quickly, or again as quick does.
static void rank(struct batch_task *t, struct divisions *d, int k, bool again)
{
    struct division *of = &d->list[k];
    const int64_t usual = of->choice.budget;
    const enum plan_mode mode = of->choice.mode;
    const int method = of->choice.method;
    of->choice.mode = PLAN_QUICK;
    t->choice = &of->choice;
    if (batch_divide(t, (struct step_caution){.round = 0})) {
        const struct step_divided divided = step_divided(t->division);
        of->count = divided.split->count;
        of->longest = divided.split->longest;
        of->sum = divided.split->sum;
        of->choice.budget = again ? 0 : rank_budget(t, of->count / t->setup->replicas);
        if (method == PLAN_ANY_METHOD && !again && of->choice.budget < RANK_ALL &&
            assignment_of(&t->setup->pipeline) == ASSIGNMENT_LINEAR)
            of->choice.method = PLAN_FREE_WARM_UPS;
        bool is_new = true;
        for (int i = 0; i < k; i++)
            is_new = is_new && !(d->list[i].count == of->count && d->list[i].sum == of->sum &&
                                 d->list[i].longest == of->longest);
        of->makespan = is_new && batch_plan_replicas(t) ? batch_slowest(t) : HUGE_VAL;
    }
    of->choice.mode = mode;
    of->choice.method = method;
    of->choice.budget = usual;
}

static int shortest(const struct divisions *d)
{
    int best = 0;
    for (int k = 1; k < d->n; k++)
        if (d->list[k].makespan < d->list[best].makespan)
            best = k;
    return best;
}

// Returns the division that quick takes.
static int shortest_of_quick(const struct divisions *d)
{
    int best = 0;
    for (int k = 1; k < d->n; k++)
        if (d->list[k].choice.fraction == 1 && d->list[k].makespan < d->list[best].makespan)
            best = k;
    return best;
}

// Plans the shortest divisions again, as quick does, and that of quick with them: best is never longer. Returns the shortest.
static struct step_choice choose_finalist(struct batch_task *t, struct divisions *d)
{
    struct divisions last = {.n = 0};
    const int quick = shortest_of_quick(d);
    for (int k = 0; k <= FINALISTS; k++) {
        const int best = k == 0 ? quick : shortest(d);
        if (k > 0 && best == quick)
            continue;
        last.list[last.n++] = d->list[best];
        d->list[best].makespan = HUGE_VAL;
        rank(t, &last, last.n - 1, true);
    }
    return last.list[shortest(&last)].choice;
}

// All ways are ranked by short plans, and in best the shortest again by longer ones.
struct step_choice batch_choose_division(struct batch_task *t)
{
    const struct step_choice *choice = &t->request->choice;
    struct divisions d;
    if (choice->fraction > 0 || choice->as_published || choice->mode > PLAN_QUICK ||
        t->samples.count < 2 || t->samples.rows != NULL)
        return *choice;
    list_divisions(t, &d);
    if (d.n == 1)
        return d.list[0].choice;
    t->ranks = true;
    for (int k = 0; k < d.n && !poll_has_ended(&t->poll); k++)
        rank(t, &d, k, false);
    const struct step_choice chosen =
        choice->mode == PLAN_BEST ? choose_finalist(t, &d) : d.list[shortest(&d)].choice;
    t->ranks = false;
    t->choice = choice;
    return chosen;
}
