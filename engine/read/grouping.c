// SPDX-License-Identifier: Apache-2.0
// Groups rows that have equal values in some columns.
#include "engine/read/grouping.h"

#include "engine/experiment/work_groups.h"
#include "engine/space/value.h"

#include <stdlib.h>
#include <string.h>

// The column of the kernel that stands in column c of the file; NULL: none.
static const struct pps_column *kernel_column(const struct pps_view *view, int c)
{
    const char *name = view->columns[c].name;
    const int column = pps_column_find(view->kernel, name, strlen(name));
    return column >= 0 ? &view->kernel->columns[column] : NULL;
}

static enum pps_status group_by_work(struct pps_grouping *grouping, const struct pps_view *view,
                                     const int *objectives, int n, struct pps_error *err)
{
    grouping->by = calloc((size_t)view->n_columns, sizeof *grouping->by);
    if (grouping->by == NULL)
        return pps_fail_memory(err, "%s", view->path);
    for (int c = 0; c < view->n_columns && view->kernel != NULL; c++) {
        const char *name = view->columns[c].name;
        const int p = pps_param_find(view->kernel, name, strlen(name));
        bool matters = false;
        for (int i = 0; i < n && p >= 0; i++) {
            const struct pps_column *column = kernel_column(view, objectives[i]);
            matters = matters ||
                      (column != NULL && pps_work_matters(&view->kernel->params[p], column));
        }
        if (matters)
            grouping->by[grouping->n_by++] = c;
    }
    return PPS_OK;
}

enum pps_status pps_grouping_open(struct pps_grouping *grouping, const struct pps_view *view,
                                  const char *by, const int *objectives, int n,
                                  struct pps_error *err)
{
    *grouping = (struct pps_grouping){.asked = by != NULL};
    if (by == NULL)
        return group_by_work(grouping, view, objectives, n, err);
    if (strcmp(by, PPS_BY_NONE) == 0)
        return PPS_OK;
    const enum pps_status status =
        pps_view_list(view, "--by", by, &grouping->by, &grouping->n_by, err);
    if (status != PPS_OK)
        pps_grouping_close(grouping);
    return status;
}

void pps_grouping_close(struct pps_grouping *grouping)
{
    free(grouping->by);
    text_buffer_free(&grouping->key);
    pps_string_pool_free(&grouping->names);
    *grouping = (struct pps_grouping){.n_by = 0};
}

enum pps_status pps_grouping_find(struct pps_grouping *grouping, const struct pps_cell *cells,
                                  uint32_t *group, struct pps_error *err)
{
    struct text_buffer *key = &grouping->key;
    enum pps_status status = pps_row_text_join(key, cells, grouping->by, grouping->n_by, err);
    if (status == PPS_OK)
        status = pps_string_pool_add(&grouping->names, key->text, key->n, group, err);
    return status;
}
