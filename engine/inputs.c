// SPDX-License-Identifier: Apache-2.0
// Reading documents and opening a kernel with them.
#include "inputs.h"

#include "suggest.h"
#include "value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = PPS_CELL_TEXT };

// A document: a file of its own, or a part of the experiment.
struct source {
    int slot;
    struct pps_json own;
    const struct pps_json *json; // own, or the experiment's
    const cJSON *root;
    char name[NAME_BYTES];
};

struct pps_inputs {
    const struct pps_kernel *base;
    struct pps_kernel kernel; // base with params of its own, and `shared`
    struct pps_param *params;
    const char **names[PPS_MAX_SLOTS]; // of a slot's documents, ended with NULL
    struct source *sources;
    int n, count[PPS_MAX_SLOTS];
    cJSON *resolved;
    bool is_open;
};

struct opening {
    struct pps_inputs *inputs;
    const struct pps_inputs_ask *ask;
    struct pps_error *err;
};

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

static enum pps_status no_memory(const struct opening *o)
{
    return pps_fail(o->err, PPS_E_MACHINE, "no memory for the inputs");
}

// ---- names ------------------------------------------------------------------------------------

static bool is_name(const char *text, size_t n)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._+-";
    return n > 0 && n < NAME_BYTES - 1 && strspn(text, allowed) >= n;
}

// The file's name without folder and ending.
static bool name_by_path(const char *path, char name[NAME_BYTES])
{
    const char *slash = strrchr(path, '/');
    const char *stem = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(stem, '.');
    const size_t n = dot != NULL && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    if (!is_name(stem, n))
        return false;
    snprintf(name, NAME_BYTES, "%.*s", (int)n, stem);
    return true;
}

static enum pps_status name_source(const struct opening *o,
                                   struct source *source,
                                   const char *path)
{
    const char *slot = o->ask->kernel->slots[source->slot].name;
    const cJSON *said = pps_json_member(source->root, "name");
    if (cJSON_IsString(said) && is_name(said->valuestring, strlen(said->valuestring)))
        snprintf(source->name, sizeof source->name, "%s", said->valuestring);
    else if (path == NULL)
        snprintf(source->name, sizeof source->name, "%.16s-%d", slot,
                 o->inputs->count[source->slot] + 1);
    else if (!name_by_path(path, source->name))
        return pps_fail(o->err, PPS_E_INPUT,
                        "inputs: %s: give the document a \"name\" of up to %d letters, digits "
                        "and ._+-",
                        path, NAME_BYTES - 2);
    for (int i = 0; i < o->inputs->n; i++)
        if (o->inputs->sources[i].slot == source->slot &&
            strcmp(o->inputs->sources[i].name, source->name) == 0)
            return pps_fail(o->err, PPS_E_INPUT, "inputs: two documents of %s are named \"%s\"",
                            slot, source->name);
    return PPS_OK;
}

// ---- documents --------------------------------------------------------------------------------

static enum pps_status keep(struct opening *o, struct source *source, const char *path)
{
    enum pps_status status = PPS_OK;
    if (!cJSON_IsObject(source->root))
        status = pps_json_fail(source->json, source->root, o->err,
                               "inputs: want an object that describes a %s",
                               o->ask->kernel->slots[source->slot].name);
    if (status == PPS_OK)
        status = name_source(o, source, path);
    struct source *kept = &o->inputs->sources[o->inputs->n];
    *kept = *source;
    if (kept->json == &source->own)
        kept->json = &kept->own;
    o->inputs->n++;
    o->inputs->count[source->slot]++;
    return status;
}

static enum pps_status check_room(const struct opening *o, int slot)
{
    const struct pps_slot *s = &o->ask->kernel->slots[slot];
    if (s->param < 0 && o->inputs->count[slot] == 1)
        return pps_fail(o->err, PPS_E_INPUT, "inputs: %s takes one document", s->name);
    if (o->inputs->n == PPS_MAX_DOCUMENTS)
        return pps_fail(o->err, PPS_E_INPUT, "inputs: at most %d documents", PPS_MAX_DOCUMENTS);
    return PPS_OK;
}

static enum pps_status read_file(struct opening *o, int slot, const char *path)
{
    struct source source = {.slot = slot};
    enum pps_status status = check_room(o, slot);
    if (status == PPS_OK)
        status = pps_json_load(&source.own, path, o->err);
    if (status != PPS_OK)
        return status;
    source.json = &source.own;
    source.root = source.own.root;
    return keep(o, &source, path);
}

