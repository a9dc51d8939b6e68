// SPDX-License-Identifier: Apache-2.0
// Makes layers from init files.
#include "planner/balance/init/fit_layers.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/command/signals.h"
#include "kernels/balance/documents/layers_write.h"
#include "planner/shared/document_read.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- reading ------------------------------------------------------------------------------------

static void warn(const struct pps_json *json, const cJSON *item)
{
    struct pps_error at;
    pps_json_fail_key(json, item, &at, "unknown key %s has no effect", item->string);
    pps_say(stderr, "warning   %s:%d:%d: %s", at.file, at.line, at.column, at.text);
}

enum pps_status init_file_read(struct init_file *file, const char *path, struct pps_error *err)
{
    struct pps_fault fault;
    const char *dot = strrchr(path, '.');
    *file = (struct init_file){.init = {.stages = 0}};
    if (dot == NULL || (strcasecmp(dot, ".yaml") != 0 && strcasecmp(dot, ".yml") != 0))
        return pps_fail(err, PPS_E_INPUT, "%s: expected a file .yaml or .yml", path);
    enum pps_status status = plan_yaml_read(&file->json, path, err);
    if (status != PPS_OK)
        return status;
    if (!balance_init_read(file->json.root, &file->init, &fault) ||
        !memory_fit_find(&file->init, &file->fit, &fault)) {
        status = plan_fail_document(&file->json, &fault, err);
        init_file_free(file);
        return status;
    }
    for (const cJSON *item = balance_init_unknown(file->json.root, NULL); item != NULL;
         item = balance_init_unknown(file->json.root, item))
        warn(&file->json, item);
    return PPS_OK;
}

void init_file_free(struct init_file *file)
{
    balance_init_free(&file->init);
    pps_json_free(&file->json);
}

// ---- layers -------------------------------------------------------------------------------------

static enum pps_status read_times(const struct init_file *file, double times[LAYER_PARTS],
                                  double backward[LAYER_PARTS], struct pps_error *err)
{
    static const char *const names[LAYER_PARTS] = {"head", "body", "tail"};
    const struct layer_times *given = &file->init.times;
    bool all = true;
    for (int part = 0; part < LAYER_PARTS; part++)
        all = all && given->is_given[part];
    if (!all && given->folder != NULL)
        return layer_times_read(given, pps_signals_install(), times, backward, stdout, err);
    for (int part = 0; part < LAYER_PARTS; part++) {
        if (!given->is_given[part])
            return pps_json_fail(&file->json, file->json.root, err,
                                 "time_config: the forward time of %s is missing; write "
                                 "time_config: {head: H, body: B, tail: T}, or folder_path of "
                                 "traces in profiling_config",
                                 names[part]);
        times[part] = given->given[part];
        backward[part] = 0;
    }
    return PPS_OK;
}

// Says which backward times are not measured. Those of body layers that compute something again are no times of b[none].
static void check_backwards(const struct memory_fit *fit, double backward[LAYER_PARTS])
{
    bool recomputes = false;
    for (int k = BALANCE_SELECT; k < BALANCE_KINDS; k++)
        recomputes = recomputes || fit->has[k];
    if (recomputes && backward[LAYER_BODY] > 0) {
        backward[LAYER_BODY] = 0;
        pps_say(stdout,
                "The measured stages recompute: backward of body is twice the forward.");
    } else if (!(backward[LAYER_BODY] > 0))
        pps_say(stdout, "Backward times that are not measured are twice the forward.");
}

static double backward_of(enum layer_part part, const double times[LAYER_PARTS],
                          const double backward[LAYER_PARTS])
{
    return backward[part] > 0 ? backward[part] : 2 * times[part];
}

enum pps_status init_file_layers(const struct init_file *file, const char *name,
                                 struct balance_layers *layers, struct pps_error *err)
{
    const struct memory_fit *fit = &file->fit;
    double times[LAYER_PARTS], backward[LAYER_PARTS];
    const enum pps_status status = read_times(file, times, backward, err);
    if (status != PPS_OK)
        return status;
    check_backwards(fit, backward);
    *layers = (struct balance_layers){.layers = file->init.layers,
                                      .head = times[LAYER_HEAD],
                                      .tail = times[LAYER_TAIL],
                                      .head_backward = backward_of(LAYER_HEAD, times, backward),
                                      .tail_backward = backward_of(LAYER_TAIL, times, backward),
                                      .forward = times[LAYER_BODY],
                                      .parameter_mb = fit->parameter_mb,
                                      .head_mb = fit->head_mb,
                                      .tail_mb = fit->tail_mb,
                                      .constant_mb = fit->constant_mb};
    snprintf(layers->name, sizeof layers->name, "%s", name);
    for (int k = 0; k < BALANCE_KINDS; k++) {
        layers->backward[k] = balance_backward_of(layers->forward, backward[LAYER_BODY],
                                                  balance_usual_coefs, (enum balance_kind)k);
        layers->has[k] = fit->has[k] && fit->activation_mb[k] > 0;
        layers->activation_mb[k] = layers->has[k] ? fit->activation_mb[k] : 0;
    }
    if (!layers->has[BALANCE_NONE])
        return pps_json_fail(&file->json, file->json.root, err,
                             "memory_usage: activations without recomputation come out as %.1f "
                             "MiB; the measurements do not fit the model of memory",
                             fit->activation_mb[BALANCE_NONE]);
    if (!balance_layers_take_time(layers)) {
        const cJSON *given = cJSON_GetObjectItemCaseSensitive(file->json.root, "time_config");
        return pps_json_fail(&file->json, given != NULL ? given : file->json.root, err,
                             "%s: all times are 0; write the forward time of a layer",
                             given != NULL ? "time_config" : "profiling_config");
    }
    return PPS_OK;
}

