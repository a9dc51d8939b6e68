// SPDX-License-Identifier: Apache-2.0
// Writes the files of a report.
#include "planner/balance/report/result_files.h"

#include "base/edit/json_write.h"
#include "base/text/say.h"
#include "engine/trace/trace_write.h"
#include "kernels/balance/output/lists_text.h"
#include "kernels/balance/output/strategy_plan.h"
#include "kernels/balance/output/timeline.h"
#include "planner/balance/report/megatron_flags.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- timeline file ------------------------------------------------------------------------------

static enum pps_status tell(void *self, const struct pps_trace_sink *sink,
                            struct pps_error *err)
{
    const struct balance_picture *p = self;
    return balance_send_timeline(p->replay, p->layers, p->shape, p->strategy, p->limit_mb, sink)
               ? PPS_OK
               : pps_fail_memory(err, "the timeline");
}

enum pps_status balance_timeline_write(const struct balance_picture *picture, const char *path,
                                       const struct pps_gate *gate, struct pps_error *err)
{
    struct balance_picture shown = *picture;
    struct balance_result result = {
        .peak_mb = calloc((size_t)picture->shape->stages, sizeof *result.peak_mb)};
    struct pps_tracewrite write = {.path = path,
                                   .gate = gate,
                                   .title = picture->heading,
                                   .window = {0, (double)INFINITY},
                                   .names = &balance_trace_names,
                                   .tell = tell,
                                   .self = &shown};
    if (result.peak_mb == NULL)
        return pps_fail_memory(err, "the timeline");
    balance_replay_run(picture->replay, picture->layers, picture->strategy, &result);
    free(result.peak_mb);
    if (!pps_trace_form_of(path, &write.form))
        return pps_fail(err, PPS_E_INPUT, "%s: end the name in .json, .svg, .png or .csv",
                        path);
    const enum pps_status status = pps_tracewrite(&write, err);
    if (status != PPS_OK || strcmp(path, "-") == 0)
        return status;
    pps_say(stdout, "wrote     %s", path);
    pps_trace_say_next(stdout, write.form);
    return PPS_OK;
}

// ---- result json --------------------------------------------------------------------------------

#define FITS_MB 1e-6 // above the limit

static void add_number(struct text_buffer *text, const char *before, double value)
{
    text_buffer_add(text, "%s", before);
    json_write_number(text, value);
}

static void add_shape(const struct balance_reported *r, struct text_buffer *text)
{
    const struct balance_shape *shape = r->shape;
    text_buffer_add(text, "\n  {\"name\": ");
    json_write_text(text, r->name);
    text_buffer_add(text,
                    ", \"stages\": %d, \"chunks\": %d, \"micro_batches\": %d, \"pieces\": %d, "
                    "\"order\": \"%s\",\n",
                    shape->stages, shape->chunks, shape->micro_batches, shape->pieces,
                    shape->order == BALANCE_LESS_MEMORY ? "less" : "big");
}

static void add_result(const struct balance_reported *r, double limit_mb, double first,
                       struct text_buffer *text)
{
    const struct balance_result *result = r->result;
    add_number(text, "   \"step_time\": ", result->makespan);
    add_number(text,
               ", \"relative_speed\": ", result->makespan > 0 ? first / result->makespan : 1);
    text_buffer_add(text, ", \"fits\": %s,\n",
                    result->peak_mb[result->worst] <= limit_mb + FITS_MB ? "true" : "false");
    add_number(text, "   \"bubble\": {\"real\": ", result->bubble.real);
    add_number(text, ", \"ideal\": ", result->bubble.ideal);
    add_number(text, ", \"imbalance\": ", result->bubble.imbalance);
    add_number(text, ", \"recompute\": ", result->bubble.recompute);
    add_number(text, ", \"transfer\": ", result->bubble.transfer);
    text_buffer_add(text, "},\n   \"peak_mib\": ");
    for (int32_t s = 0; s < r->shape->stages; s++)
        add_number(text, s == 0 ? "[" : ", ", result->peak_mb[s]);
    text_buffer_add(text, "], \"worst_stage\": %d,\n", result->worst);
}

