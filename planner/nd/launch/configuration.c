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
    const struct framework_beside beside = plan_document_beside(path);
    if (!framework_write(text, document->framework, document->form, document->original,
                         document->n_original, settings, &beside, &fault))
        return pps_fail_at(err, PPS_E_INPUT, path, fault.line, fault.column,
                           "cannot write this strategy: %s", fault.text);
    return text->failed ? pps_fail_memory(err, "a copy of %s", path) : PPS_OK;
}

enum pps_status nd_configuration_of(struct text_buffer *text,
                                    const struct plan_document *document,
                                    const struct configuration *c, struct pps_error *err)
{
    const int32_t n = c->n_parts, pp = c->strategy.pp;
    int32_t *lists = calloc(3 * (size_t)n, sizeof *lists);
    if (lists == NULL)
        return pps_fail_memory(err, "a copy of %s", document->json.name);
    for (int32_t k = 0; k < n; k++) {
        const struct configuration_part *part =
            &c->parts[configuration_part_at(c, k / pp, k % pp)];
        lists[k] = configuration_part_layers(part);
        lists[n + k] = part->full[0] + part->full[1];
        lists[2 * n + k] = part->select[0] + part->select[1];
    }
    const struct framework_settings settings = {.strategy = c->strategy,
                                                .gbs = c->training.gbs,
                                                .schedule =
                                                    c->family != NULL ? c->family->name : NULL,
                                                .micro_batches = configuration_micro_batches(c),
                                                .run_batch = configuration_run_batch(c),
                                                .layers = lists,
                                                .full = lists + n,
                                                .select = lists + 2 * n,
                                                .modules = c->training.recompute_modules};
    const enum pps_status status = nd_configuration_write(text, document, &settings, err);
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
static int32_t stage_layers(const struct nd_profile_run *run, enum nd_profile_style style,
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
                                         enum nd_profile_style style, int64_t micro_batches,
                                         int64_t mtp_depth, struct pps_error *err)
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
    if (document->form == PLAINDOC_PYTHON) // FILE.py:NAME
        return ".py";
    return dot != NULL && strchr(dot, '/') == NULL ? dot : "";
}
