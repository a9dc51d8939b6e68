// SPDX-License-Identifier: Apache-2.0
// Builds tables and ranges of values and checks them, for all forms of an axis.
#include "engine/axes/axis_json_private.h"

#include "base/text/decimal.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- tables -----------------------------------------------------------------------------------

struct pps_axis_member *pps_axis_add_member(struct pps_axis *axis, int param,
                                            struct pps_error *err)
{
    struct pps_axis_member *member = &axis->members[axis->n_members++];
    member->param = param;
    member->n_values = (uint32_t)axis->count;
    member->values = calloc(axis->count, sizeof *member->values);
    member->cells = calloc(axis->count, sizeof *member->cells);
    if (member->values != NULL && member->cells != NULL)
        return member;
    pps_fail_memory(err, "the values of an axis");
    return NULL;
}

enum pps_status pps_axis_table(struct pps_axis *axis, const struct pps_kernel *kernel, int p,
                               const double *values, uint64_t n, struct pps_error *err)
{
    *axis = (struct pps_axis){.kind = PPS_AXIS_TABLE, .count = n, .sets = (uint64_t)1 << p};
    axis->param = p;
    axis->members = calloc(1, sizeof *axis->members);
    if (axis->members == NULL)
        return pps_fail_memory(err, "the values of an axis");
    struct pps_axis_member *member = pps_axis_add_member(axis, p, err);
    if (member == NULL)
        return PPS_E_MACHINE;
    for (uint64_t i = 0; i < n; i++)
        member->values[i] = pps_value_cell(&kernel->params[p], values[i], &member->cells[i]);
    return PPS_OK;
}

// ---- lists ------------------------------------------------------------------------------------

struct listed {
    double value;
    uint64_t at;
};

static int by_value(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

uint64_t pps_axis_drop_repeated(const struct pps_param *param, double *values, uint64_t n)
{
    struct listed *sorted = calloc(n, sizeof *sorted);
    if (sorted == NULL)
        return 0;
    for (uint64_t i = 0; i < n; i++) {
        struct pps_axis_cell cell;
        values[i] = pps_value_cell(param, values[i], &cell);
        sorted[i] = (struct listed){values[i], i};
    }
    qsort(sorted, n, sizeof *sorted, by_value);
    for (uint64_t i = n - 1; i > 0; i--)
        if (sorted[i].value == sorted[i - 1].value)
            values[sorted[i].at] = (double)NAN;
    free(sorted);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            values[kept++] = values[i];
    return kept;
}

// ---- ranges -----------------------------------------------------------------------------------

enum pps_status pps_axis_check_value(const struct pps_axis_source *s, const cJSON *item,
                                     double value, const char *which)
{
    char why[PPS_WHY];
    if (pps_value_check(s->param, value, why))
        return PPS_OK;
    return pps_json_fail(s->json, item, s->err, "%s%s: %s", s->param->name, which, why);
}

enum pps_status pps_axis_check_steps(const struct pps_axis_source *s, const cJSON *place,
                                     const char *which, const struct pps_axis_range *range)
{
    const double steps = (range->stop - range->start) / range->step;
    if (fabs(steps - round(steps)) <= 1e-9 * fmax(1, steps))
        return PPS_OK;
    char low[32], high[32];
    low[pps_decimal_meant(low, range->start + floor(steps) * range->step, 0)] = '\0';
    high[pps_decimal_meant(high, range->start + ceil(steps) * range->step, 0)] = '\0';
    return pps_json_fail(s->json, place, s->err,
                         "%s%s: %.15g is not a whole number of steps of %.15g from %.15g; "
                         "the nearest stops are %s and %s",
                         s->param->name, which, range->stop, range->step, range->start, low,
                         high);
}

enum pps_status pps_axis_make_range(struct pps_axis *axis, const struct pps_axis_source *s,
                                    const struct pps_axis_range *range)
{
    if (range->n > PPS_TABLE_MAX) {
        *axis = (struct pps_axis){.kind = PPS_AXIS_RANGE, .count = range->n};
        axis->sets = (uint64_t)1 << s->p;
        axis->param = s->p;
        axis->start = range->start;
        axis->step = range->step;
        return PPS_OK;
    }
    double values[PPS_TABLE_MAX];
    for (uint64_t i = 0; i < range->n; i++)
        values[i] = range->start + (double)i * range->step;
    const uint64_t kept =
        s->keep_repeated ? range->n : pps_axis_drop_repeated(s->param, values, range->n);
    if (kept == 0)
        return pps_fail_memory(s->err, "a range");
    return pps_axis_table(axis, s->kernel, s->p, values, kept, s->err);
}
