// SPDX-License-Identifier: Apache-2.0
// Reads the documents of an experiment.
#include "kernels/balance/documents.h"

#include "base/document/plain.h"
#include "kernels/balance/documents/layers_read.h"
#include "kernels/balance/documents/manual_read.h"
#include "kernels/balance/documents/training_read.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/convert.h"
#include "ppsweep/kernel.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- documents as text -------------------------------------------------------------------------

// The values of a document.
struct text_document {
    const struct cJSON *root;
    struct plaindoc yaml; // of a document with a text
};

// Parses the document if it is a text. Returns false with a fault; an empty fault->text means out of memory. The caller
// calls text_document_free in every case.
static bool text_document_open(struct text_document *open, const struct pps_document *document,
                               struct pps_fault *fault)
{
    *open = (struct text_document){.root = document->root};
    if (document->root != NULL)
        return true;
    if (!plaindoc_parse(&open->yaml, PLAINDOC_YAML, document->text, document->n, fault)) {
        open->yaml = (struct plaindoc){.text = NULL};
        return false;
    }
    open->root = open->yaml.root;
    return true;
}

static void text_document_free(struct text_document *open)
{
    plaindoc_free(&open->yaml);
    *open = (struct text_document){.root = NULL};
}

// Replaces the value at fault by its place in the text, if the document is one.
static void text_document_place(const struct text_document *open, struct pps_fault *fault)
{
    const struct plaindoc *yaml = &open->yaml;
    if (yaml->root == NULL || fault->item == NULL)
        return;
    const struct pps_json json = {.text = yaml->text,
                                  .n = yaml->n,
                                  .root = yaml->root,
                                  .places = yaml->places,
                                  .n_places = yaml->n_places};
    struct pps_error at;
    (void)(fault->at_key ? pps_json_fail_key(&json, fault->item, &at, "-")
                         : pps_json_fail(&json, fault->item, &at, "-"));
    fault->line = at.line;
    fault->column = at.column;
    fault->item = NULL;
}

// ---- slots --------------------------------------------------------------------------------------

static const int layers_sets[] = {P_BODY_LAYERS};
static const int plan_sets[] = {P_BODY_LAYERS,   P_STAGES, P_CHUNKS,
                                P_MICRO_BATCHES, P_ORDER,  P_MEMORY};

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

const struct pps_slot balance_slots[N_SLOTS] = {
    [SLOT_LAYERS] = {"layers",
                     .summary = "times and memory of head, body and tail of a model; needed "
                                "unless a plan says them",
                     .param = P_LAYERS, .sets = layers_sets, .n_sets = LENGTH(layers_sets),
                     .convert = configuration_convert_plan},
    [SLOT_TRAINING] = {"training",
                       .summary = "a training configuration: what seq > 1 needs to know",
                       .param = P_TRAINING, .text = true},
    [SLOT_MANUAL] = {"manual",
                     .summary = "strategies of the user: a row is not worse than those of its "
                                "shape",
                     .param = P_MANUAL, .text = true},
    [SLOT_PLAN] =
        {"plan",
         .summary = "a plan, or a training file: its pipeline, and its layers if there is no "
                    "document of layers",
         .param = P_PLAN, .sets = plan_sets, .n_sets = LENGTH(plan_sets),
         .convert = configuration_convert_plan},
};

// ---- layers, trainings and plans ----------------------------------------------------------------

static const char without_layers[] = "the plan does not say of which layers its stages are "
                                     "made; add \"layers\" to the inputs";

static bool check_layers(const struct balance_layers *layers, struct pps_fault *fault)
{
    const char *misfit = balance_layers_misfit(layers);
    if (misfit == NULL && layers->layers > BALANCE_LAYERS_MAX)
        misfit = "there are more than 10000 body layers";
    if (misfit != NULL)
        snprintf(fault->text, sizeof fault->text, "%s", misfit);
    return misfit == NULL;
}

