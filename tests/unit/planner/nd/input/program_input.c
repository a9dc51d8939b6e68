// SPDX-License-Identifier: Apache-2.0
// Pipeline programs of strategies: their figures for a split must equal the figures of the slow
// model of a whole step for the same split.
#include "planner/nd/input/program_input.h"
#include "kernels/common/estimate/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STAGES = 64 };

static void open_input(struct nd_input *input, const char *model, int32_t devices)
{
    struct pps_fault fault;
    char text[512];
    struct pps_json document;
    struct pps_error err;
    snprintf(text, sizeof text, "%s/sweep_configs/%s", PPS_SOURCE, model);
    cr_assert_eq(pps_json_load(&document, text, &err), PPS_OK, "%s", err.text);
    snprintf(text, sizeof text,
             "{\"world_size\":%d,\"hardware\":\"H100\",\"memory_reserve_mb\":512}", devices);
    cJSON *cluster = cJSON_Parse(text);
    memset(input, 0, sizeof *input);
    input->given = (struct nd_ratios){NAN, NAN, NAN, NAN, NAN};
    input->allow_full = true;
    input->compat = ND_CORRECTED;
    cr_assert(modeldesc_read(&input->job.run.model, document.root, &fault), "%s", fault.text);
    cr_assert(cluster_read(&input->job.run.cluster, cluster, &fault), "%s", fault.text);
    training_default(&input->job.run.training);
    input->job.run.model.seq_length = 4096;
    input->job.run.training.gbs = 1024;
    pps_json_free(&document);
    cJSON_Delete(cluster);
}

// The split that the slow model takes, as a choice.
static void take_split(const struct nd_estimate *e, const struct nd_point *point,
                       const struct modeldesc *model, struct nd_chunk *chunks,
                       int32_t arrays[4][STAGES], struct nd_choice *choice)
{
    static const int32_t none[STAGES];
    nd_reference_split(e, point, chunks);
    for (int32_t i = 0; i < point->strategy.pp; i++) {
        const bool experts = model->experts > 0;
        arrays[0][i] = experts ? chunks[i].layers.dense : 0;
        arrays[1][i] = experts ? chunks[i].layers.moe : chunks[i].layers.dense;
        arrays[2][i] = experts ? chunks[i].full.dense : 0;
        arrays[3][i] = experts ? chunks[i].full.moe : chunks[i].full.dense;
    }
    *choice = (struct nd_choice){.layers = {arrays[0], arrays[1]},
                                 .full = {arrays[2], arrays[3]},
                                 .part = {none, none}};
}

// Changes the default training; NULL: no change.
typedef void change_training(struct training *training);