static enum pps_status read_item(struct opening *o, int slot, const cJSON *item)
{
    struct source source = {.slot = slot, .json = o->ask->file, .root = item};
    enum pps_status status = check_room(o, slot);
    if (status != PPS_OK)
        return status;
    if (!cJSON_IsString(item))
        return keep(o, &source, NULL);
    char *path = pps_path_beside(o->ask->beside, item->valuestring);
    if (path == NULL)
        return no_memory(o);
    status = read_file(o, slot, path);
    free(path);
    return status;
}

static int find_slot(const struct pps_kernel *kernel, const char *name, size_t n)
{
    for (int s = 0; s < kernel->n_slots; s++)
        if (strlen(kernel->slots[s].name) == n && memcmp(kernel->slots[s].name, name, n) == 0)
            return s;
    return -1;
}

static const char *nearest_slot(const struct pps_kernel *kernel, const char *name)
{
    const char *names[PPS_MAX_SLOTS];
    for (int s = 0; s < kernel->n_slots; s++)
        names[s] = kernel->slots[s].name;
    return pps_suggest(name, names, (size_t)kernel->n_slots);
}

static void list_slots(const struct pps_kernel *kernel, char *out, size_t cap)
{
    size_t at = 0;
    out[0] = '\0';
    for (int s = 0; s < kernel->n_slots && at < cap; s++)
        at += (size_t)snprintf(out + at, cap - at, "%s%s", s > 0 ? ", " : "",
                               kernel->slots[s].name);
}

// ---- what the experiment says -----------------------------------------------------------------

static enum pps_status unknown_slot(const struct opening *o, const cJSON *item)
{
    const char *near = nearest_slot(o->ask->kernel, item->string);
    char slots[256];
    list_slots(o->ask->kernel, slots, sizeof slots);
    return pps_json_fail_key(o->ask->file, item, o->err,
                             "inputs: %s takes no \"%.60s\"%s%s%s; it takes %s",
                             o->ask->kernel->name, item->string, near ? "; did you mean " : "",
                             near ? near : "", near ? "?" : "", slots);
}

static bool is_overridden(const struct opening *o, const char *slot)
{
    const size_t n = strlen(slot);
    for (int i = 0; i < o->ask->words.n; i++)
        if (strncmp(o->ask->words.words[i], slot, n) == 0 && o->ask->words.words[i][n] == '=')
            return true;
    return false;
}

