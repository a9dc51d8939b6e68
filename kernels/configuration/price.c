// SPDX-License-Identifier: Apache-2.0
// Sums the costs of layers over parts, and of parts over devices.
#include "kernels/configuration/price.h"

#include "kernels/common/pipeline/collectives.h"

#include <math.h>

void configuration_figures_of(struct configuration_figures *figures,
                              const struct configuration *c)
{
    const struct nd_strategy *s = &c->strategy;
    const struct layercost_shape shape = {s->tp, s->cp, s->ep, s->mbs, c->model.seq_length,
                                          s->sp};
    struct nd_estimate *e = &figures->estimate;
    nd_estimate_open(e, &c->model, &c->cluster, &c->training, 1);
    layercost_of(&e->layers, &shape, &figures->set);
    figures->sharing = nd_sharing_of(e, s, configuration_micro_batches(c));
    figures->shards = nd_shards_of(e, s);
    figures->allocated = 1 + e->layers.stack.fragmentation;
}

double configuration_trained(const struct configuration *c)
{
    struct nd_estimate e;
    nd_estimate_open(&e, &c->model, &c->cluster, &c->training, 1);
    return round(e.trained * (e.common_parameters + e.routed_parameters));
}

const struct layercost *configuration_layer_cost(const struct configuration_figures *figures,
                                                 enum configuration_kind kind)
{
    if (figures->estimate.kinds > 0)
        return &figures->set.kind[kind];
    const bool dense =
        kind == CONFIGURATION_DENSE || figures->estimate.layers.model.experts == 0;
    return dense ? &figures->set.dense : &figures->set.moe;
}

// ---- a part -------------------------------------------------------------------------------------

static int32_t groups(const struct configuration *c, int32_t layers)
{
    const int32_t group = c->recompute_group > 1 ? c->recompute_group : 1;
    return (layers + group - 1) / group;
}

static void add_layers(struct configuration_part_price *price, const struct configuration *c,
                       const struct configuration_part *part, int kind,
                       const struct layercost *cost)
{
    const double n = part->layers[kind], full = part->full[kind], select = part->select[kind];
    const double *backward = cost->backward, *stored = cost->stored;
    const double again = full * (backward[LAYERCOST_FULL] - backward[LAYERCOST_NONE]) +
                         select * (backward[LAYERCOST_SELECT] - backward[LAYERCOST_NONE]);
    const double kept = (n - full - select) * stored[LAYERCOST_NONE] +
                        select * stored[LAYERCOST_SELECT] +
                        groups(c, part->full[kind]) * stored[LAYERCOST_FULL];
    price->forward += n * cost->forward;
    price->backward += n * backward[LAYERCOST_NONE] + again;
    price->weights += n * cost->weights;
    price->again += again;
    price->exchange[0] += 2 * n * cost->parts.tp;
    price->exchange[1] += 2 * n * cost->parts.ep;
    price->exchange[2] += 2 * n * cost->parts.cp;
    price->kept += kept;
    // Until the gradients of the weights a device keeps the same share of what it stored.
    if (stored[LAYERCOST_NONE] > 0)
        price->kept_for_weights += kept * cost->kept_for_weights / stored[LAYERCOST_NONE];
}

// The last part has the head and uses it for every module, too; the modules are where their layers are.
static void add_ends_of(struct configuration_part_price *price,
                        const struct configuration_figures *figures, double modules, bool last)
{
    const struct layercost_head *head = &figures->set.head;
    const double n = last ? 1 + (double)figures->estimate.mtp_depth : 0;
    price->forward += n * head->forward + modules * figures->set.mtp_forward;
    price->backward +=
        n * head->backward + modules * (figures->set.mtp_forward + figures->set.mtp_weights);
    price->weights += n * head->weights + modules * figures->set.mtp_weights;
}

void configuration_price_part(struct configuration_part_price *price,
                              const struct configuration_figures *figures,
                              const struct configuration *c, int32_t part)
{
    *price = (struct configuration_part_price){.forward = 0};
    for (int kind = 0; kind < CONFIGURATION_KINDS; kind++)
        if (c->parts[part].layers[kind] > 0)
            add_layers(price, c, &c->parts[part], kind,
                       configuration_layer_cost(figures, (enum configuration_kind)kind));
    add_ends_of(price, figures, c->parts[part].modules, part == c->n_parts - 1);
}

// ---- the pipeline -------------------------------------------------------------------------------

static void price_stage(struct pipeline_stage *stage,
                        const struct configuration_figures *figures,
                        const struct configuration_part_price *price)
{
    const double kept = figures->allocated * price->kept,
                 late = figures->allocated * price->kept_for_weights;
    *stage = (struct pipeline_stage){.f = price->forward,
                                     .b = price->backward - price->weights,
                                     .w = price->weights,
                                     .r = price->forward,
                                     .kept_until_b = kept - late,
                                     .kept_until_w = late};
}

double configuration_price_message(const struct configuration_figures *figures,
                                   const struct configuration *c)
{
    const struct nd_strategy *s = &c->strategy;
    const bool across =
        (int64_t)s->dp * s->tp * s->cp >= figures->estimate.layers.hardware.node;
    const double both = across ? figures->set.p2p_inter : figures->set.p2p_intra;
    return s->pp > 1 ? both / 2 : 0;
}

