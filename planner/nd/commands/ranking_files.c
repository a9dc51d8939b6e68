// SPDX-License-Identifier: Apache-2.0
// Writes the best strategies of a ranking as configurations of the user's framework.
#include "planner/nd/commands/ranking.h"

#include "base/math/units.h"
#include "base/system/disk.h"
#include "base/text/say.h"
#include "planner/nd/input/choice_price.h"
#include "planner/nd/launch/rewritten.h"
#include "planner/shared/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Writes "FOLDER/configuration/01_DP8_TP4_PP2_EP8_VP2.yaml".
static void file_path(char path[PLAN_PATH + 256], const char *folder, int64_t place,
                      const struct nd_ranked *ranked, const char *ending)
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

// Appends the file with the strategy and the split of the row.
static enum pps_status write_file(struct text_buffer *text, const struct nd_ranking *ranking,
                                  const struct nd_ranked *ranked, struct pps_error *err)
{
    const struct plan_run *run = &ranking->input->job.run;
    struct configuration c;
    enum pps_status status = PPS_OK;
    if (!nd_choice_configuration(&c, run, &ranked->strategy, &ranked->used.program,
                                 &ranked->solution.choice))
        status = pps_fail_memory(err, "a configuration");
    c.family = ranked->family;
    if (status == PPS_OK)
        status = nd_rewrite(text, run, &c, err);
    configuration_free(&c);
    return status;
}

// ---- what is read back --------------------------------------------------------------------------

static void mark(struct nd_ranked *ranked, const char *why)
{
    ranked->unwritten = true;
    snprintf(ranked->why, sizeof ranked->why, "%.255s", why);
}

// Gives the row the price of the training that was read back.
static void take_price(struct nd_ranked *ranked, const struct plan_written *written)
{
    const struct configuration_step *step = &written->mine.step;
    const struct nd_rank_price price = nd_price_of_step(step);
    if (!plan_mine_fits(&written->mine)) {
        ranked->unwritten = true;
        snprintf(ranked->why, sizeof ranked->why,
                 "read back, stage %d needs %.3f GiB, %.3f GiB available", step->worst,
                 units_to_gib(step->peak), units_to_gib(written->run.cluster.memory_limit));
    }
    nd_ranked_set_price(ranked, &price);
}

// Prices a row by its file, unless its figures were measured.
static enum pps_status read_back(const struct nd_ranking *ranking,
                                 const struct text_buffer *text, struct nd_ranked *ranked,
                                 struct pps_error *err)
{
    struct plan_written written;
    const enum pps_status status =
        nd_rewritten_open(&written, ranking->args, &ranking->input->job.run, text, NULL, err);
    if (status != PPS_OK)
        return status;
    if (!written.can_run)
        mark(ranked, written.why);
    else if (nd_choice_has_price(ranking->input, ranked->used.source))
        take_price(ranked, &written);
    plan_written_close(&written);
    return PPS_OK;
}

static enum pps_status make_file(const struct nd_ranking *ranking, struct nd_ranked *ranked,
                                 struct pps_error *err)
{
    struct text_buffer *text = &ranking->files[ranked->index];
    const enum pps_status status = write_file(text, ranking, ranked, err);
    if (status != PPS_E_INPUT)
        return status == PPS_OK ? read_back(ranking, text, ranked, err) : status;
    mark(ranked, err->text);
    *err = (struct pps_error){.code = PPS_OK};
    return PPS_OK;
}

enum pps_status nd_ranking_make_files(struct nd_ranking *ranking, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (ranking->input->compat == ND_ORIG &&
        plan_run_configuration(&ranking->input->job.run) == NULL)
        return PPS_OK;
    ranking->files = calloc((size_t)ranking->picks->n, sizeof *ranking->files);
    if (ranking->files == NULL)
        return pps_fail_memory(err, "the configurations");
    for (int64_t k = 0; k < ranking->picks->n && status == PPS_OK; k++)
        if (ranking->ranked[k].outcome == ND_RANK_PRICED)
            status = make_file(ranking, &ranking->ranked[k], err);
    nd_rank_sort(ranking->ranked, ranking->picks->n);
    return status;
}

void nd_ranking_free_files(struct nd_ranking *ranking)
{
    for (int64_t k = 0; ranking->files != NULL && k < ranking->picks->n; k++)
        text_buffer_free(&ranking->files[k]);
    free(ranking->files);
    ranking->files = NULL;
}

// ---- all ----------------------------------------------------------------------------------------

enum pps_status nd_ranking_write_configurations(const struct nd_ranking *ranking,
                                                const char *folder, int64_t n,
                                                struct pps_error *err)
{
    const struct plan_document *file = plan_run_configuration(&ranking->input->job.run);
    char path[PLAN_PATH + 256];
    int64_t written = 0;
    if (ranking->files == NULL)
        return PPS_OK;
    snprintf(path, sizeof path, "%s/configuration", folder);
    enum pps_status status = pps_disk_make_folder(path, err);
    for (int64_t k = 0; k < n && status == PPS_OK; k++) {
        const struct nd_ranked *ranked = &ranking->ranked[k];
        if (ranked->outcome != ND_RANK_PRICED || ranked->unwritten)
            continue;
        file_path(path, folder, k + 1, ranked, nd_rewritten_ending(&ranking->input->job.run));
        status =
            plan_write_text(path, &ranking->files[ranked->index], ranking->input->gate, err);
        written++;
    }
    const char *what = file != NULL   ? (written == 1 ? "configuration" : "configurations")
                       : written == 1 ? "launch script of Megatron-LM"
                                      : "launch scripts of Megatron-LM";
    if (status == PPS_OK)
        pps_say(stdout, "wrote %" PRId64 " %s in %s/configuration", written, what, folder);
    return status;
}