static void compare(const char *name, const struct nd_strategy *strategy,
                    change_training *change)
{
    static struct nd_input input;
    struct nd_maker maker;
    struct nd_rank_case made;
    struct nd_estimate e;
    struct nd_chunk chunks[STAGES];
    struct nd_stage stage[STAGES];
    struct nd_peak peaks[STAGES];
    struct nd_choice choice;
    int32_t arrays[4][STAGES];
    double forward[STAGES], backward[STAGES];
    char why[256];
    open_input(&input, name, strategy->dp * strategy->tp * strategy->cp * strategy->pp);
    if (change != NULL)
        change(&input.job.run.training);
    nd_maker_open(&maker, &input);
    cr_assert(nd_maker_prepare(&maker, strategy, &made, why, sizeof why), "%s", why);
    const struct nd_point point = {*strategy, 4096, 1024};
    nd_estimate_open(&e, &input.job.run.model, &input.job.run.cluster, &input.job.run.training,
                     1);
    take_split(&e, &point, &input.job.run.model, chunks, arrays, &choice);
    struct nd_time time;
    nd_reference(&e, &point, chunks, stage, NULL, &time);
    nd_durations(&made.program, &choice, forward, backward);
    cr_assert_eq(nd_peaks(&made.program, &choice, peaks), ND_DONE);
    const bool full = strategy->recompute == ND_RECOMPUTE_FULL;
    for (int32_t i = 0; i < strategy->pp; i++) {
        const double unit = made.layer_ms / 1e3, mib = 1048576.0;
        cr_assert_float_eq(forward[i] * unit, stage[i].forward, 1e-9 * stage[i].forward,
                           "%s stage %d forward: %g, not %g", name, i, forward[i] * unit,
                           stage[i].forward);
        // the program takes one ratio of backward and growth for both types of layer
        cr_assert_float_eq(
            backward[i] * unit, stage[i].backward,
            (chunks[i].layers.moe > 0 && chunks[i].layers.dense > 0 ? 0.2 : 1e-9) *
                stage[i].backward,
            "%s stage %d backward: %g, not %g", name, i, backward[i] * unit, stage[i].backward);
        // room for recomputing one layer is there whether or not it is needed
        const double spare = peaks[i].memory_mb * mib - stage[i].total;
        cr_assert(spare > -1.0 - 1e-9 * stage[i].total, "%s stage %d: %g too little", name, i,
                  -spare / mib);
        cr_assert(!full || spare < 1.0 + 1e-9 * stage[i].total, "%s stage %d: %g MiB too much",
                  name, i, spare / mib);
    }
    const struct nd_exchanges *dp = &made.extra.dp;
    const double exposed = nd_exchanges_exposed(dp, 1e3 * time.stage);
    cr_assert_float_eq(dp->micro_batches * dp->each + dp->once, 1e3 * time.dp,
                       1e-9 * (1 + 1e3 * time.dp));
    cr_assert_float_eq(exposed, 1e3 * time.dp_exposed, 1e-9 * (1 + exposed),
                       "%s: %g ms exposed, not %g", name, exposed, 1e3 * time.dp_exposed);
    cr_assert_float_eq(made.extra.optimizer, 1e3 * time.optimizer, 1e-6);
}

// Catches a part of a stage that the program counts twice, or not at all.
Test(nd_maker, agrees_with_the_slow_model)
{
    static const char *const MODELS[] = {"models/llama2-70b.json", "models/llama3-8b.json",
                                         "models/mixtral-8x7b.json"};
    static const struct nd_strategy STRATEGIES[] = {
        {.dp = 4, .tp = 8, .cp = 1, .pp = 4, .ep = 1, .op = 4, .vp = 1, .mbs = 1, .sp = true},
        {.dp = 8, .tp = 2, .cp = 2, .pp = 8, .ep = 8, .op = 2, .vp = 1, .mbs = 2, .sp = false},
        {.dp = 16,
         .tp = 1,
         .cp = 1,
         .pp = 2,
         .ep = 4,
         .op = 16,
         .vp = 1,
         .mbs = 1,
         .sp = false},
    };
    for (size_t m = 0; m < sizeof MODELS / sizeof MODELS[0]; m++)
        for (size_t s = 0; s < sizeof STRATEGIES / sizeof STRATEGIES[0]; s++)
            for (int mode = ND_RECOMPUTE_NONE; mode <= ND_RECOMPUTE_FULL;
                 mode += ND_RECOMPUTE_FULL) {
                struct nd_strategy strategy = STRATEGIES[s];
                strategy.recompute = (enum nd_recompute)mode;
                strategy.ep = m == 2 ? strategy.ep : 1;
                compare(MODELS[m], &strategy, NULL);
            }
}

static void zero_2(struct training *training)
{
    training->zero_level = 2;
    training->stack = *stack_find("megatron");
}

static void zero_3(struct training *training)
{
    training->zero_level = 3;
    training->stack = *stack_find("fsdp");
}

// Gradients stay whole while micro-batches accumulate, and there are 8-bit copies of parameters.
static void eight_bits(struct training *training)
{
    zero_2(training);
    training->stack.accumulation_whole = true;
    training->stack.fragmentation = 0.05;
    training->precision = TRAINING_FP8;
}