static enum pps_status read_said(struct opening *o, int slot)
{
    const char *name = o->ask->kernel->slots[slot].name;
    const cJSON *item = pps_json_member(o->ask->item, name), *each;
    if (item == NULL || is_overridden(o, name))
        return PPS_OK;
    if (!cJSON_IsArray(item))
        return read_item(o, slot, item);
    if (item->child == NULL)
        return pps_json_fail(o->ask->file, item, o->err, "inputs: %s: the list is empty", name);
    cJSON_ArrayForEach(each, item)
    {
        enum pps_status status = read_item(o, slot, each);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status check_said(const struct opening *o)
{
    const cJSON *each;
    if (o->ask->item == NULL)
        return PPS_OK;
    if (o->ask->kernel->n_slots == 0)
        return pps_json_fail_key(o->ask->file, o->ask->item, o->err,
                                 "the kernel %s takes no inputs", o->ask->kernel->name);
    if (!cJSON_IsObject(o->ask->item))
        return pps_json_fail(o->ask->file, o->ask->item, o->err,
                             "inputs: want an object: {\"%s\": \"FILE.json\"}",
                             o->ask->kernel->slots[0].name);
    cJSON_ArrayForEach(each, o->ask->item)
    {
        if (find_slot(o->ask->kernel, each->string, strlen(each->string)) < 0)
            return unknown_slot(o, each);
    }
    return PPS_OK;
}

// ---- what the command line says ---------------------------------------------------------------

static enum pps_status read_word(struct opening *o, const char *word, int slot)
{
    char *paths = strdup(strchr(word, '=') + 1), *rest = paths, *path;
    enum pps_status status = paths != NULL ? PPS_OK : no_memory(o);
    while (status == PPS_OK && (path = strsep(&rest, ",")) != NULL)
        status = read_file(o, slot, path);
    free(paths);
    return status;
}

static enum pps_status check_word(const struct opening *o, const char *word)
{
    const struct pps_kernel *kernel = o->ask->kernel;
    const char *equals = strchr(word, '=');
    char slots[256], name[64];
    if (kernel->n_slots == 0)
        return pps_fail(o->err, PPS_E_INPUT, "--input %s: the kernel %s takes no inputs", word,
                        kernel->name);
    list_slots(kernel, slots, sizeof slots);
    if (equals == NULL || equals[1] == '\0')
        return pps_fail(o->err, PPS_E_INPUT, "--input %s: want SLOT=FILE; slots are %s", word,
                        slots);
    if (find_slot(kernel, word, (size_t)(equals - word)) >= 0)
        return PPS_OK;
    snprintf(name, sizeof name, "%.*s", (int)(equals - word < 63 ? equals - word : 63), word);
    const char *near = nearest_slot(kernel, name);
    return pps_fail(o->err, PPS_E_INPUT, "--input %s: %s takes no %s%s%s%s; it takes %s", word,
                    kernel->name, name, near ? "; did you mean " : "", near ? near : "",
                    near ? "?" : "", slots);
}

static enum pps_status read_words(struct opening *o, int slot)
{
    enum pps_status status = PPS_OK;
    for (int i = 0; i < o->ask->words.n && status == PPS_OK; i++) {
        const char *word = o->ask->words.words[i];
        if (find_slot(o->ask->kernel, word, strcspn(word, "=")) == slot)
            status = read_word(o, word, slot);
    }
    return status;
}

// Slot by slot, as their numbers go.
static enum pps_status read_all(struct opening *o)
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
    return status;
}

// ---- the kernel -------------------------------------------------------------------------------

static enum pps_status refuse(const struct opening *o, const struct pps_fault *fault)
{
    if (fault->text[0] == '\0')
        return no_memory(o);
    const int d = fault->document >= 0 && fault->document < o->inputs->n ? fault->document : 0;
    const struct source *source = &o->inputs->sources[d];
    const cJSON *item = fault->item != NULL ? fault->item : source->root;
    if (fault->at_key)
        return pps_json_fail_key(source->json, item, o->err, "%s", fault->text);
    return pps_json_fail(source->json, item, o->err, "%s", fault->text);
}

static enum pps_status open_kernel(struct opening *o)
{
    struct pps_inputs *inputs = o->inputs;
    struct pps_document documents[PPS_MAX_DOCUMENTS];
    struct pps_fault fault = {.document = 0};
    void *shared = NULL;
    for (int i = 0; i < inputs->n; i++)
        documents[i] = (struct pps_document){inputs->sources[i].slot, inputs->sources[i].name,
                                             inputs->sources[i].root};
    if (!inputs->base->open(documents, inputs->n, &shared, &fault))
        return refuse(o, &fault);
    inputs->kernel.shared = shared;
    inputs->is_open = true;
    return PPS_OK;
}

static bool name_documents(struct pps_inputs *inputs, int s)
{
    int n = 0;
    inputs->names[s] = calloc((size_t)inputs->count[s] + 1, sizeof **inputs->names);
    if (inputs->names[s] == NULL)
        return false;
    for (int i = 0; i < inputs->n; i++)
        if (inputs->sources[i].slot == s)
            inputs->names[s][n++] = inputs->sources[i].name;
    if (inputs->base->slots[s].param >= 0)
        inputs->params[inputs->base->slots[s].param].names = inputs->names[s];
    return true;
}

// What the first document of each slot says are the defaults.
static void set_defaults(struct pps_inputs *inputs)
{
    for (int s = 0; s < inputs->base->n_slots; s++) {
        const struct pps_slot *slot = &inputs->base->slots[s];
        double values[64];
        if (inputs->count[s] == 0 || slot->n_sets == 0)
            continue;
        inputs->base->values(inputs->kernel.shared, s, 0, values);
        for (int i = 0; i < slot->n_sets; i++)
            inputs->params[slot->sets[i]].fallback = values[i];
    }
}

static cJSON *resolve_one(const struct source *source)
{
    cJSON *copy = cJSON_Duplicate(source->root, true);
    const cJSON *said = pps_json_member(copy, "name");
    if (cJSON_IsString(said) && strcmp(said->valuestring, source->name) == 0)
        return copy;
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "name");
    cJSON_AddStringToObject(copy, "name", source->name);
    return copy;
}

static void resolve(struct pps_inputs *inputs)
{
    inputs->resolved = cJSON_CreateObject();
    for (int s = 0; s < inputs->base->n_slots; s++) {
        cJSON *list = inputs->count[s] > 1 ? cJSON_CreateArray() : NULL;
        for (int i = 0; i < inputs->n; i++) {
            if (inputs->sources[i].slot != s)
                continue;
            cJSON *one = resolve_one(&inputs->sources[i]);
            if (list != NULL)
                cJSON_AddItemToArray(list, one);
            else
                cJSON_AddItemToObject(inputs->resolved, inputs->base->slots[s].name, one);
        }
        if (list != NULL)
            cJSON_AddItemToObject(inputs->resolved, inputs->base->slots[s].name, list);
    }
}

