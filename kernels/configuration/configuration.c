// SPDX-License-Identifier: Apache-2.0
// Holds the parts of a configuration, and checks whether it can run.
#include "kernels/configuration/configuration.h"

#include "kernels/common/estimate/stage_layers.h"
#include "kernels/common/interleaved/orders.h"
#include "kernels/common/pipeline/layer_cost.h"
#include "kernels/schedule/catalogue/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void configuration_free(struct configuration *c)
{
    free(c->parts);
    c->parts = NULL;
}

static struct configuration_part *parts_new(int32_t n)
{
    return calloc((size_t)n, sizeof(struct configuration_part));
}

bool configuration_copy(struct configuration *to, const struct configuration *from)
{
    *to = *from;
    to->parts = parts_new(from->n_parts);
    if (to->parts == NULL)
        return false;
    memcpy(to->parts, from->parts, (size_t)from->n_parts * sizeof *to->parts);
    return true;
}

// ---- the order ----------------------------------------------------------------------------------

const struct family *configuration_family(const struct configuration *c)
{
    if (c->family != NULL)
        return c->family;
    return family_named(c->strategy.vp > 1 ? "interleaved" : "one_f_one_b");
}

const char *configuration_schedule(const struct configuration *c)
{
    const struct family *family = configuration_family(c);
    return family == family_named("1f1b") ? "1f1b" : family->name;
}

bool configuration_is_ordered(const struct configuration *c)
{
    return c->family != NULL && c->family != family_named("1f1b");
}

void configuration_set_schedule(struct configuration *c)
{
    const enum training_schedule schedule = c->training.schedule;
    c->family = c->strategy.pp == 1                ? NULL
                : schedule == TRAINING_ZERO_BUBBLE ? family_named("zb_h1")
                : schedule == TRAINING_DUALPIPE    ? family_named("dualpipe")
                                                   : NULL;
}

int32_t configuration_part_at(const struct configuration *c, int32_t chunk, int32_t device)
{
    const enum pipeline_placement placement = configuration_family(c)->placement;
    const bool turns = placement == PIPELINE_VEE || placement == PIPELINE_WAVE;
    const int32_t pp = c->strategy.pp;
    return chunk * pp + (turns && chunk % 2 == 1 ? pp - 1 - device : device);
}

// ---- layers -------------------------------------------------------------------------------------

// Returns the kind of a layer. The usual layers of a dense model are dense.
static int kind_of(const struct modeldesc *model, int64_t layer)
{
    if (model->n_kinds > 0)
        return layer < modeldesc_layers(model) ? model->pattern[layer] : 0;
    return model->experts > 0 && layer < model->dense_layers ? CONFIGURATION_DENSE
                                                             : CONFIGURATION_USUAL;
}

// Of the layers of a part that ends with layer `end` of the model, those of modules.
static int32_t modules_before(const struct configuration *c, int64_t end, int32_t layers)
{
    const int64_t modules = end - c->model.num_layers;
    return modules <= 0 ? 0 : modules < layers ? (int32_t)modules : layers;
}

void configuration_set_layers(struct configuration *c, const int32_t *layers,
                              const int32_t *full, const int32_t *select)
{
    int64_t layer = 0;
    for (int32_t k = 0; k < c->n_parts; k++) {
        struct configuration_part *part = &c->parts[k];
        const int32_t again = full != NULL ? full[k] : 0, some = select != NULL ? select[k] : 0;
        *part = (struct configuration_part){.layers = {0}};
        for (int32_t l = 0; l < layers[k]; l++, layer++) {
            const int kind = kind_of(&c->model, layer);
            part->layers[kind]++;
            part->full[kind] += l < again;
            part->select[kind] += l >= again && l < again + some;
        }
        part->modules = modules_before(c, layer, layers[k]);
    }
}

void configuration_recompute(struct configuration *c, enum nd_recompute mode)
{
    for (int32_t k = 0; k < c->n_parts; k++)
        for (int kind = 0; kind < CONFIGURATION_KINDS; kind++) {
            struct configuration_part *part = &c->parts[k];
            part->full[kind] = mode == ND_RECOMPUTE_FULL ? part->layers[kind] : 0;
            part->select[kind] = mode == ND_RECOMPUTE_SELECT ? part->layers[kind] : 0;
        }
    c->recompute_group = 1;
}