// Catches exchanges of every micro-batch that the program does not price, and memory of the stack
// that only the model of a whole step counts: states that several stages or micro-batches keep whole,
// copies, gathered layers, the allocator.
Test(nd_maker, agrees_on_levels_of_zero)
{
    static change_training *const LEVELS[] = {zero_2, zero_3, eight_bits};
    static const int32_t STAGES_OF[] = {1, 2};
    for (size_t k = 0; k < 6; k++) {
        const struct nd_strategy strategy = {.dp = 16,
                                             .tp = 4,
                                             .cp = 1,
                                             .pp = STAGES_OF[k % 2],
                                             .ep = 1,
                                             .op = 8,
                                             .vp = 1,
                                             .mbs = 1,
                                             .sp = true,
                                             .recompute = ND_RECOMPUTE_FULL};
        compare("models/llama3-8b.json", &strategy, LEVELS[k / 2]);
    }
}

// Leading dense layers, MTP, compressed keys and values.
Test(nd_maker, agrees_on_a_model_with_all_there_is)
{
    struct nd_strategy strategy = {.dp = 16,
                                   .tp = 4,
                                   .cp = 1,
                                   .pp = 16,
                                   .ep = 16,
                                   .op = 16,
                                   .vp = 1,
                                   .mbs = 1,
                                   .sp = true};
    compare("models/deepseek-v3.json", &strategy, NULL);
}

// Measured ratios take the place of the model's; options that of both. Figures of a file hold for
// every strategy.
Test(nd_maker, what_is_measured_comes_first)
{
    static struct nd_input input;
    struct nd_maker maker;
    struct nd_rank_case made;
    char why[256];
    struct nd_profile profile = {.dp = 4,
                                 .tp = 8,
                                 .pp = 4,
                                 .ep = 1,
                                 .cp = 1,
                                 .mbs = 1,
                                 .ratios = {0.5, 1.9, NAN, 1.1, 7.0}};
    const struct nd_strategy strategy =
        {.dp = 4, .tp = 8, .cp = 1, .pp = 4, .ep = 1, .op = 4, .vp = 1, .mbs = 1, .sp = true};
    open_input(&input, "models/llama2-70b.json", 128);
    input.profiles = (struct nd_profiles){&profile, 1};
    input.given.head = 3.0;
    input.has_figures = true;
    input.figures = nd_figures_default;
    nd_maker_open(&maker, &input);
    cr_assert(nd_maker_prepare(&maker, &strategy, &made, why, sizeof why), "%s", why);
    cr_assert_eq(made.source, ND_RATIOS_MEASURED);
    cr_assert(made.program.backward_ratio == 1.9 && made.program.full_growth == 1.0 &&
              made.program.head_ratio == 3.0 && made.layer_ms == 7.0);
    cr_assert(isnan(made.program.head_backward));
    cr_assert_eq(memcmp(&made.program.memory, &nd_figures_default, sizeof made.program.memory),
                 0);
    // the reserve is no part of the file's figures
    cr_assert_float_eq(made.program.budget_first,
                       input.job.run.cluster.memory_limit / 1048576.0 - 512 -
                           nd_figures_default.static_mem0,
                       1e-6);
    // as published, a strategy that was not profiled has no price
    input.compat = ND_ORIG;
    profile.dp = 8;
    cr_assert(!nd_maker_prepare(&maker, &strategy, &made, why, sizeof why));
    cr_assert_str_eq(why, "no profile of this configuration (--parser-result)");
    input.without_unit = true;
    cr_assert(nd_maker_prepare(&maker, &strategy, &made, why, sizeof why));
    cr_assert(made.program.layer_ratio == 0.33 && made.program.backward_ratio == 2.0 &&
              made.program.head_ratio == 3.0 && made.program.full_growth == 1.0);
    cr_assert(made.program.hop == 0.0 && isnan(made.layer_ms));
}
