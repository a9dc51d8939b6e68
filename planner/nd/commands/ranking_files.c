// SPDX-License-Identifier: Apache-2.0
// Writes the best strategies of a ranking as configurations of the user's framework.
#include "planner/nd/commands/ranking.h"

#include "base/system/disk.h"
#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "planner/nd/launch/configuration.h"
#include "planner/nd/launch/script.h"
#include "planner/shared/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Writes "FOLDER/configuration/01_DP8_TP4_PP2_EP8_VP2.yaml".
static void file_path(char path[PLAN_PATH + 256],
                      const char *folder,
                      int64_t place,
                      const struct nd_ranked *ranked,
                      const char *ending)
{
    const struct nd_strategy *s = &ranked->strategy;
    const int32_t vp = ranked->used.program.chunks;
    int n =
        snprintf(path, PLAN_PATH + 256, "%s/configuration/%02" PRId64 "_DP%d_TP%d_PP%d_EP%d",
                 folder, place, s->dp, s->tp, s->pp, s->ep);
    if (s->cp > 1)
        n += sprintf(path + n, "_CP%d", s->cp);
    if (vp > 1)
        n += sprintf(path + n, "_VP%d", vp);
    if (s->mbs > 1)
        n += sprintf(path + n, "_MBS%d", s->mbs);
    if (s->tp > 1 && !s->sp)
        n += sprintf(path + n, "_NOSP");
    sprintf(path + n, "%.16s", ending);
}

static enum pps_status write_one(const struct nd_ranking *ranking,
                                 const struct plan_document *file,
                                 const char *path,
                                 const struct nd_ranked *ranked,
                                 struct pps_error *err)
{
    const struct framework_settings settings = {.strategy = ranked->strategy,
                                                .gbs = ranking->input->job.run.training.gbs};
    struct text_buffer text = {.text = NULL};
    enum pps_status status = nd_configuration_split(
        &text, file, &settings, &ranked->used.program, &ranked->solution.choice, err);
    if (status == PPS_OK)
        status = plan_write_text(path, &text, ranking->input->gate, err);
    text_buffer_free(&text);
    return status;
}

// ---- models without a configuration -------------------------------------------------------------

// Writes the launch script of the strategy without recomputation, which is then edited as a user's script is.
static bool make_script(struct text_buffer *text,
                        const struct nd_ranking *ranking,
                        const struct nd_ranked *ranked)
{
    const struct plan_run *run = &ranking->input->job.run;
    const struct nd_program *program = &ranked->used.program;
    const struct nd_choice *choice = &ranked->solution.choice;
    const size_t n = (size_t)program->chunks * (size_t)program->stages;
    struct nd_strategy strategy = ranked->strategy;
    int32_t *layers = calloc(n, sizeof *layers);
    if (layers == NULL)
        return false;
    for (size_t k = 0; k < n; k++)
        layers[k] = choice->layers[0][k] + choice->layers[1][k];
    strategy.vp = program->chunks;
    strategy.recompute = ND_RECOMPUTE_NONE;
    const struct nd_launch launch = {&run->model, &run->training, &strategy, layers,
                                     run->cluster.hardware.fused_ce &&
                                         run->training.fused_cross_entropy};
    nd_launch_script(text, &launch, run->cluster.world_size, run->cluster.node_devices);
    free(layers);
    return !text->failed;
}

static enum pps_status write_script(const struct nd_ranking *ranking,
                                    const char *path,
                                    const struct nd_ranked *ranked,
                                    struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    char name[] = "the launch script";
    enum pps_status status =
        make_script(&text, ranking, ranked) ? PPS_OK : pps_fail_memory(err, "%s", path);
    const struct plan_document script = {.json = {.name = name},
                                         .framework = FRAMEWORK_MEGATRON,
                                         .form = PLAINDOC_NONE,
                                         .original = text.text,
                                         .n_original = text.n};
    if (status == PPS_OK)
        status = write_one(ranking, &script, path, ranked, err);
    text_buffer_free(&text);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

// Writes one row. Without the user's configuration, *written stays false if the framework cannot express the strategy.
static enum pps_status write_row(const struct nd_ranking *ranking,
                                 const struct plan_document *file,
                                 const char *path,
                                 const struct nd_ranked *ranked,
                                 bool *written,
                                 struct pps_error *err)
{
    const enum pps_status status = file != NULL ? write_one(ranking, file, path, ranked, err)
                                                : write_script(ranking, path, ranked, err);
    *written = status == PPS_OK;
    if (file != NULL || status != PPS_E_INPUT || err->file[0] == '\0')
        return status;
    if (!ranking->input->quiet)
        pps_say(stderr, "note      %s is not written: %s", path, err->text);
    return PPS_OK;
}

enum pps_status nd_ranking_write_configurations(const struct nd_ranking *ranking,
                                                const char *folder,
                                                int64_t n,
                                                struct pps_error *err)
{
    const struct plan_document *file = plan_run_configuration(&ranking->input->job.run);
    char path[PLAN_PATH + 256];
    int64_t written = 0;
    if (file == NULL && ranking->input->compat == ND_ORIG)
        return PPS_OK;
    snprintf(path, sizeof path, "%s/configuration", folder);
    enum pps_status status = pps_disk_make_folder(path, err);
    for (int64_t k = 0; k < n && status == PPS_OK; k++) {
        const struct nd_ranked *ranked = &ranking->ranked[k];
        bool done = false;
        if (ranked->outcome != ND_RANK_PRICED)
            continue;
        file_path(path, folder, k + 1, ranked,
                  file != NULL ? nd_configuration_ending(file) : ".sh");
        status = write_row(ranking, file, path, ranked, &done, err);
        written += done;
    }
    const char *what = file != NULL   ? (written == 1 ? "configuration" : "configurations")
                       : written == 1 ? "launch script of Megatron-LM"
                                      : "launch scripts of Megatron-LM";
    if (status == PPS_OK)
        pps_say(stdout, "wrote %" PRId64 " %s in %s/configuration", written, what, folder);
    return status;
}