double configuration_price_message_of(const struct configuration_figures *figures,
                                      const struct configuration *c, int32_t k)
{
    const double message = configuration_price_message(figures, c);
    int32_t modules = 0;
    for (int32_t i = 0; i <= k; i++)
        modules += c->parts[i].modules;
    return message + modules * (message - figures->estimate.layers.hardware.alpha);
}

bool configuration_sends_more(const struct configuration *c)
{
    return c->model.mtp_depth > c->parts[c->n_parts - 1].modules;
}

// Parts behind a module send its outputs beside the hidden states, as long again.
static void price_more(struct pipeline *pipeline, const struct configuration_figures *figures,
                       const struct configuration *c, double *rates)
{
    const struct nd_strategy *s = &c->strategy;
    const int32_t n = pipeline->shape.devices;
    const double tokens = (double)s->mbs * (double)c->model.seq_length / s->cp;
    const double bytes = 2 * tokens * (double)c->model.hidden / (s->sp ? s->tp : 1);
    const double seconds =
        configuration_price_message(figures, c) - figures->estimate.layers.hardware.alpha;
    double more = 0;
    for (int32_t k = 0; k + 1 < c->n_parts; k++) {
        more += bytes * c->parts[k].modules;
        pipeline->stage[k].forward_bytes = pipeline->stage[k + 1].backward_bytes = more;
    }
    for (int32_t i = 0; i < n * n; i++)
        rates[i] = bytes / seconds;
    pipeline->links.bandwidths = rates;
}

void configuration_price(struct pipeline *pipeline, const struct configuration_figures *figures,
                         const struct configuration *c, double *rates)
{
    for (int32_t k = 0; k < c->n_parts; k++) {
        struct configuration_part_price price;
        configuration_price_part(&price, figures, c, k);
        price_stage(&pipeline->stage[k], figures, &price);
    }
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        double memory[CONFIGURATION_MEMORIES], fixed = 0;
        configuration_price_device(memory, figures, c, pipeline, d);
        for (int m = 0; m < CONFIGURATION_MEMORIES; m++)
            fixed += memory[m];
        pipeline->fixed[d] = fixed;
        pipeline->limit[d] = c->cluster.memory_limit;
    }
    pipeline->links =
        (struct pipeline_links){.channels = PIPELINE_FREE,
                                .latency = configuration_price_message(figures, c)};
    if (rates != NULL)
        price_more(pipeline, figures, c, rates);
}

// ---- the memory of a device ---------------------------------------------------------------------

// What the parts of a device hold together.
struct held {
    double common, routed;         // parameters, without and of routed experts
    bool has[CONFIGURATION_KINDS]; // layers of the kind
    bool makes_again[CONFIGURATION_KINDS];
    bool first, last; // parts of the model
    double modules;
};

static void add_part(struct held *held, const struct configuration_figures *figures,
                     const struct configuration *c, int32_t k)
{
    const struct configuration_part *part = &c->parts[k];
    for (int kind = 0; kind < layercost_kinds(&figures->estimate.layers); kind++) {
        const struct layercost *cost =
            configuration_layer_cost(figures, (enum configuration_kind)kind);
        const double n = part->layers[kind];
        held->has[kind] = held->has[kind] || part->layers[kind] > 0;
        held->makes_again[kind] = held->makes_again[kind] || part->full[kind] > 0;
        if (part->layers[kind] == 0)
            continue;
        held->common += n * cost->parameters;
        held->routed += n * cost->routed;
    }
    held->modules += part->modules;
    held->first = held->first || k == 0;
    held->last = held->last || k == c->n_parts - 1;
}

// Adds the parameters beside layers: of two tied tables a device has one.
static void add_ends(struct held *held, const struct configuration_figures *figures)
{
    const struct modeldesc *model = &figures->estimate.layers.model;
    const struct layercost_set *set = &figures->set;
    const double norm = held->last ? (double)figures->estimate.layers.counts.final_norm : 0;
    if (held->first)
        held->common += set->embedding;
    held->common += norm + held->modules * set->mtp_parameters;
    if (held->last && (!model->tied || !held->first))
        held->common += set->head.parameters;
    if (held->modules > 0 && !held->first && !(model->tied && held->last))
        held->common += set->embedding; // MTP modules embed the next tokens
}

static struct held held_by(const struct configuration_figures *figures,
                           const struct configuration *c, const struct pipeline *pipeline,
                           int32_t device)
{
    struct held held = {.common = 0};
    for (int32_t direction = 0; direction < pipeline->shape.directions; direction++)
        for (int32_t k = 0; k < c->n_parts; k++)
            if (pipeline_device(pipeline, direction, k) == device)
                add_part(&held, figures, c, k);
    add_ends(&held, figures);
    return held;
}

