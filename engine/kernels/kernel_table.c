// SPDX-License-Identifier: Apache-2.0
// Checks the tables of a kernel.
#include "engine/kernels/kernel_table.h"

#include "engine/experiment/experiment.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct report {
    char *text;
    size_t cap;
};

static bool wrong(struct report report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(struct report report, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(report.text, report.cap, format, values);
    va_end(values);
    return false;
}

static bool identifier(const char *name)
{
    if (name == NULL || !(name[0] >= 'a' && name[0] <= 'z'))
        return false;
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name) &&
           strlen(name) < 48;
}

static bool has_name(const struct pps_param *param, int value)
{
    int n = 0;
    while (param->names != NULL && param->names[n] != NULL)
        n++;
    return param->kind == PPS_CHOICE && value >= 0 && value < n;
}

static bool param_valid(const struct pps_param *param, struct report report)
{
    if (!identifier(param->name))
        return wrong(report, "the name of a parameter is not a lower-case identifier");
    if (param->unit == NULL || param->summary == NULL)
        return wrong(report, "parameter %s has no unit or no summary", param->name);
    if ((param->kind == PPS_INTEGER || param->kind == PPS_REAL) &&
        !(param->fallback < 0 && param->names != NULL) &&
        !(param->fallback >= param->min && param->fallback <= param->max))
        return wrong(report, "the default of parameter %s is not within its range",
                     param->name);
    if (param->kind == PPS_REAL && param->names != NULL && param->min < 0)
        return wrong(report, "parameter %s has names, so its minimum must not be negative",
                     param->name);
    if (strcmp(param->name, "seed") == 0 && (param->kind != PPS_INTEGER || param->min < 0))
        return wrong(report, "parameter seed is not a whole number from 0 up");
    for (const struct pps_alias *a = param->aliases; a != NULL && a->name != NULL; a++)
        if (a->reason == NULL && !has_name(param, a->value))
            return wrong(report, "alias %s of parameter %s has no name", a->name, param->name);
    return true;
}

static bool column_valid(const struct pps_column *column, struct report report)
{
    if (!identifier(column->name))
        return wrong(report, "the name of a column is not a lower-case identifier");
    if (column->unit == NULL || column->summary == NULL)
        return wrong(report, "column %s has no unit or no summary", column->name);
    if (column->kind == PPS_COLUMN_TEXT && column->text_max <= 0)
        return wrong(report, "column %s has texts without a maximum length", column->name);
    return true;
}

// Parameters and columns are columns of one row, so no two of them have one name.
static bool names_distinct(const struct pps_kernel *k, struct report report)
{
    const char *names[PPS_MAX_PARAMS + PPS_MAX_COLUMNS];
    int n = 0;
    for (int p = 0; p < k->n_params; p++)
        names[n++] = k->params[p].name;
    for (int c = 0; c < k->n_columns; c++)
        names[n++] = k->columns[c].name;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            if (strcmp(names[a], names[b]) == 0)
                return wrong(report, "two parameters or columns are called %s", names[a]);
    return true;
}

static bool has_column(const struct pps_kernel *k, const char *name)
{
    for (int p = 0; p < k->n_params; p++)
        if (strcmp(k->params[p].name, name) == 0)
            return true;
    for (int c = 0; c < k->n_columns; c++)
        if (strcmp(k->columns[c].name, name) == 0)
            return true;
    return false;
}

static bool columns_exist(const struct pps_kernel *k, struct report report)
{
    const char *const names[] = {k->heatmap.x,     k->heatmap.y, k->heatmap.value,
                                 k->heatmap.split, k->nearest,   k->ranks};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != NULL && !has_column(k, names[i]))
            return wrong(report, "heatmap, nearest or ranks names %s, which does not exist",
                         names[i]);
    return true;
}

static bool trace_valid(const struct pps_kernel *k, struct report report)
{
    const struct pps_trace_names *names = k->trace_names;
    if ((k->trace == NULL) != (names == NULL))
        return wrong(report, "trace needs trace_names, and trace_names needs trace");
    if (names != NULL && names->end != NULL && !has_column(k, names->end))
        return wrong(report, "trace_names->end is %s, which is no column", names->end);
    if (names != NULL && (names->loads == NULL) != (names->load_of == NULL))
        return wrong(report, "loads of trace_names need load_of, and load_of needs loads");
    return true;
}

static bool artifacts_valid(const struct pps_kernel *k, struct report report)
{
    for (const struct pps_artifact *a = k->artifacts; a != NULL && a->name != NULL; a++) {
        if (!identifier(a->name))
            return wrong(report, "the name of an artifact is not a lower-case identifier");
        if (a->summary == NULL || a->ending == NULL || a->ending[0] != '.')
            return wrong(report, "artifact %s has no summary, or no ending such as .csv",
                         a->name);
    }
    return true;
}

static bool functions_exist(const struct pps_kernel *k, struct report report)
{
    if (k->scratch_bytes == NULL || k->check == NULL || k->cost == NULL || k->run == NULL ||
        k->reference == NULL)
        return wrong(report, "scratch_bytes, check, cost, run and reference are required");
    if (k->n_slots > 0 && (k->slots == NULL || k->open == NULL || k->close == NULL))
        return wrong(report, "a kernel with documents needs open and close");
    if ((k->artifact == NULL) != (k->artifacts == NULL))
        return wrong(report, "artifact needs artifacts, and artifacts needs artifact");
    if (!(k->tolerance >= 0))
        return wrong(report, "tolerance is negative or not a number");
    return true;
}

bool pps_kernel_table_valid(const struct pps_kernel *k, char *fault, size_t cap)
{
    const struct report report = {fault, cap};
    if (k == NULL || !identifier(k->name))
        return wrong(report, "its name is not a lower-case identifier");
    if (k->version == NULL || k->version[0] == '\0' || k->summary == NULL || k->source == NULL)
        return wrong(report, "version, summary and source are required");
    if (k->params == NULL || k->n_params < 1 || k->n_params > PPS_MAX_PARAMS)
        return wrong(report, "it needs 1 to %d parameters", PPS_MAX_PARAMS);
    if (k->columns == NULL || k->n_columns < 1 || k->n_columns > PPS_MAX_COLUMNS)
        return wrong(report, "it needs 1 to %d columns", PPS_MAX_COLUMNS);
    if (k->reasons == NULL || k->reasons[0] == NULL)
        return wrong(report, "reasons needs an unused first entry");
    for (int p = 0; p < k->n_params; p++)
        if (!param_valid(&k->params[p], report))
            return false;
    for (int c = 0; c < k->n_columns; c++)
        if (!column_valid(&k->columns[c], report))
            return false;
    if (k->columns[0].kind == PPS_COLUMN_TEXT)
        return wrong(report, "the first column must be a number");
    return names_distinct(k, report) && columns_exist(k, report) && trace_valid(k, report) &&
           artifacts_valid(k, report) && functions_exist(k, report);
}
