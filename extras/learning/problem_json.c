// SPDX-License-Identifier: Apache-2.0
// Reads and writes distributions of training problems.
#include "extras/learning/problem_json.h"

#include "base/document/fields.h"

#include <cjson/cJSON.h>
#include <stddef.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

#define RANGE(key)                                                                             \
    {                                                                                          \
#key, DOCFIELD_OWN, 0, 0, offsetof(struct problem_space, key)                          \
    }

// The factor of outliers is one number.
static const struct docfield fields[] = {
    {"outlier_k", DOCFIELD_REAL, 0, 1e6, offsetof(struct problem_space, outlier_k)},
    RANGE(devices),
    RANGE(rounds),
    RANGE(chunks),
    RANGE(b),
    RANGE(w),
    RANGE(latency),
    RANGE(level),
    RANGE(message_level),
    RANGE(outlier_p),
    RANGE(straggler_p),
    RANGE(straggler_k),
    RANGE(limit),
};

static const struct docfields table = {"a distribution of problems", fields, COUNT_OF(fields),
                                       NULL, 0};

static struct problem_range *range_at(const struct problem_space *space, int k)
{
    return (struct problem_range *)((char *)(uintptr_t)space + fields[k].offset);
}

static bool read_range(const cJSON *item, struct problem_range *range, struct pps_fault *fault)
{
    const cJSON *least = cJSON_IsArray(item) ? item->child : item,
                *most = cJSON_IsArray(item) && least != NULL ? least->next : item;
    if (!cJSON_IsNumber(least) || !cJSON_IsNumber(most) ||
        (cJSON_IsArray(item) && most->next != NULL))
        return pps_fault_set(fault, item, false,
                             "%s: expected a number, or a list [least, most]",
                             docfields_name(item));
    *range = (struct problem_range){least->valuedouble, most->valuedouble};
    return range->least <= range->most ||
           pps_fault_set(fault, item, false,
                         "%s: the first number must not be above the second",
                         docfields_name(item));
}

// All other ranges fit: what does not fit is the range of this field.
static bool read_field(const cJSON *item, int k, struct problem_space *space,
                       struct pps_fault *fault)
{
    if (!read_range(item, range_at(space, k), fault))
        return false;
    const char *misfit = problem_misfit(space);
    return misfit == NULL || pps_fault_set(fault, item, false, "%s", misfit);
}

bool problem_space_read(const struct cJSON *root, struct problem_space *space,
                        struct pps_fault *fault)
{
    struct docitems items;
    *fault = (struct pps_fault){.document = 0};
    *space = problem_default();
    if (!cJSON_IsObject(root))
        return pps_fault_set(fault, root, false,
                             "not a distribution of problems: expected an object, as in "
                             "{\"devices\": [2, 8], \"level\": [0, 0.4]}");
    if (!docfields_find(&table, root, false, &items, fault) ||
        !docfields_store(&table, &items, space, fault))
        return false;
    for (int k = 1; k < table.n_fields; k++)
        if (items.item[k] != NULL && !read_field(items.item[k], k, space, fault))
            return false;
    return true;
}

struct cJSON *problem_space_tree(const struct problem_space *space)
{
    cJSON *object = cJSON_CreateObject();
    bool complete = cJSON_AddNumberToObject(object, fields[0].key, space->outlier_k) != NULL;
    for (int k = 1; k < table.n_fields && complete; k++) {
        const struct problem_range *range = range_at(space, k);
        const double numbers[2] = {range->least, range->most};
        cJSON *list = cJSON_CreateDoubleArray(numbers, 2);
        complete = list != NULL && cJSON_AddItemToObject(object, fields[k].key, list);
    }
    if (complete)
        return object;
    cJSON_Delete(object);
    return NULL;
}
