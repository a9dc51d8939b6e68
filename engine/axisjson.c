// SPDX-License-Identifier: Apache-2.0
// JSON to axis and back.
#include "axisjson.h"

#include "continuous.h"
#include "decimal.h"
#include "suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What all functions here work on.
struct source {
    const struct pps_kernel *kernel;
    const struct pps_param *param;
    int p;
    const struct pps_json *json;
    struct pps_error *err;
};

// ---- tables -----------------------------------------------------------------------------------

enum pps_status pps_axis_table(struct pps_axis *axis,
                               const struct pps_kernel *kernel,
                               int p,
                               const double *values,
                               uint64_t n,
                               struct pps_error *err)
{
    *axis = (struct pps_axis){.kind = PPS_AXIS_TABLE, .count = n, .sets = (uint64_t)1 << p};
    axis->param = p;
    axis->members = calloc(1, sizeof *axis->members);
    if (axis->members == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for the values of an axis");
    axis->n_members = 1;
    struct pps_axis_member *member = axis->members;
    member->param = p;
    member->n_values = (uint32_t)n;
    member->values = calloc(n, sizeof *member->values);
    member->cells = calloc(n, sizeof *member->cells);
    if (member->values == NULL || member->cells == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for the values of an axis");
    for (uint64_t i = 0; i < n; i++)
        member->values[i] = pps_value_cell(&kernel->params[p], values[i], &member->cells[i]);
    return PPS_OK;
}

// ---- one value --------------------------------------------------------------------------------

// A number that stands in quotes, or on the command line in a form that JSON has not.
static bool is_number_text(const struct pps_param *param, const char *text)
{
    char *end;
    if ((param->kind != PPS_INTEGER && param->kind != PPS_REAL) || text[0] == '\0' ||
        strspn(text, "0123456789+-.eE") != strlen(text))
        return false;
    strtod(text, &end);
    return *end == '\0';
}

static enum pps_status scalar(const struct source *s, const cJSON *item, double *value)
{
    char why[PPS_WHY];
    if (cJSON_IsNumber(item)) {
        *value = item->valuedouble;
        if (pps_value_check(s->param, *value, why))
            return PPS_OK;
    } else if (cJSON_IsString(item)) {
        const char *text = item->valuestring;
        const bool numeric = is_number_text(s->param, text);
        if (!numeric && pps_value_parse(s->param, text, strlen(text), value, why))
            return PPS_OK;
        char domain[120];
        pps_value_domain(s->param, domain, sizeof domain);
        if (numeric)
            snprintf(why, sizeof why, "want %s, without quotes", domain);
    } else if (cJSON_IsBool(item) && s->param->kind == PPS_BOOLEAN) {
        *value = cJSON_IsTrue(item);
        return PPS_OK;
    } else {
        char domain[120];
        pps_value_domain(s->param, domain, sizeof domain);
        snprintf(why, sizeof why, "want %s", domain);
    }
    return pps_json_fail(s->json, item, s->err, "%s: %s", s->param->name, why);
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

// Keeps the first of equal values, in their order; returns how many are left.
static uint64_t drop_repeated(const struct pps_param *param, double *values, uint64_t n)
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

static enum pps_status read_list(const struct source *s,
                                 const cJSON *list,
                                 double *values,
                                 uint64_t *n)
{
    const cJSON *item;
    *n = 0;
    cJSON_ArrayForEach(item, list)
    {
        enum pps_status status = scalar(s, item, &values[(*n)++]);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status from_list(struct pps_axis *axis,
                                 const struct source *s,
                                 const cJSON *list,
                                 uint64_t *repeated)
{
    uint64_t n = (uint64_t)cJSON_GetArraySize(list);
    if (n == 0)
        return pps_json_fail(s->json, list, s->err,
                             "%s: the list is empty; write at least one value", s->param->name);
    double *values = calloc(n, sizeof *values);
    if (values == NULL)
        return pps_fail(s->err, PPS_E_MACHINE, "no memory for the values of an axis");
    enum pps_status status = read_list(s, list, values, &n);
    if (status == PPS_OK) {
        const uint64_t kept = drop_repeated(s->param, values, n);
        *repeated = n - kept;
        status = kept == 0 ? pps_fail(s->err, PPS_E_MACHINE, "no memory for a list")
                           : pps_axis_table(axis, s->kernel, s->p, values, kept, s->err);
    }
    free(values);
    return status;
}

// ---- ranges -----------------------------------------------------------------------------------

struct range {
    double start, stop, step;
    uint64_t n;
};

static enum pps_status make_range(struct pps_axis *axis,
                                  const struct source *s,
                                  const struct range *range)
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
    const uint64_t kept = drop_repeated(s->param, values, range->n);
    if (kept == 0)
        return pps_fail(s->err, PPS_E_MACHINE, "no memory for a range");
    return pps_axis_table(axis, s->kernel, s->p, values, kept, s->err);
}

static enum pps_status range_keys(const struct source *s, const cJSON *object)
{
    static const char *const keys[] = {"start", "stop", "step"};
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        bool known = false;
        for (int k = 0; k < 3; k++)
            known = known || strcmp(item->string, keys[k]) == 0;
        if (!known) {
            const char *near = pps_suggest(item->string, keys, 3);
            return pps_json_fail_key(
                s->json, item, s->err,
                "%s: a range has start, stop and step, no \"%.40s\"%s%s%s", s->param->name,
                item->string, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        }
        if (!cJSON_IsNumber(item))
            return pps_json_fail(s->json, item, s->err, "%s.%s: want a number", s->param->name,
                                 item->string);
    }
    return PPS_OK;
}

static enum pps_status range_member(const struct source *s,
                                    const cJSON *object,
                                    const char *key,
                                    double *value)
{
    const cJSON *item = pps_json_member(object, key);
    if (item == NULL)
        return pps_json_fail(s->json, object, s->err,
                             "%s: a range needs %s; write {\"start\": 1, \"stop\": 4, "
                             "\"step\": 1}",
                             s->param->name, key);
    *value = item->valuedouble;
    return PPS_OK;
}

// PPS_E_INPUT where stop is no whole number of steps away, with the nearest stops that are.
static enum pps_status check_steps(const struct source *s,
                                   const cJSON *place,
                                   const char *which,
                                   const struct range *range)
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

static enum pps_status count_range(const struct source *s,
                                   const cJSON *object,
                                   struct range *range)
{
    const char *name = s->param->name;
    const cJSON *step = pps_json_member(object, "step");
    if (!(range->step > 0))
        return pps_json_fail(s->json, step, s->err, "%s.step: must be above 0 (got %.15g)",
                             name, range->step);
    if (range->stop < range->start)
        return pps_json_fail(s->json, pps_json_member(object, "stop"), s->err,
                             "%s: the range never ends: stop %.15g is below start %.15g", name,
                             range->stop, range->start);
    const double steps = (range->stop - range->start) / range->step;
    if (!(steps < 9007199254740992.0))
        return pps_json_fail(s->json, step != NULL ? step : object, s->err,
                             "%s: the range has more than 2^53 values; take a larger step",
                             name);
    enum pps_status status = check_steps(s, pps_json_member(object, "stop"), ".stop", range);
    if (status != PPS_OK)
        return status;
    range->n = (uint64_t)round(steps) + 1;
    return PPS_OK;
}

static enum pps_status check_range_value(const struct source *s,
                                         const cJSON *item,
                                         double value,
                                         const char *which)
{
    char why[PPS_WHY];
    if (pps_value_check(s->param, value, why))
        return PPS_OK;
    return pps_json_fail(s->json, item, s->err, "%s%s: %s", s->param->name, which, why);
}

static enum pps_status from_range(struct pps_axis *axis,
                                  const struct source *s,
                                  const cJSON *object)
{
    struct range range = {.step = 1};
    char domain[120];
    pps_value_domain(s->param, domain, sizeof domain);
    if (s->param->kind != PPS_INTEGER && s->param->kind != PPS_REAL)
        return pps_json_fail(s->json, object, s->err, "%s: want %s, not a range",
                             s->param->name, domain);
    enum pps_status status = range_keys(s, object);
    if (status == PPS_OK)
        status = range_member(s, object, "start", &range.start);
    if (status == PPS_OK)
        status = range_member(s, object, "stop", &range.stop);
    if (status == PPS_OK && pps_json_member(object, "step") != NULL)
        status = range_member(s, object, "step", &range.step);
    if (status == PPS_OK)
        status = count_range(s, object, &range);
    if (status == PPS_OK)
        status = check_range_value(s, pps_json_member(object, "start"), range.start, ".start");
    if (status == PPS_OK && range.n > 1 && s->param->kind == PPS_INTEGER &&
        range.step != floor(range.step))
        status = pps_json_fail(s->json, pps_json_member(object, "step"), s->err,
                               "%s.step: want a whole number (got %.15g)", s->param->name,
                               range.step);
    if (status == PPS_OK)
        status = check_range_value(s, pps_json_member(object, "stop"), range.stop, ".stop");
    return status == PPS_OK ? make_range(axis, s, &range) : status;
}

// ---- expressions ------------------------------------------------------------------------------

static enum pps_status from_constant(struct pps_axis *axis,
                                     const struct source *s,
                                     const cJSON *item,
                                     const struct pps_expr *expr)
{
    struct pps_expr_list list;
    pps_expr_list(expr, NULL, &list);
    if (list.n == 0)
        return pps_json_fail(s->json, item, s->err, "%s: \"%.60s\" has no value",
                             s->param->name, item->valuestring);
    const double first = pps_expr_item(&list, 0), last = pps_expr_item(&list, list.n - 1);
    const struct range range = {list.start, list.stop, list.step, list.n};
    enum pps_status status = PPS_OK;
    if (list.shape == PPS_EXPR_RANGE)
        status = check_steps(s, item, "", &range);
    if (status == PPS_OK)
        status = check_range_value(s, item, first, "");
    if (status == PPS_OK)
        status = check_range_value(s, item, last, "");
    if (status == PPS_OK && list.n > 1)
        status = check_range_value(s, item, pps_expr_item(&list, 1), "");
    if (status != PPS_OK)
        return status;
    if (list.n > PPS_TABLE_MAX && list.shape == PPS_EXPR_RANGE)
        return make_range(axis, s, &range);
    double *values = calloc(list.n, sizeof *values);
    if (values == NULL)
        return pps_fail(s->err, PPS_E_MACHINE, "no memory for the values of an axis");
    for (uint64_t i = 0; i < list.n; i++)
        values[i] = pps_expr_item(&list, i);
    status = pps_axis_table(axis, s->kernel, s->p, values, list.n, s->err);
    free(values);
    return status;
}

static enum pps_status expression_fault(const struct source *s,
                                        const cJSON *item,
                                        const struct pps_expr_fault *fault)
{
    enum pps_status status =
        pps_json_fail(s->json, item, s->err, "%s: %s", s->param->name, fault->text);
    pps_json_where(s->json, item, fault->byte, &s->err->line, &s->err->column);
    return status;
}

static enum pps_status from_expression(struct pps_axis *axis,
                                       const struct source *s,
                                       const cJSON *item)
{
    const struct pps_expr_scope scope = {s->kernel->params, s->kernel->n_params};
    struct pps_expr_fault fault;
    struct pps_expr *expr = pps_expr_parse(item->valuestring, &scope, &fault);
    if (expr == NULL)
        return expression_fault(s, item, &fault);
    enum pps_status status = PPS_OK;
    if (pps_expr_shape(expr) == PPS_EXPR_TRUTH) {
        status = pps_json_fail(s->json, item, s->err,
                               "%s: a value is wanted, not a comparison; rules go into "
                               "\"where\"",
                               s->param->name);
    } else if (pps_expr_uses(expr) == 0) {
        status = from_constant(axis, s, item, expr);
    } else {
        *axis = (struct pps_axis){.kind = PPS_AXIS_DEPENDENT, .sets = (uint64_t)1 << s->p};
        axis->param = s->p;
        axis->expr = expr;
        axis->text = strdup(item->valuestring);
        return axis->text != NULL ? PPS_OK
                                  : pps_fail(s->err, PPS_E_MACHINE, "no memory for an axis");
    }
    pps_expr_free(expr);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------

#define WORD_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool is_expression(const struct pps_kernel *kernel,
                          const struct pps_param *param,
                          const cJSON *item)
{
    double value;
    char why[PPS_WHY];
    if (!cJSON_IsString(item) || (param->kind != PPS_INTEGER && param->kind != PPS_REAL))
        return false;
    const char *text = item->valuestring;
    // Where letters are values, a single word that is no parameter is a wrong letter.
    if (param->names != NULL && pps_param_find(kernel, text, strlen(text)) < 0 &&
        strspn(text, WORD_LETTERS) == strlen(text))
        return false;
    return !pps_value_parse(param, text, strlen(text), &value, why);
}

enum pps_status pps_axis_from_json(struct pps_axis *axis,
                                   const struct pps_kernel *kernel,
                                   int p,
                                   const struct pps_json *json,
                                   const cJSON *item,
                                   uint64_t *n_repeated,
                                   struct pps_error *err)
{
    const struct source s = {kernel, &kernel->params[p], p, json, err};
    *axis = (struct pps_axis){.kind = PPS_AXIS_TABLE};
    *n_repeated = 0;
    if (cJSON_IsArray(item))
        return from_list(axis, &s, item, n_repeated);
    if (pps_says_continuous(item))
        return pps_continuous_from_json(axis, kernel, p, json, item, err);
    if (cJSON_IsObject(item))
        return from_range(axis, &s, item);
    if (is_expression(kernel, s.param, item))
        return from_expression(axis, &s, item);
    double value;
    enum pps_status status = scalar(&s, item, &value);
    return status == PPS_OK ? pps_axis_table(axis, kernel, p, &value, 1, err) : status;
}

static cJSON *value_to_json(const struct pps_param *param, double value)
{
    char text[PPS_CELL_TEXT];
    pps_value_text(param, value, text);
    const bool named = (param->kind == PPS_REAL || param->kind == PPS_INTEGER) && value < 0 &&
                       param->names != NULL;
    if (param->kind == PPS_CHOICE || named)
        return cJSON_CreateString(text);
    return cJSON_CreateRaw(text);
}

static cJSON *table_to_json(const struct pps_axis *axis, const struct pps_param *params)
{
    const struct pps_axis_member *member = axis->members;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t v = 0; v < member->n_values; v++)
        cJSON_AddItemToArray(list, value_to_json(&params[member->param], member->values[v]));
    return list;
}

cJSON *pps_axis_to_json(const struct pps_axis *axis, const struct pps_param *params)
{
    if (axis->kind == PPS_AXIS_TABLE)
        return table_to_json(axis, params);
    if (axis->kind == PPS_AXIS_DEPENDENT)
        return cJSON_CreateString(axis->text);
    if (axis->kind == PPS_AXIS_CONTINUOUS)
        return pps_continuous_to_json(axis);
    cJSON *range = cJSON_CreateObject();
    const struct pps_param *param = &params[axis->param];
    const double stop = axis->start + (double)(axis->count - 1) * axis->step;
    struct pps_axis_cell cell;
    cJSON_AddItemToObject(range, "start", value_to_json(param, axis->start));
    cJSON_AddItemToObject(range, "stop",
                          value_to_json(param, pps_value_cell(param, stop, &cell)));
    cJSON_AddItemToObject(range, "step", value_to_json(param, axis->step));
    return range;
}
