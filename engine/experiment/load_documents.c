// SPDX-License-Identifier: Apache-2.0
// Builds an axis from several documents of a slot.
#include "engine/experiment/loading_private.h"

#include "engine/axes/axis_json.h"
#include "engine/experiment/documents.h"
#include "engine/space/value.h"

#include <stdlib.h>

// Adds the values of member m of a slot's axis: the number of the document for m = 0, otherwise
// the values that the documents set.
static enum pps_status add_said(struct pps_loader *l, struct pps_axis *axis, int s, int m)
{
    const struct pps_slot *slot = &l->kernel->slots[s];
    const int param = m == 0 ? slot->param : slot->sets[m - 1];
    struct pps_axis_member *member = pps_axis_add_member(axis, param, l->err);
    if (member == NULL)
        return PPS_E_MACHINE;
    axis->sets |= (uint64_t)1 << param;
    for (uint64_t i = 0; i < axis->count; i++) {
        const double value =
            m == 0 ? (double)i : pps_documents_said(l->experiment->inputs, s, (int)i, m - 1);
        member->values[i] = pps_value_cell(&l->kernel->params[param], value, &member->cells[i]);
    }
    return PPS_OK;
}

// Adds an axis for a slot with several documents, outside all other axes. The axis sets the
// values of the documents unless the experiment sets them.
static enum pps_status add_documents(struct pps_loader *l, int s)
{
    const struct pps_slot *slot = &l->kernel->slots[s];
    struct pps_space *space = &l->experiment->space;
    const int count = pps_documents_count(l->experiment->inputs, s);
    if (count < 2)
        return PPS_OK;
    struct pps_axis *axis = &space->axes[space->n_axes++];
    *axis =
        (struct pps_axis){.kind = PPS_AXIS_TABLE, .count = (uint64_t)count, .of_slot = true};
    axis->param = slot->param;
    axis->members = calloc((size_t)slot->n_sets + 1, sizeof *axis->members);
    if (axis->members == NULL)
        return pps_fail_memory(l->err, "the values of an axis");
    enum pps_status status = add_said(l, axis, s, 0);
    for (int m = 1; m <= slot->n_sets && status == PPS_OK; m++)
        if (pps_find_entry(l, l->kernel->params[slot->sets[m - 1]].name) == NULL)
            status = add_said(l, axis, s, m);
    return status;
}

enum pps_status pps_load_documents(struct pps_loader *l)
{
    enum pps_status status = PPS_OK;
    for (int s = 0; s < l->kernel->n_slots && status == PPS_OK; s++)
        status = add_documents(l, s);
    return status;
}

enum pps_status pps_check_documents(struct pps_loader *l, const struct pps_axis *points)
{
    for (int s = 0; s < l->kernel->n_slots; s++) {
        const struct pps_slot *slot = &l->kernel->slots[s];
        if (slot->param >= 0 && (points->sets >> slot->param & 1) != 0 &&
            pps_documents_count(l->experiment->inputs, s) > 1)
            return pps_fail_at(l->err, PPS_E_INPUT, l->points_path, 1, 0,
                               "%s is an axis already, as several are given under \"inputs\"; "
                               "remove the column",
                               slot->name);
    }
    return PPS_OK;
}
