// SPDX-License-Identifier: Apache-2.0
// Writes settings into MindFormers configurations: degrees, batches, optimizer shards, profiling.
#include "base/document/fault.h"
#include "base/text/characters.h"
#include "kernels/frameworks/mindformers_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- keys ---------------------------------------------------------------------------------------

const cJSON *mindformers_now(const struct mindformers_writer *m, enum mindformers_key key)
{
    const char *const *path = mindformers_paths(key);
    for (int i = 0; i < MINDFORMERS_PATHS && path[i] != NULL; i++) {
        const cJSON *item = yaml_get(m->doc, path[i]);
        if (item != NULL && !cJSON_IsNull(item))
            return item;
    }
    return NULL;
}

static double number_now(const struct mindformers_writer *m, enum mindformers_key key,
                         double otherwise)
{
    const cJSON *item = mindformers_now(m, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

void mindformers_put(struct mindformers_writer *m, enum mindformers_key key, cJSON *value)
{
    const char *const *path = mindformers_paths(key), *at = path[0];
    bool found = false;
    if (value == NULL)
        m->edit.failed = true;
    for (int i = 0; value != NULL && i < MINDFORMERS_PATHS && path[i] != NULL; i++) {
        const cJSON *item = yaml_get(m->doc, path[i]);
        if (item != NULL)
            yaml_set(&m->edit, path[i], value);
        found |= item != NULL;
        if (m->new_form)
            at = path[i];
    }
    if (value != NULL && !found)
        yaml_set(&m->edit, at, value);
    cJSON_Delete(value);
}

static void put_number(struct mindformers_writer *m, enum mindformers_key key, double value)
{
    mindformers_put(m, key, cJSON_CreateNumber(value));
}

void mindformers_put_flag(struct mindformers_writer *m, enum mindformers_key key, bool value)
{
    mindformers_put(m, key, cJSON_CreateBool(value));
}

// Writes a value that is the default of a missing key.
static void put_unless_default(struct mindformers_writer *m, enum mindformers_key key,
                               double value, double otherwise)
{
    if (mindformers_now(m, key) != NULL || value != otherwise)
        put_number(m, key, value);
}

// ---- degrees ------------------------------------------------------------------------------------

// The scheduler of the file, if it has one, must be that of the strategy.
static void put_scheduler(struct mindformers_writer *m)
{
    const cJSON *now = mindformers_now(m, MF_SCHEDULER);
    const bool gpipe = m->s->schedule != NULL && strcmp(m->s->schedule, "gpipe") == 0;
    const char *word = gpipe ? "gpipe" : "1f1b";
    if (m->s->strategy.pp > 1 &&
        (cJSON_IsString(now) ? strcmp(now->valuestring, word) != 0 : gpipe))
        mindformers_put(m, MF_SCHEDULER, cJSON_CreateString(word));
}

static void put_chunks(struct mindformers_writer *m)
{
    const double vp = m->s->strategy.vp;
    const cJSON *interleave = mindformers_now(m, MF_INTERLEAVE);
    put_unless_default(m, MF_VP, vp, 1);
    put_scheduler(m);
    if (vp > 1 && interleave == NULL && !m->new_form)
        yaml_set_text(&m->edit, "parallel.pipeline_config.pipeline_scheduler", "1f1b");
    if (vp > 1 || cJSON_IsTrue(interleave))
        mindformers_put_flag(m, MF_INTERLEAVE, vp > 1);
}

static void put_degrees(struct mindformers_writer *m)
{
    const struct nd_strategy *s = &m->s->strategy;
    if (!m->new_form || mindformers_now(m, MF_DP) != NULL)
        put_number(m, MF_DP, s->dp);
    put_number(m, MF_TP, s->tp);
    put_number(m, MF_PP, s->pp);
    put_unless_default(m, MF_CP, s->cp, 1);
    if (s->ep > 0)
        put_unless_default(m, MF_EP, s->ep, 1);
    if (s->sp || mindformers_now(m, MF_SP) != NULL)
        mindformers_put_flag(m, MF_SP, s->sp);
    put_chunks(m);
}

// The data-parallel degree appears a second time in each row of dataset_strategy.
static void put_data_strategy(struct mindformers_writer *m)
{
    const cJSON *list = mindformers_now(m, MF_DATA_STRATEGY);
    const double before = number_now(m, MF_DP, 1);
    char path[80];
    int i = 0;
    if (!cJSON_IsArray(list))
        return;
    for (const cJSON *row = list->child; row != NULL; row = row->next, i++) {
        const cJSON *first = cJSON_IsArray(row) ? row->child : NULL;
        if (!cJSON_IsNumber(first) || first->valuedouble != before)
            continue;
        snprintf(path, sizeof path, "%s.%d.0", mindformers_paths(MF_DATA_STRATEGY)[0], i);
        yaml_set_number(&m->edit, path, m->s->strategy.dp);
    }
}

// ---- batches ------------------------------------------------------------------------------------

// Callbacks that repeat the number of micro-batches.
static void put_callbacks(struct mindformers_writer *m, double before, double after)
{
    const cJSON *list = yaml_get(m->doc, "callbacks");
    char path[64];
    int i = 0;
    if (!cJSON_IsArray(list))
        return;
    for (const cJSON *callback = list->child; callback != NULL;
         callback = callback->next, i++) {
        const cJSON *item = pps_json_member(callback, "micro_batch_num");
        if (!cJSON_IsNumber(item) || item->valuedouble != before)
            continue;
        snprintf(path, sizeof path, "callbacks.%d.micro_batch_num", i);
        yaml_set_number(&m->edit, path, after);
    }
}

static void put_micro_batches(struct mindformers_writer *m, double n)
{
    const double before = number_now(m, MF_MICRO_BATCHES, 1);
    if (m->new_form)
        return; // follows from the global batch size
    put_unless_default(m, MF_MICRO_BATCHES, n, 1);
    put_callbacks(m, before, n);
    if (m->s->strategy.pp == 1)
        put_unless_default(m, MF_ACCUMULATION, n, 1);
}

static void put_batch(struct mindformers_writer *m)
{
    const double mbs = m->s->strategy.mbs, copies = number_now(m, MF_INTERLEAVED_COPIES, 1);
    const bool whole = copies >= 1 && m->s->strategy.mbs % (int)copies == 0;
    if (m->s->strategy.mbs < 1)
        return;
    put_number(m, MF_BATCH, whole ? mbs / copies : mbs);
    if (!whole)
        put_number(m, MF_INTERLEAVED_COPIES, 1);
}

static void put_batches(struct mindformers_writer *m)
{
    const struct framework_settings *s = m->s;
    const int64_t step = (int64_t)s->strategy.dp * (s->strategy.mbs > 0 ? s->strategy.mbs : 1);
    const int64_t n = s->micro_batches > 0 ? s->micro_batches : s->gbs / step;
    put_batch(m);
    if (n > 0)
        put_micro_batches(m, (double)n);
    if (n > 0 && m->new_form)
        put_number(m, MF_GLOBAL_BATCH, (double)(s->gbs > 0 ? s->gbs : n * step));
}

// ---- the optimizer ------------------------------------------------------------------------------

bool mindformers_write_fail(struct mindformers_writer *m, const cJSON *item, const char *format,
                            ...)
{
    va_list args;
    *m->fault = (struct pps_fault){.line = 1, .column = 1};
    if (item != NULL)
        pps_find_place(m->doc->text, framework_value_at(m->doc, item), &m->fault->line,
                       &m->fault->column);
    va_start(args, format);
    vsnprintf(m->fault->text, sizeof m->fault->text, format, args);
    va_end(args);
    return false;
}

static bool put_optimizer(struct mindformers_writer *m)
{
    const struct nd_strategy *s = &m->s->strategy;
    const bool all = s->op == -1 || s->op == s->dp || s->op == s->dp * s->cp;
    const int32_t wanted = all ? s->dp : s->op;
    const bool enabled = cJSON_IsTrue(mindformers_now(m, MF_OPTIMIZER_PARALLEL));
    const double shards = number_now(m, MF_OPTIMIZER_SHARDS, -1);
    if (s->op == 0 || (enabled ? (shards == -1 ? s->dp : shards) : 1) == wanted)
        return true;
    if (wanted < 1 || s->dp % wanted != 0)
        return mindformers_write_fail(
            m, mindformers_now(m, MF_DP),
            "MindFormers cannot divide the optimizer into %d parts: data_parallel is %d", s->op,
            s->dp);
    if (wanted > 1 || enabled)
        mindformers_put_flag(m, MF_OPTIMIZER_PARALLEL, wanted > 1);
    if (wanted > 1)
        put_unless_default(m, MF_OPTIMIZER_SHARDS, all ? -1 : wanted, -1);
    return true;
}

// ---- profiles and dry runs ----------------------------------------------------------------------

static void put_profile(struct mindformers_writer *m)
{
    mindformers_put_flag(m, MF_PROFILE, true);
    put_number(m, MF_PROFILE_START, m->s->profile_from);
    put_number(m, MF_PROFILE_STOP, m->s->profile_to);
    if (m->s->record_ranks != NULL)
        mindformers_put(m, MF_PROFILE_RANKS,
                        cJSON_CreateIntArray(m->s->record_ranks, m->s->n_record_ranks));
}

// A dry run has no weights to load, and no device to profile.
static void put_dry_run(struct mindformers_writer *m)
{
    static const char *const flags[] = {"auto_trans_ckpt", "resume_training", "profile"};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        const cJSON *item = yaml_get(m->doc, flags[k]);
        if (item != NULL && !cJSON_IsFalse(item))
            yaml_set_bool(&m->edit, flags[k], false);
    }
    const cJSON *checkpoint = yaml_get(m->doc, "load_checkpoint");
    if (cJSON_IsString(checkpoint) && *checkpoint->valuestring != '\0')
        yaml_set_text(&m->edit, "load_checkpoint", "");
}

static void put_lengths(struct mindformers_writer *m)
{
    if (m->s->num_layers > 0)
        put_number(m, MF_NUM_LAYERS, m->s->num_layers);
    if (m->s->seq_length > 0)
        put_number(m, MF_SEQ_LENGTH, (double)m->s->seq_length);
    if (m->s->seq_length > 0 && mindformers_now(m, MF_DATA_SEQ_LENGTH) != NULL)
        put_number(m, MF_DATA_SEQ_LENGTH, (double)m->s->seq_length);
}

// ---- all ----------------------------------------------------------------------------------------

// Replaces the item of a fault, which ends with the document, by its place.
static void keep_place(struct mindformers_writer *m)
{
    const size_t at = m->fault->item != NULL ? framework_value_at(m->doc, m->fault->item) : 0;
    pps_find_place(m->doc->text, at, &m->fault->line, &m->fault->column);
    m->fault->item = NULL;
}

static bool write_all(struct framework_writer *w, const struct plaindoc *doc)
{
    struct mindformers_writer m = {.doc = doc,
                                   .s = w->settings,
                                   .fault = w->fault,
                                   .new_form = mindformers_is_new_form(doc)};
    yaml_edit_begin(&m.edit, doc, &w->edit);
    put_degrees(&m);
    put_data_strategy(&m);
    put_batches(&m);
    put_lengths(&m);
    bool ok = put_optimizer(&m) && mindformers_write_layers(&m);
    if (w->settings->profile)
        put_profile(&m);
    if (w->settings->dry_run)
        put_dry_run(&m);
    struct pps_fault fault;
    if (!yaml_edit_end(&m.edit, &fault) && ok) {
        *w->fault = fault;
        keep_place(&m);
        ok = false;
    }
    return ok;
}

const struct framework_form mindformers_form = {
    .framework = FRAMEWORK_MINDFORMERS,
    .form = PLAINDOC_YAML,
    .is = mindformers_is,
    .read = mindformers_read,
    .write = write_all,
};
