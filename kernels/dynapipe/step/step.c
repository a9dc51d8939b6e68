// SPDX-License-Identifier: Apache-2.0
// Plans steps: division, deal, plans.
#include "kernels/dynapipe/step/step.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12 }; // divisions of a batch at most

int32_t step_setup_open(struct step_setup *s)
{
    const struct network_stages *stages = s->stages;
    int32_t over = -1;
    if (s->fixed != NULL)
        memcpy(s->state, s->fixed, (size_t)stages->devices * sizeof *s->state);
    else
        network_state(s->network, stages, s->tables, cost_state_factor(s->zero, s->replicas),
                      s->state);
    for (int32_t d = stages->devices - 1; d >= 0; d--) {
        s->limits[d] = s->limit;
        over = plan_fits(s->state[d], s->limit) ? over : d;
    }
    for (int32_t k = 0; k < stages->stages; k++)
        s->tensors[k] = network_tensors(s->network, stages, k);
    s->pipeline = (struct dynapipe_pipeline){stages->devices, stages->stages, stages->device_of,
                                             s->state, s->limits};
    s->split = (struct split_pipeline){.devices = stages->devices,
                                       .chunks = stages->chunks,
                                       .layers = stages->layers,
                                       .replicas = s->replicas,
                                       .has_decoder = s->network->decoders > 0};
    return over;
}

// ---- division -------------------------------------------------------------------------------------

struct step_division {
    struct split_memory *memory;
    struct split_dealer *dealer;
    int32_t *replica;
    double *times;
    struct split_result split;
    struct split_deal deal;
};

struct step_division *step_division_take(const struct step_setup *setup, int32_t samples,
                                         bool packs, struct room *room)
{
    struct step_division *taken = room_take(room, 1, sizeof *taken), counted;
    struct step_division *d = taken != NULL ? taken : &counted;
    const int32_t n = samples > 0 ? samples : 1,
                  rows =
                      (int32_t)
                          setup->tables->axis[COST_ROWS][setup->tables->nodes[COST_ROWS] - 1];
    d->memory = split_memory_take(n, packs || rows > n ? n : rows, room);
    d->dealer = split_dealer_take(n, setup->replicas, room);
    d->replica = room_take(room, (size_t)n, sizeof *d->replica);
    d->times = room_take(room, (size_t)n, sizeof *d->times);
    return taken;
}

// Returns the state beside which the micro-batches of the division must fit.
static double state_of_division(const struct step_setup *setup)
{
    const double factor = cost_state_factor(setup->zero, setup->replicas);
    const struct split_state state = {factor * setup->tables->embedding,
                                      factor * setup->tables->encoder,
                                      factor * setup->tables->decoder};
    double largest = 0;
    if (setup->fixed == NULL)
        return split_state_of_first_device(&setup->split, &state);
    for (int32_t d = 0; d < setup->pipeline.devices; d++)
        largest = fmax(largest, setup->state[d]);
    return largest;
}

static struct split_task task_of(const struct step_setup *setup,
                                 const struct step_choice *choice,
                                 const struct split_samples *samples)
{
    struct split_task task = {
        .samples = samples,
        .pipeline = setup->split,
        .costs = {cost_tables_layer, setup->tables},
        .available = setup->limit - state_of_division(setup),
        .fraction = choice->fraction,
        .pack = choice->pack,
        .order = choice->order,
        .measure = choice->measure,
    };
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        task.is_barred[type] =
            !setup->tables->has[type] || (type == DYNAPIPE_KEEP && choice->recomputes);
    return task;
}

bool step_caution_grow(struct step_caution *caution, double lacks)
{
    caution->withheld += lacks * (1 + 0.1 * caution->round) + 1e-3;
    return ++caution->round < ROUNDS;
}

