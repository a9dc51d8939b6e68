// SPDX-License-Identifier: Apache-2.0
// Takes values of trainers' configurations by paths of keys.
#include "base/document/json.h"
#include "base/text/characters.h"
#include "base/text/text_buffer.h"
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/trainer/trainer_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const cJSON *trainer_get(const struct trainer *t, const char *path)
{
    const cJSON *item = settings_get(t->doc, path);
    return cJSON_IsNull(item) ? NULL : item;
}

size_t trainer_at(const struct trainer *t, const char *path)
{
    const cJSON *item = trainer_get(t, path);
    return item != NULL ? framework_value_at(t->doc, item) : t->all_at;
}

const char *trainer_text(const struct trainer *t, const char *path)
{
    const cJSON *item = trainer_get(t, path);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

bool trainer_is(const struct trainer *t, const char *path, bool otherwise)
{
    const cJSON *item = trainer_get(t, path);
    if (cJSON_IsString(item))
        return strcasecmp(item->valuestring, "true") == 0 ||
               (strcasecmp(item->valuestring, "auto") == 0 && otherwise);
    if (cJSON_IsNumber(item))
        return item->valuedouble != 0;
    return item != NULL ? cJSON_IsTrue(item) : otherwise;
}

static bool note(struct trainer *t, const char *path)
{
    char text[128];
    const char *word = trainer_text(t, path);
    snprintf(text, sizeof text, "%s=%.40s", path, word != NULL ? word : "true");
    return framework_not_modelled(t->r, text, trainer_at(t, path));
}

bool trainer_take_offload(struct trainer *t, const char *optimizer, const char *parameters,
                          double share)
{
    const char *words[2] = {trainer_text(t, optimizer), trainer_text(t, parameters)};
    bool cpu[2];
    for (int k = 0; k < 2; k++)
        cpu[k] = words[k] != NULL && strcasecmp(words[k], "cpu") == 0;
    if (cpu[0] && cpu[1] && t->zero == 3)
        t->offload_parameters = true;
    else if (cpu[0])
        t->offload_optimizer = share;
    if (cpu[0])
        t->offload_at = trainer_at(t, optimizer);
    for (int k = 0; k < 2; k++) {
        const bool priced = k == 0 ? cpu[0] : t->offload_parameters;
        if (words[k] != NULL && strcasecmp(words[k], "none") != 0 && !priced &&
            !note(t, k == 0 ? optimizer : parameters))
            return false;
    }
    return true;
}

bool trainer_take_offloaded_shards(struct trainer *t, const char *path)
{
    if (!trainer_is(t, path, false))
        return true;
    if (t->zero < 3)
        return note(t, path);
    t->offload_parameters = true;
    t->offload_at = trainer_at(t, path);
    return true;
}

int64_t trainer_number(const struct trainer *t, enum trainer_key key, int64_t otherwise)
{
    return t->numbers[key].value > 0 ? t->numbers[key].value : otherwise;
}

void trainer_set(struct trainer *t, enum trainer_key key, int64_t value, size_t at)
{
    t->numbers[key].value = value;
    t->numbers[key].at = at;
}

bool trainer_fail(struct trainer *t, const char *path, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return framework_fail(t->r, trainer_at(t, path), "%s: %s", path, text);
}

// Returns the number that a path is of, N_TRAINER_NUMBERS for one that functions of the dialect read, and -1 for others.
static int key_of(const struct trainer_dialect *dialect, const char *path)
{
    for (size_t k = 0; k < dialect->n; k++)
        if (strcmp(dialect->paths[k].path, path) == 0)
            return (int)dialect->paths[k].key;
    return pps_has_word(dialect->others, path) ? N_TRAINER_NUMBERS : -1;
}

bool trainer_knows(const struct trainer_dialect *dialect, const char *path)
{
    return key_of(dialect, path) >= 0;
}

bool trainer_needs(const struct trainer_dialect *dialect, const char *path)
{
    return key_of(dialect, path) > TRAINER_PER_NODE && strstr(path, "model") != path &&
           strcmp(path, "actor_rollout_ref.model.path") != 0;
}

// ---- numbers ------------------------------------------------------------------------------------

bool trainer_whole(struct trainer *t, const char *path, int64_t *number)
{
    enum { MOST = 1 << 30 };
    const cJSON *item = trainer_get(t, path);
    const char *text = cJSON_IsString(item) ? item->valuestring : NULL;
    char *end = NULL;
    *number = 0;
    if (item == NULL || (text != NULL && strcasecmp(text, "auto") == 0))
        return true;
    if (text != NULL && strcmp(text, "?") == 0)
        return trainer_fail(
            t, path, "the value is not a number that can be read here; write the number");
    const double value = text != NULL           ? strtod(text, &end)
                         : cJSON_IsNumber(item) ? item->valuedouble
                                                : -2;
    if (text != NULL && text[0] == '\0')
        return trainer_fail(t, path, "the value is missing; write a whole number above 0");
    if (value == -1) // the trainer decides
        return true;
    if (value < 0 || value > MOST || value != (double)(int64_t)value ||
        (end != NULL && *end != '\0'))
        return trainer_fail(t, path, "expected a whole number above 0");
    *number = (int64_t)value;
    return true;
}

static bool take_number(struct trainer *t, const struct trainer_path *row)
{
    const cJSON *item = trainer_get(t, row->path);
    int64_t number;
    if (row->key <= TRAINER_PER_NODE && cJSON_IsString(item) &&
        strchr(item->valuestring, '?') != NULL)
        return true; // only the run of a script knows how many devices there are
    if (!trainer_whole(t, row->path, &number))
        return false;
    if (number > 0)
        trainer_set(t, row->key, number, framework_value_at(t->doc, item));
    return true;
}

bool trainer_take_numbers(struct trainer *t, const struct trainer_dialect *dialect)
{
    for (size_t k = 0; k < dialect->n; k++)
        if (!take_number(t, &dialect->paths[k]))
            return false;
    return true;
}

// ---- adapters -----------------------------------------------------------------------------------

const char trainer_single_matrices[] =
    "linear_q linear_k linear_v linear_proj linear_fc1 linear_fc2";
const char trainer_fused_matrices[] = "linear_qkv linear_proj linear_fc1 linear_fc2";

bool trainer_take_adapters(struct trainer *t, const char *path, const char *all)
{
    const cJSON *item = trainer_get(t, path);
    const cJSON *each = cJSON_IsArray(item) ? item->child : item;
    bool ok = true;
    t->adapters_at = trainer_at(t, path);
    if (each == NULL)
        return framework_take_adapters(t->r, all, strlen(all), t->adapters_at, &t->adapters);
    for (; ok && each != NULL; each = cJSON_IsArray(item) ? each->next : NULL) {
        const char *text = cJSON_IsString(each) ? each->valuestring : "?";
        const bool every = strcmp(text, "all") == 0 || strcmp(text, "all-linear") == 0;
        ok = strchr(text, '?') == NULL
                 ? framework_take_adapters(t->r, every ? all : text, strlen(every ? all : text),
                                           t->adapters_at, &t->adapters)
                 : trainer_fail(t, path, "expected names of modules, or all-linear");
    }
    return ok;
}

bool trainer_take_peft(struct trainer *t, const char *group)
{
    char path[96];
    snprintf(path, sizeof path, "%s.rank", group);
    const cJSON *rank = trainer_get(t, path);
    const double n = cJSON_IsNumber(rank)   ? rank->valuedouble
                     : cJSON_IsString(rank) ? strtod(rank->valuestring, NULL)
                                            : 0;
    if (!(n > 0))
        return true;
    snprintf(path, sizeof path, "%s.type", group);
    const char *type = trainer_text(t, path);
    if (type != NULL && strcmp(type, "lora") != 0 && strcmp(type, "canonical_lora") != 0)
        return trainer_fail(t, path, "%.40s: only lora and canonical_lora are known here",
                            type);
    snprintf(path, sizeof path, "%s.target_modules", group);
    return trainer_take_adapters(t, path, trainer_fused_matrices);
}

// ---- other keys ---------------------------------------------------------------------------------

static bool is_known(const void *self, const char *path, const cJSON *item)
{
    (void)item;
    return trainer_knows(self, path);
}

bool trainer_sort_others(struct trainer *t, const struct trainer_dialect *dialect)
{
    const struct framework_others others = {.table = dialect->harmless,
                                            .n = dialect->n_harmless,
                                            .of_any_value = dialect->of_any_value,
                                            .known = is_known,
                                            .self = dialect,
                                            .sections = ""};
    return framework_sort_others(t->r, t->doc, &others);
}

// ---- files beside -------------------------------------------------------------------------------

// Moves a parsed JSON text into a document.
static bool parse_json(struct plaindoc *document, const char *name,
                       const struct text_buffer *text)
{
    struct pps_json json;
    struct pps_error err;
    if (pps_json_parse(&json, name, text->text, text->n, &err) != PPS_OK)
        return false;
    *document = framework_take_json(&json);
    if (cJSON_IsObject(document->root))
        return true;
    plaindoc_free(document);
    return false;
}

void trainer_move_notes(struct trainer *t, size_t first, size_t at)
{
    struct framework_keys *keys = &t->r->file->not_modelled;
    for (size_t k = first; k < keys->n; k++)
        pps_find_place(t->r->text, at, &keys->list[k].line, &keys->list[k].column);
}

bool trainer_open_beside(struct trainer *t, const char *path, const char *name,
                         struct plaindoc *document)
{
    const struct framework_beside *beside = t->r->beside;
    struct text_buffer text = {.text = NULL};
    struct pps_fault fault;
    if (beside == NULL || !beside->read(beside->self, name, &text))
        return trainer_fail(
            t, path,
            "%.160s: this file is not found beside the configuration; it decides about "
            "memory and time",
            name);
    const bool yaml = strstr(name, ".json") == NULL;
    const bool ok = yaml ? plaindoc_parse(document, PLAINDOC_YAML, text.text, text.n, &fault)
                         : parse_json(document, name, &text);
    text_buffer_free(&text);
    return ok ||
           trainer_fail(t, path, "%.160s: the file is not %s", name, yaml ? "YAML" : "JSON");
}

void trainer_script_close(struct trainer_script *script)
{
    settings_free(&script->settings);
    shell_free(&script->script);
}