enum pps_status init_file_write(const struct balance_layers *layers, const char *path,
                                const struct pps_gate *gate, struct pps_error *err)
{
    struct text_buffer text = {0};
    balance_layers_write(layers, &text);
    const enum pps_status status = plan_write_text(path, &text, gate, err);
    if (status == PPS_OK)
        pps_say(stdout, "wrote     %s", path);
    return status;
}

// ---- report -------------------------------------------------------------------------------------

static void show_measure(const struct init_file *file, const struct init_measure *m,
                         bool is_equation, FILE *out)
{
    const double model = memory_fit_of(&file->init, &file->fit, m);
    fprintf(out, "%5d %5d %6d %12s %12s ", m->round + 1, m->stage, m->layers,
            pps_decimals_text(m->memory_mb, 1).text, pps_decimals_text(model, 1).text);
    if (is_equation)
        fprintf(out, "%10s\n",
                pps_change_text(fabs(m->memory_mb - model) < 0.05 ? 0 : m->memory_mb - model, 1)
                    .text);
    else
        fprintf(out, "%10s\n", "exact");
}

static void show_unknowns(const struct memory_fit *fit, FILE *out)
{
    fprintf(out, "%-24s %12s\n", "memory", "MiB");
    fprintf(out, "%-24s %12s\n", "parameters of a layer",
            pps_decimals_text(fit->parameter_mb, 2).text);
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (fit->has[k])
            fprintf(out, "activations, %-11s %12s\n", balance_kind_names[k],
                    pps_decimals_text(fit->activation_mb[k], 2).text);
    fprintf(out, "%-24s %12s\n%-24s %12s\n", "head", pps_decimals_text(fit->head_mb, 2).text,
            "tail", pps_decimals_text(fit->tail_mb, 2).text);
    if (fit->has_constant)
        fprintf(out, "%-24s %12s\n\n", "every stage",
                pps_decimals_text(fit->constant_mb, 2).text);
    else
        fprintf(out, "%-24s %12s\n\n", "every stage", "not fitted");
}

static bool exceeds(const struct memory_fit *fit, enum balance_kind a, enum balance_kind b)
{
    return fit->has[a] && fit->has[b] && fit->activation_mb[a] > fit->activation_mb[b];
}

// More recomputation never needs more memory.
static bool is_ordered(const struct memory_fit *fit)
{
    for (int k = BALANCE_SELECT; k < BALANCE_KINDS; k++)
        if (exceeds(fit, (enum balance_kind)k, BALANCE_NONE) ||
            (k < BALANCE_FULL && exceeds(fit, BALANCE_FULL, (enum balance_kind)k)))
            return false;
    return !exceeds(fit, BALANCE_BOTH, BALANCE_SELECT) &&
           !exceeds(fit, BALANCE_BOTH, BALANCE_SELECT_COMM);
}

static void warn_of_fit(const struct memory_fit *fit)
{
    double least = fmin(fit->parameter_mb, fmin(fit->head_mb, fit->tail_mb));
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (fit->has[k])
            least = fmin(least, fit->activation_mb[k]);
    if (least < 0)
        fputs(
            "warning   some memory comes out below 0: the measurements do not fit the model of memory well\n",
            stderr);
    if (!is_ordered(fit))
        fputs("warning   a kind with more recomputation needs more memory: the measurements do "
              "not fit the model of memory well\n",
              stderr);
    if (fit->condition > 1000)
        fputs("warning   the equations hardly tell the unknowns apart (condition number above "
              "1000); measure configurations of ppsweep balance guide\n",
              stderr);
}

void init_file_show(const struct init_file *file, FILE *out)
{
    const struct balance_init *init = &file->init;
    const struct memory_fit *fit = &file->fit;
    fprintf(out, "%d equations, %d unknowns: %s\n\n", fit->equations, fit->unknowns,
            fit->equations == fit->unknowns ? "solved exactly" : "least squares");
    fprintf(out, "%5s %5s %6s %12s %12s %10s\n", "round", "stage", "layers", "measured MiB",
            "model MiB", "residual");
    for (int i = 0; i < init->n; i++)
        show_measure(file, &init->middle[i], true, out);
    show_measure(file, &init->head, false, out);
    show_measure(file, &init->tail, false, out);
    fprintf(out, "\n");
    show_unknowns(fit, out);
    fprintf(out, "residuals: rms %s MiB, largest %s MiB; condition number %s\n",
            pps_decimals_text(fit->rms, 1).text, pps_decimals_text(fit->largest, 1).text,
            pps_decimals_text(fit->condition, 1).text);
    if (fit->underestimated > 0.05)
        fprintf(out,
                "Stages measured up to %s MiB more than the model says: --margin %.0f of "
                "ppsweep balance keeps that free.\n",
                pps_decimals_text(fit->underestimated, 1).text, ceil(fit->underestimated));
    fflush(out);
    warn_of_fit(fit);
}
