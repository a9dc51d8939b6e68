// SPDX-License-Identifier: Apache-2.0
// Opens a kernel with its documents and returns the values that documents set for parameters.
#include "engine/experiment/documents_private.h"

#include "base/text/say.h"

#include <stdlib.h>
#include <string.h>

// ---- the kernel -------------------------------------------------------------------------------

enum pps_status pps_document_fail(const struct pps_opening *o, const struct pps_fault *fault,
                                  struct pps_error *err)
{
    if (fault->text[0] == '\0')
        return pps_fail_memory(err, "the inputs");
    if (o->inputs->n == 0)
        return pps_fail(err, PPS_E_INPUT, "%s", fault->text);
    const int d = fault->document >= 0 && fault->document < o->inputs->n ? fault->document : 0;
    const struct pps_source *source = &o->inputs->sources[d];
    const cJSON *item = fault->item != NULL ? fault->item : source->root;
    if (source->text != NULL)
        return pps_text_document_fail(source, fault, err);
    if (fault->at_key)
        return pps_json_fail_key(source->json, item, err, "%s", fault->text);
    return pps_json_fail(source->json, item, err, "%s", fault->text);
}

static struct pps_document document_of(const struct pps_source *source)
{
    return (struct pps_document){.slot = source->slot,
                                 .name = source->name,
                                 .root = source->text != NULL ? NULL : source->root,
                                 .text = source->text,
                                 .n = source->n};
}

static enum pps_status open_kernel(struct pps_opening *o)
{
    struct pps_documents *inputs = o->inputs;
    struct pps_document documents[PPS_MAX_DOCUMENTS];
    struct pps_fault fault = {.document = 0};
    void *shared = NULL;
    for (int i = 0; i < inputs->n; i++)
        documents[i] = document_of(&inputs->sources[i]);
    if (!inputs->base->open(documents, inputs->n, &shared, &fault))
        return pps_document_fail(o, &fault, o->err);
    inputs->kernel.shared = shared;
    inputs->is_open = true;
    return inputs->base->doubts != NULL ? pps_documents_doubt(o, documents) : PPS_OK;
}

// A slot's parameter always has a name, even if the kernel uses the slot without a document.
static bool name_documents(struct pps_documents *inputs, int s)
{
    int n = 0;
    const char **names = calloc((size_t)inputs->count[s] + 2, sizeof *names);
    inputs->names[s] = names;
    if (names == NULL)
        return false;
    for (int i = 0; i < inputs->n; i++)
        if (inputs->sources[i].slot == s)
            names[n++] = inputs->sources[i].name;
    if (n == 0)
        names[0] = "default";
    if (inputs->base->slots[s].param >= 0)
        inputs->params[inputs->base->slots[s].param].names = names;
    return true;
}

// ---- values of documents ----------------------------------------------------------------------

// The values equal the text in a row: numbers are rounded to their text.
static enum pps_status take_said(const struct pps_opening *o, const struct pps_source *source,
                                 double *values)
{
    const struct pps_slot *slot = &o->ask->kernel->slots[source->slot];
    for (int m = 0; m < slot->n_sets; m++) {
        const struct pps_param *param = &o->ask->kernel->params[slot->sets[m]];
        const bool number = param->kind == PPS_INTEGER || param->kind == PPS_REAL;
        struct pps_axis_cell cell;
        char why[PPS_WHY];
        if (number && !pps_value_check(param, values[m], why))
            return pps_json_fail(source->json, source->root, o->err, "%s: %s", param->name,
                                 why);
        values[m] = pps_value_cell(param, values[m], &cell);
    }
    return PPS_OK;
}

// Asks the kernel once for the values that each document sets; the first document of a slot
// sets the defaults.
static enum pps_status ask_kernel(struct pps_opening *o, int s)
{
    struct pps_documents *inputs = o->inputs;
    const struct pps_slot *slot = &inputs->base->slots[s];
    const size_t n_sets = (size_t)slot->n_sets;
    int i = 0;
    if (inputs->count[s] == 0 || n_sets == 0)
        return PPS_OK;
    inputs->said[s] = calloc((size_t)inputs->count[s] * n_sets, sizeof *inputs->said[s]);
    if (inputs->said[s] == NULL)
        return pps_fail_memory(o->err, "the inputs");
    for (int d = 0; d < inputs->n; d++) {
        double *values = &inputs->said[s][(size_t)i * n_sets];
        if (inputs->sources[d].slot != s)
            continue;
        inputs->base->values(inputs->kernel.shared, s, i++, values);
        enum pps_status status = take_said(o, &inputs->sources[d], values);
        if (status != PPS_OK)
            return status;
    }
    for (int m = 0; m < slot->n_sets; m++)
        inputs->params[slot->sets[m]].fallback = inputs->said[s][m];
    return PPS_OK;
}

