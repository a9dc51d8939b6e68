// SPDX-License-Identifier: Apache-2.0
// Builds the pipeline program of a strategy from measured ratios and figures, or from the analytic
// models where nothing was measured.
#include "planner/nd/input/program_input.h"

#include "base/math/units.h"
#include "kernels/configuration/layers.h"

#include <math.h>
#include <stdio.h>

void nd_maker_open(struct nd_maker *maker, const struct nd_input *input)
{
    const struct nd_job *job = &input->job;
    *maker = (struct nd_maker){.input = input,
                               .configuration = {.model = job->run.model,
                                                 .cluster = job->run.cluster,
                                                 .training = job->run.training}};
}

// What the models say of a strategy.
struct modelled {
    struct configuration_figures figures;
    const struct layercost
        *dense; // of leading dense layers; NULL: the model has none beside others
    const struct layercost *usual;
    struct plan_layers layers; // the head has one dense layer, if there are any
    struct nd_exchanges exchanges;
    struct configuration_rest rest; // optimizer and embedding
};

// Makes all layers of a model with a table of kinds the mean of them: splits know two kinds.
static void take_mean(struct configuration_figures *figures)
{
    struct nd_estimate *e = &figures->estimate;
    struct layercost mean = {.forward = 0};
    for (int k = 0; k < e->kinds; k++) {
        const struct layercost *cost = &figures->set.kind[k];
        const double share = e->n_of[k] / (double)e->n_layers;
        mean.forward += share * cost->forward;
        mean.weights += share * cost->weights;
        mean.kept_for_weights += share * cost->kept_for_weights;
        mean.parameters += share * cost->parameters;
        mean.working += share * cost->working;
        mean.routed += share * cost->routed;
        mean.matrices += share * cost->matrices;
        mean.buffers = fmax(mean.buffers, cost->buffers);
        mean.select_again.tp += share * cost->select_again.tp;
        mean.select_again.ep += share * cost->select_again.ep;
        for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
            mean.backward[mode] += share * cost->backward[mode];
            mean.stored[mode] += share * cost->stored[mode];
        }
    }
    e->kinds = e->layers.model.n_kinds = 0;
    figures->set.dense = figures->set.moe = mean;
}

static void ask_model(struct nd_maker *maker, const struct nd_strategy *strategy,
                      struct modelled *of)
{
    struct configuration *c = &maker->configuration;
    struct configuration_figures *figures = &of->figures;
    const bool has_dense =
        c->model.n_kinds == 0 && c->model.experts > 0 && c->model.dense_layers > 0;
    struct configuration_part part = {.layers = {[CONFIGURATION_DENSE] = has_dense}};
    const int64_t least = (int64_t)strategy->mbs * strategy->dp; // of a step
    c->strategy = *strategy;
    c->training.gbs = maker->input->job.run.training.gbs;
    if (c->training.gbs < least)
        c->training.gbs = least;
    c->parts = &part;
    c->n_parts = 1;
    configuration_figures_of(figures, c);
    if (figures->estimate.kinds > 0)
        take_mean(figures);
    configuration_layers_priced(c, figures, &of->layers);
    of->dense = has_dense ? &figures->set.dense : NULL;
    of->usual = configuration_layer_cost(figures, CONFIGURATION_USUAL);
    of->exchanges = configuration_exchanges(figures, c);
    of->rest = configuration_price_rest(figures, c, 0);
    c->parts = NULL;
}

// ---- ratios -------------------------------------------------------------------------------------

static bool model_ratios(void *self, const struct nd_strategy *strategy,
                         struct nd_ratios *ratios)
{
    const struct modelled *of = self;
    const double unit = of->usual->forward, *backward = of->usual->backward;
    (void)strategy;
    *ratios = (struct nd_ratios){
        .dense = of->dense != NULL ? of->dense->forward / unit : 1.0,
        .backward = backward[LAYERCOST_NONE] / unit,
        // With less to move to the host and back, a layer that is made again may be the quicker one.
        .recompute = fmax(0, backward[LAYERCOST_FULL] - backward[LAYERCOST_NONE]) / unit,
        .head = of->layers.tail.f / unit,
        .layer_ms = unit * 1e3,
    };
    return true;
}

static double prefer(double given, double otherwise)
{
    return isnan(given) ? otherwise : given;
}

static void apply_given(const struct nd_ratios *given, struct nd_ratios *ratios)
{
    ratios->dense = prefer(given->dense, ratios->dense);
    ratios->backward = prefer(given->backward, ratios->backward);
    ratios->recompute = prefer(given->recompute, ratios->recompute);
    ratios->head = prefer(given->head, ratios->head);
}

static bool choose_ratios(struct nd_maker *maker, const struct nd_strategy *strategy,
                          struct modelled *figures, char *why, size_t why_size)
{
    const struct nd_input *input = maker->input;
    const struct nd_ratio_model model = {model_ratios, figures};
    struct nd_ratio_choice *choice = &maker->ratios;
    nd_ratios_choose(&input->profiles, &model, strategy, input->job.run.model.seq_length,
                     input->compat, choice);
    if (choice->source == ND_RATIOS_NONE && !input->without_unit) {
        snprintf(why, why_size,
                 choice->profile != NULL
                     ? "the profile has no column moe_bw (time of a layer), needed for ranking"
                     : "no profile of this configuration (--parser-result)");
        return false;
    }
    // The published ratios apply without a profile.
    if (choice->source == ND_RATIOS_NONE && choice->profile == NULL) {
        choice->ratios = nd_ratios_default;
        choice->ratios.dense = 0.33;
    }
    apply_given(&input->given, &choice->ratios);
    return true;
}

