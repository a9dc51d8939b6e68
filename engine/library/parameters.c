// SPDX-License-Identifier: Apache-2.0
// Describes parameters and columns of a model, finds them by name, and converts values to text
// and back.
#include "engine/library/library_private.h"

#include "base/text/nearest.h"
#include "engine/space/value.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- descriptions -----------------------------------------------------------------------------

static struct pps_limits limits_of(const struct pps_param *param, int n_names)
{
    const double whole_most = 9007199254740991.0;
    struct pps_limits limits = {.low = param->min, .high = param->max, .whole = true};
    if (param->kind == PPS_BOOLEAN || param->kind == PPS_CHOICE)
        return (struct pps_limits){.high = n_names - 1, .whole = true};
    if (param->min_open)
        limits.low = nextafter(limits.low, HUGE_VAL);
    if (param->max_open)
        limits.high = nextafter(limits.high, -HUGE_VAL);
    limits.name_low = -n_names;
    limits.whole = param->kind == PPS_INTEGER;
    limits.low = fmax(limits.low, limits.whole ? -whole_most : -DBL_MAX);
    limits.high = fmin(limits.high, limits.whole ? whole_most : DBL_MAX);
    return limits;
}

static void describe_params(struct ppsweep_model *m)
{
    static const char *const truths[] = {"false", "true", NULL};
    const struct pps_composite *composite = m->kernel->composite;
    for (int p = 0; p < m->kernel->n_params; p++) {
        const struct pps_param *param = &m->kernel->params[p];
        const char *const *names = param->kind == PPS_BOOLEAN ? truths : param->names;
        int n_names = 0;
        while (names != NULL && names[n_names] != NULL)
            n_names++;
        pps_value_domain(param, m->domains[p], sizeof m->domains[p]);
        m->limits[p] = limits_of(param, n_names);
        m->params[p] = (struct ppsweep_param){
            .name = param->name,
            .unit = param->unit,
            .summary = param->summary,
            .domain = m->domains[p],
            .kind = (int)param->kind,
            .n_names = n_names,
            .names = names,
            .fallback = param->fallback,
            .min = param->min,
            .max = param->max,
            .min_open = param->min_open,
            .max_open = param->max_open,
            .fixed = param->fixed,
            .by_document = (m->by_document >> p & 1) != 0,
        };
    }
    for (int i = 0; composite != NULL && i < composite->n_members; i++)
        m->params[composite->members[i]].combined = 1;
}

static void describe_columns(struct ppsweep_model *m)
{
    for (int c = 0; c < m->kernel->n_columns; c++) {
        const struct pps_column *column = &m->kernel->columns[c];
        m->columns[c] = (struct ppsweep_column){
            .name = column->name,
            .unit = column->unit,
            .summary = column->summary,
            .kind = (int)column->kind,
            .goal = (int)column->goal,
            .shown = column->by_name      ? PPSWEEP_BY_NAME
                     : column->on_request ? PPSWEEP_ON_REQUEST
                                          : PPSWEEP_BY_DEFAULT,
            .decimals = column->decimals,
            .text_size = pps_column_width(column),
        };
    }
}

void pps_model_describe(struct ppsweep_model *m)
{
    describe_params(m);
    describe_columns(m);
}

// ---- listing ----------------------------------------------------------------------------------

const char *ppsweep_model_kernel(const struct ppsweep_model *m)
{
    return m != NULL ? m->kernel->name : "";
}

const char *ppsweep_model_version(const struct ppsweep_model *m)
{
    return m != NULL ? m->kernel->version : "";
}

int ppsweep_model_params(const struct ppsweep_model *m)
{
    return m != NULL ? m->kernel->n_params : 0;
}

const struct ppsweep_param *ppsweep_model_param(const struct ppsweep_model *m, int p)
{
    return p >= 0 && p < ppsweep_model_params(m) ? &m->params[p] : NULL;
}

int ppsweep_model_columns(const struct ppsweep_model *m)
{
    return m != NULL ? m->kernel->n_columns : 0;
}