bool configuration_spread(struct configuration *c)
{
    const struct nd_strategy *s = &c->strategy;
    const int64_t all = modeldesc_layers(&c->model);
    c->n_parts = s->pp * s->vp;
    int32_t *layers = calloc((size_t)c->n_parts, sizeof *layers);
    free(c->parts);
    c->parts = parts_new(c->n_parts);
    if (layers == NULL || c->parts == NULL) {
        free(layers);
        return false;
    }
    for (int32_t d = 0; d < s->pp; d++) {
        const int64_t stage = nd_stage_layers(all, s->pp, d);
        for (int32_t v = 0; v < s->vp; v++)
            layers[configuration_part_at(c, v, d)] =
                (int32_t)(stage / s->vp + (v >= s->vp - stage % s->vp));
    }
    configuration_set_layers(c, layers, NULL, NULL);
    free(layers);
    return true;
}

// ---- checks -------------------------------------------------------------------------------------

// What must divide what.
struct divisor {
    int64_t part, whole;
    const char *name, *of;
};

static bool check_divisors(const struct configuration *c, char *why, size_t size)
{
    const struct nd_strategy *s = &c->strategy;
    const struct modeldesc *m = &c->model;
    const struct divisor all[] = {
        {s->tp, m->heads, "tp", "attention heads"},
        {s->tp, m->scan.heads > 0 ? m->scan.heads : s->tp, "tp", "heads of the scan"},
        {s->cp, m->seq_length, "cp", "tokens of a sequence"},
        {s->ep, m->experts > 0 ? m->experts : s->ep, "ep", "experts"},
        {(int64_t)s->dp * s->mbs, c->training.gbs, "dp times mbs", "sequences per step"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].whole % all[k].part != 0) {
            snprintf(why, size, "%s is %lld and does not divide the %lld %s", all[k].name,
                     (long long)all[k].part, (long long)all[k].whole, all[k].of);
            return false;
        }
    return true;
}

static bool check_devices(const struct configuration *c, char *why, size_t size)
{
    const struct nd_strategy *s = &c->strategy;
    const int64_t devices = (int64_t)s->dp * s->tp * s->cp * s->pp;
    if (devices == c->cluster.world_size)
        return true;
    snprintf(why, size,
             "its degrees dp %d, tp %d, cp %d, pp %d use %lld devices; the cluster has %lld",
             s->dp, s->tp, s->cp, s->pp, (long long)devices, (long long)c->cluster.world_size);
    return false;
}

static bool check_layers(const struct configuration *c, char *why, size_t size)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < c->n_parts; k++)
        sum += configuration_part_layers(&c->parts[k]);
    if (sum == modeldesc_layers(&c->model))
        return true;
    snprintf(why, size,
             "its parts have %lld layers; the model has %lld, prediction layers included",
             (long long)sum, (long long)modeldesc_layers(&c->model));
    return false;
}

bool configuration_has_order(const struct configuration *c, char *why, size_t size)
{
    const struct family_options options = {.group = 0};
    const struct nd_strategy *s = &c->strategy;
    const struct family *family = configuration_family(c);
    const struct pipeline_shape shape = {.devices = s->pp,
                                         .stages = c->n_parts,
                                         .micro_batches = configuration_run_micro_batches(c),
                                         .slices = 1,
                                         .directions = family->directions};
    const double operations =
        3.0 * c->n_parts * configuration_micro_batches(c) * shape.directions;
    if (operations > PIPELINE_OPERATIONS_MAX) {
        snprintf(why, size, "its step has more than %d operations", PIPELINE_OPERATIONS_MAX);
        return false;
    }
    const struct orders_shape rule = {.stages = s->pp,
                                      .chunks = s->vp,
                                      .micro_batches = shape.micro_batches,
                                      .splits = 1};
    if (c->family == NULL && rule.micro_batches >= rule.stages &&
        orders_check(&rule, why, size))
        return true;
    // Only PyTorch's order, which a family says, has fewer micro-batches than stages.
    const bool few = c->family == NULL && s->vp > 1 && shape.micro_batches < s->pp;
    const char *misfit =
        few ? "has fewer micro-batches than stages" : family->misfit(&shape, &options);
    if (misfit == NULL && family_is_in_reach(family, &shape))
        return true;
    snprintf(why, size, "schedule %s %s", configuration_schedule(c),
             misfit != NULL ? misfit : "is too slow for a pipeline of this size");
    return false;
}

static bool check_adapters(const struct configuration *c, char *why, size_t size)
{
    const char *lack = layercost_adapters_lack(&c->model, &c->training);
    if (lack != NULL)
        snprintf(why, size, "%s", lack);
    return lack == NULL;
}

bool configuration_check(const struct configuration *c, char *why, size_t size)
{
    return check_adapters(c, why, size) && check_devices(c, why, size) &&
           check_divisors(c, why, size) && check_layers(c, why, size) &&
           configuration_has_order(c, why, size);
}
