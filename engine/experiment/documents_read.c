// SPDX-License-Identifier: Apache-2.0
// Reads the documents that an experiment and the command line name, and gives each a name.
#include "engine/experiment/documents_private.h"

#include "base/document/plain.h"
#include "base/system/installed.h"
#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONVERTED_MAX = 64 << 20 }; // bytes

char *pps_path_beside(const char *file, const char *path)
{
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    char *joined = NULL;
    if (path[0] == '/' || slash == NULL)
        return strdup(path);
    if (asprintf(&joined, "%.*s/%s", (int)(slash - file), file, path) < 0)
        return NULL;
    return joined;
}

// ---- names ------------------------------------------------------------------------------------

static bool is_name(const char *text, size_t n)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._+-";
    return n > 0 && n < PPS_DOCUMENT_NAME - 1 && strspn(text, allowed) >= n;
}

// Uses the file's name without folder and extension.
static bool name_by_path(const char *path, char name[PPS_DOCUMENT_NAME])
{
    const char *slash = strrchr(path, '/');
    const char *stem = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(stem, '.');
    const size_t n = dot != NULL && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    if (!is_name(stem, n))
        return false;
    snprintf(name, PPS_DOCUMENT_NAME, "%.*s", (int)n, stem);
    return true;
}

// Chooses the name of the document: its own "name", the file's name without folder and
// extension, or a number.
static enum pps_status choose_name(const struct pps_opening *o, struct pps_source *source)
{
    const char *slot = o->ask->kernel->slots[source->slot].name;
    const cJSON *said = pps_json_member(source->root, "name");
    if (said != NULL &&
        (!cJSON_IsString(said) || !is_name(said->valuestring, strlen(said->valuestring))))
        return pps_json_fail(
            source->json, said, o->err,
            "name: expected up to %d letters, digits and ._+-, because rows show the name",
            PPS_DOCUMENT_NAME - 2);
    if (said != NULL)
        snprintf(source->name, sizeof source->name, "%s", said->valuestring);
    else if (source->path == NULL)
        snprintf(source->name, sizeof source->name, "%.16s-%d", slot,
                 o->inputs->count[source->slot] + 1);
    else if (!name_by_path(source->path, source->name))
        return pps_json_fail(source->json, source->root, o->err,
                             "the file's name cannot be used in rows; give the document a "
                             "\"name\" of up to %d letters, digits and ._+-",
                             PPS_DOCUMENT_NAME - 2);
    return PPS_OK;
}

static enum pps_status name_source(const struct pps_opening *o, struct pps_source *source)
{
    const char *slot = o->ask->kernel->slots[source->slot].name;
    enum pps_status status = source->name[0] == '\0' ? choose_name(o, source) : PPS_OK;
    for (int i = 0; i < o->inputs->n && status == PPS_OK; i++)
        if (o->inputs->sources[i].slot == source->slot &&
            strcmp(o->inputs->sources[i].name, source->name) == 0)
            status = pps_json_fail(
                source->json, source->root, o->err,
                "there is another %s named \"%s\"; give this one a different \"name\"", slot,
                source->name);
    return status;
}

// ---- documents --------------------------------------------------------------------------------

enum pps_status pps_document_keep(struct pps_opening *o, const struct pps_source *source)
{
    struct pps_source *kept = &o->inputs->sources[o->inputs->n];
    enum pps_status status = PPS_OK;
    *kept = *source;
    if (kept->path != NULL) {
        kept->json = &kept->own;
        kept->root = kept->own.root;
    }
    const struct pps_slot *slot = &o->ask->kernel->slots[kept->slot];
    if (kept->text == NULL && !cJSON_IsObject(kept->root))
        status = pps_json_fail(kept->json, kept->root, o->err,
                               "inputs: expected an object that describes a %s", slot->name);
    if (status == PPS_OK && kept->text == NULL && slot->text && !pps_text_document_take(kept))
        status = pps_fail_memory(o->err, "the inputs");
    if (status == PPS_OK)
        status = name_source(o, kept);
    o->inputs->n++;
    o->inputs->count[kept->slot]++;
    return status;
}

