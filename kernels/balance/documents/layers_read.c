// SPDX-License-Identifier: Apache-2.0
// Reads the layers of a model.
#include "kernels/balance/documents/layers_read.h"

#include "base/document/fields.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TIME_MOST = 1000000000, MEMORY_MOST = 1000000000, LAYERS_MOST = 10000 };

// What an entry of the description says. Absent numbers are negative.
struct entry {
    double time, forward_time;
    int64_t nb_layer;
    double parameter_mb;
    double kept_mb, working_mb;
    double activation_mb[BALANCE_KINDS];
    double backward[BALANCE_KINDS]; // times
    double coef[BALANCE_KINDS];     // extra share of the backward time
};

#define MEMORY(key, kind)                                                                      \
    {                                                                                          \
        key, DOCFIELD_REAL, -MEMORY_MOST, MEMORY_MOST,                                         \
            offsetof(struct entry, activation_mb) + (kind) * sizeof(double)                    \
    }
#define TIME(key, kind)                                                                        \
    {                                                                                          \
        key, DOCFIELD_REAL, 0, TIME_MOST,                                                      \
            offsetof(struct entry, backward) + (kind) * sizeof(double)                         \
    }
#define COEF(key, kind)                                                                        \
    {                                                                                          \
        key, DOCFIELD_REAL, 0, 100, offsetof(struct entry, coef) + (kind) * sizeof(double)     \
    }

enum {
    FIELD_TYPE,
    FIELD_TIME,
    FIELD_LAYERS,
    FIELD_PARAMETER,
    FIELD_KINDS = 13, // of each kind: memory, then times, then coefficients
};

static const struct docfield fields[] = {
    {"type", DOCFIELD_OWN, 0, 0, 0},
    {"time", DOCFIELD_REAL, 0, TIME_MOST, offsetof(struct entry, time)},
    {"nb_layer", DOCFIELD_WHOLE, 0, LAYERS_MOST, offsetof(struct entry, nb_layer)},
    {"memory_parameter", DOCFIELD_REAL, -MEMORY_MOST, MEMORY_MOST,
     offsetof(struct entry, parameter_mb)},
    {"name", DOCFIELD_OWN, 0, 0, 0},
    {"model_name", DOCFIELD_OWN, 0, 0, 0},
    {"pre_defined_layer", DOCFIELD_OWN, 0, 0, 0},
    {"auto_partition_layer", DOCFIELD_OWN, 0, 0, 0},
    {"weight_time", DOCFIELD_OWN, 0, 0, 0},
    {"memory_weight", DOCFIELD_OWN, 0, 0, 0},
    {"forward_time", DOCFIELD_REAL, 0, TIME_MOST, offsetof(struct entry, forward_time)},
    {"memory_kept", DOCFIELD_REAL, 0, MEMORY_MOST, offsetof(struct entry, kept_mb)},
    {"memory_working", DOCFIELD_REAL, 0, MEMORY_MOST, offsetof(struct entry, working_mb)},
    // FIELD_KINDS:
    MEMORY("memory_activation", BALANCE_NONE),
    MEMORY("memory_select_rec", BALANCE_SELECT),
    MEMORY("memory_select_comm", BALANCE_SELECT_COMM),
    MEMORY("memory_both_comm_select", BALANCE_BOTH),
    MEMORY("memory_recompute", BALANCE_FULL),
    TIME("backward_time", BALANCE_NONE),
    TIME("select_rec_time", BALANCE_SELECT),
    TIME("select_comm_time", BALANCE_SELECT_COMM),
    TIME("both_comm_select_time", BALANCE_BOTH),
    TIME("recompute_time", BALANCE_FULL),
    COEF("backward_coef", BALANCE_NONE),
    COEF("select_rec_coef", BALANCE_SELECT),
    COEF("select_comm_coef", BALANCE_SELECT_COMM),
    COEF("both_comm_select_coef", BALANCE_BOTH),
    COEF("recompute_coef", BALANCE_FULL),
};

static const struct docfields table = {"a layer", fields, sizeof fields / sizeof *fields, NULL,
                                       0};

static const struct entry absent = {.time = -1,
                                    .forward_time = -1,
                                    .activation_mb = {-1, -1, -1, -1, -1},
                                    .backward = {-1, -1, -1, -1, -1}};