const struct ppsweep_column *ppsweep_model_column(const struct ppsweep_model *m, int c)
{
    return c >= 0 && c < ppsweep_model_columns(m) ? &m->columns[c] : NULL;
}

// Fails because the model has no parameter or column of this name. Returns -1.
static int unknown_name(const struct ppsweep_model *m, const char *what, const char *name,
                        const char *const *names, int n, struct ppsweep_error *error)
{
    pps_library_fail(error, PPSWEEP_E_INPUT, "%.60s is not a %s of %s%s", name, what,
                     m->kernel->name, pps_did_you_mean(name, names, (size_t)n).text);
    return -1;
}

static bool misses(const void *model, const void *name, struct ppsweep_error *error)
{
    if (model != NULL && name != NULL)
        return false;
    pps_library_fail(error, PPSWEEP_E_CALL, "%s: must not be NULL",
                     model == NULL ? "model" : "argument");
    return true;
}

int ppsweep_model_find_param(const struct ppsweep_model *m, const char *name,
                             struct ppsweep_error *error)
{
    const char *names[PPS_MAX_PARAMS];
    if (misses(m, name, error))
        return -1;
    const int p = pps_param_find(m->kernel, name, strlen(name));
    for (int i = 0; i < m->kernel->n_params; i++)
        names[i] = m->kernel->params[i].name;
    return p >= 0 ? p : unknown_name(m, "parameter", name, names, m->kernel->n_params, error);
}

int ppsweep_model_find_column(const struct ppsweep_model *m, const char *name,
                              struct ppsweep_error *error)
{
    const char *names[PPS_MAX_COLUMNS];
    if (misses(m, name, error))
        return -1;
    const int c = pps_column_find(m->kernel, name, strlen(name));
    for (int i = 0; i < m->kernel->n_columns; i++)
        names[i] = m->kernel->columns[i].name;
    return c >= 0 ? c : unknown_name(m, "column", name, names, m->kernel->n_columns, error);
}

const char *ppsweep_model_reason(const struct ppsweep_model *m, int reason)
{
    for (int r = 1; m != NULL && m->kernel->reasons[r] != NULL; r++)
        if (r == reason)
            return m->kernel->reasons[r];
    return NULL;
}

// ---- values -----------------------------------------------------------------------------------

static const struct pps_param *param_at(const struct ppsweep_model *m, int p,
                                        const void *argument, struct ppsweep_error *error)
{
    if (misses(m, argument, error))
        return NULL;
    if (p >= 0 && p < m->kernel->n_params)
        return &m->kernel->params[p];
    pps_library_fail(error, PPSWEEP_E_CALL, "parameter %d: %s has parameters 0 to %d", p,
                     m->kernel->name, m->kernel->n_params - 1);
    return NULL;
}

int ppsweep_encode(const struct ppsweep_model *m, int p, const char *text, double *value,
                   struct ppsweep_error *error)
{
    char why[PPS_WHY];
    const struct pps_param *param = param_at(m, p, value != NULL ? text : NULL, error);
    if (param == NULL)
        return PPSWEEP_E_CALL;
    if (!pps_value_parse(param, text, strlen(text), value, why))
        return pps_library_fail(error, PPSWEEP_E_INPUT, "%s: %s", param->name, why);
    return PPSWEEP_OK;
}

int ppsweep_decode(const struct ppsweep_model *m, int p, double value,
                   char text[PPSWEEP_VALUE_TEXT], struct ppsweep_error *error)
{
    const struct pps_param *param = param_at(m, p, text, error);
    if (param == NULL)
        return PPSWEEP_E_CALL;
    if (!pps_limits_allow(&m->limits[p], value))
        return pps_library_fail(error, PPSWEEP_E_INPUT, "%s: expected %s (got %.15g)",
                                param->name, m->domains[p], value);
    pps_value_text(param, value, text);
    return PPSWEEP_OK;
}
