// SPDX-License-Identifier: Apache-2.0
// The portfolio: the best order of all families at the limits of the pipeline, improved by local search.
//
// A family may need another placement than the pipeline has. With options->set_work, each family gets a
// pipeline of its own placement and chunks with the work that it says. Without it, if all stages of the
// pipeline are equal, each family gets a pipeline with the same work on every device: a device with c chunks
// has 1 / c of the device's time and memory in each of them. Otherwise, only families of the placement of
// the pipeline take part.
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/search/contest.h"
#include "kernels/schedule/search/search_families.h"

#include <math.h>
#include <string.h>

// The improvement of the best order gets this part of the budget. Each search of the catalogue gets the
// whole budget, as it has when it runs alone: so the portfolio is never worse than any of them.
enum { SHARE = 4 };

struct best_memory {
    char *scratch; // of one family at a time
    size_t scratch_bytes;
    char *kept_bytes;     // of `kept`
    struct pipeline kept; // of the best order
};

// A family with its pipeline.
struct candidate {
    const struct family *family;
    int32_t
        v; // chunks that the family is asked for: 1 (as it needs), or those of the portfolio
    struct pipeline_shape shape;
    struct pipeline pipeline;
    struct order order;
    struct room shared; // memory of the family, then of the executor
};

static int32_t operations_of(const struct pipeline_shape *shape)
{
    return 3 * shape->directions * (shape->stages / shape->devices) * shape->micro_batches;
}

// Returns the next v that gives a family another number of chunks; 0: there is none.
static int32_t next_v(const struct candidate *c, const struct pipeline_shape *shape)
{
    const int32_t most = shape->stages / shape->devices;
    return c->v < most && c->family->chunks(c->v) != c->family->chunks(most) ? most : 0;
}

// Sets the shape of a family at this shape of the portfolio. Returns whether it is not too large.
static bool set_shape(struct candidate *c, const struct pipeline_shape *shape)
{
    const int32_t chunks = c->family->chunks(c->v);
    c->shape = (struct pipeline_shape){shape->devices, shape->devices * chunks,
                                       shape->micro_batches, 1, c->family->directions};
    return c->family != &family_best && chunks > 0 && c->shape.stages <= PIPELINE_STAGES_MAX &&
           operations_of(&c->shape) <= operations_of(shape) &&
           family_is_in_reach(c->family, &c->shape);
}

// Returns whether a family takes part at this shape of the portfolio, and its shape.
static bool fits(struct candidate *c, const struct pipeline_shape *shape,
                 const struct family_options *options)
{
    return set_shape(c, shape) && c->family->misfit(&c->shape, options) == NULL &&
           !(options->one_direction && c->shape.directions == 2);
}

static void *take_family(const struct candidate *c, const struct family_options *options,
                         struct room room)
{
    return family_take(c->family, &c->shape, options, &room);
}

static struct executor *take_executor(const struct candidate *c, struct room room)
{
    return executor_take(&c->shape, c->order.room, &room);
}

static void take_candidate(struct candidate *c, const struct family_options *options,
                           struct room *room)
{
    pipeline_take(&c->pipeline, &c->shape, room);
    order_take(&c->order, c->shape.devices, operations_of(&c->shape), room);
    c->shared = *room;
    struct room family = {NULL, room->used}, executor = {NULL, room->used};
    (void)family_take(c->family, &c->shape, options, &family);
    (void)executor_take(&c->shape, c->order.room, &executor);
    room->used = family.used > executor.used ? family.used : executor.used;
}

// ---- memory -------------------------------------------------------------------------------------

static void *best_take(const struct pipeline_shape *shape, const struct family_options *options,
                       struct room *room)
{
    struct best_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct best_memory *m = memory != NULL ? memory : &counted;
    const struct family_options own = family_unpublished(options);
    size_t scratch = 0, kept = 0;
    for (int i = 0; families[i] != NULL; i++) {
        struct candidate c = {.family = families[i]};
        for (c.v = 1; c.v > 0; c.v = next_v(&c, shape)) {
            struct room build = {NULL, 0}, pipeline = {NULL, 0}, improve = {NULL, 0};
            if (!set_shape(&c, shape)) // a misfit may fit with fewer devices
                continue;
            take_candidate(&c, &own, &build);
            pipeline_take(&c.pipeline, &c.shape, &pipeline);
            (void)contest_take(&c.shape, operations_of(&c.shape), &improve);
            scratch = build.used > scratch ? build.used : scratch;
            scratch = improve.used > scratch ? improve.used : scratch;
            kept = pipeline.used > kept ? pipeline.used : kept;
        }
    }
    m->scratch = room_take(room, scratch, 1);
    m->scratch_bytes = scratch;
    m->kept_bytes = room_take(room, kept, 1);
    return memory;
}

