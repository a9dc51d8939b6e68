// SPDX-License-Identifier: Apache-2.0
// Collects orders of one pipeline, keeps the best few, and improves them by local search.
#include "kernels/schedule/search/contest.h"

#include "kernels/common/executor/bounds.h"
#include "kernels/schedule/automatic/greedy.h"
#include "kernels/schedule/automatic/slots.h"
#include "kernels/schedule/search/order_search.h"
#include "kernels/schedule/search/pattern.h"

#include <math.h>

enum {
    KEPT = 4,
    // Of `budget` evaluations, the dispatch rules and the patterns take at most one in START_SHARE each.
    START_SHARE = 16,
    PATTERN_PERIODS = 6, // periods from the shortest possible one on
    // Patterns of placement V up to this number of forwards are packed as well: it takes time that
    // grows with the square of the micro-batches, and gains where warm-up and cool-down are long.
    PACKED_FORWARDS_MOST = 1024,
    PACKED_DEVICES_MOST = 24,
    PACKED_BYTES = 1 << 18, // enough for all of them
    // Rounds of the improvement, every other one from the best order, and evaluations of a round at least.
    ROUNDS = 32,
    ROUND_LEAST = 1000,
};

// Patterns longer than the best order by more than this factor are not packed: 1.05 loses makespans, 1.3 only
// time.
static const double WORTH_PACKING = 1.15;

struct kept {
    double value;
    const struct family *from;
    struct order order;
};

struct contest {
    const struct pipeline *pipeline;
    const struct family_options *options;
    struct poll *poll;
    struct greedy *greedy;
    struct pattern_memory *patterns;
    struct slots slots;
    int32_t *first_slots; // [PATTERN_PHASES * devices]
    struct order_search *search;
    struct order blank;
    int n_kept;
    struct kept kept[KEPT]; // ascending by value
    int64_t evaluations;
    double bound; // of the objective, for every order of the pipeline
};

static bool may_pack(const struct pipeline_shape *shape)
{
    return shape->stages == 2 * shape->devices && shape->devices <= PACKED_DEVICES_MOST &&
           (int64_t)shape->stages * shape->micro_batches <= PACKED_FORWARDS_MOST;
}

// Slots of a device for every pattern of pattern.h.
static int32_t packed_slots(const struct pipeline_shape *shape)
{
    return 20 * shape->devices + 80 + (6 + PATTERN_PERIODS + 2) * shape->micro_batches;
}

struct contest *contest_take(const struct pipeline_shape *most, int32_t operations,
                             struct room *room)
{
    struct contest *contest = room_take(room, 1, sizeof *contest), counted;
    struct contest *c = contest != NULL ? contest : &counted;
    *c = (struct contest){.n_kept = 0};
    c->greedy = greedy_take(most, room);
    c->patterns = pattern_take(most, room);
    struct room packed = {room_take(room, PACKED_BYTES, 1), 0};
    if (may_pack(most)) {
        slots_take(&c->slots, most, packed_slots(most), &packed);
        c->first_slots =
            room_take(&packed, PATTERN_PHASES * (size_t)most->devices, sizeof *c->first_slots);
    }
    c->search = order_search_take(most, operations, room);
    order_take(&c->blank, most->devices, operations, room);
    for (int k = 0; k < KEPT; k++)
        order_take(&c->kept[k].order, most->devices, operations, room);
    return contest;
}

// The rounding of the bound must not make a bound that is too high.
double contest_bound(const struct pipeline *pipeline, enum family_objective objective)
{
    struct bounds bounds;
    bounds_of(pipeline, &bounds);
    return (objective == FAMILY_SPAN ? bounds.span : bounds.makespan) * (1 - 1e-12);
}

bool contest_reaches(double value, double bound)
{
    return value <= bound * (1 + 1e-9);
}

void contest_open(struct contest *contest, const struct pipeline *pipeline,
                  const struct family_options *options, struct poll *poll)
{
    contest->pipeline = pipeline;
    contest->options = options;
    contest->poll = poll;
    contest->n_kept = 0;
    contest->evaluations = 0;
    contest->bound = contest_bound(pipeline, options->objective);
    contest->blank.devices = pipeline->shape.devices;
    for (int k = 0; k < KEPT; k++)
        contest->kept[k].order.devices = pipeline->shape.devices;
}

// ---- offers -------------------------------------------------------------------------------------

struct order *contest_blank(struct contest *contest)
{
    order_clear(&contest->blank);
    return &contest->blank;
}

// Puts the blank order at position k of those that are kept.
static void insert(struct contest *contest, int k, double value, const struct family *from)
{
    const int last = contest->n_kept < KEPT ? contest->n_kept++ : KEPT - 1;
    const struct order spare = contest->kept[last].order;
    for (int i = last; i > k; i--)
        contest->kept[i] = contest->kept[i - 1];
    contest->kept[k] = (struct kept){value, from, contest->blank};
    contest->blank = spare;
}

double contest_offer(struct contest *contest, const struct family *from)
{
    double value = (double)INFINITY;
    int k = 0;
    contest->evaluations++;
    if (!order_search_value(contest->search, contest->pipeline, &contest->blank,
                            contest->options->objective, contest->poll, &value))
        return (double)INFINITY;
    for (; k < contest->n_kept && contest->kept[k].value <= value; k++)
        if (contest->kept[k].value == value &&
            order_equal(&contest->kept[k].order, &contest->blank))
            return value;
    if (k < KEPT)
        insert(contest, k, value, from);
    return value;
}