// Checks that there is room for another document. It comes from item, or from the command line
// (NULL).
static enum pps_status check_room(const struct pps_opening *o, int slot, const cJSON *item)
{
    const struct pps_slot *s = &o->ask->kernel->slots[slot];
    char text[96];
    if (s->param < 0 && o->inputs->count[slot] == 1)
        snprintf(text, sizeof text, "%s takes one document", s->name);
    else if (o->inputs->n == PPS_MAX_DOCUMENTS)
        snprintf(text, sizeof text, "at most %d documents", PPS_MAX_DOCUMENTS);
    else
        return PPS_OK;
    if (item == NULL)
        return pps_fail(o->err, PPS_E_INPUT, "--input: %s", text);
    return pps_json_fail(o->ask->file, item, o->err, "inputs: %s", text);
}

static enum pps_status check_found(const struct pps_opening *o, int slot, const char *name,
                                   const char *path, const cJSON *item)
{
    const struct pps_missing missing =
        pps_installed_missing(o->ask->kernel->slots[slot].name, name, path);
    if (missing.text[0] == '\0')
        return PPS_OK;
    if (item == NULL)
        return pps_fail(o->err, PPS_E_INPUT, "%s", missing.text);
    return pps_json_fail(o->ask->file, item, o->err, "inputs: %s", missing.text);
}

void pps_document_free(struct pps_source *source)
{
    pps_json_free(&source->own);
    free(source->text);
    free(source->path);
}

// Returns whether a text that no slot converts is JSON: then it is parsed as it was read, because a pipe is read once.
static bool is_json(const struct pps_slot *slot, const char *path)
{
    const enum plaindoc_form form = plaindoc_form_of(path);
    return !slot->text && form != PLAINDOC_YAML && form != PLAINDOC_TOML;
}

// Turns a file into a document of the slot if the slot can. *done: the document is read.
static enum pps_status convert(const struct pps_opening *o, struct pps_source *source,
                               bool *done)
{
    const struct pps_slot *slot = &o->ask->kernel->slots[source->slot];
    struct pps_fault fault = {.line = 0};
    char *text, *json;
    size_t n;
    *done = false;
    if (slot->convert == NULL || pps_ends_with(source->path, ".json"))
        return PPS_OK;
    enum pps_status status =
        pps_whole_file_read(source->path, CONVERTED_MAX, &text, &n, o->err);
    if (status != PPS_OK)
        return status;
    json = slot->convert(source->path, text, n, &fault);
    *done = json != NULL || (fault.text[0] == '\0' && is_json(slot, source->path));
    if (*done && json == NULL)
        status = pps_json_parse(&source->own, source->path, text, n, o->err);
    else if (json != NULL)
        status = pps_json_parse(&source->own, source->path, json, strlen(json), o->err);
    else if (fault.text[0] != '\0')
        status = pps_fail_at(o->err, PPS_E_INPUT, source->path, fault.line, fault.column, "%s",
                             fault.text);
    free(text);
    free(json);
    return status;
}

enum pps_status pps_document_load(const struct pps_opening *o, struct pps_source *source)
{
    const bool text = o->ask->kernel->slots[source->slot].text;
    bool converted;
    enum pps_status status = convert(o, source, &converted);
    if (status == PPS_OK && !converted)
        status = text ? pps_text_document_load(source, o->err)
                      : plaindoc_load(&source->own, source->path, o->err);
    source->json = &source->own;
    source->root = source->own.root;
    if (status == PPS_OK && text && source->text == NULL && !pps_text_document_take(source))
        status = pps_fail_memory(o->err, "the inputs");
    return status;
}

