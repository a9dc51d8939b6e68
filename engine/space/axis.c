// SPDX-License-Identifier: Apache-2.0
// Converts the number of a value to the value, and back.
#include "engine/space/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pps_axis_free(struct pps_axis *axis)
{
    for (int m = 0; m < axis->n_members; m++) {
        free(axis->members[m].values);
        free(axis->members[m].cells);
        free(axis->members[m].entries);
    }
    free(axis->members);
    pps_expr_free(axis->expr);
    free(axis->text);
    *axis = (struct pps_axis){.kind = PPS_AXIS_TABLE};
}

bool pps_axis_is_constant(const struct pps_axis *axis)
{
    return axis->kind != PPS_AXIS_DEPENDENT && axis->kind != PPS_AXIS_CONTINUOUS &&
           axis->count == 1;
}

void pps_axis_values(const struct pps_axis *axis, const double *point,
                     struct pps_axis_values *values)
{
    values->count = axis->count;
    if (axis->kind != PPS_AXIS_DEPENDENT)
        return;
    pps_expr_list(axis->expr, point, &values->list);
    values->count = values->list.n;
}

static void place_one(const struct pps_param *params, int p, double value, double *point,
                      struct pps_axis_cells *cells)
{
    struct pps_axis_cell unwanted;
    struct pps_axis_cell *cell = cells != NULL ? &cells->made[p] : &unwanted;
    point[p] = pps_value_cell(&params[p], value, cell);
    if (cells != NULL)
        cells->of[p] = cell;
}

static void place_table(const struct pps_axis *axis, uint64_t i, double *point,
                        struct pps_axis_cells *cells)
{
    for (int m = 0; m < axis->n_members; m++) {
        const struct pps_axis_member *member = &axis->members[m];
        const uint64_t v = member->entries != NULL ? member->entries[i] : i;
        point[member->param] = member->values[v];
        if (cells != NULL)
            cells->of[member->param] = &member->cells[v];
    }
}

static void place_composite(const struct pps_axis *axis, const struct pps_param *params,
                            uint64_t i, double *point, struct pps_axis_cells *cells)
{
    const struct pps_composite *composite = axis->composite;
    double values[PPS_MAX_PARAMS];
    composite->value(axis->options, i, values);
    for (int m = 0; m < composite->n_members; m++)
        place_one(params, composite->members[m], values[m], point, cells);
}

bool pps_axis_place(const struct pps_axis *axis, const struct pps_param *params,
                    const struct pps_axis_values *values, uint64_t i, double *point,
                    struct pps_axis_cells *cells)
{
    const int p = axis->param;
    char why[PPS_WHY];
    switch (axis->kind) {
    case PPS_AXIS_TABLE:
        place_table(axis, i, point, cells);
        return true;
    case PPS_AXIS_RANGE:
        place_one(params, p, axis->start + (double)i * axis->step, point, cells);
        return true;
    case PPS_AXIS_DEPENDENT:
        point[p] = pps_expr_item(&values->list, i);
        if (!pps_value_check(&params[p], point[p], why))
            return false;
        place_one(params, p, point[p], point, cells);
        return true;
    case PPS_AXIS_COMPOSITE:
        if (axis->n_members > 0)
            place_table(axis, i, point, cells);
        else
            place_composite(axis, params, i, point, cells);
        return true;
    case PPS_AXIS_CONTINUOUS:
        break;
    }
    return false;
}

static double highest_of_table(const struct pps_axis *axis, int p)
{
    double highest = -HUGE_VAL;
    for (int m = 0; m < axis->n_members; m++)
        for (uint32_t v = 0; axis->members[m].param == p && v < axis->members[m].n_values; v++)
            highest = fmax(highest, axis->members[m].values[v]);
    return highest;
}

double pps_axis_highest(const struct pps_axis *axis, const struct pps_param *params, int p)
{
    switch (axis->kind) {
    case PPS_AXIS_TABLE:
        return highest_of_table(axis, p);
    case PPS_AXIS_RANGE:
        return fmax(axis->start, axis->start + (double)(axis->count - 1) * axis->step);
    case PPS_AXIS_COMPOSITE:
        return params[p].max;
    case PPS_AXIS_CONTINUOUS:
        return axis->stop;
    case PPS_AXIS_DEPENDENT:
        break;
    }
    return -HUGE_VAL;
}
