// SPDX-License-Identifier: Apache-2.0
// Evaluates one point: divides its batch, plans the micro-batches, and fills the figures of its row.
#include "kernels/dynapipe/point.h"

#include <math.h>
#include <string.h>

enum {
    NO_TABLES = 1,
    NO_BATCH,
    FEW_LAYERS,
    OTHER_LAYERS,
    NO_METHOD,
    NO_TARGET,
    MANY_STAGES,
    NO_TYPES,
    OTHER_PLAN,
};

enum { LAYERS_OF_STAGE = 4 }; // of a generated network by default

const char *const dynapipe_reasons[] = {
    "",
    [NO_TABLES] = "the cost tables have no tables of this tensor-parallel degree (tp)",
    [NO_BATCH] = "there are fewer batches",
    [FEW_LAYERS] = "fewer layers than devices x chunks",
    [OTHER_LAYERS] = "devices x chunks x layers_per_stage are not the layers of the network",
    [NO_METHOD] =
        "the method needs another assignment: 1F1B and free-warm-up one chunk, interleaved-1F1B "
        "several",
    [NO_TARGET] = "samples and network do not belong together: target lengths and a decoder",
    [MANY_STAGES] = "more than 4096 stages or layers",
    [NO_TYPES] = "the cost tables have a decoder, but the network has none, or the reverse",
    [OTHER_PLAN] = "microbatches, devices, chunks and dp are not those of the plan",
    NULL,
};

static const struct network_links usual_links = {8, 4800, 200, 10, 20};

// ---- points ---------------------------------------------------------------------------------------

static struct step_choice choice_of(const double *value)
{
    return (struct step_choice){
        .order = (enum split_order)value[P_ORDER],
        .fraction = value[P_FRACTION],
        .pack = value[P_PACKING] != 0,
        .keeps_order = value[P_PERMUTE] == 0,
        .mode = (enum plan_mode)value[P_MODE],
        .method = (int)value[P_METHOD] - 1,
        .budget = (int64_t)value[P_BUDGET],
        .seed = (uint64_t)value[P_SEED],
        .as_published = value[P_COMPAT] != 0,
    };
}

static const struct batch *batch_of(const struct dynapipe_shared *shared, const double *value)
{
    if (shared->n_batches == 0)
        return NULL;
    const struct shared_batches *batches = &shared->batches[(int)value[P_BATCHES]];
    return value[P_BATCH] < batches->n ? &batches->list[(int32_t)value[P_BATCH]] : NULL;
}

static int check_batch(const struct dynapipe_shared *shared, const double *value)
{
    const struct shared_costs *costs = &shared->costs[(int)value[P_COSTS]];
    const struct cost_tables *tables = shared_tables(costs, (int32_t)value[P_TP]);
    const struct batch *batch = batch_of(shared, value);
    const bool decoder = costs->network.decoders > 0;
    if (tables == NULL)
        return NO_TABLES;
    if (tables->has_decoder != decoder)
        return NO_TYPES;
    if (batch == NULL)
        return NO_BATCH;
    for (int32_t i = 0; i < batch->count; i++)
        if ((batch->target[i] >= 0) != decoder)
            return NO_TARGET;
    return 0;
}

// Returns the layers of the network of a point.
static double layers_of(const struct dynapipe_shared *shared, const double *value)
{
    const double per_stage =
        value[P_LAYERS_PER_STAGE] > 0 ? value[P_LAYERS_PER_STAGE] : LAYERS_OF_STAGE;
    if (shared->n_batches == 0)
        return value[P_DEVICES] * value[P_CHUNKS] * per_stage;
    const struct network *network = &shared->costs[(int)value[P_COSTS]].network;
    return network->encoders + network->decoders;
}

