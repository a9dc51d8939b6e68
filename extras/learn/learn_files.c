// SPDX-License-Identifier: Apache-2.0
// Reads and writes the files of a training.
#include "extras/learn/learn.h"

#include "base/document/json.h"
#include "base/text/say.h"
#include "base/text/text_buffer.h"
#include "engine/picture/gnuplot.h"
#include "engine/picture/pictures.h"
#include "extras/learning/problem_json.h"
#include "kernels/schedule/policy/policy.h"
#include "planner/shared/files.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum pps_status learn_set_paths(struct learning *learning, struct pps_error *err)
{
    static const char ending[] = ".json";
    const size_t n = strlen(learning->policy), n_ending = sizeof ending - 1;
    const bool has_ending =
        n > n_ending && strcmp(learning->policy + n - n_ending, ending) == 0;
    const int n_stem = (int)(has_ending ? n - n_ending : n);
    if (n + sizeof "-curve.csv" > LEARN_PATH)
        return pps_fail(err, PPS_E_INPUT, "--output: the path is too long");
    snprintf(learning->state, sizeof learning->state, "%s.state", learning->policy);
    snprintf(learning->stem, sizeof learning->stem, "%.*s-curve", n_stem, learning->policy);
    return PPS_OK;
}

// ---- policy -------------------------------------------------------------------------------------

bool learn_has_gain(const struct learning *learning)
{
    struct trainer_value value;
    (void)trainer_best(learning->trainer, &value);
    return value.replicates > 0 && value.mean + value.half_width < 0;
}

static int64_t episodes_of(const struct learning *learning, int64_t batches)
{
    return batches * trainer_episodes(&learning->options);
}

// The command that gives this policy again, without options that change nothing.
static void add_command(const struct learning *learning, cJSON *record)
{
    const struct trainer_options *o = &learning->options;
    const char *slash = strrchr(learning->policy, '/');
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL)
        return;
    fputs("ppsweep schedule learn", out);
    if (learning->problems != NULL) {
        fputs(" --problems ", out);
        pps_say_word(out, learning->problems, SIZE_MAX);
    }
    if (o->method != TRAINER_ROLLOUTS)
        fprintf(out, " --trainer %s", trainer_method_names[o->method]);
    fprintf(out, " --seed %llu --episodes %lld --width %d -o ", (unsigned long long)o->seed,
            (long long)episodes_of(learning, o->batches), o->shape.width[0]);
    pps_say_word(out, slash != NULL ? slash + 1 : learning->policy, SIZE_MAX);
    if (fclose(out) == 0)
        cJSON_AddStringToObject(record, "command", text);
    free(text);
}

static void add_value(const struct trainer_value *value, int32_t problems, cJSON *record)
{
    cJSON *object = cJSON_AddObjectToObject(record, "validation");
    cJSON_AddNumberToObject(object, "problems", problems);
    cJSON_AddNumberToObject(object, "replicates", (double)value->replicates);
    cJSON_AddNumberToObject(object, "mean", value->mean);
    cJSON_AddNumberToObject(object, "half_width", value->half_width);
    cJSON_AddNumberToObject(object, "won", value->won);
    cJSON_AddNumberToObject(object, "lost", value->lost);
}

// [episodes, mean, half width] of every validation.
static void add_curve(const struct learning *learning, cJSON *record)
{
    cJSON *curve = cJSON_AddArrayToObject(record, "curve");
    const struct trainer_batch *batch = trainer_curve(learning->trainer);
    for (int64_t k = 0; k < trainer_batches(learning->trainer); k++) {
        const struct trainer_value *value = &batch[k].validation;
        const double point[3] = {(double)episodes_of(learning, k + 1), value->mean,
                                 value->half_width};
        if (value->replicates > 0)
            cJSON_AddItemToArray(curve, cJSON_CreateDoubleArray(point, 3));
    }
}

static cJSON *record_of(const struct learning *learning)
{
    const struct trainer_options *o = &learning->options;
    struct trainer_value value;
    cJSON *record = cJSON_CreateObject();
    (void)trainer_best(learning->trainer, &value);
    add_command(learning, record);
    cJSON_AddStringToObject(record, "version", PPS_VERSION);
    cJSON_AddNumberToObject(record, "seed", (double)o->seed);
    cJSON_AddNumberToObject(record, "episodes",
                            (double)episodes_of(learning, trainer_batches(learning->trainer)));
    cJSON_AddItemToObject(record, "problems", problem_space_tree(&o->space));
    cJSON_AddBoolToObject(record, "gain", learn_has_gain(learning));
    if (value.replicates > 0)
        add_value(&value, o->validation, record);
    add_curve(learning, record);
    return record;
}