static bool read_entry(const cJSON *object, struct docitems *items, struct entry *entry,
                       struct pps_fault *fault)
{
    static const int needed[] = {FIELD_TYPE, FIELD_TIME, FIELD_LAYERS, FIELD_PARAMETER};
    *entry = absent;
    memcpy(entry->coef, balance_usual_coefs, sizeof entry->coef);
    if (!cJSON_IsObject(object))
        return pps_fault_set(fault, object, false,
                             "expected a layer, as in {\"type\": \"BODY\", ...}");
    if (!docfields_find(&table, object, true, items, fault) ||
        !docfields_store(&table, items, entry, fault))
        return false;
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (items->item[needed[k]] == NULL)
            return pps_fault_set(fault, object, false, "the layer has no \"%s\"",
                                 fields[needed[k]].key);
    return true;
}

static bool set_body(const cJSON *object, const struct entry *entry,
                     struct balance_layers *layers, struct pps_fault *fault)
{
    if (layers->layers > 0)
        return pps_fault_set(
            fault, object, false,
            "a second BODY: all body layers must be equal; write one BODY with "
            "the sum of \"nb_layer\"");
    if (entry->nb_layer < 1)
        return pps_fault_set(fault, object, false, "nb_layer: expected at least 1 body layer");
    if (!(entry->activation_mb[BALANCE_NONE] > 0))
        return pps_fault_set(fault, object, false,
                             "memory_activation: expected the MiB of a layer's activations "
                             "without recomputation, above 0");
    layers->layers = (int32_t)entry->nb_layer;
    layers->parameter_mb = entry->parameter_mb;
    layers->working_mb = entry->working_mb;
    layers->forward = entry->forward_time > 0 ? entry->forward_time : entry->time;
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        layers->has[kind] = entry->activation_mb[kind] > 0;
        layers->activation_mb[kind] = layers->has[kind] ? entry->activation_mb[kind] : 0;
        layers->backward[kind] =
            entry->backward[kind] > 0
                ? entry->backward[kind]
                : balance_backward_of(entry->time, entry->backward[BALANCE_NONE], entry->coef,
                                      (enum balance_kind)kind);
    }
    return true;
}

static bool add_entry(const cJSON *object, struct balance_layers *layers,
                      struct pps_fault *fault)
{
    struct docitems items;
    struct entry entry;
    if (!read_entry(object, &items, &entry, fault))
        return false;
    const cJSON *type = items.item[FIELD_TYPE];
    const char *word = cJSON_IsString(type) ? type->valuestring : "";
    const double time = entry.forward_time > 0 ? entry.forward_time : entry.time;
    const double n = (double)entry.nb_layer;
    const double backward =
        entry.backward[BALANCE_NONE] > 0 ? entry.backward[BALANCE_NONE] : 2 * time;
    if (strcmp(word, "BODY") == 0)
        return set_body(object, &entry, layers, fault);
    if (strcmp(word, "HEAD") == 0) {
        layers->head += n * time;
        layers->head_backward += n * backward;
        layers->head_mb += n * entry.parameter_mb;
        layers->head_activation_mb += n * entry.kept_mb;
        layers->head_working_mb = fmax(layers->head_working_mb, entry.working_mb);
        return true;
    }
    if (strcmp(word, "TAIL") != 0)
        return pps_fault_set(fault, type, false, "type: expected HEAD, BODY or TAIL");
    layers->tail += n * time;
    layers->tail_backward += n * backward;
    layers->tail_mb += n * entry.parameter_mb;
    return true;
}

