// SPDX-License-Identifier: Apache-2.0
// Converts an expression to an axis: a list of values if the expression is constant, otherwise
// a dependent axis.
#include "engine/axes/axis_json_private.h"

#include "engine/space/value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static enum pps_status fail_empty(const struct pps_axis_source *s, const cJSON *item,
                                  const struct pps_expr_list *list)
{
    const char *name = s->param->name, *text = item->valuestring;
    if (list->shape == PPS_EXPR_RANGE && list->step <= 0)
        return pps_json_fail(s->json, item, s->err,
                             "%s: \"%.60s\" has no value: a step must be above 0 (got %.15g), "
                             "because ranges ascend",
                             name, text, list->step);
    if (list->shape == PPS_EXPR_RANGE && list->stop < list->start)
        return pps_json_fail(s->json, item, s->err,
                             "%s: \"%.60s\" has no value: its end %.15g is below its start "
                             "%.15g, and the step (%.15g) is positive; write %.15g..%.15g, or "
                             "list the values in descending order",
                             name, text, list->stop, list->start, list->step, list->stop,
                             list->start);
    return pps_json_fail(s->json, item, s->err, "%s: \"%.60s\" has no value", name, text);
}

static enum pps_status from_constant(struct pps_axis *axis, const struct pps_axis_source *s,
                                     const cJSON *item, const struct pps_expr *expr)
{
    struct pps_expr_list list;
    pps_expr_list(expr, NULL, &list);
    if (list.n == 0)
        return fail_empty(s, item, &list);
    const double first = pps_expr_item(&list, 0), last = pps_expr_item(&list, list.n - 1);
    const struct pps_axis_range range = {list.start, list.stop, list.step, list.n};
    enum pps_status status = PPS_OK;
    if (list.shape == PPS_EXPR_RANGE)
        status = pps_axis_check_steps(s, item, "", &range);
    if (status == PPS_OK)
        status = pps_axis_check_value(s, item, first, "");
    if (status == PPS_OK)
        status = pps_axis_check_value(s, item, last, "");
    if (status == PPS_OK && list.n > 1)
        status = pps_axis_check_value(s, item, pps_expr_item(&list, 1), "");
    if (status != PPS_OK)
        return status;
    if (list.n > PPS_TABLE_MAX && list.shape == PPS_EXPR_RANGE)
        return pps_axis_make_range(axis, s, &range);
    double *values = calloc(list.n, sizeof *values);
    if (values == NULL)
        return pps_fail_memory(s->err, "the values of an axis");
    for (uint64_t i = 0; i < list.n; i++)
        values[i] = pps_expr_item(&list, i);
    status = pps_axis_table(axis, s->kernel, s->p, values, list.n, s->err);
    free(values);
    return status;
}

static bool is_word(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n > 0 && text[n] == '\0';
}

static enum pps_status expression_fault(const struct pps_axis_source *s, const cJSON *item,
                                        const struct pps_expr_fault *fault)
{
    char domain[PPS_DOMAIN];
    const bool word = is_word(item->valuestring) && strstr(fault->text, "did you mean") == NULL;
    pps_value_domain(s->param, domain, sizeof domain);
    enum pps_status status =
        word ? pps_json_fail(s->json, item, s->err, "%s: %s; expected %s, or an expression",
                             s->param->name, fault->text, domain)
             : pps_json_fail(s->json, item, s->err, "%s: %s", s->param->name, fault->text);
    pps_json_where(s->json, item, fault->byte, &s->err->line, &s->err->column);
    return status;
}

enum pps_status pps_axis_from_expression(struct pps_axis *axis, const struct pps_axis_source *s,
                                         const cJSON *item)
{
    const struct pps_expr_scope scope = {s->kernel->params, s->kernel->n_params, NULL};
    struct pps_expr_fault fault;
    struct pps_expr *expr = pps_expr_parse(item->valuestring, &scope, &fault);
    if (expr == NULL)
        return expression_fault(s, item, &fault);
    enum pps_status status = PPS_OK;
    if (pps_expr_shape(expr) == PPS_EXPR_TRUTH) {
        status = pps_json_fail(
            s->json, item, s->err,
            "%s: expected a value, not a comparison; rules go into \"where\"", s->param->name);
    } else if (pps_expr_uses(expr) == 0) {
        status = from_constant(axis, s, item, expr);
    } else {
        *axis = (struct pps_axis){.kind = PPS_AXIS_DEPENDENT, .sets = (uint64_t)1 << s->p};
        axis->param = s->p;
        axis->expr = expr;
        axis->text = strdup(item->valuestring);
        return axis->text != NULL ? PPS_OK : pps_fail_memory(s->err, "an axis");
    }
    pps_expr_free(expr);
    return status;
}