// Reads the layers of a plan alone.
static bool read_layers_of_plan(struct balance_layers *layers, const cJSON *root,
                                struct pps_fault *fault)
{
    struct plan *plan = plan_json_read(root, fault);
    if (plan == NULL)
        return false;
    const bool has = plan->layers != NULL;
    if (has)
        balance_layers_of_plan(plan->layers, layers);
    else
        snprintf(fault->text, sizeof fault->text, "%s", without_layers);
    plan_free(plan);
    return has && check_layers(layers, fault);
}

static bool read_layers(struct balance_shared *shared, const struct pps_document *document,
                        struct pps_fault *fault)
{
    struct balance_layers *layers = &shared->layers[shared->n_layers++];
    if (plan_json_is_plan(document->root))
        return read_layers_of_plan(layers, document->root, fault);
    return balance_layers_read(document->root, layers, fault) && check_layers(layers, fault);
}

static bool read_training(struct balance_shared *shared, const struct pps_document *document,
                          struct pps_fault *fault)
{
    struct text_document open;
    bool is_usual;
    const bool done =
        text_document_open(&open, document, fault) &&
        balance_training_read(open.root, &shared->trainings[shared->n_trainings++], &is_usual,
                              fault);
    text_document_place(&open, fault);
    text_document_free(&open);
    return done;
}

static bool read_plan(struct balance_shared *shared, const struct pps_document *document,
                      struct pps_fault *fault)
{
    struct balance_planned *planned = &shared->plans[shared->n_plans++];
    if (!balance_planned_read(document->root, planned, fault))
        return false;
    return planned->layers.layers == 0 || check_layers(&planned->layers, fault);
}

// Refuses an experiment without layers.
static bool check_whole(const struct balance_shared *shared,
                        const struct pps_document *documents, int n, struct pps_fault *fault)
{
    if (shared->n_layers > 0)
        return true;
    for (int d = 0, i = 0; d < n; d++) {
        if (documents[d].slot != SLOT_PLAN || shared->plans[i++].layers.layers > 0)
            continue;
        fault->document = d;
        snprintf(fault->text, sizeof fault->text, "%s", without_layers);
        return false;
    }
    if (shared->n_plans > 0)
        return true;
    fault->document = -1;
    snprintf(fault->text, sizeof fault->text,
             "no layers; write \"inputs\": {\"layers\": \"FILE\"}, or name a plan");
    return false;
}

// ---- strategies of the user ---------------------------------------------------------------------

static int n_layers_of(const struct balance_shared *shared)
{
    return shared->n_layers > 0 ? shared->n_layers : shared->n_plans;
}

static const struct balance_layers *layers_of(const struct balance_shared *shared, int i)
{
    return shared->n_layers > 0 ? &shared->layers[i] : &shared->plans[i].layers;
}

// Returns the numbers of the first list in a document, one per stage; 0: there is no list.
static int stages_of(const cJSON *root)
{
    const cJSON *item;
    int found = 0;
    if (cJSON_IsArray(root) && !cJSON_IsArray(root->child))
        return cJSON_GetArraySize(root);
    cJSON_ArrayForEach (item, root)
        if (found == 0)
            found = stages_of(item);
    return found;
}

static int by_chunks(const void *one, const void *two)
{
    const struct balance_strategy *a = one, *b = two;
    return a->chunks - b->chunks;
}

// Keeps the right strategies of a document, with their counts. Returns false if there are none, or memory runs out.
static bool keep_right(struct balance_manual *manual, struct balance_starts *starts)
{
    starts->strategies = calloc((size_t)manual->n + 1, sizeof *starts->strategies);
    for (int32_t i = 0; starts->strategies != NULL && i < manual->n; i++)
        if (manual->entries[i].fault.text[0] == '\0') {
            starts->strategies[starts->n++] = manual->entries[i].strategy;
            manual->entries[i].strategy.count = NULL; // not freed with the document
        }
    if (starts->n > 1)
        qsort(starts->strategies, (size_t)starts->n, sizeof *starts->strategies, by_chunks);
    return starts->n > 0;
}

