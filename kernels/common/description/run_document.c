// SPDX-License-Identifier: Apache-2.0
// Sorts the keys of a run into model, cluster, training and strategy.
#include "kernels/common/description/run_document.h"

#include "base/document/fields.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

// Keys of the first N_SORTED parts may also stand in the document itself.
enum { N_SORTED = 4, N_PARTS };

static const char *const part_names[N_PARTS] = {"model", "cluster", "training", "strategy",
                                                "baseline"};

#define PART(key)                                                                              \
    {                                                                                          \
        key, DOCFIELD_OWN, 0, 0, 0                                                             \
    }
static const struct docfield part_fields[] = {PART("model"), PART("cluster"), PART("training"),
                                              PART("strategy"), PART("baseline")};
static const struct docfield strategy_fields[] = {PART("DP"), PART("TP"), PART("PP"),
                                                  PART("EP"), PART("CP"), PART("FSDP")};
static const struct docfields parts = {"a run", part_fields, COUNT_OF(part_fields), NULL, 0};
static const struct docfields strategy = {"a strategy", strategy_fields,
                                          COUNT_OF(strategy_fields), NULL, 0};

static const struct docfields *keys_of(int part)
{
    switch (part) {
    case 0:
        return modeldesc_keys();
    case 1:
        return cluster_keys();
    case 2:
        return training_keys();
    default:
        return &strategy;
    }
}

// Returns the part that a key belongs to, and its name there; -1: none.
static int part_of(const char *key, const char **name)
{
    *name = key;
    for (int p = 0; p < N_SORTED; p++) {
        const size_t n = strlen(part_names[p]);
        if (strncmp(key, part_names[p], n) == 0 && key[n] == '.') {
            *name = key + n + 1;
            return docfields_index(keys_of(p), *name) >= 0 ? p : -1;
        }
    }
    for (int p = 0; p < N_SORTED; p++)
        if (docfields_index(keys_of(p), key) >= 0)
            return p;
    return -1;
}

static cJSON *part_object(cJSON *document, int part, struct pps_fault *fault)
{
    cJSON *object = cJSON_GetObjectItemCaseSensitive(document, part_names[part]);
    if (object == NULL)
        object = cJSON_AddObjectToObject(document, part_names[part]);
    if (object == NULL)
        pps_fault_set(fault, NULL, false, "out of memory for this document");
    else if (!cJSON_IsObject(object)) {
        pps_fault_set(fault, object, false,
                      "%s: expected an object, as keys of it are given too", part_names[part]);
        return NULL;
    }
    return object;
}

static bool move(cJSON *document, cJSON *item, int part, size_t skip, struct pps_fault *fault)
{
    cJSON *object = part_object(document, part, fault);
    char *name = object != NULL ? strdup(item->string + skip) : NULL;
    bool moved = false;
    if (name != NULL) {
        cJSON_DetachItemViaPointer(document, item);
        moved = cJSON_AddItemToObject(object, name, item);
        if (!moved)
            cJSON_Delete(item);
    }
    free(name);
    if (object != NULL && !moved)
        return pps_fault_set(fault, NULL, false, "out of memory for this document");
    return moved;
}

// Returns the part that the object describes alone, by its keys; otherwise "a run".
static const char *what_of(const cJSON *document)
{
    const cJSON *item;
    const char *name;
    int only = -1;
    cJSON_ArrayForEach (item, document) {
        const int part = part_of(item->string, &name);
        if (docfields_index(&parts, item->string) >= 0 ||
            (only >= 0 && part >= 0 && part != only))
            return parts.what;
        only = part >= 0 ? part : only;
    }
    return only >= 0 ? keys_of(only)->what : parts.what;
}

static bool sort_key(cJSON *document, cJSON *item, const char *what, struct pps_fault *fault)
{
    const struct docfields *const tables[] = {&parts, modeldesc_keys(), cluster_keys(),
                                              training_keys(), &strategy};
    const char *name;
    const int part = part_of(item->string, &name);
    if (docfields_index(&parts, item->string) >= 0)
        return true;
    if (part < 0)
        return docfields_unknown(tables, COUNT_OF(tables), what, item, fault);
    return move(document, item, part, (size_t)(name - item->string), fault);
}

static bool take_part(const cJSON *document, int part, const struct cJSON **taken,
                      struct pps_fault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(document, part_names[part]);
    *taken = cJSON_IsNull(item) ? NULL : item;
    if (*taken == NULL || cJSON_IsObject(item) || (part == 0 && cJSON_IsString(item)))
        return true;
    return pps_fault_set(fault, item, false, "%s: expected an object", part_names[part]);
}

bool rundoc_split(struct rundoc *run, struct cJSON *document, struct pps_fault *fault)
{
    *run = (struct rundoc){.model = NULL};
    if (!cJSON_IsObject(document))
        return pps_fault_set(fault, document, false, "expected an object that describes a run");
    if (modeldesc_is_config(document)) {
        run->model = document;
        return true;
    }
    const char *what = what_of(document);
    for (cJSON *item = document->child, *next; item != NULL; item = next) {
        next = item->next;
        if (!sort_key(document, item, what, fault))
            return false;
    }
    return take_part(document, 0, &run->model, fault) &&
           take_part(document, 1, &run->cluster, fault) &&
           take_part(document, 2, &run->training, fault) &&
           take_part(document, 3, &run->strategy, fault) &&
           take_part(document, 4, &run->baseline, fault);
}