// Reads the document `name`, from item or from the command line (NULL). Takes ownership of
// path, the path that `name` stands for; NULL means that memory ran out.
static enum pps_status read_file(struct pps_opening *o, int slot, const char *name, char *path,
                                 const cJSON *item)
{
    path = pps_installed_path(o->ask->kernel->slots[slot].name, name, path);
    struct pps_source source = {.slot = slot, .path = path};
    enum pps_status status = path != NULL ? check_found(o, slot, name, path, item)
                                          : pps_fail_memory(o->err, "the inputs");
    if (status == PPS_OK)
        status = pps_document_load(o, &source);
    if (status == PPS_OK)
        return pps_document_keep(o, &source);
    pps_document_free(&source);
    return status;
}

static enum pps_status read_item(struct pps_opening *o, int slot, const cJSON *item)
{
    const struct pps_source part = {.slot = slot, .json = o->ask->file, .root = item};
    enum pps_status status = check_room(o, slot, item);
    if (status != PPS_OK)
        return status;
    if (pps_document_is_omitted(item))
        return pps_omitted_read(o, slot, item);
    if (!cJSON_IsString(item))
        return pps_document_keep(o, &part);
    if (item->valuestring[0] == '\0')
        return pps_json_fail(o->ask->file, item, o->err, "inputs: expected the path of a file");
    return read_file(o, slot, item->valuestring,
                     pps_path_beside(o->ask->beside, item->valuestring), item);
}

static int find_slot(const struct pps_kernel *kernel, const char *name, size_t n)
{
    for (int s = 0; s < kernel->n_slots; s++)
        if (strlen(kernel->slots[s].name) == n && memcmp(kernel->slots[s].name, name, n) == 0)
            return s;
    return -1;
}

// Suggests the nearest slot that has no document yet.
static struct pps_hint nearest_slot(const struct pps_kernel *kernel, const char *name,
                                    const cJSON *given)
{
    const char *names[PPS_MAX_SLOTS];
    size_t n = 0;
    for (int s = 0; s < kernel->n_slots; s++)
        if (pps_json_member(given, kernel->slots[s].name) == NULL)
            names[n++] = kernel->slots[s].name;
    return pps_did_you_mean(name, names, n);
}

static void list_slots(const struct pps_kernel *kernel, char *out, size_t cap)
{
    size_t at = 0;
    out[0] = '\0';
    for (int s = 0; s < kernel->n_slots && at < cap; s++)
        at += (size_t)snprintf(out + at, cap - at, "%s%s", s > 0 ? ", " : "",
                               kernel->slots[s].name);
}

// ---- documents of the experiment --------------------------------------------------------------

static enum pps_status unknown_slot(const struct pps_opening *o, const cJSON *item)
{
    char slots[256];
    list_slots(o->ask->kernel, slots, sizeof slots);
    return pps_json_fail_key(
        o->ask->file, item, o->err, "inputs: %s takes no \"%.60s\"%s; it takes %s",
        o->ask->kernel->name, item->string,
        nearest_slot(o->ask->kernel, item->string, o->ask->item).text, slots);
}

static bool is_overridden(const struct pps_opening *o, const char *slot)
{
    const size_t n = strlen(slot);
    for (int i = 0; i < o->ask->words.n && !o->ask->again; i++)
        if (strncmp(o->ask->words.words[i], slot, n) == 0 && o->ask->words.words[i][n] == '=')
            return true;
    return false;
}

