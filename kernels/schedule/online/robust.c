// SPDX-License-Identifier: Apache-2.0
// Chooses the order with the least mean makespan over replicates.
#include "kernels/schedule/online/robust.h"

#include "base/math/random.h"
#include "kernels/common/executor/executor_lanes.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/automatic/greedy.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/search/draft.h"

#include <math.h>
#include <string.h>

// An order is dropped after a row of replicates if its sum exceeds that of the best order by this part: of
// paired replicates, few rows show which of two orders is worse.
static const double clearly_worse = 0.005;

// The search goes on from an order whose mean exceeds the best one by at most this part, which falls to 0
// (record-to-record travel, Dueck 1993).
static const double deviation = 0.002;

enum { STREAM = 19 }; // of random numbers

struct robust {
    const struct pipeline *pipeline;
    struct poll *poll;
    struct robust_options options;
    int32_t n_rows, most_rows;    // rows of EXECUTOR_LANES replicates
    struct executor_times *times; // [rows]
    double *sums;                 // [rows]: of the makespans of the best order, up to the row
    double *own_sums;             // the same for the order that is evaluated
    struct executor *executor;
    struct executor_lanes *lanes;
    struct pull *pull;
    struct draft *draft;
    struct greedy *greedy;
    struct order best, blank;
    const struct family *from;
    bool has_best;
    int32_t *device_of; // [directions * stages]: of a family
    char *scratch;      // of one family at a time
};

// ---- memory -------------------------------------------------------------------------------------

// Returns whether a family takes part: it has an order for a pipeline of this shape.
static bool takes_part(const struct family *family, const struct pipeline_shape *shape)
{
    const struct family_options options = {.group = 0};
    return family->kind != FAMILY_SEARCH && family->directions == shape->directions &&
           family->chunks(shape->stages / shape->devices) * shape->devices == shape->stages &&
           family->misfit(shape, &options) == NULL;
}

static size_t scratch_of(const struct pipeline_shape *shape)
{
    const struct family_options options = {.group = 0};
    size_t most = 0;
    for (int i = 0; families[i] != NULL; i++) {
        struct room room = {NULL, 0};
        if (takes_part(families[i], shape))
            (void)family_take(families[i], shape, &options, &room);
        most = room.used > most ? room.used : most;
    }
    return most;
}

struct robust *robust_take(const struct pipeline_shape *shape, int32_t operations,
                           int32_t replicates, struct room *room)
{
    struct robust *robust = room_take(room, 1, sizeof *robust), counted;
    struct robust *e = robust != NULL ? robust : &counted;
    e->most_rows = (replicates + EXECUTOR_LANES - 1) / EXECUTOR_LANES;
    const size_t rows = (size_t)e->most_rows;
    e->times = room_take(room, rows, sizeof *e->times);
    for (size_t i = 0; i < rows; i++) {
        struct executor_times unused;
        noise_times_take(robust != NULL ? &e->times[i] : &unused, shape, false, room);
    }
    e->sums = room_take(room, rows, sizeof *e->sums);
    e->own_sums = room_take(room, rows, sizeof *e->own_sums);
    e->executor = executor_take(shape, operations, room);
    e->lanes = executor_lanes_take(shape, room);
    e->pull = pull_take(shape, operations, room);
    e->draft = draft_take(shape, operations, room);
    e->greedy = greedy_take(shape, room);
    order_take(&e->best, shape->devices, operations, room);
    order_take(&e->blank, shape->devices, operations, room);
    e->device_of =
        room_take(room, (size_t)shape->directions * (size_t)shape->stages, sizeof(int32_t));
    e->scratch = room_take(room, scratch_of(shape), 1);
    return robust;
}

void robust_open(struct robust *robust, const struct pipeline *pipeline,
                 const struct noise *noise, const struct robust_options *options,
                 struct poll *poll)
{
    struct robust *e = robust;
    e->pipeline = pipeline;
    e->poll = poll;
    e->options = *options;
    e->from = NULL;
    e->has_best = false;
    e->n_rows = (options->replicates + EXECUTOR_LANES - 1) / EXECUTOR_LANES;
    e->n_rows = e->n_rows < e->most_rows ? e->n_rows : e->most_rows;
    for (int32_t i = 0; i < e->n_rows; i++)
        noise_draw(noise, pipeline, options->first + (uint32_t)(i * EXECUTOR_LANES),
                   &e->times[i]);
}

// ---- orders -------------------------------------------------------------------------------------

// Sums the makespans of the order, which the executor holds. Returns false if they are clearly worse.
static bool sum_makespans(struct robust *e)
{
    struct executor_lanes_result result = {.starts = NULL};
    double sum = 0;
    for (int32_t i = 0; i < e->n_rows; i++) {
        if (e->options.rule != NULL)
            pull_run(e->pull, e->options.rule, &e->times[i], result.makespan);
        else
            executor_lanes_run(e->executor, e->lanes, &e->times[i], &result);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++)
            sum += result.makespan[lane];
        e->own_sums[i] = sum;
        if (e->has_best && sum > e->sums[i] * (1 + clearly_worse))
            return false;
    }
    return true;
}

// Prepares the order for the rule. Returns false if it does not suit.
static bool open_rule(struct robust *e, const struct order *order)
{
    if (e->options.rule == NULL)
        return true;
    if (pull_misfit(e->pipeline, order) != NULL)
        return false;
    pull_open(e->pull, e->pipeline, order);
    return true;
}

