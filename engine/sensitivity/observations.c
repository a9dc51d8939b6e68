// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a result as numbers.
#include "engine/sensitivity/observations.h"

#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- reading --------------------------------------------------------------------------------------

static enum pps_status find_params(struct pps_observations *o, struct pps_error *err)
{
    const struct pps_view *view = &o->view;
    if (!view->roles_known)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: it is unknown which columns are parameters; its manifest "
                        "(%s.json) is missing, and no kernel has all of its columns",
                        view->path, view->path);
    o->params = calloc((size_t)view->n_columns, sizeof *o->params);
    if (o->params == NULL)
        return pps_fail_memory(err, "the parameters of %s", view->path);
    for (int c = 0; c < view->n_columns; c++)
        if (view->columns[c].role == PPS_ROLE_PARAM)
            o->params[o->n_params++].column = c;
    return PPS_OK;
}

static enum pps_status add_codes(struct pps_observations *o, const struct pps_cell *cells,
                                 struct pps_error *err)
{
    for (int p = 0; p < o->n_params; p++) {
        struct pps_observed *param = &o->params[p];
        const struct pps_cell cell = cells[param->column];
        uint32_t *code = pps_grow(param->code, &param->room, o->n + 1, sizeof *code);
        if (code == NULL)
            return pps_fail_memory(err, "the rows of %s", o->view.path);
        param->code = code;
        const enum pps_status status =
            pps_string_pool_add(&param->texts, cell.text, cell.n, &code[o->n], err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status add_row(struct pps_observations *o, const struct pps_cell *cells,
                               struct pps_error *err)
{
    double *y = pps_grow(o->y, &o->y_room, o->n + 1, sizeof *y);
    o->y = y != NULL ? y : o->y;
    uint32_t *group = pps_grow(o->group, &o->group_room, o->n + 1, sizeof *group);
    o->group = group != NULL ? group : o->group;
    if (y == NULL || group == NULL)
        return pps_fail_memory(err, "the rows of %s", o->view.path);
    if (o->n == UINT32_MAX)
        return pps_fail(err, PPS_E_INPUT, "%s: more than 2^32 rows; select some, as in n=8",
                        o->view.path);
    y[o->n] = (double)NAN;
    if (pps_view_is_done(&o->view, cells))
        pps_cell_number(cells[o->objective], &y[o->n]);
    enum pps_status status = pps_grouping_find(&o->groups, cells, &group[o->n], err);
    if (status == PPS_OK)
        status = add_codes(o, cells, err);
    o->n += status == PPS_OK;
    return status;
}

static enum pps_status read_rows(struct pps_observations *o, struct pps_error *err)
{
    for (;;) {
        const struct pps_cell *cells;
        enum pps_status status = pps_view_next(&o->view, &cells, err);
        if (status == PPS_OK && cells != NULL)
            status = add_row(o, cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
    }
}

// ---- order of values ------------------------------------------------------------------------------

struct level {
    const char *text;
    double number;
    uint32_t id;
};

static int by_value(const void *left, const void *right)
{
    const struct level *a = left, *b = right;
    if (isnan(a->number) || isnan(b->number)) {
        if (isnan(a->number) != isnan(b->number))
            return isnan(a->number) ? 1 : -1;
        return strcmp(a->text, b->text);
    }
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static void list_levels(const struct pps_observed *param, struct level *levels)
{
    for (uint32_t v = 0; v < param->n_levels; v++) {
        const char *text = pps_string_pool_text(&param->texts, v);
        levels[v] = (struct level){text, (double)NAN, v};
        pps_cell_number((struct pps_cell){text, strlen(text)}, &levels[v].number);
    }
    qsort(levels, param->n_levels, sizeof *levels, by_value);
}

// Numbers the values in their order.
static enum pps_status sort_levels(struct pps_observed *param, uint64_t n,
                                   struct pps_error *err)
{
    const uint32_t n_levels = param->n_levels = param->texts.n;
    struct level *levels = calloc(n_levels, sizeof *levels);
    uint32_t *rank = calloc(n_levels, sizeof *rank);
    param->labels = calloc(n_levels, sizeof *param->labels);
    param->numbers = calloc(n_levels, sizeof *param->numbers);
    const bool good =
        levels != NULL && rank != NULL && param->labels != NULL && param->numbers != NULL;
    if (good)
        list_levels(param, levels);
    for (uint32_t v = 0; v < n_levels && good; v++) {
        rank[levels[v].id] = v;
        param->labels[v] = levels[v].text;
        param->numbers[v] = levels[v].number;
    }
    for (uint64_t i = 0; i < n && good; i++)
        param->code[i] = rank[param->code[i]];
    free(levels);
    free(rank);
    return good ? PPS_OK : pps_fail_memory(err, "the values of a parameter");
}

// ---- the whole ------------------------------------------------------------------------------------

enum pps_status pps_observations_open(struct pps_observations *o,
                                      const struct pps_view_ask *ask, const char *objective,
                                      const char *by, struct pps_error *err)
{
    *o = (struct pps_observations){.n = 0};
    enum pps_status status = pps_view_open(&o->view, ask, err);
    if (status == PPS_OK)
        status = pps_view_objective(&o->view, "--objective", objective, &o->objective, err);
    if (status == PPS_OK)
        status = find_params(o, err);
    if (status == PPS_OK)
        status = pps_grouping_open(&o->groups, &o->view, by, &o->objective, 1, err);
    if (status == PPS_OK)
        status = read_rows(o, err);
    if (status == PPS_OK && o->n == 0)
        status = pps_fail(err, PPS_E_INPUT, "%s: %s", ask->path,
                          ask->n_filters > 0 ? "no row passes the filters" : "it has no rows");
    for (int p = 0; p < o->n_params && status == PPS_OK; p++)
        status = sort_levels(&o->params[p], o->n, err);
    return status;
}

void pps_observations_close(struct pps_observations *o)
{
    for (int p = 0; p < o->n_params; p++) {
        free(o->params[p].labels);
        free(o->params[p].numbers);
        free(o->params[p].code);
        pps_string_pool_free(&o->params[p].texts);
    }
    free(o->params);
    free(o->y);
    free(o->group);
    pps_grouping_close(&o->groups);
    pps_view_close(&o->view);
    *o = (struct pps_observations){.n = 0};
}
