// SPDX-License-Identifier: Apache-2.0
// Builds the pipeline program of a strategy from measured ratios and figures, or from the analytic
// models where nothing was measured.
#include "planner/nd/input/program_input.h"

#include "base/math/units.h"

#include <math.h>
#include <stdio.h>

bool nd_maker_open(struct nd_maker *maker, const struct nd_input *input)
{
    const struct nd_job *job = &input->job;
    *maker = (struct nd_maker){.input = input};
    maker->model = nd_analytic_open(&job->run.model, &job->run.cluster, &job->run.training);
    return maker->model != NULL;
}

void nd_maker_close(struct nd_maker *maker)
{
    nd_analytic_free(maker->model);
    maker->model = NULL;
}

static void ask_model(const struct nd_maker *maker,
                      const struct nd_strategy *strategy,
                      struct nd_analytic *figures)
{
    const struct nd_job *job = &maker->input->job;
    nd_analytic_of(maker->model, strategy, job->run.model.seq_length, job->run.training.gbs,
                   figures);
}

// ---- ratios -------------------------------------------------------------------------------------

static bool model_ratios(void *figures,
                         const struct nd_strategy *strategy,
                         struct nd_ratios *ratios)
{
    const struct nd_analytic *f = figures;
    const struct nd_layer_seconds seconds = {
        .dense_forward = f->dense.forward,
        .forward = f->usual.forward,
        .backward = f->usual.backward,
        .backward_full = f->usual.backward_full,
        .head_forward = f->head_forward,
    };
    (void)strategy;
    *ratios = nd_ratios_of_layers(&seconds);
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

static bool choose_ratios(struct nd_maker *maker,
                          const struct nd_strategy *strategy,
                          struct nd_analytic *figures,
                          char *why,
                          size_t why_size)
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

static struct nd_layer_bytes bytes_of(const struct nd_analytic_layer *layer)
{
    return (struct nd_layer_bytes){layer->none, layer->select, layer->full, layer->held};
}

static struct nd_figures figures_of(const struct nd_analytic *f)
{
    const struct nd_model_bytes bytes = {
        .dense = bytes_of(&f->dense),
        .usual = bytes_of(&f->usual),
        .embedding = f->embedding,
        .head = f->head,
        .logits = f->logits,
        .working = f->working,
        .reserve = f->reserve,
    };
    return nd_figures_of_model(&bytes);
}

// Adds the figures that only the models have, in units of the program.
static void add_modelled(struct nd_rank_case *prepared,
                         const struct nd_analytic *f,
                         const struct nd_maker *maker)
{
    struct nd_program *program = &prepared->program;
    const bool has_unit = prepared->layer_ms > 0.0;
    program->select_growth = (f->usual.backward_select - f->usual.backward) / f->usual.forward;
    program->hop =
        has_unit ? units_to_ms(f->hop) / prepared->layer_ms : f->hop / f->usual.forward;
    if (maker->ratios.source == ND_RATIOS_MODEL && isnan(maker->input->given.head) &&
        isnan(maker->input->given.backward) && f->head_forward > 0.0)
        program->head_backward = f->head_backward / f->head_forward;
    struct nd_exchanges dp = f->dp;
    dp.each = units_to_ms(dp.each);
    dp.once = units_to_ms(dp.once);
    prepared->extra = (struct nd_extra_ms){.dp = dp,
                                           .optimizer = units_to_ms(f->optimizer),
                                           .embedding = units_to_ms(f->embedding_time)};
}

bool nd_maker_prepare(void *self,
                      const struct nd_strategy *strategy,
                      struct nd_rank_case *prepared,
                      char *why,
                      size_t why_size)
{
    struct nd_maker *maker = self;
    const struct nd_input *input = maker->input;
    struct nd_analytic figures;
    struct nd_program *program = &prepared->program;
    ask_model(maker, strategy, &figures);
    if (!choose_ratios(maker, strategy, &figures, why, why_size))
        return false;
    *prepared = (struct nd_rank_case){
        .layer_ms = maker->ratios.ratios.layer_ms,
        .source = maker->ratios.source,
        .weights_time = figures.usual.weights / figures.usual.backward,
        .weights_memory = figures.usual.kept_for_weights / figures.usual.none};
    nd_rank_program(program, &input->job.run.model, strategy, input->job.run.training.gbs,
                    &maker->ratios.ratios, input->compat);
    if (input->compat == ND_CORRECTED)
        add_modelled(prepared, &figures, maker);
    program->memory = input->has_figures              ? input->figures
                      : input->compat == ND_CORRECTED ? figures_of(&figures)
                                                      : nd_figures_default;
    nd_figures_budgets(program, nd_input_limit_mb(input));
    if (input->compat == ND_CORRECTED) {
        program->again = ND_AGAIN_FIRST;
        program->dialect = input->dialect;
    }
    if (input->compat == ND_CORRECTED && !input->has_figures)
        program->working = units_to_mib(fmax(figures.dense.none, figures.usual.none));
    program->low_mem = input->low_mem;
    program->allow_select = input->allow_select;
    program->allow_full = input->allow_full;
    return true;
}