// ---- pipelines ----------------------------------------------------------------------------------

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool is_uniform(const struct pipeline *p)
{
    if (p->links.latencies != NULL || p->links.bandwidths != NULL)
        return false;
    for (int32_t s = 1; s < p->shape.stages; s++) {
        const struct pipeline_stage *a = &p->stage[0], *b = &p->stage[s];
        if (a->f != b->f || a->b != b->b || a->w != b->w || a->r != b->r ||
            a->kept_until_b != b->kept_until_b || a->kept_until_w != b->kept_until_w ||
            a->forward_bytes != b->forward_bytes || a->backward_bytes != b->backward_bytes)
            return false;
    }
    for (int32_t d = 1; d < p->shape.devices; d++)
        if (p->fixed[d] != p->fixed[0] || p->limit[d] != p->limit[0] ||
            !same_number(p->pair[d], p->pair[0]))
            return false;
    return true;
}

// Sets a pipeline that has been taken. Returns false if its placement differs from that of a pipeline
// whose stages differ, and nothing says what they cost in another placement.
static bool set_pipeline(struct pipeline *own, const struct pipeline *given,
                         enum pipeline_placement placement,
                         const struct family_options *options)
{
    const double part = (double)given->shape.stages / own->shape.stages;
    const size_t devices = (size_t)given->shape.devices;
    struct pipeline_stage stage = given->stage[0];
    pipeline_place(own, placement);
    own->links = given->links;
    if (options->set_work != NULL)
        options->set_work(options->work, own);
    memcpy(own->limit, given->limit, devices * sizeof *own->limit);
    if (options->set_work != NULL)
        return true;
    memcpy(own->fixed, given->fixed, devices * sizeof *own->fixed);
    memcpy(own->pair, given->pair, devices * sizeof *own->pair);
    if (!is_uniform(given)) {
        const size_t n = (size_t)given->shape.stages;
        if (own->shape.stages != given->shape.stages || own->shape.directions != 1 ||
            memcmp(own->device_of, given->device_of, n * sizeof *own->device_of) != 0)
            return false;
        memcpy(own->stage, given->stage, n * sizeof *own->stage);
        return true;
    }
    stage.f *= part;
    stage.b *= part;
    stage.w *= part;
    stage.r *= part;
    stage.kept_until_b *= part;
    stage.kept_until_w *= part;
    pipeline_set_uniform(own, &stage);
    for (size_t d = 0; d < devices; d++)
        own->pair[d] *= part;
    return true;
}

// ---- the contest --------------------------------------------------------------------------------

// A lower bound for all orders of a pipeline.
struct pipeline_bound {
    enum pipeline_placement placement;
    int32_t stages;
    double bound;
    bool is_value; // of one family's order alone
};

enum { BOUNDS_MOST = 64 }; // families at most that a bound is noted of

struct best_run {
    const struct pipeline *given;
    const struct family_options *options;
    struct best_memory *memory;
    struct poll *poll;
    struct order *order;
    struct family_result *result; // chosen NULL: no order yet
    int32_t chosen_v;
    int n_bounds;
    struct pipeline_bound bounds[BOUNDS_MOST];
};

static double objective_of(const struct executor *executor,
                           const struct family_options *options)
{
    return options->objective == FAMILY_SPAN ? executor_span(executor)
                                             : executor_makespan(executor);
}

// No search takes part in placements of two directions: the portfolio knows the orders of the families
// there and no other, so their values are the bound.
static bool has_one_order(const struct candidate *c)
{
    return c->shape.directions == 2;
}

// bound: proven by the family; 0: none.
static void note_bound(struct best_run *run, const struct candidate *c, double bound)
{
    const double own = contest_bound(&c->pipeline, run->options->objective);
    if (run->n_bounds < BOUNDS_MOST)
        run->bounds[run->n_bounds++] = (struct pipeline_bound){
            c->family->placement, c->shape.stages, bound > own ? bound : own, has_one_order(c)};
}

static bool is_shape(const struct pipeline_shape *a, const struct pipeline_shape *b)
{
    return a->devices == b->devices && a->stages == b->stages &&
           a->micro_batches == b->micro_batches && a->directions == b->directions;
}

// Makes the order of a candidate, unless it is known.
static enum family_status build(const struct best_run *run, struct candidate *c,
                                struct family_result *found)
{
    for (int i = 0; i < run->options->n_known; i++) {
        const struct family_known *known = &run->options->known[i];
        if (known->family != c->family || !is_shape(&known->shape, &c->shape))
            continue;
        order_copy(&c->order, known->order);
        *found = known->result;
        return FAMILY_DONE;
    }
    const struct family_task task = {
        &c->pipeline, run->options, take_family(c, run->options, c->shared),
        run->poll,    &c->order,    found};
    return family_build(c->family, &task);
}