static void put_states(double memory[CONFIGURATION_MEMORIES],
                       const struct configuration_figures *figures, const struct held *held)
{
    const struct nd_sharing *sharing = &figures->sharing;
    const double whole = held->common + held->routed;
    const double shared = held->common / (double)figures->shards.common +
                          held->routed / (double)figures->shards.routed;
    memory[CONFIGURATION_PARAMETERS] = sharing->param * (sharing->parameters ? shared : whole);
    memory[CONFIGURATION_GRADIENTS] = sharing->grad * (sharing->gradients ? shared : whole);
    memory[CONFIGURATION_OPTIMIZER_STATE] =
        sharing->optim * (sharing->optimizer ? shared : whole);
}

double configuration_layer_bytes(const struct configuration_figures *figures,
                                 enum configuration_kind kind)
{
    const struct layercost *cost =
        configuration_layer_cost(figures, (enum configuration_kind)kind);
    const struct held held = {.common = cost->parameters, .routed = cost->routed};
    double memory[CONFIGURATION_MEMORIES];
    put_states(memory, figures, &held);
    return memory[CONFIGURATION_PARAMETERS] + memory[CONFIGURATION_GRADIENTS] +
           memory[CONFIGURATION_OPTIMIZER_STATE];
}

static void put_transient(double memory[CONFIGURATION_MEMORIES],
                          const struct configuration_figures *figures,
                          const struct configuration *c, const struct held *held)
{
    const struct nd_estimate *e = &figures->estimate;
    const struct layercost_set *set = &figures->set;
    const double group = c->recompute_group > 1 ? c->recompute_group : 1;
    double largest = 0, shapes = 0, buffers = 0;
    for (int kind = 0; kind < layercost_kinds(&e->layers); kind++) {
        const struct layercost *cost =
            configuration_layer_cost(figures, (enum configuration_kind)kind);
        if (!held->has[kind])
            continue;
        if (held->makes_again[kind])
            memory[CONFIGURATION_WORKING] =
                fmax(memory[CONFIGURATION_WORKING], group * cost->working);
        largest = fmax(largest, cost->parameters + cost->routed);
        shapes += cost->matrices;
        buffers = fmax(buffers, cost->buffers);
    }
    memory[CONFIGURATION_BUFFERS] = buffers;
    if (held->has[CONFIGURATION_DENSE] || held->has[CONFIGURATION_USUAL])
        shapes += set->attention_matrices;
    if (held->last) {
        shapes += set->head.parameters;
        memory[CONFIGURATION_LOGITS] = (double)(1 + e->mtp_depth) * set->head.logits;
    }
    if (e->dummy_wgrad)
        memory[CONFIGURATION_BUFFERS] += 2 * shapes;
    // Level 3 of ZeRO holds the parameters of one layer in use and of one fetched in advance.
    if (figures->sharing.parameters && figures->shards.common > 1)
        memory[CONFIGURATION_BUFFERS] += 2 * e->bytes_param * largest;
}

void configuration_price_device(double memory[CONFIGURATION_MEMORIES],
                                const struct configuration_figures *figures,
                                const struct configuration *c, const struct pipeline *pipeline,
                                int32_t device)
{
    const struct held held = held_by(figures, c, pipeline, device);
    for (int m = 0; m < CONFIGURATION_MEMORIES; m++)
        memory[m] = 0;
    put_states(memory, figures, &held);
    put_transient(memory, figures, c, &held);
    memory[CONFIGURATION_FRAGMENTATION] =
        (figures->allocated - 1) *
        (memory[CONFIGURATION_WORKING] + memory[CONFIGURATION_LOGITS] +
         memory[CONFIGURATION_BUFFERS]);
    memory[CONFIGURATION_RESERVE] = figures->estimate.reserve;
}

// ---- besides the pipeline -----------------------------------------------------------------------

// Every micro-batch reads and writes its rows of the table, two bytes per element, in the forward and
// again in the backward.
static double embedding_of(const struct configuration_figures *figures,
                           const struct configuration *c)
{
    const struct nd_strategy *s = &c->strategy;
    const double tokens = (double)s->mbs * (double)c->model.seq_length / s->cp;
    const double bytes = 8 * tokens * (double)c->model.hidden / (s->sp ? s->tp : 1);
    return configuration_micro_batches(c) *
           hardware_stream(&figures->estimate.layers.hardware, bytes);
}

struct nd_exchanges configuration_exchanges(const struct configuration_figures *figures,
                                            const struct configuration *c)
{
    const struct nd_held held = nd_held_of(&figures->estimate, &c->strategy);
    return nd_exchanges_of(&figures->estimate, &c->strategy, &held,
                           configuration_run_micro_batches(c));
}

struct configuration_rest configuration_price_rest(const struct configuration_figures *figures,
                                                   const struct configuration *c, double stage)
{
    const struct nd_estimate *e = &figures->estimate;
    const struct nd_held held = nd_held_of(e, &c->strategy);
    const struct nd_exchanges exchanges = configuration_exchanges(figures, c);
    const int32_t runs = configuration_micro_batches(c) / configuration_run_micro_batches(c);
    return (struct configuration_rest){.replicas =
                                           runs * nd_exchanges_exposed(&exchanges, stage),
                                       .optimizer = nd_optimizer_of(e, &c->strategy, &held),
                                       .embedding = embedding_of(figures, c)};
}
