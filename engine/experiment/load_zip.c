// SPDX-License-Identifier: Apache-2.0
// Joins paired axes ("zip"): pairs their lists as written, then removes repeated tuples.
#include "engine/experiment/loading_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool names_parameter(const cJSON *group, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, group) {
        if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0)
            return true;
    }
    return false;
}

bool pps_is_zipped(const struct pps_loader *l, const char *name)
{
    const cJSON *zip = pps_json_member(l->file.root, "zip"), *group;
    if (names_parameter(zip, name))
        return true;
    cJSON_ArrayForEach (group, zip) {
        if (cJSON_IsArray(group) && names_parameter(group, name))
            return true;
    }
    return false;
}

// ---- repeated tuples --------------------------------------------------------------------------

struct tuple {
    const struct pps_axis *axis;
    uint64_t at;
};

static int by_values(const struct tuple *a, const struct tuple *b)
{
    for (int m = 0; m < a->axis->n_members; m++) {
        const double *values = a->axis->members[m].values;
        if (values[a->at] != values[b->at])
            return values[a->at] < values[b->at] ? -1 : 1;
    }
    return 0;
}

static int by_values_and_place(const void *left, const void *right)
{
    const struct tuple *a = left, *b = right;
    const int order = by_values(a, b);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

// Keeps the tuples with a true keep[i], in order.
static void keep_tuples(struct pps_axis *axis, const bool *keep)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < axis->count; i++) {
        for (int m = 0; m < axis->n_members && keep[i]; m++) {
            axis->members[m].values[kept] = axis->members[m].values[i];
            axis->members[m].cells[kept] = axis->members[m].cells[i];
        }
        kept += keep[i];
    }
    axis->count = kept;
    for (int m = 0; m < axis->n_members; m++)
        axis->members[m].n_values = (uint32_t)kept;
}

static void note_repeated(struct pps_loader *l, const struct pps_axis *axis, uint64_t repeated)
{
    char *notes = l->experiment->notes;
    const size_t cap = sizeof l->experiment->notes;
    size_t at = strlen(notes);
    at += (size_t)snprintf(notes + at, cap - at, "note: zip of ");
    for (int m = 0; m < axis->n_members && at < cap; m++)
        at += (size_t)snprintf(notes + at, cap - at, "%s%s", m > 0 ? ", " : "",
                               l->kernel->params[axis->members[m].param].name);
    if (at < cap)
        snprintf(notes + at, cap - at, " repeats %llu combination%s; each is used once\n",
                 (unsigned long long)repeated, repeated == 1 ? "" : "s");
}

static enum pps_status drop_repeated(struct pps_loader *l, struct pps_axis *axis)
{
    const uint64_t n = axis->count;
    struct tuple *tuples = calloc(n, sizeof *tuples);
    bool *keep = calloc(n, sizeof *keep);
    if (tuples == NULL || keep == NULL) {
        free(tuples);
        free(keep);
        return pps_fail_memory(l->err, "paired axes");
    }
    for (uint64_t i = 0; i < n; i++)
        tuples[i] = (struct tuple){axis, i};
    qsort(tuples, n, sizeof *tuples, by_values_and_place);
    for (uint64_t i = 0; i < n; i++)
        keep[tuples[i].at] = i == 0 || by_values(&tuples[i - 1], &tuples[i]) != 0;
    keep_tuples(axis, keep);
    if (axis->count < n)
        note_repeated(l, axis, n - axis->count);
    free(tuples);
    free(keep);
    return PPS_OK;
}

// ---- groups -----------------------------------------------------------------------------------

