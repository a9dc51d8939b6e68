// SPDX-License-Identifier: Apache-2.0
// Writes the files of a report.
#include "planner/balance/report/result_files.h"

#include "base/text/say.h"
#include "kernels/balance/output/lists_text.h"
#include "kernels/balance/output/strategy_plan.h"
#include "planner/balance/report/megatron_flags.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdlib.h>

static enum pps_status path_of(const struct balance_files *files,
                               const char *before,
                               const char *name,
                               char path[PLAN_PATH],
                               struct pps_error *err)
{
    if (snprintf(path, PLAN_PATH, "%s/%s%s", files->folder, before, name) < PLAN_PATH)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "%s: the name is too long", files->folder);
}

static void say_wrote(const struct balance_files *files, const char *path)
{
    if (files->log != NULL)
        pps_say(files->log, "wrote     %s", path);
}

// ---- texts --------------------------------------------------------------------------------------

// Writes the text to a file and frees the text.
static enum pps_status write_text(const struct balance_files *files,
                                  const char *name,
                                  struct text_buffer *text,
                                  struct pps_error *err)
{
    char path[PLAN_PATH];
    enum pps_status status = path_of(files, "", name, path, err);
    if (status != PPS_OK) {
        text_buffer_free(text);
        return status;
    }
    status = plan_write_text(path, text, files->gate, err);
    if (status == PPS_OK)
        say_wrote(files, path);
    return status;
}

static enum pps_status write_plan(const struct balance_files *files,
                                  const struct balance_picture *found,
                                  double seconds,
                                  double bound,
                                  struct pps_error *err)
{
    struct text_buffer text = {0};
    struct balance_plan plan = {.layers = found->layers,
                                .shape = found->shape,
                                .strategy = found->strategy,
                                .replay = found->replay,
                                .limit_mb = found->limit_mb,
                                .seconds = seconds,
                                .by = "balance",
                                .bound = bound};
    struct balance_result result = {
        .peak_mb = calloc((size_t)found->shape->stages, sizeof *result.peak_mb)};
    if (result.peak_mb == NULL)
        return pps_fail_memory(err, "the plan");
    balance_replay_run(found->replay, found->layers, found->strategy, &result);
    free(result.peak_mb);
    plan.makespan = result.makespan;
    if (balance_plan_write(&plan, &text))
        return write_text(files, BALANCE_RESULT_PLAN, &text, err);
    text_buffer_free(&text);
    return pps_fail_memory(err, "the plan");
}

// ---- pictures -----------------------------------------------------------------------------------

static enum pps_status write_pictures(const struct balance_files *files,
                                      const char *before,
                                      const char *name,
                                      const struct balance_picture *pictures,
                                      int n,
                                      struct pps_error *err)
{
    char path[PLAN_PATH];
    enum pps_status status = path_of(files, before, name, path, err);
    if (status == PPS_OK)
        status = balance_picture_write(pictures, n, path, files->gate, err);
    if (status == PPS_OK)
        say_wrote(files, path);
    return status;
}

enum pps_status balance_files_picture(const struct balance_files *files,
                                      const char *name,
                                      const struct balance_picture *picture,
                                      struct pps_error *err)
{
    return write_pictures(files, "", name, picture, 1, err);
}

enum pps_status balance_files_manual(const struct balance_files *files,
                                     const char *name,
                                     const struct balance_picture *found,
                                     const struct balance_picture *manual,
                                     struct pps_error *err)
{
    enum pps_status status = write_pictures(files, "", name, manual, 1, err);
    if (status != PPS_OK || found == NULL)
        return status;
    struct balance_picture both[] = {*found, *manual};
    char headings[2][512];
    snprintf(headings[0], sizeof headings[0], "Automatic: %s", found->heading);
    snprintf(headings[1], sizeof headings[1], "Manual: %s", manual->heading);
    both[0].heading = headings[0];
    both[1].heading = headings[1];
    status = write_pictures(files, BALANCE_AUTO_PREFIX, name, found, 1, err);
    if (status == PPS_OK)
        status = write_pictures(files, BALANCE_COMPARISON_PREFIX, name, both, 2, err);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

enum pps_status balance_files_found(const struct balance_files *files,
                                    const struct balance_picture *found,
                                    double seconds,
                                    double bound,
                                    struct pps_error *err)
{
    struct text_buffer fragment = {0}, flags = {0};
    enum pps_status status = write_pictures(files, "", BALANCE_RESULT_PICTURE, found, 1, err);
    if (status != PPS_OK)
        return status;
    balance_fragment_text(found->layers, found->strategy, &fragment);
    status = write_text(files, BALANCE_RESULT_YAML, &fragment, err);
    if (status == PPS_OK)
        status = write_plan(files, found, seconds, bound, err);
    if (status != PPS_OK)
        return status;
    balance_megatron_flags(found->layers, found->strategy, &flags);
    return write_text(files, BALANCE_RESULT_MEGATRON, &flags, err);
}

enum pps_status balance_files_json(const struct balance_files *files,
                                   const struct balance_layers *layers,
                                   double limit_mb,
                                   const struct balance_reported *strategies,
                                   int n,
                                   struct pps_error *err)
{
    struct text_buffer text = {0};
    balance_result_json(layers, limit_mb, strategies, n, &text);
    return write_text(files, BALANCE_RESULT_JSON, &text, err);
}