// Reads the strategies of a document for all layers. Those that are wrong for some layers are left out there; one of
// them is at fault if none is right.
static bool read_strategies(struct balance_shared *shared, int number, const cJSON *root,
                            struct pps_fault *fault)
{
    const int n = n_layers_of(shared), stages = stages_of(root);
    bool some = false;
    if (stages == 0) {
        snprintf(fault->text, sizeof fault->text,
                 "no list of a strategy: write offset with one number per stage");
        return false;
    }
    for (int i = 0; i < n; i++) {
        struct balance_manual manual;
        if (!balance_manual_read(root, layers_of(shared, i), stages, 1, &manual, fault))
            return false;
        some = keep_right(&manual, &shared->starts[number * n + i]) || some;
        for (int32_t k = 0; k < manual.n && !some; k++)
            *fault = manual.entries[k].fault;
        balance_manual_free(&manual);
    }
    return some;
}

static bool read_manual(struct balance_shared *shared, int number,
                        const struct pps_document *document, struct pps_fault *fault)
{
    struct text_document open;
    const bool done = text_document_open(&open, document, fault) &&
                      read_strategies(shared, number, open.root, fault);
    text_document_place(&open, fault);
    text_document_free(&open);
    return done;
}

static bool read_manuals(struct balance_shared *shared, const struct pps_document *documents,
                         int n, struct pps_fault *fault)
{
    for (int d = 0; d < n; d++)
        shared->n_manuals += documents[d].slot == SLOT_MANUAL;
    const size_t all = (size_t)shared->n_manuals * (size_t)n_layers_of(shared);
    shared->starts = calloc(all + 1, sizeof *shared->starts);
    bool ok = shared->starts != NULL;
    for (int d = 0, number = 0; d < n && ok; d++)
        if (documents[d].slot == SLOT_MANUAL) {
            ok = read_manual(shared, number++, &documents[d], fault);
            fault->document = d;
        }
    return ok;
}

// Returns the strategy of the plan, if the point has its layers and its chunks.
static const struct balance_strategy *mine_at(const struct balance_shared *shared,
                                              const double *value, int32_t *n)
{
    if (shared->n_layers > 0)
        return NULL;
    const struct balance_strategy *mine = &shared->plans[(int)value[P_PLAN]].mine;
    if (mine->count == NULL || mine->stages != (int32_t)value[P_STAGES] ||
        mine->chunks != (int32_t)value[P_CHUNKS])
        return NULL;
    *n = 1;
    return mine;
}

const struct balance_strategy *balance_starts_at(const struct balance_shared *shared,
                                                 const double *value, int32_t *n)
{
    const struct balance_strategy *first = NULL;
    *n = 0;
    if (shared->n_manuals == 0)
        return mine_at(shared, value, n);
    const int layers = (int)value[shared->n_layers > 0 ? P_LAYERS : P_PLAN];
    const struct balance_starts *starts =
        &shared->starts[(int)value[P_MANUAL] * n_layers_of(shared) + layers];
    for (int32_t i = 0; i < starts->n; i++) {
        const struct balance_strategy *strategy = &starts->strategies[i];
        if (strategy->stages != (int32_t)value[P_STAGES] ||
            strategy->chunks != (int32_t)value[P_CHUNKS])
            continue;
        first = first == NULL ? strategy : first;
        ++*n;
    }
    return first;
}

// ---- all documents ------------------------------------------------------------------------------

const struct balance_layers *balance_layers_at(const struct balance_shared *shared,
                                               const double *value)
{
    return layers_of(shared, (int)value[shared->n_layers > 0 ? P_LAYERS : P_PLAN]);
}