static void add_lists(const struct balance_layers *layers, const struct balance_reported *r,
                      struct text_buffer *text)
{
    for (int list = 0; list < BALANCE_LISTS; list++) {
        text_buffer_add(text, "   \"%s\": ", balance_list_names[list]);
        balance_list_text(layers, r->strategy, (enum balance_list)list, text);
        text_buffer_add(text, ",\n");
    }
    text_buffer_add(text, "   \"layout\": \"");
    balance_megatron_layout(r->strategy, text);
    text_buffer_add(text, "\", \"canonical\": %s,\n",
                    balance_is_canonical(r->strategy) ? "true" : "false");
}

static void add_chunks(const struct balance_layers *layers, const struct balance_reported *r,
                       const char *name, size_t offset, struct text_buffer *text)
{
    text_buffer_add(text, "   \"%s\": ", name);
    for (int32_t v = 0; v < r->shape->chunks; v++) {
        text_buffer_add(text, "%s", v == 0 ? "[" : ", ");
        for (int32_t s = 0; s < r->shape->stages; s++) {
            const struct balance_chunk chunk = balance_chunk_of(layers, r->strategy, v, s);
            const double *value = (const double *)(const void *)((const char *)&chunk + offset);
            add_number(text, s == 0 ? "[" : ", ", *value);
        }
        text_buffer_add(text, "]");
    }
    text_buffer_add(text, "],\n");
}

static void add_strategy(const struct balance_layers *layers, double limit_mb,
                         const struct balance_reported *r, double first,
                         struct text_buffer *text)
{
    add_shape(r, text);
    add_result(r, limit_mb, first, text);
    add_lists(layers, r, text);
    add_chunks(layers, r, "forward", offsetof(struct balance_chunk, forward), text);
    add_chunks(layers, r, "backward", offsetof(struct balance_chunk, backward), text);
    add_chunks(layers, r, "activation_mib", offsetof(struct balance_chunk, activation_mb),
               text);
    text_buffer_add(text, "   \"static_mib\": ");
    for (int32_t s = 0; s < r->shape->stages; s++)
        add_number(text, s == 0 ? "[" : ", ", balance_static_mb(layers, r->strategy, s));
    text_buffer_add(text, "]}");
}

void balance_result_json(const struct balance_layers *layers, double limit_mb,
                         const struct balance_reported *strategies, int n,
                         struct text_buffer *text)
{
    text_buffer_add(text, "{\"model\": ");
    json_write_text(text, layers->name);
    text_buffer_add(text, ", \"layers\": %d, \"limit_mib\": ", layers->layers);
    json_write_number(text, limit_mb);
    text_buffer_add(text, ", \"strategies\": [");
    for (int i = 0; i < n; i++) {
        text_buffer_add(text, "%s", i == 0 ? "" : ",");
        add_strategy(layers, limit_mb, &strategies[i], strategies[0].result->makespan, text);
    }
    text_buffer_add(text, "\n]}\n");
}

// ---- result files -------------------------------------------------------------------------------

static enum pps_status path_of(const struct balance_files *files, const char *before,
                               const char *name, char path[PLAN_PATH], struct pps_error *err)
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
static enum pps_status write_text(const struct balance_files *files, const char *name,
                                  struct text_buffer *text, struct pps_error *err)
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
                                  const struct balance_picture *found, double seconds,
                                  double bound, struct pps_error *err)
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

static enum pps_status write_pictures(const struct balance_files *files, const char *before,
                                      const char *name, const struct balance_picture *pictures,
                                      int n, struct pps_error *err)
{
    char path[PLAN_PATH];
    enum pps_status status = path_of(files, before, name, path, err);
    if (status == PPS_OK)
        status = balance_picture_write(pictures, n, path, files->gate, err);
    if (status == PPS_OK)
        say_wrote(files, path);
    return status;
}

enum pps_status balance_files_picture(const struct balance_files *files, const char *name,
                                      const struct balance_picture *picture,
                                      struct pps_error *err)
{
    return write_pictures(files, "", name, picture, 1, err);
}

enum pps_status balance_files_manual(const struct balance_files *files, const char *name,
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
                                    const struct balance_picture *found, double seconds,
                                    double bound, struct pps_error *err)
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
                                   const struct balance_layers *layers, double limit_mb,
                                   const struct balance_reported *strategies, int n,
                                   struct pps_error *err)
{
    struct text_buffer text = {0};
    balance_result_json(layers, limit_mb, strategies, n, &text);
    return write_text(files, BALANCE_RESULT_JSON, &text, err);
}
