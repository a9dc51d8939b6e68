// SPDX-License-Identifier: Apache-2.0
// Reads launch lines of torchtitan: --module and --config name a configuration of torchtitan, other
// arguments change its values.
//
// The configurations follow torchtitan's models/NAME/config_registry.py of August 2026 (b5bcd76c) and, with
// the same values, the TOML files NAME.toml of train_configs at tag v0.2.2 (73a0e6979). Batches are
// tokens since mid 2026, and sequences before.
#include "base/document/fault.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/torchtitan_write_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- configurations of torchtitan ---------------------------------------------------------------

#define FULL   "activation_checkpoint.mode=full"
#define LOOPED "parallelism.pipeline_parallel_schedule=Interleaved1F1B"
#define LOSS   "compile.enable=true compile.components=[loss]"
#define DEBUG  "debugmodel", 8, 2048

static const struct {
    const char *name, *model, *flavor;
    int batch, tokens; // sequences of a device, tokens of a sequence
    const char *others;
} configurations[] = {
    {"llama3_debugmodel", "llama3", DEBUG, LOOPED},
    {"debug_model", "llama3", DEBUG, ""},
    {"llama3_8b", "llama3", "8B", 1, 8192, ""},
    {"llama3_70b", "llama3", "70B", 8, 8192, FULL " parallelism.tensor_parallel_degree=8"},
    {"llama3_405b", "llama3", "405B", 2, 8192,
     FULL
     " parallelism.tensor_parallel_degree=8 compile.enable=true model.converters=[float8]"},
    {"qwen3_debugmodel", "qwen3", DEBUG, ""},
    {"qwen3_0.6b", "qwen3", "0.6B", 4, 4096, ""},
    {"qwen3_0_6b", "qwen3", "0.6B", 4, 4096, ""},
    {"qwen3_1.7b", "qwen3", "1.7B", 4, 4096, ""},
    {"qwen3_1_7b", "qwen3", "1.7B", 4, 4096, ""},
    {"qwen3_14b", "qwen3", "14B", 4, 4096, FULL},
    {"qwen3_32b", "qwen3", "32B", 2, 4096, FULL},
    {"qwen3_30b_a3b", "qwen3", "30B-A3B", 2, 4096, FULL},
    {"qwen3_moe_debug", "qwen3", "debugmodel_moe", 4, 4096, ""},
    {"deepseek_v3_debugmodel", "deepseek_v3", DEBUG, ""},
    {"deepseek_v3_16b", "deepseek_v3", "16B", 4, 4096,
     LOOPED " " LOSS " parallelism.expert_parallel_degree=8"},
    {"deepseek_v3_671b", "deepseek_v3", "671B", 4, 4096,
     LOOPED " " LOSS " parallelism.expert_parallel_degree=2"},
    {"gpt_oss_debugmodel", "gpt_oss", DEBUG, "activation_checkpoint.mode=none"},
    {"gpt_oss_20b", "gpt_oss", "20b", 1, 8192, FULL},
    {"gpt_oss_120b", "gpt_oss", "120b", 1, 8192, FULL},
};

enum { N_CONFIGURATIONS = sizeof configurations / sizeof *configurations };

static bool is_known(const char *path)
{
    return titan_knows(path) || strcmp(path, "config") == 0 || strcmp(path, "module") == 0 ||
           strcmp(path, "job.config_file") == 0;
}

// Returns whether a path is a setting of torchtitan's alone.
static bool is_own(const char *path)
{
    return strncmp(path, "model.", 6) != 0 && strchr(path, '.') != NULL && is_known(path);
}

// ---- a command ----------------------------------------------------------------------------------

// Returns the first of the settings that is a text.
static const cJSON *text_of(const struct plaindoc *settings, const char *const *paths)
{
    for (; *paths != NULL; paths++) {
        const cJSON *item = settings_get(settings, *paths);
        if (cJSON_IsString(item))
            return item;
    }
    return NULL;
}

static bool fail_unknown(const struct titan_source *s, const cJSON *item, const char *name)
{
    const char *names[N_CONFIGURATIONS];
    for (int k = 0; k < N_CONFIGURATIONS; k++)
        names[k] = configurations[k].name;
    const struct pps_hint hint = pps_did_you_mean(name, names, N_CONFIGURATIONS);
    return titan_fail(
        s, item,
        "%.80s: no configuration of torchtitan with this name is known here%s; name the "
        "file that has it: ppsweep check FILE",
        name, hint.text);
}

