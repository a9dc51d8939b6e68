// SPDX-License-Identifier: Apache-2.0
// Hands settings to the writer of the framework and reports its faults with their place.
#include "planner/nd/launch/configuration.h"

#include <stdlib.h>
#include <string.h>

enum pps_status nd_configuration_write(struct text_buffer *text,
                                       const struct plan_document *document,
                                       const struct framework_settings *settings,
                                       struct pps_error *err)
{
    struct pps_fault fault = {.line = 0};
    const char *path = document->json.name;
    if (!framework_write(text, document->framework, document->form, document->original,
                         document->n_original, settings, &fault))
        return pps_fail_at(err, PPS_E_INPUT, path, fault.line, fault.column,
                           "cannot write this strategy: %s", fault.text);
    return text->failed ? pps_fail_memory(err, "a copy of %s", path) : PPS_OK;
}

static void add_lists(int32_t *sum, const int32_t *const parts[2], size_t n)
{
    for (size_t k = 0; k < n; k++)
        sum[k] = parts[0][k] + parts[1][k];
}

enum pps_status nd_configuration_split(struct text_buffer *text,
                                       const struct plan_document *document,
                                       const struct framework_settings *settings,
                                       const struct nd_program *program,
                                       const struct nd_choice *choice,
                                       struct pps_error *err)
{
    const size_t n = (size_t)program->chunks * (size_t)program->stages;
    struct framework_settings split = *settings;
    int32_t *lists = calloc(3 * n, sizeof *lists);
    if (lists == NULL)
        return pps_fail_memory(err, "a copy of %s", document->json.name);
    add_lists(lists, choice->layers, n);
    add_lists(lists + n, choice->full, n);
    add_lists(lists + 2 * n, choice->part, n);
    split.layers = lists;
    split.full = lists + n;
    split.select = lists + 2 * n;
    split.strategy.vp = program->chunks;
    split.strategy.pp = program->stages;
    split.micro_batches = program->micro_batches;
    const enum pps_status status = nd_configuration_write(text, document, &split, err);
    free(lists);
    return status;
}

// ---- profiles -----------------------------------------------------------------------------------

// The steps that are profiled; for torchtitan, every PROFILE_PERIOD-th step.
static const struct {
    int from, to;
} profile_steps[] =
    {[ND_PROFILE_GRAPH] = {4, 6}, [ND_PROFILE_MEGATRON] = {5, 7}, [ND_PROFILE_FSDP] = {1, 20}};

// Writes the layers of each stage, MTP layers included, and returns their sum. Style graph counts an
// MTP layer on top of run->layers and gives offsets to an even split.
static int32_t stage_layers(const struct nd_profile_run *run,
                            enum nd_profile_style style,
                            int32_t layers[ND_PROFILE_STAGES_MAX])
{
    const bool graph = style == ND_PROFILE_GRAPH;
    const int32_t total = run->layers + (graph ? 1 : 0);
    for (int k = 0; k < run->n_stages; k++)
        layers[k] = run->split[k] + (graph ? total / run->n_stages : 0);
    return total;
}

enum pps_status nd_configuration_profile(struct text_buffer *text,
                                         const struct plan_document *document,
                                         const struct nd_profile_run *run,
                                         enum nd_profile_style style,
                                         int64_t micro_batches,
                                         int64_t mtp_depth,
                                         struct pps_error *err)
{
    int32_t layers[ND_PROFILE_STAGES_MAX] = {0};
    struct framework_settings settings = {.strategy = run->strategy,
                                          .micro_batches = micro_batches,
                                          .profile = true,
                                          .profile_from = profile_steps[style].from,
                                          .profile_to = profile_steps[style].to};
    struct nd_strategy *s = &settings.strategy;
    s->vp = 1;
    s->mbs = s->mbs < 1 ? 1 : s->mbs;
    settings.gbs = micro_batches * s->mbs * s->dp;
    if (run->layers > 0) {
        const int32_t total = stage_layers(run, style, layers);
        settings.num_layers = total > mtp_depth ? (int32_t)(total - mtp_depth) : total;
    }
    if (run->n_stages > 0) {
        settings.layers = layers;
        settings.full = run->recompute;
    }
    if (style == ND_PROFILE_MEGATRON) {
        settings.record_ranks = run->record_ranks;
        settings.n_record_ranks = 2;
    }
    return nd_configuration_write(text, document, &settings, err);
}

const char *nd_configuration_ending(const struct plan_document *document)
{
    const char *dot = strrchr(document->json.name, '.');
    return dot != NULL && strchr(dot, '/') == NULL ? dot : "";
}
