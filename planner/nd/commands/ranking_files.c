// SPDX-License-Identifier: Apache-2.0
// Writes the best strategies of a ranking as configurations of the user's framework.
#include "planner/nd/commands/ranking.h"

#include "base/system/disk.h"
#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "planner/nd/launch/configuration.h"
#include "planner/shared/files.h"

#include <inttypes.h>
#include <stdio.h>

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
        status = plan_write_text(path, &text, ranking->input->force, err);
    text_buffer_free(&text);
    return status;
}

enum pps_status nd_ranking_write_configurations(const struct nd_ranking *ranking,
                                                const char *folder,
                                                int64_t n,
                                                struct pps_error *err)
{
    const struct plan_document *file = plan_run_configuration(&ranking->input->job.run);
    char path[PLAN_PATH + 256];
    int64_t written = 0;
    if (file == NULL)
        return PPS_OK;
    snprintf(path, sizeof path, "%s/configuration", folder);
    enum pps_status status = pps_disk_make_folder(path, err);
    for (int64_t k = 0; k < n && status == PPS_OK; k++) {
        const struct nd_ranked *ranked = &ranking->ranked[k];
        if (ranked->outcome != ND_RANK_PRICED)
            continue;
        file_path(path, folder, k + 1, ranked, nd_configuration_ending(file));
        status = write_one(ranking, file, path, ranked, err);
        written += status == PPS_OK;
    }
    if (status == PPS_OK)
        pps_say(stdout, "wrote %" PRId64 " configuration%s in %s/configuration", written,
                written == 1 ? "" : "s", folder);
    return status;
}
