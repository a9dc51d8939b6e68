// SPDX-License-Identifier: Apache-2.0
// Builds the axes of an experiment: parameters in their order, explicit points, the kernel's
// composite axis.
#include "engine/experiment/loading_private.h"

#include "engine/axes/axis_json.h"
#include "engine/axes/option_json.h"
#include "engine/axes/point_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- axes -------------------------------------------------------------------------------------

static void note_repeated(struct pps_loader *l, const char *name, uint64_t repeated)
{
    char *notes = l->experiment->notes;
    const size_t at = strlen(notes);
    if (repeated > 0)
        snprintf(notes + at, sizeof l->experiment->notes - at,
                 "note: %s lists %llu value%s more than once; each is used once\n", name,
                 (unsigned long long)repeated, repeated == 1 ? "" : "s");
}

static enum pps_status add_axis(struct pps_loader *l, const struct pps_entry *entry, int p)
{
    struct pps_space *space = &l->experiment->space;
    uint64_t repeated;
    struct pps_axis *axis = &space->axes[space->n_axes++];
    l->axis_of[p] = space->n_axes - 1;
    enum pps_status status =
        pps_axis_from_json(axis, l->kernel, p, entry->json, entry->item,
                           pps_is_zipped(l, entry->name), &repeated, l->err);
    if (status == PPS_OK)
        note_repeated(l, entry->name, repeated);
    return status;
}

static enum pps_status build_axes(struct pps_loader *l)
{
    for (int e = 0; e < l->n_entries; e++) {
        const struct pps_entry *entry = &l->entries[e];
        const int p = pps_param_find(l->kernel, entry->name, strlen(entry->name));
        const int o = pps_find_option(l->kernel, entry->name);
        enum pps_status status =
            p >= 0 ? add_axis(l, entry, p)
                   : pps_option_from_json(l->kernel, o, entry->json, entry->item,
                                          &l->experiment->options[o], l->err);
        if (status != PPS_OK)
            return pps_override_place(l, status);
    }
    return PPS_OK;
}

// ---- the composite axis -----------------------------------------------------------------------

uint64_t pps_composite_sets(const struct pps_composite *composite)
{
    uint64_t sets = 0;
    for (int m = 0; composite != NULL && m < composite->n_members; m++)
        sets |= (uint64_t)1 << composite->members[m];
    return sets;
}

uint64_t pps_axes_set(const struct pps_space *space)
{
    uint64_t sets = 0;
    for (int d = 0; d < space->n_axes; d++)
        sets |= space->axes[d].sets;
    return sets;
}

static const struct pps_entry *option_entry(struct pps_loader *l)
{
    for (int e = 0; e < l->n_entries; e++)
        if (pps_find_option(l->kernel, l->entries[e].name) >= 0)
            return &l->entries[e];
    return NULL;
}

static enum pps_status refuse_mixture(struct pps_loader *l, const char *what)
{
    const struct pps_entry *option = option_entry(l);
    return pps_override_place(
        l, pps_json_fail_key(option->json, option->item, l->err,
                             "%s and %s cannot be used together; remove one of them",
                             option->name, what));
}

static enum pps_status some_members(struct pps_loader *l, uint64_t set)
{
    const struct pps_composite *composite = l->kernel->composite;
    const char *missing = "";
    for (int m = 0; m < composite->n_members; m++)
        if ((set >> composite->members[m] & 1) == 0)
            missing = l->kernel->params[composite->members[m]].name;
    for (int m = 0; m < composite->n_members; m++) {
        const struct pps_param *param = &l->kernel->params[composite->members[m]];
        const struct pps_entry *entry = pps_find_entry(l, param->name);
        if (entry != NULL)
            return pps_override_place(
                l, pps_json_fail_key(entry->json, entry->item, l->err,
                                     "%s is an axis of its own, so %s must be one too",
                                     param->name, missing));
    }
    return PPS_OK;
}

static enum pps_status refuse_option(struct pps_loader *l, const struct pps_refusal *refusal)
{
    const char *name = l->kernel->composite->options[refusal->option].name;
    const struct pps_entry *entry = pps_find_entry(l, name);
    if (entry == NULL)
        return pps_fail(l->err, PPS_E_INPUT, "%s: %s", name, refusal->text);
    return pps_override_place(
        l, pps_json_fail(entry->json, entry->item, l->err, "%s: %s", name, refusal->text));
}

// Stores the values of a short composite axis as a list, because scanning a list is faster.
static enum pps_status write_down(struct pps_loader *l, struct pps_axis *axis)
{
    const struct pps_composite *composite = axis->composite;
    double values[PPS_MAX_PARAMS];
    if (axis->count > PPS_TABLE_MAX)
        return PPS_OK;
    axis->members = calloc((size_t)composite->n_members, sizeof *axis->members);
    for (int m = 0; axis->members != NULL && m < composite->n_members; m++)
        if (pps_axis_add_member(axis, composite->members[m], l->err) == NULL)
            return PPS_E_MACHINE;
    for (uint64_t i = 0; i < axis->count; i++) {
        composite->value(axis->options, i, values);
        for (int m = 0; m < axis->n_members; m++) {
            struct pps_axis_member *member = &axis->members[m];
            member->values[i] =
                pps_value_cell(&l->kernel->params[member->param], values[m], &member->cells[i]);
        }
    }
    return PPS_OK;
}