double pps_documents_said(const struct pps_documents *inputs, int slot, int document, int m)
{
    const size_t n_sets = (size_t)inputs->base->slots[slot].n_sets;
    return inputs->said[slot][(size_t)document * n_sets + (size_t)m];
}

void pps_documents_say(const struct pps_documents *inputs, uint64_t keep, double *point)
{
    for (int s = 0; s < inputs->base->n_slots; s++) {
        const struct pps_slot *slot = &inputs->base->slots[s];
        if (inputs->count[s] == 0)
            continue;
        const int document = slot->param >= 0 ? (int)point[slot->param] : 0;
        for (int m = 0; m < slot->n_sets; m++)
            if ((keep >> slot->sets[m] & 1) == 0)
                point[slot->sets[m]] = pps_documents_said(inputs, s, document, m);
    }
}

// ---- documents of another experiment ----------------------------------------------------------

static const char *name_of(const cJSON *document)
{
    const char *name = cJSON_GetStringValue(pps_json_member(document, "name"));
    return name != NULL ? name : "";
}

// Returns document i of a slot in a resolved experiment: a single document or a list item.
static const cJSON *nth(const cJSON *slot, int i)
{
    if (cJSON_IsArray(slot))
        return cJSON_GetArrayItem(slot, i);
    return i == 0 ? slot : NULL;
}

static const cJSON *find_document(const cJSON *slot, const char *name)
{
    const cJSON *document;
    for (int i = 0; (document = nth(slot, i)) != NULL; i++)
        if (strcmp(name_of(document), name) == 0)
            return document;
    return NULL;
}

static bool slots_meet(const struct pps_slot *slot, const cJSON *ours, const cJSON *theirs)
{
    const cJSON *document;
    bool any = ours == NULL && theirs == NULL;
    if (slot->param < 0)
        return any || cJSON_Compare(ours, theirs, true);
    for (int i = 0; (document = nth(theirs, i)) != NULL; i++) {
        const cJSON *same = find_document(ours, name_of(document));
        if (same != NULL && !cJSON_Compare(same, document, true))
            return false;
        any = any || same != NULL;
    }
    return any;
}

bool pps_documents_meet(const struct pps_documents *inputs, const cJSON *others,
                        const char **slot)
{
    for (int s = 0; s < inputs->base->n_slots; s++) {
        *slot = inputs->base->slots[s].name;
        if (!slots_meet(&inputs->base->slots[s], pps_json_member(inputs->resolved, *slot),
                        pps_json_member(others, *slot)))
            return false;
    }
    return true;
}

// ---- listing ----------------------------------------------------------------------------------

// What holds without a document is in parentheses at the end of the summary of its slot.
static void list_defaults(const struct pps_documents *inputs, FILE *out)
{
    for (int s = 0; s < inputs->base->n_slots; s++) {
        const struct pps_slot *slot = &inputs->base->slots[s];
        const char *begin = strrchr(slot->summary, '('), *end = strrchr(slot->summary, ')');
        if (inputs->count[s] == 0 && !slot->required && begin != NULL && end != NULL &&
            end > begin && end[1] == '\0')
            fprintf(out, "; no %s: %.*s", slot->name, (int)(end - begin - 1), begin + 1);
    }
}

void pps_documents_list(const struct pps_documents *inputs, FILE *out)
{
    int shown = 0;
    for (int i = 0; i < inputs->n; i++, shown++) {
        const struct pps_source *source = &inputs->sources[i];
        const bool first = i == 0 || inputs->sources[i - 1].slot != source->slot;
        if (shown == PPS_LISTED_DOCUMENTS)
            break;
        fprintf(out, "%s", i > 0 ? ", " : "");
        if (first)
            fprintf(out, "%s ", inputs->base->slots[source->slot].name);
        pps_say_part(out, "%s", source->name);
        if (source->path != NULL)
            pps_say_part(out, " (%s)", source->path);
    }
    if (shown < inputs->n)
        fprintf(out, " and %d more", inputs->n - shown);
    list_defaults(inputs, out);
}

void pps_documents_list_omitted(const struct pps_documents *inputs, FILE *out)
{
    for (int i = 0; i < inputs->n; i++) {
        const struct pps_source *source = &inputs->sources[i];
        if (!source->is_omitted || source->path == NULL)
            continue;
        fprintf(out, " --input %s=", inputs->base->slots[source->slot].name);
        pps_say_word(out, source->path, SIZE_MAX);
    }
}

// ---- resolved documents -----------------------------------------------------------------------