static enum pps_status bind(struct opening *o)
{
    struct pps_inputs *inputs = o->inputs;
    const size_t n = (size_t)inputs->base->n_params;
    inputs->params = calloc(n, sizeof *inputs->params);
    if (inputs->params == NULL)
        return no_memory(o);
    memcpy(inputs->params, inputs->base->params, n * sizeof *inputs->params);
    inputs->kernel.params = inputs->params;
    for (int s = 0; s < inputs->base->n_slots; s++)
        if (!name_documents(inputs, s))
            return no_memory(o);
    enum pps_status status = open_kernel(o);
    if (status != PPS_OK)
        return status;
    set_defaults(inputs);
    resolve(inputs);
    return PPS_OK;
}

// The documents' own text is not needed any more.
static void drop_files(struct pps_inputs *inputs)
{
    for (int i = 0; i < inputs->n; i++) {
        pps_json_free(&inputs->sources[i].own);
        inputs->sources[i].own = (struct pps_json){.name = NULL};
    }
}

enum pps_status pps_inputs_open(struct pps_inputs **out,
                                const struct pps_inputs_ask *ask,
                                struct pps_error *err)
{
    struct opening o = {calloc(1, sizeof *o.inputs), ask, err};
    *out = o.inputs;
    if (o.inputs == NULL)
        return no_memory(&o);
    o.inputs->base = ask->kernel;
    o.inputs->kernel = *ask->kernel;
    o.inputs->sources = calloc(PPS_MAX_DOCUMENTS, sizeof *o.inputs->sources);
    if (o.inputs->sources == NULL)
        return no_memory(&o);
    enum pps_status status = read_all(&o);
    if (status == PPS_OK && ask->kernel->n_slots > 0)
        status = bind(&o);
    drop_files(o.inputs);
    return status;
}

void pps_inputs_close(struct pps_inputs *inputs)
{
    if (inputs == NULL)
        return;
    if (inputs->is_open)
        inputs->base->close((void *)(uintptr_t)inputs->kernel.shared);
    if (inputs->sources != NULL)
        drop_files(inputs);
    for (int s = 0; s < PPS_MAX_SLOTS; s++)
        free(inputs->names[s]);
    cJSON_Delete(inputs->resolved);
    free(inputs->sources);
    free(inputs->params);
    free(inputs);
}

const struct pps_kernel *pps_inputs_kernel(const struct pps_inputs *inputs)
{
    return inputs->base->n_slots > 0 ? &inputs->kernel : inputs->base;
}

enum pps_status pps_inputs_again(struct pps_inputs **inputs,
                                 const struct pps_kernel *kernel,
                                 const char *path,
                                 const cJSON *experiment,
                                 struct pps_error *err)
{
    const cJSON *item = pps_json_member(experiment, "inputs");
    struct pps_inputs_ask ask = {.kernel = kernel};
    struct pps_json json = {.name = NULL};
    *inputs = NULL;
    char *text = item != NULL ? cJSON_PrintUnformatted(item) : NULL;
    enum pps_status status = PPS_OK;
    if (item != NULL && text == NULL)
        status = pps_fail(err, PPS_E_MACHINE, "no memory for the inputs of %s", path);
    else if (item != NULL)
        status = pps_json_parse(&json, path, text, strlen(text), err);
    cJSON_free(text);
    if (status != PPS_OK)
        return status;
    ask.file = &json;
    ask.item = json.root;
    status = pps_inputs_open(inputs, &ask, err);
    pps_json_free(&json);
    return status;
}

void pps_inputs_say(const struct pps_inputs *inputs, uint64_t keep, double *point)
{
    for (int s = 0; s < inputs->base->n_slots; s++) {
        const struct pps_slot *slot = &inputs->base->slots[s];
        double values[64];
        if (inputs->count[s] < 2 || slot->n_sets == 0)
            continue;
        inputs->base->values(inputs->kernel.shared, s, (int)point[slot->param], values);
        for (int i = 0; i < slot->n_sets; i++)
            if ((keep >> slot->sets[i] & 1) == 0)
                point[slot->sets[i]] = values[i];
    }
}

const cJSON *pps_inputs_resolved(const struct pps_inputs *inputs)
{
    return inputs->resolved;
}

int pps_inputs_count(const struct pps_inputs *inputs, int slot)
{
    return inputs->count[slot];
}