// Puts the values that a configuration of torchtitan has. In files of tokens, a batch is the same number of
// tokens.
static bool put_configuration(struct plaindoc *settings, int k, size_t at)
{
    char text[512];
    const int batch = configurations[k].batch, tokens = configurations[k].tokens;
    const bool in_tokens = titan_counts_tokens(settings);
    snprintf(text, sizeof text,
             "%smodel.name=%s model.flavor=%s training.%s=%d training.%s=%d %s",
             titan_is_recent(settings) ? "loss._call=Chunked " : "", configurations[k].model,
             configurations[k].flavor,
             in_tokens ? "num_tokens_per_microbatch_per_dp_rank" : "local_batch_size",
             in_tokens ? batch * tokens : batch, in_tokens ? "max_context_length" : "seq_len",
             tokens, configurations[k].others);
    return settings_put_defaults(settings, text, at);
}

// Finds the configuration that the command names, and puts its values.
static bool put_named(struct plaindoc *settings, const struct titan_source *s)
{
    static const char *const names[] = {"config", "job.config_file", "$CONFIG", "$CONFIG_FILE",
                                        NULL};
    const cJSON *item = text_of(settings, names);
    char name[96];
    if (item == NULL)
        return true;
    const char *slash = strrchr(item->valuestring, '/');
    snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : item->valuestring);
    if (pps_ends_with(name, ".toml"))
        name[strlen(name) - 5] = '\0';
    const size_t at = framework_value_at(settings, item);
    for (int k = 0; k < N_CONFIGURATIONS; k++)
        if (strcmp(configurations[k].name, name) == 0)
            return put_configuration(settings, k, at);
    return fail_unknown(s, item, name);
}

// The launcher says how many devices there are.
static double number_of(const struct plaindoc *settings, const char *const *paths)
{
    for (; *paths != NULL; paths++) {
        const cJSON *item = settings_get(settings, *paths);
        if (cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= 1 << 20)
            return item->valuedouble;
    }
    return 0;
}

bool titan_is_recent(const struct plaindoc *settings)
{
    return settings_get(settings, "config") != NULL ||
           settings_get(settings, "$CONFIG") != NULL;
}

double titan_devices(const struct plaindoc *settings)
{
    static const char *const per_node[] = {"nproc_per_node", "$NGPU", NULL};
    static const char *const nodes[] = {"nnodes", NULL};
    const double devices = number_of(settings, per_node), n = number_of(settings, nodes);
    return devices * (n > 0 ? n : 1);
}

// Lists of names are one word: a,b.
static bool split_names(struct plaindoc *settings, const char *path)
{
    const cJSON *item = settings_get(settings, path);
    if (!cJSON_IsString(item))
        return true;
    const size_t at = framework_value_at(settings, item);
    cJSON *list = cJSON_CreateArray();
    for (const char *c = item->valuestring; *c != '\0';) {
        const size_t n = strcspn(c, ",");
        cJSON_AddItemToArray(list, settings_value(c, n));
        c += n + (c[n] == ',');
    }
    return settings_put(settings, path, list, at);
}

// activation_checkpoint:full-ac chooses one of several kinds.
static bool put_kind(struct plaindoc *settings, const struct shell_command *command)
{
    static const char *const kinds[][2] = {{"full", "full"},
                                           {"selective", "selective"},
                                           {"budget", "memory_budget"},
                                           {"None", "none"}};
    bool ok = true;
    for (size_t i = 0; ok && i < command->n; i++) {
        const struct shell_text *word = &command->words[i];
        if (strncmp(word->bytes, "activation", 10) != 0 || strchr(word->bytes, ':') == NULL)
            continue;
        for (size_t k = 0; ok && k < sizeof kinds / sizeof *kinds; k++)
            if (strstr(word->bytes, kinds[k][0]) != NULL)
                ok = settings_put(settings, "activation_checkpoint.mode",
                                  cJSON_CreateString(kinds[k][1]),
                                  word->from >= 0 ? (size_t)word->from : 0);
    }
    return ok;
}

bool titan_open_script(struct titan_script *t, const struct plaindoc *document,
                       struct pps_fault *fault)
{
    const struct titan_source s = {.doc = &t->settings, .fault = fault};
    if (!shell_read(&t->script, document->text, document->n, fault))
        return false;
    const struct shell_command *command = settings_command(&t->script, is_known);
    pps_fault_set(fault, NULL, false, "out of memory for this document");
    if (settings_read(&t->settings, &t->script, command, is_known, fault)) {
        if (put_kind(&t->settings, command) && put_named(&t->settings, &s) &&
            split_names(&t->settings, "model.converters") &&
            split_names(&t->settings, "compile.components"))
            return true;
        settings_free(&t->settings);
    }
    shell_free(&t->script);
    return false;
}