static enum pps_status add_composite(struct pps_loader *l)
{
    const struct pps_composite *composite = l->kernel->composite;
    struct pps_space *space = &l->experiment->space;
    struct pps_axis axis = {.kind = PPS_AXIS_COMPOSITE, .composite = composite};
    struct pps_refusal refusal;
    axis.sets = pps_composite_sets(composite);
    axis.options = l->experiment->options;
    if (!composite->count(axis.options, &axis.count, &refusal))
        return refuse_option(l, &refusal);
    enum pps_status status = write_down(l, &axis);
    space->axes[space->n_axes++] = axis;
    return status;
}

static enum pps_status composite_or_members(struct pps_loader *l)
{
    const uint64_t members = pps_composite_sets(l->kernel->composite);
    const uint64_t set = pps_axes_set(&l->experiment->space) & members;
    if (members == 0)
        return PPS_OK;
    if (l->points_path != NULL)
        return option_entry(l) != NULL ? refuse_mixture(l, "points") : PPS_OK;
    if (set == 0)
        return add_composite(l);
    if (option_entry(l) != NULL)
        return refuse_mixture(l, l->kernel->params[__builtin_ctzll(set)].name);
    return set == members ? PPS_OK : some_members(l, set);
}

// ---- points -----------------------------------------------------------------------------------

static enum pps_status find_points(struct pps_loader *l)
{
    const cJSON *item = pps_json_member(l->file.root, "points");
    if (l->request->points == NULL && item == NULL)
        return PPS_OK;
    if (item != NULL && !cJSON_IsString(item))
        return pps_json_fail(&l->file, item, l->err, "points: expected the path of a CSV file");
    l->points_path = l->request->points != NULL
                         ? strdup(l->request->points)
                         : pps_path_beside(l->request->path, item->valuestring);
    if (l->points_path == NULL)
        return pps_fail_memory(l->err, "a path");
    return PPS_OK;
}

// With a file of points, a parameter may have one value only, which applies to all points.
static enum pps_status add_points(struct pps_loader *l)
{
    struct pps_space *space = &l->experiment->space;
    if (l->points_path == NULL)
        return PPS_OK;
    struct pps_axis *points = &space->axes[space->n_axes++];
    enum pps_status status = pps_points_load(points, l->kernel, l->points_path,
                                             &l->experiment->points_digest, l->err);
    if (status == PPS_OK)
        status = pps_check_documents(l, points);
    if (status != PPS_OK)
        return status;
    for (int e = 0; e < l->n_entries; e++) {
        const struct pps_entry *entry = &l->entries[e];
        const int p = pps_param_find(l->kernel, entry->name, strlen(entry->name));
        if (p < 0)
            continue;
        const bool both = (points->sets >> p & 1) != 0;
        const bool one = space->axes[l->axis_of[p]].count == 1;
        if (both || !one)
            return pps_override_place(
                l, pps_json_fail_key(entry->json, entry->item, l->err,
                                     both ? "%s is also a column of the points"
                                          : "%s: with points a parameter takes one value",
                                     entry->name));
    }
    return PPS_OK;
}

// ---- order ------------------------------------------------------------------------------------

// Checks that a value depends only on parameters named before it.
static enum pps_status check_order(struct pps_loader *l)
{
    const struct pps_space *space = &l->experiment->space;
    for (int e = 0; e < l->n_entries; e++) {
        const struct pps_entry *entry = &l->entries[e];
        const int p = pps_param_find(l->kernel, entry->name, strlen(entry->name));
        uint64_t later = 0;
        if (p < 0 || space->axes[l->axis_of[p]].kind != PPS_AXIS_DEPENDENT)
            continue;
        for (int d = l->axis_of[p]; d < space->n_axes; d++)
            later |= space->axes[d].sets;
        later &= pps_expr_uses(space->axes[l->axis_of[p]].expr);
        if (later == 0)
            continue;
        const char *other = l->kernel->params[__builtin_ctzll(later)].name;
        if ((later >> p & 1) != 0)
            return pps_override_place(l,
                                      pps_json_fail(entry->json, entry->item, l->err,
                                                    "%s cannot depend on itself", entry->name));
        return pps_override_place(l, pps_json_fail(entry->json, entry->item, l->err,
                                                   "%s depends on %s, so name %s before it",
                                                   entry->name, other, other));
    }
    return PPS_OK;
}

// ---- entry points -----------------------------------------------------------------------------

enum pps_status pps_load_axes(struct pps_loader *l)
{
    enum pps_status status = pps_load_documents(l);
    if (status == PPS_OK)
        status = build_axes(l);
    if (status == PPS_OK)
        status = pps_load_zip(l);
    if (status == PPS_OK)
        status = find_points(l);
    if (status == PPS_OK)
        status = add_points(l);
    if (status == PPS_OK)
        status = composite_or_members(l);
    return status == PPS_OK ? check_order(l) : status;
}
