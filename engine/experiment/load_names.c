// SPDX-License-Identifier: Apache-2.0
// Collects the entry of each name: from the file, then from the overrides of the command line.
#include "engine/experiment/loading_private.h"

#include "base/document/json.h"
#include "base/document/plain.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"
#include "engine/space/value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pps_reserved_words[] = {"$schema", "kernel", "command", "inputs", "params",
                                          "preset",  "where",  "zip",     "points", "sample",
                                          "seed",    "output", "let",     NULL};
enum { N_RESERVED = sizeof pps_reserved_words / sizeof *pps_reserved_words - 1 };

bool pps_is_reserved(const char *name)
{
    for (int i = 0; i < N_RESERVED; i++)
        if (strcmp(name, pps_reserved_words[i]) == 0)
            return true;
    return false;
}

// Returns whether the key is an entry of its own: "seed" is one if the kernel has a parameter of
// this name.
static bool is_entry(const struct pps_kernel *kernel, const char *name)
{
    return !pps_is_reserved(name) || (strcmp(name, "seed") == 0 && pps_seed_param(kernel) >= 0);
}

int pps_find_option(const struct pps_kernel *kernel, const char *name)
{
    const struct pps_composite *composite = kernel->composite;
    for (int o = 0; composite != NULL && o < composite->n_options; o++)
        if (strcmp(composite->options[o].name, name) == 0)
            return o;
    return -1;
}

// ---- documents --------------------------------------------------------------------------------

enum pps_status pps_load_file(struct pps_loader *l)
{
    const char *path = l->request->path;
    const char *text = l->request->text != NULL ? l->request->text : "{}";
    return path != NULL ? plaindoc_load(&l->file, path, l->err)
                        : pps_json_parse(&l->file, "experiment", text, strlen(text), l->err);
}

static bool is_json_literal(const char *text, size_t n)
{
    if ((n == 4 && memcmp(text, "true", 4) == 0) || (n == 5 && memcmp(text, "false", 5) == 0))
        return true;
    // The JSON reader checks later that the number is finite and in the form of JSON.
    char copy[80], *end;
    if (n == 0 || n >= sizeof copy || strspn(text, "0123456789+-.eE") < n ||
        strchr("-0123456789", text[0]) == NULL || !isdigit((unsigned char)text[n - 1]))
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    strtod(copy, &end);
    return *end == '\0';
}

static void print_value(FILE *out, const char *text, size_t n)
{
    if (is_json_literal(text, n)) {
        fwrite(text, 1, n, out);
        return;
    }
    fputc('"', out);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"' || text[i] == '\\')
            fputc('\\', out);
        fputc(text[i], out);
    }
    fputc('"', out);
}

// Returns the length of the value that begins at text: up to a comma outside parentheses, or to
// the end.
static size_t value_length(const char *text)
{
    size_t n = 0;
    for (int depth = 0; text[n] != '\0' && (depth > 0 || text[n] != ','); n++)
        depth += (text[n] == '(') - (text[n] == ')');
    return n;
}

// Converts key=8,16 to [8,16]. Text that begins like JSON is not changed.
static char *override_to_json(const char *text)
{
    char *json = NULL;
    size_t json_n;
    FILE *out = open_memstream(&json, &json_n);
    if (out == NULL)
        return NULL;
    if (strchr("[{\"", text[0]) != NULL && text[0] != '\0') {
        fputs(text, out);
    } else {
        const bool list = text[value_length(text)] == ',';
        fputs(list ? "[" : "", out);
        for (;;) {
            const size_t n = value_length(text);
            print_value(out, text, n);
            text += n;
            if (*text++ != ',')
                break;
            fputc(',', out);
        }
        fputs(list ? "]" : "", out);
    }
    return fclose(out) == 0 ? json : NULL;
}

enum pps_status pps_load_override(struct pps_loader *l, int i)
{
    if (l->overrides[i].root != NULL)
        return PPS_OK;
    const struct pps_override *override = &l->request->overrides[i];
    char name[160];
    snprintf(name, sizeof name, "%s%.48s%s%.80s", override->is_option ? "--" : "-s ",
             override->key, override->is_option ? " " : "=", override->text);
    if (override->is_option)
        pps_hyphenate(name, ' ');
    char *json = override_to_json(override->text);
    if (json == NULL)
        return pps_fail_memory(l->err, "the command line");
    enum pps_status status = pps_json_parse(&l->overrides[i], name, json, strlen(json), l->err);
    free(json);
    return status;
}

// ---- entries ----------------------------------------------------------------------------------