void titan_close_script(struct titan_script *t)
{
    settings_free(&t->settings);
    shell_free(&t->script);
}

// ---- changed copies -----------------------------------------------------------------------------

static enum shell_kind kind_of(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s", name);
    for (char *c = path; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    return is_known(path) || strcmp(path, "nnodes") == 0 ? SHELL_MANY : SHELL_OTHER;
}

bool titan_set_argument(struct titan_writer *t, const char *path, const cJSON *value)
{
    static const char *const siblings[] = {"parallelism.tensor-parallel-degree", "config",
                                           "job.config-file", NULL};
    const cJSON *now = settings_get(t->doc, path);
    char name[96], text[64];
    if (value != NULL && now != NULL && cJSON_Compare(now, value, true))
        return true;
    snprintf(name, sizeof name, "%s", path);
    pps_hyphenate(name, '\0');
    if (value == NULL)
        return shell_remove(t->shell, name);
    if (cJSON_IsNumber(value))
        snprintf(text, sizeof text, "%.0f", value->valuedouble);
    else
        snprintf(text, sizeof text, "%s", cJSON_IsString(value) ? value->valuestring : "");
    return shell_set(t->shell, name, text, siblings);
}

// The launcher starts as many processes as the strategy has devices.
static bool set_nodes(struct titan_writer *t)
{
    const struct nd_strategy *s = &t->settings->strategy;
    const int64_t wanted = (int64_t)s->dp * s->tp * s->pp * s->cp;
    const cJSON *nodes = settings_get(t->doc, "nnodes");
    const double now = titan_devices(t->doc),
                 n = cJSON_IsNumber(nodes) ? nodes->valuedouble : 1;
    char text[32];
    if (now == 0 || now == (double)wanted)
        return true;
    snprintf(text, sizeof text, "%lld", (long long)((double)wanted / (now / n)));
    if (nodes != NULL && wanted % (int64_t)(now / n) == 0)
        return shell_set(t->shell, "nnodes", text, (const char *const[]){NULL});
    text_buffer_add(t->notes, "# the strategy needs %lld devices, the launcher starts %.0f\n",
                    (long long)wanted, now);
    return true;
}

bool titan_add_notes(struct framework_writer *w, const struct plaindoc *document,
                     const struct text_buffer *notes)
{
    if (notes->n == 0 || notes->failed || strstr(document->text, notes->text) != NULL)
        return !notes->failed;
    if (document->n > 0 && document->text[document->n - 1] != '\n')
        text_edit_replace(&w->edit, document->n, document->n, "\n", 1);
    text_edit_replace(&w->edit, document->n, document->n, notes->text, notes->n);
    return true;
}

bool torchtitan_write_script(struct framework_writer *w, const struct plaindoc *document)
{
    struct titan_script script;
    struct shell_edit shell;
    struct text_buffer notes = {.text = NULL};
    if (!titan_open_script(&script, document, w->fault))
        return false;
    struct titan_writer t = {
        .settings = w->settings,
        .doc = &script.settings,
        .source = {&script.settings, w->fault, titan_is_recent(&script.settings)},
        .shell = &shell,
        .notes = &notes};
    bool ok = shell_edit_begin(&shell, document->text, document->n, kind_of, w->fault);
    if (ok) {
        ok = titan_write_all(&t) && set_nodes(&t) && shell_edit_finish(&shell, &w->edit) &&
             titan_add_notes(w, document, &notes);
        shell_edit_free(&shell);
    }
    text_buffer_free(&notes);
    titan_config_free(&t.old);
    titan_config_free(&t.now);
    titan_close_script(&script);
    return ok;
}

// ---- recognition --------------------------------------------------------------------------------

bool titan_is_script(const struct plaindoc *document)
{
    struct shell_script script;
    struct pps_fault fault;
    static const char *const words[] = {"torchtitan", "run_train.sh", "--parallelism.",
                                        "--training.", "--activation_checkpoint."};
    bool mentioned = false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        mentioned |= strstr(document->text, words[k]) != NULL;
    if (!mentioned || document->root != NULL ||
        !shell_read(&script, document->text, document->n, &fault))
        return false;
    const bool own = settings_command(&script, is_own) != NULL ||
                     strstr(document->text, "torchtitan") != NULL ||
                     strstr(document->text, "run_train.sh") != NULL;
    const bool is = own && settings_command(&script, is_known) != NULL;
    shell_free(&script);
    return is;
}