static int check_plan(const struct shared_plan *plan, const double *value, int method)
{
    double set[4];
    const struct dynapipe_shared one = {.plans = (struct shared_plan *)(uintptr_t)plan};
    dynapipe_values(&one, SLOT_PLAN, 0, set);
    if (set[0] != value[P_MICRO_BATCHES] || set[1] != value[P_DEVICES] ||
        set[2] != value[P_CHUNKS] || set[3] != value[P_DP])
        return OTHER_PLAN;
    return method < 0 || plan_method_allows(method, assignment_of(&plan->pipeline->pipeline))
               ? 0
               : NO_METHOD;
}

int dynapipe_check(const double *value, const void *of)
{
    const struct dynapipe_shared *shared = of;
    const int method = (int)value[P_METHOD] - 1;
    const double stages = value[P_DEVICES] * value[P_CHUNKS];
    const int wrong = shared->n_batches > 0 ? check_batch(shared, value) : 0;
    if (wrong != 0)
        return wrong;
    if (shared->n_plans > 0)
        return check_plan(&shared->plans[(int)value[P_PLAN]], value, method);
    const double layers = layers_of(shared, value);
    if (stages > DYNAPIPE_STAGES_MAX || layers > NETWORK_LAYERS_MAX)
        return MANY_STAGES;
    if (layers < stages)
        return FEW_LAYERS;
    if (value[P_LAYERS_PER_STAGE] > 0 && layers != stages * value[P_LAYERS_PER_STAGE])
        return OTHER_LAYERS;
    const bool linear = value[P_CHUNKS] == 1 || value[P_DEVICES] == 1;
    if (((method == METHOD_1F1B || method == PLAN_FREE_WARM_UPS) && !linear) ||
        (method == METHOD_INTERLEAVED && linear))
        return NO_METHOD;
    return 0;
}

static void set_network(struct dynapipe_point *p, const double *value,
                        const struct dynapipe_shared *shared)
{
    const struct shared_cluster *cluster =
        shared->n_clusters > 0 ? &shared->clusters[(int)value[P_CLUSTER]] : NULL;
    const int32_t tp = (int32_t)value[P_TP];
    p->links = cluster != NULL ? cluster->links : usual_links;
    if (cluster != NULL && cluster->counts_devices)
        p->links.node_devices = p->links.node_devices > tp ? p->links.node_devices / tp : 1;
    p->setup.limit = value[P_MEMORY] > 0 ? value[P_MEMORY]
                     : cluster != NULL   ? cluster->memory
                                         : (double)INFINITY;
    if (p->batch == NULL) {
        p->network = (struct network){(int32_t)layers_of(shared, value), 0, 1, 2};
        p->setup.tables = &p->none;
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
            p->none.has[type] = true;
    } else {
        struct shared_costs *costs = &shared->costs[(int)value[P_COSTS]];
        p->network = costs->network;
        p->setup.tables = shared_tables(costs, tp);
    }
}

// Takes the pipeline of a plan, whose stages are planned as they are.
static void set_plan(struct dynapipe_point *p, const double *value)
{
    const struct plan_pipeline *from = p->plan->pipeline;
    const int32_t devices = from->pipeline.devices, stages = from->pipeline.stages;
    p->network = (struct network){stages, 0, from->hidden, 2};
    p->stages.devices = devices;
    p->stages.stages = stages;
    p->stages.chunks = from->widest;
    p->stages.layers = 1;
    memcpy(p->stages.device_of, from->device_of, (size_t)stages * sizeof *from->device_of);
    memcpy(p->stages.first_layer, from->first_layer,
           ((size_t)stages + 1) * sizeof *from->first_layer);
    memcpy(p->setup.tensors, from->tensors, (size_t)stages * sizeof *from->tensors);
    p->setup.limit = value[P_MEMORY] > 0 ? value[P_MEMORY] : from->limit[0];
    p->setup.pipeline = (struct dynapipe_pipeline){devices, stages, p->stages.device_of,
                                                   p->setup.state, p->setup.limits};
    p->over = -1;
    for (int32_t d = devices - 1; d >= 0; d--) {
        p->setup.state[d] = from->state[d];
        p->setup.limits[d] = p->setup.limit;
        p->over = plan_fits(from->state[d], p->setup.limit) ? p->over : d;
    }
}