struct pps_entry *pps_find_entry(struct pps_loader *l, const char *name)
{
    for (int e = 0; e < l->n_entries; e++)
        if (strcmp(l->entries[e].name, name) == 0)
            return &l->entries[e];
    return NULL;
}

// Returns true if the file sets the name itself, so that it cannot be a misspelling of another
// name. An option -s may repeat a name.
static bool is_taken(const struct pps_loader *l, const struct pps_entry *entry,
                     const char *name)
{
    const cJSON *root = l->file.root;
    return entry->json == &l->file &&
           (pps_json_member(root, name) != NULL ||
            pps_json_member(pps_json_member(root, "params"), name) != NULL);
}

static enum pps_status unknown_name(struct pps_loader *l, const struct pps_entry *entry)
{
    const struct pps_composite *composite = l->kernel->composite;
    const char *names[PPS_MAX_PARAMS + PPS_MAX_OPTIONS + N_RESERVED];
    size_t n = 0, n_free = 0;
    for (int p = 0; p < l->kernel->n_params; p++)
        names[n++] = l->kernel->params[p].name;
    for (int o = 0; composite != NULL && o < composite->n_options; o++)
        names[n++] = composite->options[o].name;
    for (int r = 0; r < N_RESERVED; r++)
        names[n++] = pps_reserved_words[r];
    for (size_t i = 0; i < n; i++)
        if (!is_taken(l, entry, names[i]))
            names[n_free++] = names[i];
    const char *near = pps_suggest(entry->name, names, n_free);
    if (near != NULL)
        return pps_json_fail_key(entry->json, entry->item, l->err,
                                 "unknown name \"%.60s\"; did you mean %s?", entry->name, near);
    return pps_json_fail_key(entry->json, entry->item, l->err,
                             "unknown name \"%.60s\"; ppsweep kernels %s lists the parameters",
                             entry->name, l->kernel->name);
}

bool pps_param_is_given(const struct pps_kernel *kernel, int p)
{
    for (int s = 0; s < kernel->n_slots; s++)
        if (kernel->slots[s].param == p)
            return true;
    return kernel->params[p].fixed;
}

enum pps_status pps_add_entry(struct pps_loader *l, const struct pps_entry *entry)
{
    const size_t n = strlen(entry->name);
    if (!is_entry(l->kernel, entry->name))
        return pps_json_fail_key(entry->json, entry->item, l->err,
                                 "%s is not a parameter; write it next to params, not inside",
                                 entry->name);
    const int p = pps_param_find(l->kernel, entry->name, n);
    if (p < 0 && pps_find_option(l->kernel, entry->name) < 0)
        return unknown_name(l, entry);
    if (p >= 0 && pps_param_is_given(l->kernel, p))
        return pps_json_fail_key(entry->json, entry->item, l->err,
                                 "%s is set by a document under \"inputs\"; it is not an axis",
                                 entry->name);
    struct pps_entry *known = pps_find_entry(l, entry->name);
    if (known != NULL && known->json == entry->json && entry->json == &l->file)
        return pps_json_fail_key(entry->json, entry->item, l->err, "\"%s\" appears twice",
                                 entry->name);
    if (known != NULL)
        *known = *entry;
    else if (l->n_entries < PPS_MAX_ENTRIES)
        l->entries[l->n_entries++] = *entry;
    return PPS_OK;
}

