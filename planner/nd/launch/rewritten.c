// SPDX-License-Identifier: Apache-2.0
// Writes configurations as files, and reads them back.
#include "planner/nd/launch/rewritten.h"

#include "planner/nd/launch/configuration.h"
#include "planner/nd/launch/script.h"

#include <stdlib.h>

// Writes the launch script of a configuration without recomputation, which is then edited as a user's script is.
static bool write_plain_script(struct text_buffer *text, const struct plan_run *run,
                               const struct configuration *c)
{
    const int32_t pp = c->strategy.pp;
    struct nd_strategy strategy = c->strategy;
    int32_t *layers = calloc((size_t)c->n_parts, sizeof *layers);
    if (layers == NULL)
        return false;
    for (int32_t k = 0; k < c->n_parts; k++)
        layers[k] =
            configuration_part_layers(&c->parts[configuration_part_at(c, k / pp, k % pp)]);
    strategy.recompute = ND_RECOMPUTE_NONE;
    const struct nd_launch launch = {&run->model, &run->training, &strategy, layers,
                                     run->cluster.hardware.fused_ce &&
                                         run->training.fused_cross_entropy};
    nd_launch_script(text, &launch, run->cluster.world_size, run->cluster.node_devices);
    free(layers);
    return !text->failed;
}

static enum pps_status write_script(struct text_buffer *text, const struct plan_run *run,
                                    const struct configuration *c, struct pps_error *err)
{
    struct text_buffer plain = {.text = NULL};
    char name[] = "the launch script";
    enum pps_status status =
        write_plain_script(&plain, run, c) ? PPS_OK : pps_fail_memory(err, "%s", name);
    const struct plan_document script = {.json = {.name = name},
                                         .framework = FRAMEWORK_MEGATRON,
                                         .form = PLAINDOC_FLAT,
                                         .original = plain.text,
                                         .n_original = plain.n};
    if (status == PPS_OK)
        status = nd_configuration_of(text, &script, c, err);
    text_buffer_free(&plain);
    return status;
}

enum pps_status nd_rewrite(struct text_buffer *text, const struct plan_run *run,
                           const struct configuration *c, struct pps_error *err)
{
    const struct plan_document *file = plan_run_configuration(run);
    return file != NULL ? nd_configuration_of(text, file, c, err)
                        : write_script(text, run, c, err);
}

// Returns the text as that of the file that it replaces.
static struct plan_text instead_of(const struct plan_run *run, const struct text_buffer *text)
{
    const struct plan_document *file = plan_run_configuration(run);
    return (struct plan_text){file != NULL ? file->json.name : run->documents[0].json.name,
                              file != NULL ? file->form : PLAINDOC_FLAT, text->text, text->n};
}

enum pps_status nd_rewritten_open(struct plan_written *written, const struct pps_args *args,
                                  const struct plan_run *run, const struct text_buffer *text,
                                  struct poll *poll, struct pps_error *err)
{
    const struct plan_text instead = instead_of(run, text);
    return plan_written_open(written, args, run, &instead, poll, err);
}

// Makes the strategy of the run's file, or one without a pipeline, recompute parts of all layers.
static bool select_all(struct configuration *c, const struct plan_run *run, bool *no_memory)
{
    const struct configuration bare = {.model = run->model,
                                       .cluster = run->cluster,
                                       .training = run->training};
    struct configuration_items items;
    struct pps_fault fault;
    *c = bare;
    if (!configuration_read(c, run->baseline, &items, no_memory, &fault)) {
        configuration_free(c);
        *c = bare;
        if (*no_memory || !configuration_read(c, NULL, &items, no_memory, &fault))
            return false;
    }
    configuration_recompute(c, ND_RECOMPUTE_SELECT);
    return true;
}

// Takes the modules of the text as it is read back.
static enum pps_status modules_of(unsigned *modules, const struct text_buffer *text,
                                  const struct pps_args *args, const struct plan_run *run,
                                  struct pps_error *err)
{
    const struct plan_text instead = instead_of(run, text);
    struct plan_written written;
    const enum pps_status status = plan_written_read(&written, args, run, &instead, err);
    if (status != PPS_OK)
        return status;
    if (written.run.n_documents > 0)
        *modules = written.run.training.recompute_modules;
    plan_written_close(&written);
    return PPS_OK;
}

enum pps_status nd_rewritten_modules(unsigned *modules, const struct pps_args *args,
                                     const struct plan_run *run, struct pps_error *err)
{
    struct configuration c;
    struct text_buffer text = {.text = NULL};
    bool no_memory = false;
    enum pps_status status = PPS_OK;
    if (*modules != 0)
        return PPS_OK;
    const bool made = select_all(&c, run, &no_memory);
    if (made)
        status = nd_rewrite(&text, run, &c, err);
    if (made && status == PPS_OK)
        status = modules_of(modules, &text, args, run, err);
    if (status == PPS_E_INPUT) // the framework has no such recomputation
        status = (*err = (struct pps_error){.code = PPS_OK}).code;
    configuration_free(&c);
    text_buffer_free(&text);
    return no_memory ? pps_fail_memory(err, "the training") : status;
}

const char *nd_rewritten_ending(const struct plan_run *run)
{
    const struct plan_document *file = plan_run_configuration(run);
    return file != NULL ? nd_configuration_ending(file) : ".sh";
}