static void set_point(struct dynapipe_point *p, const double *value,
                      const struct dynapipe_shared *shared)
{
    int32_t device[NETWORK_LAYERS_MAX];
    char text[256];
    memset(p, 0, sizeof *p);
    p->batch = batch_of(shared, value);
    p->micro_batches = (int32_t)value[P_MICRO_BATCHES];
    p->distribution = (int)value[P_DISTRIBUTION];
    p->spread = value[P_SPREAD];
    p->comm_ratio = value[P_COMM_RATIO];
    p->seed = (uint64_t)value[P_SEED];
    p->choice = choice_of(value);
    p->setup.network = &p->network;
    p->setup.stages = &p->stages;
    p->setup.links = &p->links;
    p->setup.replicas = (int32_t)value[P_DP];
    p->setup.zero = (int32_t)value[P_ZERO];
    p->plan = shared->n_plans > 0 ? &shared->plans[(int)value[P_PLAN]] : NULL;
    if (p->plan != NULL) {
        set_plan(p, value);
        return;
    }
    set_network(p, value, shared);
    network_spread(&p->network, (int32_t)value[P_DEVICES], (int32_t)value[P_CHUNKS], device,
                   text, sizeof text);
    network_assign(&p->network, device, &p->stages, text, sizeof text);
    p->over = step_setup_open(&p->setup);
    if (p->batch != NULL)
        p->samples = batch_samples(p->batch, p->network.decoders > 0, 0);
}

// ---- scratch --------------------------------------------------------------------------------------

// Returns the most micro-batches of a replica of a point.
static int32_t most_of(const double *value, const struct dynapipe_shared *shared)
{
    int32_t most = (int32_t)value[P_MICRO_BATCHES];
    for (int k = 0; k < shared->n_batches; k++)
        most = k == 0 || shared->batches[k].most > most ? shared->batches[k].most : most;
    return most > 0 ? most : 1;
}

static void take(struct dynapipe_scratch *s, const double *value,
                 const struct dynapipe_shared *shared, struct room *room)
{
    const int32_t most = most_of(value, shared);
    s->point = room_take(room, 1, sizeof *s->point);
    s->order = room_take(room, (size_t)most, sizeof *s->order);
    s->size = room_take(room, (size_t)most, sizeof *s->size);
}

size_t dynapipe_scratch_bytes(const double *highest, const void *of)
{
    const struct dynapipe_shared *shared = of;
    const int32_t most = most_of(highest, shared), chunks = (int32_t)highest[P_CHUNKS];
    const double stages = fmin(highest[P_DEVICES] * highest[P_CHUNKS], DYNAPIPE_STAGES_MAX);
    struct dynapipe_scratch scratch;
    struct step_replica replica;
    struct room room = {NULL, 0};
    take(&scratch, highest, shared, &room);
    for (int c = 0; c < shared->n_costs && shared->n_batches > 0; c++)
        for (int t = 0; t < shared->costs[c].n; t++) {
            const struct step_setup setup = {.tables = &shared->costs[c].tables[t],
                                             .replicas = (int32_t)highest[P_DP]};
            step_division_take(&setup, most, highest[P_PACKING] != 0, &room);
        }
    const struct plan_size size = {(int32_t)highest[P_DEVICES], (int32_t)stages, chunks, most};
    step_replica_take(&replica, &size, &room);
    return room.used;
}

void dynapipe_scratch_open(struct dynapipe_scratch *s, const double *value,
                           const struct pps_worker *worker)
{
    const struct dynapipe_shared *shared = worker->shared;
    struct room room = {worker->scratch, 0};
    take(s, value, shared, &room);
    set_point(s->point, value, shared);
    s->division = s->point->batch == NULL
                      ? NULL
                      : step_division_take(&s->point->setup, s->point->batch->count,
                                           s->point->choice.pack, &room);
    s->replica = room;
}