double robust_offer(struct robust *robust, const struct order *order, const struct family *from)
{
    struct robust *e = robust;
    struct metrics_excess excess;
    if (metrics_over_limit(e->pipeline, order, &excess) ||
        executor_run(e->executor, e->pipeline, order, NULL, e->poll) != EXECUTOR_DONE ||
        !open_rule(e, order) || !sum_makespans(e))
        return (double)INFINITY;
    const int32_t last = e->n_rows - 1;
    const double sum = e->own_sums[last];
    if (!e->has_best || sum < e->sums[last]) {
        double *sums = e->sums;
        e->sums = e->own_sums;
        e->own_sums = sums;
        e->has_best = true;
        e->from = from;
        order_copy(&e->best, order);
    }
    return sum / (e->n_rows * EXECUTOR_LANES);
}

const struct order *robust_best(const struct robust *robust, double *mean,
                                const struct family **from)
{
    if (!robust->has_best)
        return NULL;
    *mean = robust->sums[robust->n_rows - 1] / (robust->n_rows * EXECUTOR_LANES);
    *from = robust->from;
    return &robust->best;
}

// ---- families -----------------------------------------------------------------------------------

// Returns whether a family places the stages as the pipeline does.
static bool places_alike(struct robust *e, const struct family *family)
{
    const struct pipeline_shape *shape = &e->pipeline->shape;
    struct pipeline other = *e->pipeline;
    other.device_of = e->device_of;
    pipeline_place(&other, family->placement);
    return memcmp(other.device_of, e->pipeline->device_of,
                  (size_t)(shape->directions * shape->stages) * sizeof(int32_t)) == 0;
}

static void offer_family(struct robust *e, const struct family *family,
                         const struct family_options *options)
{
    struct room room = {e->scratch, 0};
    struct family_result result = {.value = 0};
    void *memory = family_take(family, &e->pipeline->shape, options, &room);
    const struct family_task task = {e->pipeline, options, memory, e->poll, &e->blank, &result};
    order_clear(&e->blank);
    if (family_build(family, &task) == FAMILY_DONE)
        (void)robust_offer(e, &e->blank, family);
}

static void offer_dispatch(struct robust *e)
{
    static const double thresholds[] = {0, 0.25, 0.5, 1, 2};
    static const double caps[][2] = {
        {(double)INFINITY, 0}, {1, 1}, {2, 1}, {1, 2}, {3, 1}, {2, 2}};
    if (e->pipeline->shape.directions != 1 || e->pipeline->shape.slices != 1)
        return;
    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++)
        for (size_t c = 0; c < sizeof caps / sizeof *caps; c++) {
            const struct greedy_rule rule = {.threshold = thresholds[t],
                                             .cap = caps[c][0],
                                             .slope = caps[c][1]};
            order_clear(&e->blank);
            if (greedy_build(e->greedy, e->pipeline, &rule, e->poll, &e->blank) == GREEDY_DONE)
                (void)robust_offer(e, &e->blank, NULL);
        }
}

void robust_offer_families(struct robust *robust)
{
    struct robust *e = robust;
    for (int i = 0; families[i] != NULL && !poll_has_ended(e->poll); i++) {
        const int settings = families[i]->kind == FAMILY_AUTOMATIC ? 4 : 1;
        if (!takes_part(families[i], &e->pipeline->shape) || !places_alike(e, families[i]))
            continue;
        for (int k = 0; k < settings; k++)
            offer_family(e, families[i],
                         &(struct family_options){.published = k % 2 == 1,
                                                  .objective = k / 2 == 1 ? FAMILY_SPAN
                                                                          : FAMILY_MAKESPAN});
    }
    offer_dispatch(e);
}

// ---- neighbours -----------------------------------------------------------------------------------

static int32_t draw(const struct robust *e, int64_t number, int32_t below)
{
    return (int32_t)(pps_random_bits(e->options.seed, (uint64_t)number, STREAM) %
                     (uint64_t)below);
}

// Moves operations of the draft: one by up to 4 positions, or the W's or F's of a window. Returns false if
// nothing moved.
static bool move(struct robust *e, int64_t trial)
{
    const struct order *order = &e->draft->order;
    const int64_t first = trial * 8;
    const int32_t d = draw(e, first, order->devices), n = order->n[d],
                  kind = draw(e, first + 1, 4), by = draw(e, first + 2, 2) == 0 ? -1 : 1;
    if (n < 2)
        return false;
    const int32_t from = draw(e, first + 3, n), length = 1 + draw(e, first + 4, n - from),
                  to = from + by * (1 + draw(e, first + 5, 4));
    if (kind == 2)
        return draft_shift_w(e->draft, d, from, from + length, by);
    if (kind == 3)
        return draft_shift_f(e->draft, d, from, from + length, by);
    return to >= 0 && to < n && draft_shift(e->draft, d, from, to);
}

void robust_improve(struct robust *robust)
{
    struct robust *e = robust;
    if (!e->has_best)
        return;
    draft_open(e->draft, e->pipeline);
    if (!draft_set(e->draft, &e->best))
        return;
    for (int64_t trial = 0; trial < e->options.budget && !poll_over_after(e->poll, 4096);
         trial++) {
        if (!move(e, trial))
            continue;
        const double mean = robust_offer(e, &e->draft->order, e->from),
                     best = e->sums[e->n_rows - 1] / (e->n_rows * EXECUTOR_LANES),
                     left = 1 - (double)trial / (double)e->options.budget;
        if (!(mean <= best * (1 + deviation * left)))
            draft_undo(e->draft);
    }
}