// Returns whether the best order of the starts is optimal.
static bool reached(const struct contest *contest)
{
    return contest->n_kept > 0 && contest_reaches(contest->kept[0].value, contest->bound);
}

// The best order depends on this many evaluations of starts at most.
static int64_t start_budget(const struct contest *contest)
{
    return contest->evaluations + contest->options->budget / START_SHARE + 1;
}

void contest_dispatch(struct contest *contest, bool whole_backward)
{
    static const double thresholds[] = {0, 0.5, 1, 0.25, 2, 1e9};
    static const struct {
        double cap, slope;
    } caps[] = {{1e9, 0}, {1, 1}, {2, 1}, {1, 2}, {3, 1}, {2, 2}, {1, 1.5}, {1, 0.5}, {2, 0.5}};
    const int64_t end = start_budget(contest);
    for (size_t k = 0; k < sizeof caps / sizeof *caps; k++)
        for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++)
            for (int first = 0; first < 2 && contest->evaluations < end; first++) {
                const struct greedy_rule rule = {.whole_backward = whole_backward,
                                                 .forward_first = first == 1,
                                                 .threshold = thresholds[t],
                                                 .cap = caps[k].cap,
                                                 .slope = caps[k].slope};
                if ((whole_backward && t > 0) || reached(contest) ||
                    poll_has_ended(contest->poll))
                    return;
                if (greedy_build(contest->greedy, contest->pipeline, &rule, contest->poll,
                                 contest_blank(contest)) == GREEDY_DONE)
                    (void)contest_offer(contest, NULL);
            }
}

// Offers the pattern that was built last with the operations of its warm-up and cool-down pulled forward.
static void offer_packed(struct contest *contest, int32_t period)
{
    const struct slots_pattern pattern = {.period = period, .first = contest->first_slots};
    if (!may_pack(&contest->pipeline->shape))
        return;
    pattern_first_slots(contest->patterns, contest->pipeline, contest->first_slots);
    if (slots_build(&contest->slots, &contest->pipeline->shape, &pattern, contest->poll,
                    contest_blank(contest)))
        (void)contest_offer(contest, NULL);
}

void contest_patterns(struct contest *contest)
{
    const int phases = pattern_phases(contest->pipeline);
    const int64_t start = contest->evaluations, each = start_budget(contest) - start;
    const int32_t shortest = 3 * phases / 2;
    if (phases == 0)
        return;
    for (int32_t k = 0; k < PATTERN_PERIODS; k++) {
        struct pattern_walk walk = pattern_first(contest->pipeline, shortest + k);
        const int64_t end = start + each * (k + 1) / PATTERN_PERIODS;
        do {
            if (poll_over_after(contest->poll, (uint64_t)contest->pipeline->shape.stages) ||
                reached(contest))
                return;
            if (pattern_build(contest->patterns, contest->pipeline, &walk.next,
                              contest_blank(contest))) {
                const double value = contest_offer(contest, NULL);
                if (value <= contest->kept[0].value * WORTH_PACKING)
                    offer_packed(contest, walk.next.period);
            }
        } while (contest->evaluations < end && pattern_next(&walk));
    }
}

// ---- improvement --------------------------------------------------------------------------------

static int best_of(const struct contest *contest)
{
    int best = 0;
    for (int k = 1; k < contest->n_kept; k++)
        if (contest->kept[k].value < contest->kept[best].value)
            best = k;
    return best;
}

static void improve(struct contest *contest, int k, uint32_t round, int64_t budget)
{
    struct kept *kept = &contest->kept[k];
    const struct order_search_options options = {.objective = contest->options->objective,
                                                 .seed = contest->options->seed,
                                                 .stream = round,
                                                 .fine_ends = round / 2 % 2 == 1,
                                                 .budget = budget,
                                                 .bound = contest->bound * (1 + 1e-9)};
    const double before = kept->value;
    (void)order_search_improve(contest->search, contest->pipeline, &options, contest->poll,
                               &kept->order, &kept->value, &contest->evaluations);
    if (kept->value < before)
        kept->from = NULL;
}

void contest_improve(struct contest *contest)
{
    const int64_t left = contest->options->budget - contest->evaluations,
                  share = left / ROUNDS > ROUND_LEAST ? left / ROUNDS : ROUND_LEAST;
    for (uint32_t round = 0; contest->n_kept > 0; round++) {
        const int64_t now = contest->options->budget - contest->evaluations;
        const int best = best_of(contest), next = (int)(round / 2) % contest->n_kept;
        if (now <= 0 || contest_reaches(contest->kept[best].value, contest->bound) ||
            poll_has_ended(contest->poll))
            break;
        improve(contest, round % 2 == 0 ? best : next, round, now < share ? now : share);
    }
}

enum family_status contest_finish(struct contest *contest, struct order *order,
                                  struct family_result *result)
{
    const bool stopped = poll_has_ended(contest->poll);
    result->evaluations = contest->evaluations;
    result->bound = contest->bound;
    if (contest->n_kept == 0)
        return stopped ? FAMILY_STOPPED : FAMILY_NO_ROOM;
    const struct kept *best = &contest->kept[best_of(contest)];
    order_copy(order, &best->order);
    result->value = best->value;
    result->proven = contest_reaches(best->value, contest->bound);
    result->chosen = best->from;
    return stopped ? FAMILY_STOPPED : FAMILY_DONE;
}