// ---- the program --------------------------------------------------------------------------------

// Returns the bytes of what a layer of a kind stores.
static double stored(const struct modelled *of, const struct layercost *cost, int mode)
{
    return cost != NULL ? of->figures.allocated * cost->stored[mode] : 0;
}

// Returns what a device holds at most while it makes a layer again.
static double working(const struct modelled *of)
{
    const double dense = of->dense != NULL ? of->dense->working : 0;
    return of->figures.allocated * fmax(dense, of->usual->working);
}

static struct nd_figures figures_of(const struct modelled *of, bool one_stage)
{
    const struct plan_layers *layers = &of->layers;
    const double anywhere = layers->stage_bytes + working(of);
    const double dense =
        of->dense != NULL ? configuration_layer_bytes(&of->figures, CONFIGURATION_DENSE) : 0;
    double first = layers->head.bytes - dense, last = layers->tail.bytes;
    if (one_stage) // the program takes the greater of both figures
        first = last = first + last;
    struct nd_figures figures = {.layer_mem012 = units_to_mib(dense),
                                 .layer_mem = units_to_mib(layers->bytes),
                                 .static_mem0 = units_to_mib(first + anywhere),
                                 .static_mem = units_to_mib(anywhere),
                                 .lm_head_mem = units_to_mib(last + anywhere)};
    figures.act_mem0 = figures.act_mem12 = units_to_mib(stored(of, of->dense, LAYERCOST_NONE));
    figures.select_mem0 = figures.select_mem12 =
        units_to_mib(stored(of, of->dense, LAYERCOST_SELECT));
    figures.re_comp_mem0 = figures.re_comp_mem12 =
        units_to_mib(stored(of, of->dense, LAYERCOST_FULL));
    figures.act_mem = units_to_mib(stored(of, of->usual, LAYERCOST_NONE));
    figures.select_mem = units_to_mib(stored(of, of->usual, LAYERCOST_SELECT));
    figures.re_comp_mem = units_to_mib(stored(of, of->usual, LAYERCOST_FULL));
    return figures;
}

static bool select_frees(const struct nd_figures *memory)
{
    return memory->select_mem < memory->act_mem || memory->select_mem0 < memory->act_mem0 ||
           memory->select_mem12 < memory->act_mem12;
}

// Adds the figures that only the models have, in units of the program.
static void add_modelled(struct nd_rank_case *prepared, const struct modelled *of,
                         const struct nd_maker *maker)
{
    struct nd_program *program = &prepared->program;
    const double *backward = of->usual->backward, unit = of->usual->forward;
    const struct plan_layers *layers = &of->layers;
    program->select_growth =
        fmax(0, backward[LAYERCOST_SELECT] - backward[LAYERCOST_NONE]) / unit;
    program->hop = prepared->layer_ms > 0.0 ? units_to_ms(layers->transfer) / prepared->layer_ms
                                            : layers->transfer / unit;
    if (maker->ratios.source == ND_RATIOS_MODEL && isnan(maker->input->given.head) &&
        isnan(maker->input->given.backward) && layers->tail.f > 0.0)
        program->head_backward = layers->tail.b / layers->tail.f;
    struct nd_exchanges dp = of->exchanges;
    dp.each = units_to_ms(dp.each);
    dp.once = units_to_ms(dp.once);
    prepared->extra = (struct nd_extra_ms){.dp = dp,
                                           .optimizer = units_to_ms(of->rest.optimizer),
                                           .embedding = units_to_ms(of->rest.embedding)};
}

bool nd_maker_prepare(void *self, const struct nd_strategy *strategy,
                      struct nd_rank_case *prepared, char *why, size_t why_size)
{
    struct nd_maker *maker = self;
    const struct nd_input *input = maker->input;
    struct modelled figures;
    struct nd_program *program = &prepared->program;
    ask_model(maker, strategy, &figures);
    if (!choose_ratios(maker, strategy, &figures, why, why_size))
        return false;
    *prepared = (struct nd_rank_case){
        .layer_ms = maker->ratios.ratios.layer_ms,
        .source = maker->ratios.source,
        .weights_time = figures.usual->weights / figures.usual->backward[LAYERCOST_NONE],
        .weights_memory =
            figures.usual->stored[LAYERCOST_NONE] > 0
                ? figures.usual->kept_for_weights / figures.usual->stored[LAYERCOST_NONE]
                : 0};
    nd_rank_program(program, &input->job.run.model, strategy, input->job.run.training.gbs,
                    &maker->ratios.ratios, input->compat);
    if (input->compat == ND_CORRECTED)
        add_modelled(prepared, &figures, maker);
    program->memory = input->has_figures              ? input->figures
                      : input->compat == ND_CORRECTED ? figures_of(&figures, strategy->pp == 1)
                                                      : nd_figures_default;
    nd_figures_budgets(program, nd_input_limit_mb(input));
    if (input->compat == ND_CORRECTED) {
        program->again = ND_AGAIN_FIRST;
        program->dialect = input->dialect;
    }
    if (input->compat == ND_CORRECTED && !input->has_figures)
        program->working = units_to_mib(working(&figures));
    program->low_mem = input->low_mem;
    program->allow_select = input->allow_select && select_frees(&program->memory);
    program->allow_full = input->allow_full;
    return true;
}