static bool resolve(struct pps_documents *inputs)
{
    inputs->resolved = cJSON_CreateObject();
    for (int s = 0; s < inputs->base->n_slots; s++) {
        cJSON *list = inputs->count[s] > 1 ? cJSON_CreateArray() : NULL;
        for (int i = 0; i < inputs->n; i++) {
            if (inputs->sources[i].slot != s)
                continue;
            cJSON *one = pps_document_resolve(&inputs->sources[i]);
            if (one == NULL)
                return false;
            inputs->sources[i].is_omitted = pps_document_is_omitted(one);
            if (list != NULL)
                cJSON_AddItemToArray(list, one);
            else
                cJSON_AddItemToObject(inputs->resolved, inputs->base->slots[s].name, one);
        }
        if (list != NULL)
            cJSON_AddItemToObject(inputs->resolved, inputs->base->slots[s].name, list);
    }
    return inputs->resolved != NULL;
}

static enum pps_status bind(struct pps_opening *o)
{
    struct pps_documents *inputs = o->inputs;
    const size_t n = (size_t)inputs->base->n_params;
    inputs->params = calloc(n, sizeof *inputs->params);
    if (inputs->params == NULL)
        return pps_fail_memory(o->err, "the inputs");
    memcpy(inputs->params, inputs->base->params, n * sizeof *inputs->params);
    inputs->kernel.params = inputs->params;
    for (int s = 0; s < inputs->base->n_slots; s++)
        if (!name_documents(inputs, s))
            return pps_fail_memory(o->err, "the inputs");
    enum pps_status status = open_kernel(o);
    for (int s = 0; s < inputs->base->n_slots && status == PPS_OK; s++)
        status = ask_kernel(o, s);
    if (status == PPS_OK && inputs->n > 0 && !resolve(inputs))
        status = pps_fail_memory(o->err, "the inputs");
    return status;
}

// ---- opening ----------------------------------------------------------------------------------

// Frees the text of the documents, which is no longer needed.
static void drop_files(struct pps_documents *inputs)
{
    for (int i = 0; i < inputs->n; i++) {
        pps_json_free(&inputs->sources[i].own);
        free(inputs->sources[i].text);
        inputs->sources[i].text = NULL;
        inputs->sources[i].json = NULL;
        inputs->sources[i].root = NULL;
    }
}

enum pps_status pps_documents_open(struct pps_documents **out,
                                   const struct pps_documents_ask *ask, struct pps_error *err)
{
    struct pps_opening o = {calloc(1, sizeof *o.inputs), ask, err};
    *out = NULL;
    if (o.inputs == NULL)
        return pps_fail_memory(err, "the inputs");
    o.inputs->base = ask->kernel;
    o.inputs->kernel = *ask->kernel;
    o.inputs->sources = calloc(PPS_MAX_DOCUMENTS, sizeof *o.inputs->sources);
    enum pps_status status =
        o.inputs->sources != NULL ? pps_documents_read(&o) : pps_fail_memory(err, "the inputs");
    if (status == PPS_OK && ask->kernel->n_slots > 0)
        status = bind(&o);
    drop_files(o.inputs);
    if (status == PPS_OK)
        *out = o.inputs;
    else
        pps_documents_close(o.inputs);
    return status;
}

void pps_documents_close(struct pps_documents *inputs)
{
    if (inputs == NULL)
        return;
    if (inputs->is_open)
        inputs->base->close((void *)(uintptr_t)inputs->kernel.shared);
    for (int i = 0; i < inputs->n; i++)
        free(inputs->sources[i].path);
    for (int s = 0; s < PPS_MAX_SLOTS; s++) {
        free(inputs->names[s]);
        free(inputs->said[s]);
    }
    cJSON_Delete(inputs->resolved);
    cJSON_Delete(inputs->doubts);
    free(inputs->notes);
    free(inputs->sources);
    free(inputs->params);
    free(inputs);
}

const struct pps_kernel *pps_documents_kernel(const struct pps_documents *inputs)
{
    return inputs->base->n_slots > 0 ? &inputs->kernel : inputs->base;
}

enum pps_status pps_documents_again(struct pps_documents **inputs,
                                    const struct pps_kernel *kernel, const char *path,
                                    const cJSON *experiment,
                                    const struct pps_input_words *words, struct pps_error *err)
{
    const cJSON *item = pps_json_member(experiment, "inputs");
    struct pps_documents_ask ask = {.kernel = kernel, .words = *words, .again = true};
    struct pps_json json = {.name = NULL};
    *inputs = NULL;
    enum pps_status status = item != NULL ? pps_json_of_tree(&json, path, item, err) : PPS_OK;
    if (status != PPS_OK)
        return status;
    ask.file = &json;
    ask.item = json.root;
    status = pps_documents_open(inputs, &ask, err);
    pps_json_free(&json);
    return status;
}

const cJSON *pps_documents_resolved(const struct pps_documents *inputs)
{
    return inputs->resolved;
}

const char *pps_documents_path(const struct pps_documents *inputs, int i)
{
    if (inputs == NULL || i >= inputs->n)
        return NULL;
    return inputs->sources[i].path != NULL ? inputs->sources[i].path : "";
}

int pps_documents_count(const struct pps_documents *inputs, int slot)
{
    return inputs->count[slot];
}