static enum pps_status read_said(struct pps_opening *o, int slot)
{
    const char *name = o->ask->kernel->slots[slot].name;
    const cJSON *item = pps_json_member(o->ask->item, name), *each;
    if (item == NULL || is_overridden(o, name))
        return PPS_OK;
    if (!cJSON_IsArray(item))
        return read_item(o, slot, item);
    if (item->child == NULL)
        return pps_json_fail(o->ask->file, item, o->err, "inputs: %s: the list is empty", name);
    cJSON_ArrayForEach (each, item) {
        enum pps_status status = read_item(o, slot, each);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status check_said(const struct pps_opening *o)
{
    const cJSON *each;
    if (o->ask->item == NULL)
        return PPS_OK;
    if (o->ask->kernel->n_slots == 0)
        return pps_json_fail_key(o->ask->file, o->ask->item, o->err,
                                 "the kernel %s takes no inputs", o->ask->kernel->name);
    if (!cJSON_IsObject(o->ask->item))
        return pps_json_fail(o->ask->file, o->ask->item, o->err,
                             "inputs: expected an object: {\"%s\": \"FILE.json\"}",
                             o->ask->kernel->slots[0].name);
    cJSON_ArrayForEach (each, o->ask->item) {
        if (find_slot(o->ask->kernel, each->string, strlen(each->string)) < 0)
            return unknown_slot(o, each);
    }
    return PPS_OK;
}

// ---- documents of the command line ------------------------------------------------------------

static enum pps_status read_word(struct pps_opening *o, const char *word, int slot)
{
    char *paths = strdup(strchr(word, '=') + 1), *rest = paths, *path;
    enum pps_status status = paths != NULL ? PPS_OK : pps_fail_memory(o->err, "the inputs");
    while (status == PPS_OK && (path = strsep(&rest, ",")) != NULL) {
        status = check_room(o, slot, NULL);
        if (status == PPS_OK && path[0] == '\0')
            status = pps_fail(o->err, PPS_E_INPUT, "--input %s: a path is empty", word);
        if (status == PPS_OK)
            status = read_file(o, slot, path, strdup(path), NULL);
    }
    free(paths);
    return status;
}

static enum pps_status check_word(const struct pps_opening *o, const char *word)
{
    const struct pps_kernel *kernel = o->ask->kernel;
    const char *equals = strchr(word, '=');
    char slots[256], name[64];
    if (kernel->n_slots == 0)
        return pps_fail(o->err, PPS_E_INPUT, "--input %s: the kernel %s takes no inputs", word,
                        kernel->name);
    list_slots(kernel, slots, sizeof slots);
    if (equals == NULL || equals[1] == '\0')
        return pps_fail(o->err, PPS_E_INPUT, "--input %s: expected SLOT=FILE; slots are %s",
                        word, slots);
    if (find_slot(kernel, word, (size_t)(equals - word)) >= 0)
        return PPS_OK;
    snprintf(name, sizeof name, "%.*s", (int)(equals - word < 63 ? equals - word : 63), word);
    return pps_fail(o->err, PPS_E_INPUT, "--input %s: %s takes no %s%s; it takes %s", word,
                    kernel->name, name, nearest_slot(kernel, name, NULL).text, slots);
}

int pps_input_word_slot(const struct pps_kernel *kernel, const char *word)
{
    return find_slot(kernel, word, strcspn(word, "="));
}

static enum pps_status read_words(struct pps_opening *o, int slot)
{
    enum pps_status status = PPS_OK;
    for (int i = 0; i < o->ask->words.n && status == PPS_OK && !o->ask->again; i++) {
        const char *word = o->ask->words.words[i];
        if (pps_input_word_slot(o->ask->kernel, word) == slot)
            status = read_word(o, word, slot);
    }
    return status;
}

// Reads the slots in the order of their numbers.
enum pps_status pps_documents_read(struct pps_opening *o)
{
    enum pps_status status = check_said(o);
    for (int i = 0; i < o->ask->words.n && status == PPS_OK; i++)
        status = check_word(o, o->ask->words.words[i]);
    for (int s = 0; s < o->ask->kernel->n_slots && status == PPS_OK; s++) {
        const struct pps_slot *slot = &o->ask->kernel->slots[s];
        status = read_said(o, s);
        if (status == PPS_OK)
            status = read_words(o, s);
        if (status == PPS_OK && slot->required && o->inputs->count[s] == 0)
            status = pps_fail(o->err, PPS_E_INPUT,
                              "the kernel %s needs a %s: \"inputs\": {\"%s\": \"FILE.json\"}, "
                              "or --input %s=FILE.json",
                              o->ask->kernel->name, slot->name, slot->name, slot->name);
    }
    return status == PPS_OK && o->ask->again ? pps_omitted_check(o) : status;
}