static enum pps_status zip_member(struct pps_loader *l, const cJSON *name, int *axis)
{
    if (!cJSON_IsString(name))
        return pps_json_fail(&l->file, name, l->err, "zip: expected names of parameters");
    const int p = pps_param_find(l->kernel, name->valuestring, strlen(name->valuestring));
    *axis = p < 0 ? -1 : l->axis_of[p];
    if (*axis < 0)
        return pps_json_fail(&l->file, name, l->err,
                             "zip: \"%.60s\" is not a parameter named in this experiment",
                             name->valuestring);
    const struct pps_axis *found = &l->experiment->space.axes[*axis];
    if (found->kind != PPS_AXIS_TABLE)
        return pps_json_fail(&l->file, name, l->err,
                             "zip: %s must be a list or a short range to be paired",
                             name->valuestring);
    return PPS_OK;
}

// Moves the members of axis `from` to axis `to` and removes axis `from`.
static enum pps_status join_axes(struct pps_loader *l, const cJSON *name, int to, int from)
{
    struct pps_space *space = &l->experiment->space;
    struct pps_axis *target = &space->axes[to], *source = &space->axes[from];
    if (source->count != target->count)
        return pps_json_fail(
            &l->file, name, l->err,
            "zip: %s has %llu values but %s has %llu; paired lists must have equal lengths",
            name->valuestring, (unsigned long long)source->count,
            l->kernel->params[target->param].name, (unsigned long long)target->count);
    struct pps_axis_member *members = realloc(
        target->members, (size_t)(target->n_members + source->n_members) * sizeof *members);
    if (members == NULL)
        return pps_fail_memory(l->err, "paired axes");
    memcpy(members + target->n_members, source->members,
           (size_t)source->n_members * sizeof *members);
    target->members = members;
    target->n_members += source->n_members;
    target->sets |= source->sets;
    free(source->members);
    memmove(source, source + 1, (size_t)(space->n_axes - from - 1) * sizeof *source);
    space->n_axes--;
    for (int p = 0; p < l->kernel->n_params; p++)
        if (l->axis_of[p] == from)
            l->axis_of[p] = to;
        else if (l->axis_of[p] > from)
            l->axis_of[p]--;
    return PPS_OK;
}

static enum pps_status zip_group(struct pps_loader *l, const cJSON *group)
{
    const cJSON *name, *first_name = group->child;
    if (cJSON_GetArraySize(group) < 2)
        return pps_json_fail(
            &l->file, group, l->err,
            "zip: expected at least two names, as in [\"fwd_len\", \"bwd_len\"]");
    cJSON_ArrayForEach (name, group) {
        int first = -1, axis = -1;
        enum pps_status status = zip_member(l, first_name, &first);
        if (status == PPS_OK)
            status = zip_member(l, name, &axis);
        if (status == PPS_OK && name != first_name && axis == first)
            status = pps_json_fail(&l->file, name, l->err, "zip: %s appears twice",
                                   name->valuestring);
        if (status == PPS_OK && name != first_name)
            status =
                join_axes(l, name, first < axis ? first : axis, first < axis ? axis : first);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status zip_groups(struct pps_loader *l, const cJSON *zip)
{
    const cJSON *group;
    if (!cJSON_IsArray(zip) || zip->child == NULL)
        return pps_json_fail(&l->file, zip, l->err,
                             "zip: expected a list of names, or a list of such lists");
    if (!cJSON_IsArray(zip->child))
        return zip_group(l, zip);
    cJSON_ArrayForEach (group, zip) {
        if (!cJSON_IsArray(group))
            return pps_json_fail(&l->file, group, l->err, "zip: expected a list of names");
        enum pps_status status = zip_group(l, group);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

enum pps_status pps_load_zip(struct pps_loader *l)
{
    struct pps_space *space = &l->experiment->space;
    const cJSON *zip = pps_json_member(l->file.root, "zip");
    enum pps_status status = zip != NULL ? zip_groups(l, zip) : PPS_OK;
    for (int d = 0; d < space->n_axes && status == PPS_OK; d++)
        if (space->axes[d].n_members > 1)
            status = drop_repeated(l, &space->axes[d]);
    return status;
}