static const struct docfield root_fields[] = {
    {"stage_const_mem", DOCFIELD_REAL, -MEMORY_MOST, MEMORY_MOST,
     offsetof(struct balance_layers, constant_mb)},
    {"layers_description", DOCFIELD_OWN, 0, 0, 0},
    {"name", DOCFIELD_OWN, 0, 0, 0},
    {"transfer_time", DOCFIELD_REAL, 0, TIME_MOST, offsetof(struct balance_layers, transfer)},
    {"devices", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docfields root_table = {"the layers of a model", root_fields,
                                            sizeof root_fields / sizeof *root_fields, NULL, 0};

static const cJSON *body_of(const cJSON *root)
{
    const cJSON *entry, *entries = cJSON_GetObjectItemCaseSensitive(root, root_fields[1].key);
    cJSON_ArrayForEach (entry, entries) {
        const cJSON *type = cJSON_GetObjectItemCaseSensitive(entry, fields[FIELD_TYPE].key);
        if (cJSON_IsString(type) && strcmp(type->valuestring, "BODY") == 0)
            return entry;
    }
    return NULL;
}

bool balance_layers_read(const struct cJSON *root, struct balance_layers *layers,
                         struct pps_fault *fault)
{
    struct docitems items;
    const cJSON *entry;
    *fault = (struct pps_fault){.document = 0};
    *layers = (struct balance_layers){.layers = 0};
    if (!cJSON_IsObject(root))
        return pps_fault_set(fault, root, false,
                             "not the layers of a model: expected an object with "
                             "\"layers_description\"");
    if (!docfields_find(&root_table, root, true, &items, fault) ||
        !docfields_store(&root_table, &items, layers, fault))
        return false;
    if (!cJSON_IsArray(items.item[1]))
        return pps_fault_set(fault, items.item[1] != NULL ? items.item[1] : root, false,
                             "layers_description: expected a list of layers of type HEAD, BODY "
                             "and TAIL");
    if (cJSON_IsString(items.item[2]))
        snprintf(layers->name, sizeof layers->name, "%s", items.item[2]->valuestring);
    if (cJSON_IsString(items.item[4]))
        snprintf(layers->devices, sizeof layers->devices, "%s", items.item[4]->valuestring);
    cJSON_ArrayForEach (entry, items.item[1])
        if (!add_entry(entry, layers, fault))
            return false;
    if (layers->layers == 0)
        return pps_fault_set(fault, items.item[1], false,
                             "layers_description: there is no layer of type BODY");
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(body_of(root), fields[FIELD_TIME].key);
    return balance_layers_take_time(layers) ||
           pps_fault_set(fault, time, false,
                         "time: all times are 0; write the forward time of a layer");
}

// ---- doubts -------------------------------------------------------------------------------------

struct doubts {
    struct pps_fault *list;
    int n, most;
};

// Returns the next place in the list, or NULL.
static struct pps_fault *next(struct doubts *doubts)
{
    return doubts->n < doubts->most ? &doubts->list[doubts->n++] : NULL;
}

static void doubt_keys(const cJSON *object, const struct docfields *known,
                       struct doubts *doubts)
{
    const cJSON *item;
    struct pps_fault *doubt;
    cJSON_ArrayForEach (item, object) {
        if (docfields_index(known, item->string) < 0 && (doubt = next(doubts)) != NULL)
            pps_fault_set(doubt, item, true, "unknown key %s has no effect", item->string);
    }
}

static void doubt_time(const cJSON *body, const struct balance_layers *layers, int kind,
                       struct doubts *doubts)
{
    const char *time_key = fields[FIELD_KINDS + BALANCE_KINDS + kind].key,
               *coef_key = fields[FIELD_KINDS + 2 * BALANCE_KINDS + kind].key;
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(body, time_key),
                *coef = cJSON_GetObjectItemCaseSensitive(body, coef_key);
    const bool is_measured = cJSON_IsNumber(time) && time->valuedouble > 0;
    struct pps_fault *doubt =
        layers->backward[kind] < layers->backward[BALANCE_NONE] ? next(doubts) : NULL;
    if (doubt != NULL)
        pps_fault_set(
            doubt,
            is_measured    ? time
            : coef != NULL ? coef
                           : body,
            false,
            "%s: a backward of %.10g with recomputation is shorter than the one of %.10g "
            "without; write the time of the whole backward, with what is computed again",
            is_measured ? time_key : coef_key, layers->backward[kind],
            layers->backward[BALANCE_NONE]);
}

static void doubt_memory(const cJSON *body, const struct balance_layers *layers, int kind,
                         struct doubts *doubts)
{
    const char *key = fields[FIELD_KINDS + kind].key;
    struct pps_fault *doubt =
        layers->activation_mb[kind] > layers->activation_mb[BALANCE_NONE] ? next(doubts) : NULL;
    if (doubt != NULL)
        pps_fault_set(
            doubt, cJSON_GetObjectItemCaseSensitive(body, key), false,
            "%s: %.10g MiB with recomputation are more than the %.10g MiB without; write "
            "what a layer of this kind keeps for its backward",
            key, layers->activation_mb[kind], layers->activation_mb[BALANCE_NONE]);
}

int balance_layers_doubts(const struct cJSON *root, const struct balance_layers *layers,
                          struct pps_fault *list, int most)
{
    struct doubts doubts = {list, 0, most};
    const cJSON *entry, *body = body_of(root);
    doubt_keys(root, &root_table, &doubts);
    cJSON_ArrayForEach (entry, cJSON_GetObjectItemCaseSensitive(root, root_fields[1].key))
        doubt_keys(entry, &table, &doubts);
    for (int kind = BALANCE_NONE + 1; kind < BALANCE_KINDS; kind++) {
        if (!layers->has[kind])
            continue;
        doubt_time(body, layers, kind, &doubts);
        doubt_memory(body, layers, kind, &doubts);
    }
    return doubts.n;
}
