// SPDX-License-Identifier: Apache-2.0
// Changes a trainer's configuration to a strategy: degrees, batches and recomputation.
#include "kernels/frameworks/trainer/trainer_write.h"
#include "base/document/fault.h"
#include "base/edit/yaml_edit.h"
#include "base/text/characters.h"
#include "kernels/frameworks/shell/shell_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool cannot(struct trainer_writer *w, const char *what)
{
    return framework_fail(w->old->r, w->old->all_at, "%s: this configuration has no key for it",
                          what);
}

// ---- paths --------------------------------------------------------------------------------------

// Returns the path that the file has for a number; otherwise the last path of the dialect that may be added; NULL:
// none.
static const char *path_of(const struct trainer_writer *w, enum trainer_key key)
{
    const char *path = NULL;
    for (size_t k = 0; k < w->dialect->n; k++) {
        const struct trainer_path *row = &w->dialect->paths[k];
        if (row->key == key && settings_get(w->old->doc, row->path) != NULL)
            return row->path;
    }
    for (size_t k = 0; k < w->dialect->n; k++)
        if (w->dialect->paths[k].key == key && w->can_add(w, w->dialect->paths[k].path))
            path = w->dialect->paths[k].path;
    return path;
}

static bool set_number(struct trainer_writer *w, enum trainer_key key, const char *name,
                       int64_t value, int64_t normal)
{
    const int64_t now = trainer_number(w->old, key, normal);
    char text[80];
    if (now == value)
        return true;
    const char *path = path_of(w, key);
    snprintf(text, sizeof text, "%s = %" PRId64, name, value);
    if (path == NULL)
        return cannot(w, text);
    return trainer_set_item(w, path, cJSON_CreateNumber((double)value));
}

// ---- ranks --------------------------------------------------------------------------------------

static int64_t devices_of(const struct trainer *t)
{
    const int64_t all = trainer_number(t, TRAINER_DEVICES, 0);
    return all > 0
               ? all
               : trainer_number(t, TRAINER_PER_NODE, 0) * trainer_number(t, TRAINER_NODES, 1);
}

static bool write_devices(struct trainer_writer *w, int64_t wanted)
{
    const int64_t now = devices_of(w->old), node = trainer_number(w->old, TRAINER_PER_NODE, 0);
    if (now == 0 || now == wanted)
        return true;
    if (trainer_number(w->old, TRAINER_DEVICES, 0) > 0)
        return set_number(w, TRAINER_DEVICES, "devices", wanted, 0);
    if (wanted % node == 0)
        return set_number(w, TRAINER_NODES, "nodes", wanted / node, 1);
    return set_number(w, TRAINER_NODES, "nodes", 1, 1) &&
           set_number(w, TRAINER_PER_NODE, "devices of a node", wanted, 0);
}

// The number of ranks that share one copy of the parameters.
static bool write_shards(struct trainer_writer *w)
{
    const struct nd_strategy *s = &w->settings->strategy;
    const int64_t ranks = (int64_t)s->dp * s->cp, shards = s->op > 0 ? s->op : ranks;
    char text[80];
    if (w->old->zero == 0 && shards == 1)
        return true;
    snprintf(text, sizeof text, "optimizer shards = %" PRId64 " of %" PRId64 " ranks", shards,
             ranks);
    if (w->old->zero == 0 || ranks % shards != 0)
        return cannot(w, text);
    if (trainer_number(w->old, TRAINER_SHARDS, 0) > 0 ||
        path_of(w, TRAINER_REPLICATE) == NULL) {
        const bool is_default =
            shards == ranks && trainer_number(w->old, TRAINER_SHARDS, 0) == 0;
        return is_default || set_number(w, TRAINER_SHARDS, "optimizer shards", shards, 0);
    }
    return set_number(w, TRAINER_REPLICATE, "copies of the parameters", ranks / shards, 1);
}

static bool write_degrees(struct trainer_writer *w)
{
    const struct nd_strategy *s = &w->settings->strategy;
    if (s->sp != (w->old->sp && s->tp > 1) && s->tp > 1 && !w->set_sp(w, s->sp))
        return false;
    return set_number(w, TRAINER_TP, "tp", s->tp, 1) &&
           set_number(w, TRAINER_PP, "pp", s->pp, 1) &&
           set_number(w, TRAINER_VP, "vp", s->pp > 1 ? s->vp : 1, 1) &&
           set_number(w, TRAINER_CP, "cp", s->cp, 1) &&
           (s->ep <= 0 || set_number(w, TRAINER_EP, "ep", s->ep, 1)) &&
           write_devices(w, (int64_t)s->dp * s->tp * s->pp * s->cp) && write_shards(w);
}