// Builds the order of one family; keeps it if it is better. Returns false if the poll ended the run.
static bool try_family(struct best_run *run, const struct family *family, int32_t v)
{
    struct candidate c = {.family = family, .v = v};
    struct room room = {run->memory->scratch, 0}, count = {NULL, 0};
    struct family_result found = {.value = 0};
    struct metrics_excess excess;
    if (!fits(&c, &run->given->shape, run->options))
        return true;
    take_candidate(&c, run->options, &count);
    if (count.used > run->memory->scratch_bytes)
        return true; // a larger budget than that of best_take
    take_candidate(&c, run->options, &room);
    if (!set_pipeline(&c.pipeline, run->given, family->placement, run->options))
        return true;
    const enum family_status status = build(run, &c, &found);
    run->result->evaluations += found.evaluations + 1;
    if (!has_one_order(&c))
        note_bound(run, &c, found.bound);
    if (status == FAMILY_STOPPED)
        return false;
    if (status != FAMILY_DONE)
        return true;
    struct executor *executor = take_executor(&c, c.shared);
    const enum executor_status executed =
        executor_run(executor, &c.pipeline, &c.order, NULL, run->poll);
    if (executed != EXECUTOR_DONE || metrics_over_limit(&c.pipeline, &c.order, &excess))
        return executed != EXECUTOR_STOPPED;
    const double value = objective_of(executor, run->options);
    if (has_one_order(&c))
        note_bound(run, &c, value);
    if (run->result->chosen == NULL || value < run->result->value) {
        run->result->value = value;
        run->result->chosen = family;
        run->chosen_v = v;
        order_copy(run->order, &c.order);
    }
    return true;
}

// Improves the best order on the pipeline of its family, and sets the bound of that pipeline.
static enum family_status improve(const struct best_run *run, double *own_bound)
{
    struct best_memory *m = run->memory;
    struct room room = {m->scratch, 0}, kept = {m->kept_bytes, 0};
    struct candidate c = {.family = run->result->chosen, .v = run->chosen_v};
    struct family_result found = {.value = 0};
    (void)fits(&c, &run->given->shape, run->options);
    pipeline_take(&m->kept, &c.shape, &kept);
    (void)set_pipeline(&m->kept, run->given, c.family->placement, run->options);
    *own_bound = contest_bound(&m->kept, run->options->objective);
    struct contest *contest = contest_take(&c.shape, operations_of(&c.shape), &room);
    struct family_options share = *run->options;
    share.budget = (share.budget > 0 ? share.budget : SEARCH_BUDGET) / SHARE + 1;
    contest_open(contest, &m->kept, &share, run->poll);
    order_copy(contest_blank(contest), run->order);
    (void)contest_offer(contest, c.family);
    contest_improve(contest);
    const enum family_status status = contest_finish(contest, run->order, &found);
    run->result->evaluations += found.evaluations;
    run->result->value = found.value;
    run->result->pipeline = &m->kept;
    return status;
}

// Returns the bound of all families that take part: the least bound of their pipelines. Where a search
// has proven a higher bound for its pipeline, that one counts.
static double bound_of(const struct best_run *run)
{
    double least = (double)INFINITY;
    for (int i = 0; i < run->n_bounds; i++) {
        const struct pipeline_bound *of = &run->bounds[i];
        double most = 0;
        for (int k = 0; k < run->n_bounds; k++) {
            const struct pipeline_bound *other = &run->bounds[k];
            const bool same = other == of || (!of->is_value && !other->is_value &&
                                              other->placement == of->placement &&
                                              other->stages == of->stages);
            if (same && other->bound > most)
                most = other->bound;
        }
        least = most < least ? most : least;
    }
    return least;
}

static enum family_status best_build(const struct family_task *task)
{
    const struct family_options own = family_unpublished(task->options);
    struct best_run run = {.given = task->pipeline,
                           .options = &own,
                           .memory = task->memory,
                           .poll = task->poll,
                           .order = task->order,
                           .result = task->result};
    *task->result = (struct family_result){.chosen = NULL};
    for (int i = 0; families[i] != NULL; i++) {
        struct candidate c = {.family = families[i]};
        for (c.v = 1; c.v > 0; c.v = next_v(&c, &task->pipeline->shape))
            if (!try_family(&run, families[i], c.v))
                return FAMILY_STOPPED;
    }
    if (task->result->chosen == NULL)
        return FAMILY_NO_ROOM;
    double own_bound = 0;
    const enum family_status status = improve(&run, &own_bound);
    task->result->bound = bound_of(&run);
    if (task->result->chosen->directions == 2 && own_bound < task->result->bound)
        task->result->bound = own_bound; // the search took part there
    task->result->proven = contest_reaches(task->result->value, task->result->bound);
    return status;
}

static const char *best_misfit(const struct pipeline_shape *shape,
                               const struct family_options *options)
{
    (void)options;
    if (shape->slices != 1)
        return "has no order for slices of micro-batches";
    if (shape->directions != 1)
        return "has no order for two directions";
    return shape->stages % shape->devices == 0
               ? NULL
               : "needs the same number of stages on every device";
}

// Two chunks at least, so that the order has room for every family.
static int32_t best_chunks(int32_t v)
{
    return v > 2 ? v : 2;
}

const struct family family_best = {
    .name = "best",
    .summary = "the best of all families at the limit and objective, improved by local search",
    .source = "a portfolio",
    .kind = FAMILY_SEARCH,
    .uses = FAMILY_USES_GROUP | FAMILY_USES_DESCENDING | FAMILY_USES_SEED | FAMILY_USES_BUDGET |
            FAMILY_USES_PAIR,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = best_misfit,
    .chunks = best_chunks,
    .take = best_take,
    .build = best_build,
};