static enum pps_status file_entries(struct pps_loader *l, const cJSON *object, bool top)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, object) {
        enum pps_status status = PPS_OK;
        if (top && strcmp(item->string, "params") == 0) {
            if (!cJSON_IsObject(item))
                return pps_json_fail(&l->file, item, l->err,
                                     "params: expected an object from parameter to values");
            status = file_entries(l, item, false);
        } else if (!pps_is_dictionary(l->kernel, item->string) &&
                   (!top || is_entry(l->kernel, item->string))) {
            status = pps_add_entry(l, &(struct pps_entry){item->string, &l->file, item});
        }
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

enum pps_status pps_override_place(struct pps_loader *l, enum pps_status status)
{
    if (status != PPS_OK && l->err->file[0] == '-')
        l->err->line = l->err->column = 0;
    return status;
}

// Adds --seed as the entry of the kernel's seed parameter.
static enum pps_status seed_entry(struct pps_loader *l)
{
    struct pps_json *json = &l->overrides[l->request->n_overrides];
    char text[32];
    if (!l->request->seed_given || pps_seed_param(l->kernel) < 0)
        return PPS_OK;
    for (int i = 0; i < l->request->n_overrides; i++)
        if (strcmp(l->request->overrides[i].key, "seed") == 0)
            return pps_fail(l->err, PPS_E_INPUT, "--seed and -s seed: give one of them");
    snprintf(text, sizeof text, "%llu", (unsigned long long)l->request->seed);
    enum pps_status status = pps_json_parse(json, "--seed", text, strlen(text), l->err);
    const struct pps_entry entry = {"seed", json, json->root};
    return status == PPS_OK ? pps_add_entry(l, &entry) : status;
}

static enum pps_status override_entries(struct pps_loader *l)
{
    for (int i = 0; i < l->request->n_overrides; i++) {
        const struct pps_override *override = &l->request->overrides[i];
        enum pps_status status = pps_load_override(l, i);
        const struct pps_entry entry = {override->key, &l->overrides[i], l->overrides[i].root};
        if (status == PPS_OK && !is_entry(l->kernel, override->key))
            status = pps_json_fail(entry.json, entry.item, l->err,
                                   "-s sets parameters; %s is set in the experiment file",
                                   override->key);
        if (status == PPS_OK)
            status = pps_add_entry(l, &entry);
        if (status != PPS_OK)
            return status;
    }
    return seed_entry(l);
}

// ---- presets ----------------------------------------------------------------------------------

static enum pps_status find_preset(struct pps_loader *l, const cJSON *item,
                                   const struct pps_preset **preset)
{
    const struct pps_preset *presets = l->kernel->presets;
    char names[256] = "";
    size_t at = 0;
    if (presets == NULL)
        return pps_json_fail_key(&l->file, item, l->err, "the kernel %s has no presets",
                                 l->kernel->name);
    for (; presets->name != NULL; presets++) {
        if (cJSON_IsString(item) && strcmp(item->valuestring, presets->name) == 0) {
            *preset = presets;
            return PPS_OK;
        }
        at += (size_t)snprintf(names + at, at < sizeof names ? sizeof names - at : 0, "%s%s",
                               at > 0 ? ", " : "", presets->name);
    }
    return pps_json_fail(&l->file, item, l->err, "preset: expected one of %s", names);
}

// Writes the preset as an experiment.
static enum pps_status write_preset(struct pps_loader *l, const struct pps_preset *preset)
{
    char name[64];
    cJSON *root = cJSON_CreateObject();
    for (int a = 0; preset->axes[a].param != NULL; a++)
        cJSON_AddItemToObject(root, preset->axes[a].param,
                              preset->axes[a].values[0] == '['
                                  ? cJSON_Parse(preset->axes[a].values)
                                  : cJSON_CreateString(preset->axes[a].values));
    cJSON *where = cJSON_AddArrayToObject(root, "where");
    for (int r = 0; preset->rules[r] != NULL; r++)
        cJSON_AddItemToArray(where, cJSON_CreateString(preset->rules[r]));
    char *text = pps_json_print_line(root);
    cJSON_Delete(root);
    if (text == NULL)
        return pps_fail_memory(l->err, "a preset");
    snprintf(name, sizeof name, "preset %s", preset->name);
    enum pps_status status = pps_json_parse(&l->preset, name, text, strlen(text), l->err);
    cJSON_free(text);
    return status;
}

// Adds the preset's axes after all others, in their order, because they may depend on the
// others. If the experiment names a parameter of the preset, the experiment's values replace
// the preset's.
static enum pps_status preset_entries(struct pps_loader *l)
{
    const cJSON *item = pps_json_member(l->file.root, "preset");
    const struct pps_preset *preset = NULL;
    if (item == NULL)
        return PPS_OK;
    enum pps_status status = find_preset(l, item, &preset);
    if (status == PPS_OK)
        status = write_preset(l, preset);
    for (int a = 0; status == PPS_OK && preset->axes[a].param != NULL; a++) {
        const char *name = preset->axes[a].param;
        struct pps_entry entry = {name, &l->preset, pps_json_member(l->preset.root, name)};
        struct pps_entry *said = pps_find_entry(l, name);
        if (said != NULL) {
            entry = *said;
            const size_t behind = (size_t)(&l->entries[l->n_entries] - said - 1);
            memmove(said, said + 1, behind * sizeof *said);
            l->n_entries--;
        }
        status = pps_add_entry(l, &entry);
    }
    return status;
}

enum pps_status pps_load_entries(struct pps_loader *l)
{
    enum pps_status status = file_entries(l, l->file.root, true);
    if (status == PPS_OK)
        status = pps_dictionary_entries(l);
    if (status == PPS_OK)
        status = pps_override_place(l, override_entries(l));
    return status == PPS_OK ? preset_entries(l) : status;
}