// ---- batch --------------------------------------------------------------------------------------

static bool write_batch(struct trainer_writer *w)
{
    const struct framework_settings *f = w->settings;
    const struct nd_strategy *s = &f->strategy;
    const int64_t all = f->gbs > 0 ? f->gbs : f->micro_batches * s->mbs * s->dp;
    char text[96];
    if (f->seq_length > 0 &&
        !set_number(w, TRAINER_SEQ, "tokens of a sequence", f->seq_length, 0))
        return false;
    if (!set_number(w, TRAINER_MBS, "mbs", s->mbs, 1) || all == 0)
        return all == 0 && w->settings->strategy.mbs > 0;
    if (all % ((int64_t)s->dp * s->mbs) != 0) {
        snprintf(text, sizeof text, "%" PRId64 " sequences on %d ranks of mbs %d", all, s->dp,
                 s->mbs);
        return cannot(w, text);
    }
    if (trainer_number(w->old, TRAINER_GBS, 0) > 0)
        return trainer_number(w->old, TRAINER_GBS, 0) == all || w->set_batch(w, all);
    return set_number(w, TRAINER_ACCUMULATION, "micro-batches", all / ((int64_t)s->dp * s->mbs),
                      1);
}

// ---- layers and recomputation -------------------------------------------------------------------

static bool is_even(const struct framework_settings *f)
{
    const int32_t n = f->strategy.pp * f->strategy.vp;
    for (int32_t k = 1; f->layers != NULL && k < n; k++)
        if (f->layers[k] != f->layers[0])
            return false;
    return true;
}

static int64_t sum_of(const struct framework_settings *f, const int32_t *list)
{
    int64_t sum = 0;
    for (int32_t k = 0; list != NULL && k < f->strategy.pp * f->strategy.vp; k++)
        sum += list[k];
    return sum;
}

// All layers or none.
static bool write_recompute(struct trainer_writer *w)
{
    const struct framework_settings *f = w->settings;
    if (f->full == NULL && f->select == NULL)
        return true;
    const char *word = sum_of(f, f->full) > 0     ? "full"
                       : sum_of(f, f->select) > 0 ? "select"
                                                  : "none";
    return strcmp(word, w->old->recompute) == 0 || w->set_recompute(w, word);
}

bool trainer_write_all(struct trainer_writer *w)
{
    const char *order = w->settings->schedule;
    if (order != NULL && strcmp(order, "1f1b") != 0 && strcmp(order, "one_f_one_b") != 0 &&
        strcmp(order, "interleaved") != 0)
        return cannot(w, order);
    if (!is_even(w->settings))
        return cannot(w, "stages with different numbers of layers");
    return write_degrees(w) && write_batch(w) && write_recompute(w);
}

// ---- YAML ---------------------------------------------------------------------------------------

static bool set_yaml(struct trainer_writer *w, const char *path, const cJSON *value)
{
    yaml_set(w->yaml, path, value);
    return true;
}

// ---- launch lines -------------------------------------------------------------------------------

static bool set_argument(struct trainer_writer *w, const char *path, const cJSON *value)
{
    static const char *const siblings[] = {"per-device-train-batch-size",
                                           "gradient-accumulation-steps", "model-name-or-path",
                                           NULL};
    char name[64], text[32];
    snprintf(name, sizeof name, "%s", path);
    pps_hyphenate(name, '\0');
    if (cJSON_IsNumber(value))
        snprintf(text, sizeof text, "%.0f", value->valuedouble);
    else
        snprintf(text, sizeof text, "%s", cJSON_IsTrue(value) ? "True" : "False");
    return shell_set(w->shell, name, text, siblings);
}

// ---- overrides ----------------------------------------------------------------------------------

// Returns the words of a script whose text begins with a path and "=".
static const struct shell_text *word_of(const struct shell_command *command, const char *path)
{
    const struct shell_text *found = NULL;
    const size_t n = strlen(path);
    for (size_t i = 0; i < command->n; i++) {
        const struct shell_text *word = &command->words[i];
        const size_t skip = strspn(word->bytes, "+");
        if (strncmp(word->bytes + skip, path, n) == 0 && word->bytes[skip + n] == '=')
            found = word;
    }
    return found;
}

static void text_of(const cJSON *value, char text[32])
{
    if (cJSON_IsNumber(value))
        snprintf(text, 32, "%.0f", value->valuedouble);
    else if (cJSON_IsString(value))
        snprintf(text, 32, "%s", value->valuestring);
    else
        snprintf(text, 32, "%s",
                 cJSON_IsTrue(value)   ? "True"
                 : cJSON_IsNull(value) ? "null"
                                       : "False");
}