enum split_outcome step_divide(struct step_division *d, const struct step_setup *setup,
                               const struct step_choice *choice,
                               const struct split_samples *samples, struct step_caution caution,
                               struct poll *poll)
{
    struct split_task task = task_of(setup, choice, samples);
    task.available -= caution.withheld;
    d->deal = (struct split_deal){.replica = d->replica, .is_proven = true};
    d->split = (struct split_result){.count = 0};
    if (samples->count == 0)
        return SPLIT_FOUND;
    const enum split_outcome outcome =
        samples->rows != NULL ? split_as_given(d->memory, &task, &d->split)
        : choice->rule == STEP_TOKENS
            ? split_by_tokens(d->memory, &task, choice->rule_size, &d->split)
        : choice->rule == STEP_UNIFORM
            ? split_uniformly(d->memory, &task, (int32_t)choice->rule_size, &d->split)
            : split_run(d->memory, &task, poll, &d->split);
    if (outcome != SPLIT_FOUND)
        return outcome;
    for (int32_t g = 0; g < d->split.count; g++)
        d->times[g] = d->split.groups[g].time;
    return split_deal(d->dealer, d->times, d->split.count, setup->replicas, poll, &d->deal)
               ? SPLIT_FOUND
               : SPLIT_STOPPED;
}

int32_t step_count_of(const struct step_division *division, int32_t replica)
{
    int32_t n = 0;
    for (int32_t g = 0; g < division->split.count; g++)
        n += division->replica[g] == replica;
    return n;
}

struct step_divided step_divided(const struct step_division *division)
{
    struct step_divided divided = {&division->split, division->replica, 0,
                                   division->deal.is_proven};
    for (int32_t g = 0; g < division->split.count; g++) {
        const int32_t n = step_count_of(division, division->replica[g]);
        divided.most = n > divided.most ? n : divided.most;
    }
    return divided;
}

// ---- replicas -------------------------------------------------------------------------------------

void step_replica_take(struct step_replica *r, const struct plan_size *size, struct room *room)
{
    r->count = size->count;
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        micro_batches_take(&r->of[type], size->count, size->stages, room);
    r->group = room_take(room, (size_t)size->count, sizeof *r->group);
    r->search = plan_search_take(size, room);
}

enum plan_outcome step_plan_filled(struct step_replica *r, const struct step_setup *setup,
                                   const struct step_choice *choice,
                                   const bool has[DYNAPIPE_RECOMPUTE_TYPES],
                                   enum dynapipe_recompute start, struct poll *poll)
{
    struct plan_request request = {
        .task = {.pipeline = &setup->pipeline,
                 .keeps_order = choice->keeps_order,
                 .budget = choice->budget,
                 .seed = choice->seed},
        .mode = choice->mode,
        .method = choice->method,
        .start = start,
        .as_published = choice->as_published,
    };
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        request.task.of[type] = has[type] ? &r->of[type] : NULL;
    r->task = request.task;
    r->outcome = plan_search_run(r->search, &request, poll, &r->answer);
    return r->outcome;
}

static bool fill(const struct step_setup *setup, const struct step_choice *choice,
                 enum dynapipe_recompute type, const struct network_shape *shape, int32_t m,
                 struct micro_batches *batches)
{
    if (setup->fill.fill != NULL)
        return setup->fill.fill(setup->fill.self, type, shape, m, batches);
    return network_fill(setup->network, setup->stages, setup->links, setup->tables, type,
                        choice->as_published, shape, m, batches);
}

enum plan_outcome step_plan(struct step_replica *r, const struct step_setup *setup,
                            const struct step_choice *choice,
                            const struct step_division *division, int32_t k, struct poll *poll)
{
    bool has[DYNAPIPE_RECOMPUTE_TYPES];
    memcpy(has, setup->tables->has, sizeof has);
    int32_t m = 0;
    for (int32_t g = 0; g < division->split.count; g++) {
        const struct split_group *group = &division->split.groups[g];
        const struct network_shape shape = {group->rows, group->input, group->target};
        if (division->replica[g] != k)
            continue;
        // A type that lacks a micro-batch is not used for any.
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
            has[type] = has[type] && fill(setup, choice, (enum dynapipe_recompute)type, &shape,
                                          m, &r->of[type]);
        r->group[m++] = g;
    }
    if (!has[DYNAPIPE_KEEP])
        return r->outcome = PLAN_NO_SCHEDULE;
    return step_plan_filled(r, setup, choice, has, division->split.recompute, poll);
}
