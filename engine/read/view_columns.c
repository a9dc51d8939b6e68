// SPDX-License-Identifier: Apache-2.0
// Finds columns of a view by name, and what filters say of them.
#include "engine/read/view.h"

#include "base/text/nearest.h"
#include "engine/read/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pps_view_filter(const struct pps_view *view, int column)
{
    for (int i = 0; i < view->n_filters; i++)
        if (view->filters[i].column == column)
            return view->filters[i].values;
    return NULL;
}

const char *pps_view_rule(const struct pps_view *view, int i)
{
    return view->filters[i].rule.expr != NULL ? view->filters[i].word : NULL;
}

// ---- columns by name ------------------------------------------------------------------------

static enum pps_status unknown_column(const struct pps_view *view, const char *option,
                                      const char *name, struct pps_error *err)
{
    const char *near = NULL;
    const char **names = calloc((size_t)view->n_columns, sizeof *names);
    for (int i = 0; names != NULL && i < view->n_columns; i++)
        names[i] = view->columns[i].name;
    if (names != NULL)
        near = pps_suggest(name, names, (size_t)view->n_columns);
    free(names);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s: %s has no column %s; did you mean %s?", option,
                        view->path, name, near);
    return pps_fail(err, PPS_E_INPUT, "%s: %s has no column %s; its first line lists them",
                    option, view->path, name);
}

enum pps_status pps_view_column(const struct pps_view *view, const char *option,
                                const char *name, int *column, struct pps_error *err)
{
    *column = pps_result_find(view->result, name);
    return *column >= 0 ? PPS_OK : unknown_column(view, option, name, err);
}

static enum pps_status add_listed(const struct pps_view *view, const char *option,
                                  const char *name, int *columns, int *n, struct pps_error *err)
{
    enum pps_status status = pps_view_column(view, option, name, &columns[*n], err);
    for (int i = 0; status == PPS_OK && i < *n; i++)
        if (columns[i] == columns[*n])
            status = pps_fail(err, PPS_E_INPUT, "%s names %s twice", option, name);
    (*n)++;
    return status;
}

enum pps_status pps_view_list(const struct pps_view *view, const char *option, const char *list,
                              int **columns, int *n, struct pps_error *err)
{
    char *copy = strdup(list);
    *n = 0;
    *columns = calloc(strlen(list) + 1, sizeof **columns);
    if (copy == NULL || *columns == NULL) {
        free(copy);
        return pps_fail_memory(err, "%s", option);
    }
    enum pps_status status = PPS_OK;
    char *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name != NULL && status == PPS_OK;
         name = strtok_r(NULL, ",", &rest))
        status = add_listed(view, option, name, *columns, n, err);
    if (status == PPS_OK && *n == 0 && list[0] != '\0')
        status = pps_fail(err, PPS_E_INPUT,
                          "%s %s: expected names of columns separated by commas", option, list);
    free(copy);
    return status;
}

enum pps_status pps_view_objective(const struct pps_view *view, const char *option,
                                   const char *name, int *column, struct pps_error *err)
{
    if (name != NULL) {
        enum pps_status status = pps_view_column(view, option, name, column, err);
        if (status == PPS_OK && view->columns[*column].is_text)
            return pps_fail(err, PPS_E_INPUT, "%s %s: its cells are text; expected numbers",
                            option, name);
        return status;
    }
    if (view->kernel != NULL && view->kernel->ranks != NULL) {
        *column = pps_result_find(view->result, view->kernel->ranks);
        if (*column >= 0)
            return PPS_OK;
    }
    for (int i = 0; view->kernel != NULL && i < view->kernel->n_columns; i++) {
        *column = pps_result_find(view->result, view->kernel->columns[i].name);
        if (*column >= 0)
            return PPS_OK;
    }
    for (*column = 0; *column < view->n_columns; (*column)++)
        if (view->columns[*column].role == PPS_ROLE_RESULT)
            return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "%s: cannot tell which column is the result; name it: %s",
                    view->path, option);
}

void pps_view_stem(const char *path, char *out, size_t cap)
{
    static const char *const endings[] = {".part", ".gz", ".csv", ".parquet"};
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    snprintf(out, cap, "%s", strcmp(path, "-") == 0 ? "stdin" : name);
    for (int i = 0; i < 4; i++) {
        const size_t n = strlen(out), n_ending = strlen(endings[i]);
        if (n > n_ending && strcmp(out + n - n_ending, endings[i]) == 0)
            out[n - n_ending] = '\0';
    }
}