void balance_close(void *of)
{
    struct balance_shared *shared = of;
    if (shared == NULL)
        return;
    const int n = shared->n_manuals * n_layers_of(shared);
    for (int i = 0; shared->starts != NULL && i < n; i++) {
        for (int32_t k = 0; k < shared->starts[i].n; k++)
            free(shared->starts[i].strategies[k].count);
        free(shared->starts[i].strategies);
    }
    free(shared->starts);
    for (int i = 0; shared->plans != NULL && i < shared->n_plans; i++)
        balance_planned_free(&shared->plans[i]);
    free(shared->plans);
    free(shared->layers);
    free(shared->trainings);
    free(shared);
}

static struct balance_shared *new_shared(int n)
{
    struct balance_shared *shared = calloc(1, sizeof *shared);
    if (shared == NULL)
        return NULL;
    shared->layers = calloc((size_t)n + 1, sizeof *shared->layers);
    shared->trainings = calloc((size_t)n + 1, sizeof *shared->trainings);
    shared->plans = calloc((size_t)n + 1, sizeof *shared->plans);
    if (shared->layers != NULL && shared->trainings != NULL && shared->plans != NULL)
        return shared;
    balance_close(shared);
    return NULL;
}

bool balance_open(const struct pps_document *documents, int n, void **out,
                  struct pps_fault *fault)
{
    struct balance_shared *shared = new_shared(n);
    *fault = (struct pps_fault){.document = 0};
    bool ok = shared != NULL;
    for (int i = 0; i < n && ok; i++) {
        const int slot = documents[i].slot;
        if (slot != SLOT_MANUAL)
            ok = slot == SLOT_LAYERS ? read_layers(shared, &documents[i], fault)
                 : slot == SLOT_PLAN ? read_plan(shared, &documents[i], fault)
                                     : read_training(shared, &documents[i], fault);
        fault->document = i;
    }
    if (!ok || !check_whole(shared, documents, n, fault) ||
        !read_manuals(shared, documents, n, fault)) {
        balance_close(shared);
        return false;
    }
    *out = shared;
    return true;
}

static void plan_values(const struct balance_shared *shared, int i, double *values)
{
    const struct balance_planned *planned = &shared->plans[i];
    const int32_t layers =
        shared->n_layers > 0 ? shared->layers[0].layers : planned->layers.layers;
    values[0] = layers;
    values[1] = planned->shape.stages;
    values[2] = planned->shape.chunks;
    values[3] = planned->shape.micro_batches;
    values[4] = planned->shape.order;
    values[5] =
        isfinite(planned->memory_mb) ? planned->memory_mb : balance_params[P_MEMORY].fallback;
}

void balance_values(const void *of, int slot, int i, double *values)
{
    const struct balance_shared *shared = of;
    if (slot == SLOT_LAYERS)
        values[0] = shared->layers[i].layers;
    if (slot == SLOT_PLAN)
        plan_values(shared, i, values);
}

// ---- doubts -------------------------------------------------------------------------------------

static int doubt_manual(const struct pps_document *document, struct pps_fault *doubts, int most)
{
    struct text_document open;
    struct pps_fault fault;
    int n = 0;
    if (text_document_open(&open, document, &fault))
        n = balance_manual_doubts(open.root, doubts, most);
    for (int i = 0; i < n; i++)
        text_document_place(&open, &doubts[i]);
    text_document_free(&open);
    return n;
}

int balance_doubts(const struct pps_document *documents, int n, const void *of,
                   struct pps_fault *doubts, int most)
{
    const struct balance_shared *shared = of;
    int n_doubts = 0;
    for (int d = 0, layers = 0; d < n; d++) {
        const struct pps_document *document = &documents[d];
        const int first = n_doubts;
        const struct balance_layers *own =
            document->slot == SLOT_LAYERS ? &shared->layers[layers++] : NULL;
        if (own != NULL && !plan_json_is_plan(document->root))
            n_doubts +=
                balance_layers_doubts(document->root, own, doubts + first, most - first);
        else if (document->slot == SLOT_MANUAL)
            n_doubts += doubt_manual(document, doubts + first, most - first);
        for (int i = first; i < n_doubts; i++)
            doubts[i].document = d;
    }
    return n_doubts;
}