// An evaluation takes about 16 ns for each micro-batch and stage of linear pipelines.
double dynapipe_cost(const double *value, const void *of)
{
    const struct dynapipe_shared *shared = of;
    const double n = shared->n_batches > 0 ? most_of(value, shared) / value[P_DP] / 2
                                           : value[P_MICRO_BATCHES],
                 cells = n * value[P_DEVICES] * value[P_CHUNKS],
                 budget = value[P_BUDGET] > 0 ? value[P_BUDGET]
                          : value[P_MODE] == PLAN_BEST || value[P_MODE] == PLAN_QUICK
                              ? (double)plan_budget((enum plan_mode)value[P_MODE], n,
                                                    value[P_DEVICES] * value[P_CHUNKS])
                              : 500;
    return 1e5 + value[P_DP] * budget * cells * (value[P_CHUNKS] > 1 ? 60 : 16);
}

// The work of a device, if sizes are drawn: their mean is 1, and recomputation only adds to it.
double dynapipe_lower_bound(const double *value, const void *of)
{
    const struct dynapipe_shared *shared = of;
    if (shared->n_batches > 0 || shared->n_plans > 0)
        return 0;
    return layers_of(shared, value) / value[P_DEVICES] * value[P_MICRO_BATCHES] * 12 *
           (1 - 1e-9);
}

// Divides the samples, if there are any. PPS_DONE, PPS_INFEASIBLE or PPS_STOPPED; *needs: MB.
static enum pps_outcome dynapipe_divide(struct dynapipe_scratch *s, struct step_caution caution,
                                        struct poll *poll, double *needs)
{
    const struct dynapipe_point *p = s->point;
    *needs = (double)NAN;
    if (p->batch == NULL)
        return PPS_DONE;
    const enum split_outcome outcome =
        step_divide(s->division, &p->setup, &p->choice, &p->samples, caution, poll);
    if (outcome == SPLIT_STOPPED)
        return PPS_STOPPED;
    if (outcome == SPLIT_FOUND)
        return PPS_DONE;
    const struct split_lack *lack = &step_divided(s->division).split->lack;
    if (lack->sample >= 0 && !lack->is_outside)
        *needs = p->setup.state[0] + lack->needed;
    return PPS_INFEASIBLE;
}

int32_t dynapipe_count(const struct dynapipe_scratch *s, int32_t replica)
{
    if (s->point->plan != NULL)
        return s->point->plan->replicas[replica].count;
    return s->point->batch == NULL ? s->point->micro_batches
                                   : step_count_of(s->division, replica);
}

static void copy_tables(const struct micro_batches *from, struct micro_batches *to)
{
    for (int64_t at = 0; at < (int64_t)from->count * from->stages; at++)
        micro_batches_copy(to, at, from, from, at);
}

enum plan_outcome dynapipe_plan(struct dynapipe_scratch *s, int32_t k, struct room room,
                                struct step_replica *replica, struct poll *poll)
{
    const struct dynapipe_point *p = s->point;
    const struct plan_size size = plan_size_of(&p->setup.pipeline, dynapipe_count(s, k));
    step_replica_take(replica, &size, &room);
    if (p->batch != NULL)
        return step_plan(replica, &p->setup, &p->choice, s->division, k, poll);
    if (p->plan != NULL) {
        static const bool has[DYNAPIPE_RECOMPUTE_TYPES] = {true};
        copy_tables(&p->plan->replicas[k], &replica->of[DYNAPIPE_KEEP]);
        return step_plan_filled(replica, &p->setup, &p->choice, has, DYNAPIPE_KEEP, poll);
    }
    dynapipe_generate(p, k, s->size, replica);
    return step_plan_filled(replica, &p->setup, &p->choice, p->none.has, DYNAPIPE_KEEP, poll);
}

