// SPDX-License-Identifier: Apache-2.0
// Groups of rows of equal values in some columns.
#include "grouping.h"

#include <stdlib.h>

enum pps_status pps_grouping_open(struct pps_grouping *grouping,
                                  const struct pps_view *view,
                                  const char *by,
                                  struct pps_error *err)
{
    *grouping = (struct pps_grouping){.n_by = 0};
    if (by == NULL)
        return PPS_OK;
    return pps_view_list(view, "--by", by, &grouping->by, &grouping->n_by, err);
}

void pps_grouping_close(struct pps_grouping *grouping)
{
    free(grouping->by);
    pps_rowtext_free(&grouping->key);
    pps_names_free(&grouping->names);
    *grouping = (struct pps_grouping){.n_by = 0};
}

enum pps_status pps_grouping_find(struct pps_grouping *grouping,
                                  const struct pps_cell *cells,
                                  uint32_t *group,
                                  struct pps_error *err)
{
    struct pps_rowtext *key = &grouping->key;
    enum pps_status status = pps_rowtext_join(key, cells, grouping->by, grouping->n_by, err);
    if (status == PPS_OK)
        status = pps_names_add(&grouping->names, key->text, key->n, group, err);
    return status;
}
