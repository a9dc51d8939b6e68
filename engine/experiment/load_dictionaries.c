// SPDX-License-Identifier: Apache-2.0
// Loads dictionaries, which set all members of the composite axis:
// {"priorities": {"fwd_prop": 0.2}, "exclusive_tiers": {"grad_sync": "a"}}.
#include "engine/experiment/loading_private.h"

#include "base/text/nearest.h"

#include <string.h>

bool pps_is_dictionary(const struct pps_kernel *kernel, const char *name)
{
    const struct pps_composite *composite = kernel->composite;
    const char *const *keys = composite != NULL ? composite->dictionaries : NULL;
    for (; keys != NULL && *keys != NULL; keys++)
        if (strcmp(*keys, name) == 0)
            return true;
    return false;
}

static int label_find(const struct pps_composite *composite, const char *label)
{
    for (int m = 0; m < composite->n_members; m++)
        if (strcmp(composite->labels[m], label) == 0)
            return m;
    return -1;
}

static enum pps_status check_labels(struct pps_loader *l, const cJSON *object)
{
    const struct pps_composite *composite = l->kernel->composite;
    const cJSON *item;
    if (!cJSON_IsObject(object))
        return pps_json_fail(&l->file, object, l->err,
                             "%s: expected an object, such as {\"%s\": 0.5}", object->string,
                             composite->labels[0]);
    cJSON_ArrayForEach (item, object) {
        if (label_find(composite, item->string) >= 0)
            continue;
        const char *near =
            pps_suggest(item->string, composite->labels, (size_t)composite->n_members);
        return pps_json_fail_key(&l->file, item, l->err, "%s: unknown name \"%.60s\"%s%s%s",
                                 object->string, item->string,
                                 near != NULL ? "; did you mean " : "",
                                 near != NULL ? near : "", near != NULL ? "?" : "");
    }
    return PPS_OK;
}

static cJSON *member_of(cJSON *root, const char *name)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
    cJSON *params = cJSON_GetObjectItemCaseSensitive(root, "params");
    return item != NULL ? item : cJSON_GetObjectItemCaseSensitive(params, name);
}

// Returns the value that the last dictionary gives a member; a new value of 0 if none does.
static const cJSON *value_of(struct pps_loader *l, const char *label, cJSON **any)
{
    const char *const *keys = l->kernel->composite->dictionaries;
    const cJSON *value = NULL;
    for (; *keys != NULL; keys++) {
        cJSON *object = member_of(l->file.root, *keys);
        const cJSON *item = pps_json_member(object, label);
        *any = object != NULL ? object : *any;
        value = item != NULL ? item : value;
    }
    return value != NULL || *any == NULL ? value : cJSON_AddNumberToObject(*any, label, 0);
}

enum pps_status pps_dictionary_entries(struct pps_loader *l)
{
    const struct pps_composite *composite = l->kernel->composite;
    const char *const *keys = composite != NULL ? composite->dictionaries : NULL;
    enum pps_status status = PPS_OK;
    for (; keys != NULL && *keys != NULL && status == PPS_OK; keys++)
        if (member_of(l->file.root, *keys) != NULL)
            status = check_labels(l, member_of(l->file.root, *keys));
    for (int m = 0; keys != NULL && m < composite->n_members && status == PPS_OK; m++) {
        cJSON *object = NULL;
        const cJSON *value = value_of(l, composite->labels[m], &object);
        if (object == NULL)
            return PPS_OK;
        if (value == NULL)
            return pps_fail_memory(l->err, "the experiment");
        status =
            pps_add_entry(l, &(struct pps_entry){l->kernel->params[composite->members[m]].name,
                                                 &l->file, value});
    }
    return status;
}