// Adds a word behind the first override of the command, as a.b=1.
static bool add_override(struct trainer_writer *w, const char *path, const char *text)
{
    char added[160];
    for (size_t i = 0; i < w->command->n; i++) {
        const struct shell_text *word = &w->command->words[i];
        const size_t name = strcspn(word->bytes, "="), dot = strcspn(word->bytes, ".");
        if (word->from < 0 || word->bytes[0] == '-' || dot >= name || name == word->n)
            continue;
        const int n = snprintf(added, sizeof added, " %s=%s", path, text);
        return text_edit_replace(w->edit, (size_t)word->to, (size_t)word->to, added, (size_t)n);
    }
    return cannot(w, path);
}

static bool set_override(struct trainer_writer *w, const char *path, const cJSON *value)
{
    const struct shell_text *word = word_of(w->command, path);
    size_t from, to;
    char text[32];
    text_of(value, text);
    if (word == NULL)
        return add_override(w, path, text);
    struct shell_text rest = *word;
    const size_t at = (size_t)(strchr(word->bytes, '=') + 1 - word->bytes);
    rest.bytes += at;
    rest.marks += at;
    rest.n -= at;
    if (rest.n > 0 && shell_literal(w->script, &rest, &from, &to))
        return text_edit_replace(w->edit, from, to, text, strlen(text)) || cannot(w, path);
    if (word->from < 0)
        return cannot(w, path);
    // A computed value: the word is written anew.
    char whole[192];
    const int n = snprintf(whole, sizeof whole, "%.*s%s", (int)at, word->bytes, text);
    return text_edit_replace(w->edit, (size_t)word->from, (size_t)word->to, whole, (size_t)n) ||
           cannot(w, path);
}

void trainer_writer_of_yaml(struct trainer_writer *w, struct yaml_edit *yaml)
{
    w->yaml = yaml;
    w->set = set_yaml;
}

void trainer_writer_of_arguments(struct trainer_writer *w, struct shell_edit *shell)
{
    w->shell = shell;
    w->set = set_argument;
}

static void open_overrides(struct trainer_writer *w, const struct shell_script *script,
                           const struct shell_command *command, struct text_edit *edit)
{
    w->script = script;
    w->command = command;
    w->edit = edit;
    w->set = set_override;
}

bool trainer_set_item(struct trainer_writer *w, const char *path, cJSON *value)
{
    const bool ok = value != NULL && w->set(w, path, value);
    cJSON_Delete(value);
    return ok;
}

// Megatron-Core refuses a method and a number of layers where parts of layers are recomputed.
static bool clear(struct trainer_writer *w, const char *path)
{
    const cJSON *old = trainer_get(w->old, path);
    return old == NULL || cJSON_IsNull(old) || trainer_set_item(w, path, cJSON_CreateNull());
}

bool trainer_set_layers(struct trainer_writer *w, const char *path, const char *word)
{
    const bool full = strcmp(word, "full") == 0, none = strcmp(word, "none") == 0;
    char granularity[128], method[128], number[128];
    snprintf(granularity, sizeof granularity, "%srecompute_granularity", path);
    snprintf(method, sizeof method, "%srecompute_method", path);
    snprintf(number, sizeof number, "%srecompute_num_layers", path);
    cJSON *value = none ? cJSON_CreateNull() : cJSON_CreateString(full ? "full" : "selective");
    if (!trainer_set_item(w, granularity, value))
        return false;
    if (full)
        return trainer_set_item(w, method, cJSON_CreateString("uniform")) &&
               trainer_set_item(w, number, cJSON_CreateNumber(1));
    return none || (clear(w, method) && clear(w, number));
}

bool trainer_read_launch(struct framework_reader *r, const struct plaindoc *document,
                         trainer_open_launch *take)
{
    struct trainer_script o;
    if (!take(&o, r, document))
        return false;
    const bool ok = trainer_put(&o.t);
    trainer_script_close(&o);
    return ok;
}

bool trainer_write_launch(struct framework_writer *w, const struct plaindoc *document,
                          enum framework framework, trainer_open_launch *take,
                          struct trainer_writer writer)
{
    struct framework_file file = {.framework = framework};
    struct framework_reader r = {.file = &file, .fault = w->fault};
    struct trainer_script o;
    bool ok = framework_start(&r, document) && take(&o, &r, document);
    if (ok) {
        writer.settings = w->settings;
        writer.old = &o.t;
        open_overrides(&writer, &o.script, o.command, &w->edit);
        ok = trainer_write_all(&writer);
        trainer_script_close(&o);
    }
    framework_file_free(&file);
    return ok;
}
