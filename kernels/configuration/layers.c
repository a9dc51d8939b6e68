// SPDX-License-Identifier: Apache-2.0
// Takes parts apart into layers.
#include "kernels/configuration/layers.h"

enum { PROBES = 3 }; // parts: the first, one between, the last

const char *configuration_layers_misfit(const struct configuration *c)
{
    int32_t full = 0, usual = 0;
    if (c->model.n_kinds > 0)
        return "its layers are of several kinds";
    for (int32_t k = 0; k < c->n_parts; k++) {
        const struct configuration_part *part = &c->parts[k];
        if (k > 0 && part->layers[CONFIGURATION_DENSE] > 0)
            return "its leading dense layers reach beyond the first chunk";
        full += part->full[CONFIGURATION_DENSE] + part->full[CONFIGURATION_USUAL];
        usual += part->layers[CONFIGURATION_USUAL];
    }
    if (configuration_run_micro_batches(c) != configuration_micro_batches(c))
        return "its pipeline runs several times in a step";
    if (full > 0 && c->recompute_group > 1)
        return "it makes groups of several layers again";
    return usual > 0 ? NULL : "it has no layers but leading dense ones";
}

// Sets the parts of probes: one layer each, and the leading layers of the configuration in the first.
static void set_probes(struct configuration *probes, struct configuration_part parts[PROBES],
                       const struct configuration *c)
{
    const struct configuration_part *first = &c->parts[0];
    for (int k = 0; k < PROBES; k++)
        parts[k] = (struct configuration_part){.layers = {[CONFIGURATION_USUAL] = 1}};
    parts[0].layers[CONFIGURATION_DENSE] = first->layers[CONFIGURATION_DENSE];
    parts[PROBES - 1].modules = (int32_t)c->model.mtp_depth;
    *probes = *c;
    probes->parts = parts;
    probes->n_parts = PROBES;
}

// Sets what devices hold during the whole step, if each runs one of the probes, or the first device all of them.
static void hold(const struct configuration *probes,
                 const struct configuration_figures *figures, bool together,
                 double held[PROBES])
{
    int32_t apart[PROBES] = {0, 1, 2}, one[PROBES] = {0, 0, 0};
    const int32_t devices = together ? 1 : PROBES;
    const struct pipeline pipeline = {.shape = {devices, PROBES, 1, 1, 1},
                                      .device_of = together ? one : apart};
    for (int32_t d = 0; d < devices; d++) {
        double memory[CONFIGURATION_MEMORIES];
        configuration_price_device(memory, figures, probes, &pipeline, d);
        held[d] = 0;
        for (int m = 0; m < CONFIGURATION_MEMORIES; m++)
            held[d] += memory[m];
    }
}

// Sets what a stage holds besides its layers, and the memory of head and tail.
static void set_memory(struct plan_layers *layers, const struct configuration_figures *figures,
                       const struct configuration *c)
{
    struct configuration probes;
    struct configuration_part parts[PROBES];
    double held[PROBES], all[PROBES];
    set_probes(&probes, parts, c);
    hold(&probes, figures, false, held);
    layers->stage_bytes = held[1] - layers->bytes;
    layers->head.bytes = held[0] - held[1];
    layers->tail.bytes = held[2] - held[1];
    if (c->strategy.pp > 1)
        return;
    // One device may hold less than both ends: one of two tied tables, one reserve.
    hold(&probes, figures, true, all);
    layers->tail.bytes = all[0] - (PROBES - 1) * layers->bytes - held[0];
}

static void set_head(struct plan_layers *layers, const struct configuration_figures *figures,
                     const struct configuration *c)
{
    const struct configuration_part *first = &c->parts[0];
    struct configuration_part parts[2] = {
        {.layers = {[CONFIGURATION_DENSE] = first->layers[CONFIGURATION_DENSE]},
         .full = {[CONFIGURATION_DENSE] = first->full[CONFIGURATION_DENSE]},
         .select = {[CONFIGURATION_DENSE] = first->select[CONFIGURATION_DENSE]}},
        {.modules = (int32_t)c->model.mtp_depth}};
    struct configuration ends = *c;
    struct configuration_part_price price;
    ends.parts = parts;
    ends.n_parts = 2;
    configuration_price_part(&price, figures, &ends, 0);
    layers->head.f = price.forward;
    layers->head.b = price.backward;
    layers->head.kept = figures->allocated * price.kept;
    if (first->full[CONFIGURATION_DENSE] > 0)
        layers->head.working = figures->allocated * figures->set.dense.working;
    configuration_price_part(&price, figures, &ends, 1);
    layers->tail.f = price.forward;
    layers->tail.b = price.backward;
}

static void set_split(const struct configuration *c, int32_t *split)
{
    for (int32_t k = 0; k < c->n_parts; k++) {
        const struct configuration_part *part = &c->parts[k];
        const int32_t full = part->full[CONFIGURATION_USUAL],
                      select = part->select[CONFIGURATION_USUAL];
        split[PLAN_KEEP * c->n_parts + k] = part->layers[CONFIGURATION_USUAL] - full - select;
        split[PLAN_SELECT * c->n_parts + k] = select;
        split[PLAN_SELECT_COMM * c->n_parts + k] = 0;
        split[PLAN_SELECT_BOTH * c->n_parts + k] = 0;
        split[PLAN_FULL * c->n_parts + k] = full;
    }
}

void configuration_layers_priced(const struct configuration *c,
                                 const struct configuration_figures *figures,
                                 struct plan_layers *layers)
{
    static const int kinds[LAYERCOST_MODES] = {[LAYERCOST_NONE] = PLAN_KEEP,
                                               [LAYERCOST_SELECT] = PLAN_SELECT,
                                               [LAYERCOST_FULL] = PLAN_FULL};
    const struct layercost *cost = configuration_layer_cost(figures, CONFIGURATION_USUAL);
    *layers = (struct plan_layers){
        .f = cost->forward,
        .bytes = configuration_layer_bytes(figures, CONFIGURATION_USUAL),
        .working = figures->allocated * cost->working,
        .transfer = configuration_price_message(figures, c),
    };
    for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
        layers->has[kinds[mode]] = true;
        layers->b[kinds[mode]] = cost->backward[mode];
        layers->kept[kinds[mode]] = figures->allocated * cost->stored[mode];
    }
    set_head(layers, figures, c);
    set_memory(layers, figures, c);
}

void configuration_layers(const struct configuration *c, struct plan_layers *layers,
                          int32_t *split)
{
    struct configuration_figures figures;
    configuration_figures_of(&figures, c);
    configuration_layers_priced(c, &figures, layers);
    for (int32_t k = 0; k < c->n_parts; k++)
        layers->count += c->parts[k].layers[CONFIGURATION_USUAL];
    set_split(c, split);
}