// The simple schedule that speed-ups are measured against.
static double plain_of(const struct dynapipe_point *p, struct step_replica *replica,
                       struct poll *poll)
{
    const enum assignment a = assignment_of(&p->setup.pipeline);
    return plan_search_plain(replica->search, &replica->task,
                             a == ASSIGNMENT_LINEAR        ? METHOD_1F1B
                             : a == ASSIGNMENT_INTERLEAVED ? METHOD_INTERLEAVED
                                                           : METHOD_WAIT_FREE_CYCLIC,
                             poll);
}

static void add_peaks(const struct dynapipe_point *p, const struct plan_answer *a,
                      struct dynapipe_figures *f)
{
    for (int32_t d = 0; d < p->setup.pipeline.devices; d++) {
        f->busy += lanes_busy(&a->rule->lanes, &a->rule->ordered, d);
        if (a->rule->peaks[d] > f->peak) {
            f->peak = a->rule->peaks[d];
            f->worst_device = d;
        }
    }
}

static void add_replica(struct dynapipe_scratch *s, int32_t k, struct step_replica *r,
                        struct poll *poll, struct dynapipe_figures *f)
{
    const struct plan_answer *a = &r->answer;
    const int64_t cells = (int64_t)r->count * s->point->setup.pipeline.stages;
    f->evaluations += a->evaluations;
    f->first_fit = a->first_fit > f->first_fit ? a->first_fit : f->first_fit;
    f->micro_batches += r->count;
    f->bound = fmax(f->bound, a->bound);
    for (int64_t at = 0; at < cells; at++) {
        f->full += a->recompute[at] == DYNAPIPE_FULL;
        f->selective += a->recompute[at] == DYNAPIPE_SELECTIVE;
    }
    add_peaks(s->point, a, f);
    if (k == 0 || a->makespan > f->makespan) {
        f->makespan = a->makespan;
        f->slowest = k;
        f->count = r->count;
        f->method = a->method;
        f->mode = plan_mode_names[a->mode];
        memcpy(s->order, a->order, (size_t)r->count * sizeof *s->order);
    }
    f->plain = fmax(f->plain, plain_of(s->point, r, poll));
}

static void add_samples(const struct dynapipe_scratch *s, struct dynapipe_figures *f)
{
    const struct split_samples *samples = &s->point->samples;
    const struct split_result *split = step_divided(s->division).split;
    f->objective = split->objective;
    for (int32_t i = 0; i < samples->count; i++)
        f->tokens += split_tokens_of(samples, i);
    for (int32_t g = 0; g < split->count; g++)
        f->padded +=
            (int64_t)split->groups[g].rows * (split->groups[g].input + split->groups[g].target);
}

enum pps_outcome dynapipe_evaluate(struct dynapipe_scratch *s, struct poll *poll,
                                   struct dynapipe_figures *f, struct step_caution *caution)
{
    const struct dynapipe_point *p = s->point;
    *f = (struct dynapipe_figures){.needs = (double)NAN};
    if (p->over >= 0) {
        f->needs = p->setup.state[p->over];
        f->worst_device = p->over;
        return PPS_INFEASIBLE;
    }
    const enum pps_outcome divided = dynapipe_divide(s, *caution, poll, &f->needs);
    if (divided != PPS_DONE)
        return divided;
    for (int32_t k = 0; k < p->setup.replicas; k++) {
        struct step_replica replica;
        const enum plan_outcome outcome = dynapipe_plan(s, k, s->replica, &replica, poll);
        const double needs = replica.answer.needs;
        if (outcome == PLAN_STOPPED)
            return PPS_STOPPED;
        if (outcome == PLAN_INFEASIBLE && p->batch != NULL && !p->choice.as_published &&
            step_caution_grow(caution, needs - p->setup.limit))
            return dynapipe_evaluate(s, poll, f, caution);
        if (outcome != PLAN_FOUND) {
            f->needs = outcome == PLAN_NO_SCHEDULE ? (double)NAN : needs;
            f->worst_device = replica.answer.device;
            return PPS_INFEASIBLE;
        }
        add_replica(s, k, &replica, poll, f);
    }
    if (p->batch != NULL)
        add_samples(s, f);
    return PPS_DONE;
}