bool learn_is_complete(const struct learning *learning)
{
    static const char *const keys[] = {"command", "version"};
    struct pps_json json;
    struct pps_error unused;
    if (pps_json_load(&json, learning->policy, &unused) != PPS_OK)
        return false;
    cJSON *own = cJSON_CreateObject();
    add_command(learning, own);
    cJSON_AddStringToObject(own, "version", PPS_VERSION);
    bool same = true;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        same = same &&
               cJSON_Compare(pps_json_member(pps_json_member(json.root, "training"), keys[k]),
                             pps_json_member(own, keys[k]), true);
    cJSON_Delete(own);
    pps_json_free(&json);
    return same;
}

enum pps_status learn_write_policy(const struct learning *learning, struct pps_error *err)
{
    const bool gain = learn_has_gain(learning);
    const struct network_shape *shape = &learning->options.shape;
    struct policy *policy = policy_new(gain ? POLICY_LEARNED : POLICY_PULL, shape);
    struct text_buffer text = {.text = NULL};
    if (policy == NULL)
        return pps_fail_memory(err, "the policy");
    policy->rule = gain ? trainer_best_guide(learning->trainer) : learning->options.guide;
    policy->training = record_of(learning);
    if (gain)
        memcpy(policy->parameters, trainer_best(learning->trainer, NULL),
               (size_t)network_parameters(shape) * sizeof(double));
    policy_write(policy, &text);
    policy_free(policy);
    return plan_write_text(learning->policy, &text, &learning->gate, err);
}

// ---- curve --------------------------------------------------------------------------------------

static void add_cells(struct text_buffer *text, const double *cell, int n)
{
    for (int k = 0; k < n; k++) {
        text_buffer_add(text, ",");
        text_buffer_add_number(text, cell[k]);
    }
}

static void set_table(const struct learning *learning, struct text_buffer *text)
{
    const struct trainer_batch *batch = trainer_curve(learning->trainer);
    text_buffer_add(
        text,
        "batch,episodes,explored,kl,entropy,clipped,validation,half_width,won,lost,gain\n");
    for (int64_t k = 0; k < trainer_batches(learning->trainer); k++) {
        const struct trainer_batch *b = &batch[k];
        const double explored[] = {b->mean, b->kl, b->entropy, b->clipped},
                     validated[] = {b->validation.mean, b->validation.half_width,
                                    b->validation.won, b->validation.lost};
        text_buffer_add(text, "%lld,%lld", (long long)b->batch,
                        (long long)episodes_of(learning, k + 1));
        add_cells(text, explored, 4);
        if (b->validation.replicates > 0)
            add_cells(text, validated, 4);
        else
            text_buffer_add(text, ",,,,");
        add_cells(text, &b->gain, 1);
        text_buffer_add(text, "\n");
    }
}

static enum pps_status write_table(void *self, FILE *out, struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    set_table(self, &text);
    const bool failed = text.failed;
    if (!failed)
        fwrite(text.text, 1, text.n, out);
    text_buffer_free(&text);
    return failed ? pps_fail_memory(err, "the learning curve") : PPS_OK;
}

static enum pps_status draw(const struct learning *learning, const char *table,
                            struct pps_error *err)
{
    char folder[LEARN_PATH];
    const char *slash = strrchr(learning->stem, '/');
    const struct pps_picture_ask ask = {.folder = folder,
                                        .png = true,
                                        .svg = true,
                                        .gate = &learning->gate,
                                        .stop = learning->stop};
    if (slash == NULL)
        snprintf(folder, sizeof folder, ".");
    else
        snprintf(folder, sizeof folder, "%.*s",
                 slash == learning->stem ? 1 : (int)(slash - learning->stem), learning->stem);
    struct learning copy = *learning;
    return pps_picture_one(&ask, "learning.gp", table,
                           slash == NULL ? learning->stem : slash + 1, &copy, write_table, err);
}

enum pps_status learn_check_files(const struct learning *learning, struct pps_error *err)
{
    static const char *const endings[] = {"csv", "png", "svg"};
    char curve[3][LEARN_PATH + 8];
    const char *paths[4] = {learning->policy};
    for (int k = 0; k < 3; k++) {
        snprintf(curve[k], sizeof curve[k], "%s.%s", learning->stem, endings[k]);
        paths[k + 1] = curve[k];
    }
    enum pps_status status = pps_gate_check_all(&learning->gate, paths, 4, err);
    return status == PPS_OK ? plan_check_file(learning->policy, &learning->gate, err) : status;
}

enum pps_status learn_write_curve(const struct learning *learning, struct pps_error *err)
{
    char table[LEARN_PATH + 8];
    struct text_buffer text = {.text = NULL};
    struct pps_error missing;
    snprintf(table, sizeof table, "%s.csv", learning->stem);
    set_table(learning, &text);
    const enum pps_status status = plan_write_text(table, &text, &learning->gate, err);
    if (status != PPS_OK || trainer_batches(learning->trainer) == 0)
        return status;
    if (pps_gnuplot_check(&missing) != PPS_OK) {
        pps_say(stderr, "no picture of the learning curve: %s", missing.text);
        return PPS_OK;
    }
    return draw(learning, table, err);
}
