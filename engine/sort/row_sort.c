// SPDX-License-Identifier: Apache-2.0
// Collects rows and returns them in order, from memory or from runs in a file.
#include "engine/sort/row_sort_private.h"

#include "base/text/grow_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum pps_status pps_row_sort_open(struct pps_row_sort **out,
                                  size_t memory_bytes,
                                  bool higher,
                                  const char *folder,
                                  struct pps_error *err)
{
    struct pps_row_sort *sort = calloc(1, sizeof *sort);
    *out = sort;
    if (sort == NULL)
        return pps_fail_memory(err, "the rows to sort");
    const char *chosen = getenv("TMPDIR");
    sort->memory_bytes = memory_bytes < 65536 ? 65536 : memory_bytes;
    sort->higher = higher;
    sort->folder = chosen != NULL && chosen[0] != '\0' ? chosen : folder;
    sort->fd = -1;
    return PPS_OK;
}

void pps_row_sort_close(struct pps_row_sort *sort)
{
    if (sort == NULL)
        return;
    if (sort->fd >= 0)
        close(sort->fd);
    for (size_t i = 0; i < sort->n_runs; i++)
        free(sort->runs[i].window);
    free(sort->text);
    free(sort->entries);
    free(sort->runs);
    free(sort->heap);
    free(sort);
}

// ---- adding ---------------------------------------------------------------------------------

// For a row of n characters.
static bool make_room(struct pps_row_sort *sort, size_t n)
{
    char *text = pps_grow(sort->text, &sort->text_room, sort->text_bytes + n + 1, 1);
    if (text != NULL)
        sort->text = text;
    struct pps_sort_entry *entries =
        pps_grow(sort->entries, &sort->entries_room, sort->n_entries + 1, sizeof *entries);
    if (entries != NULL)
        sort->entries = entries;
    return text != NULL && entries != NULL;
}

enum pps_status pps_row_sort_add(struct pps_row_sort *sort,
                                 const struct pps_sort_row *row,
                                 struct pps_error *err)
{
    // Lists that grow by doubling and qsort's copy of the entries take as much again.
    const size_t used =
        sort->text_bytes + row->n + 2 * (sort->n_entries + 1) * sizeof *sort->entries;
    if (sort->n_entries > 0 && used > sort->memory_bytes / 2) {
        const enum pps_status status = pps_row_sort_spill(sort, err);
        if (status != PPS_OK)
            return status;
    }
    if (!make_room(sort, row->n))
        return pps_fail_memory(err, "the rows to sort");
    memcpy(sort->text + sort->text_bytes, row->text, row->n);
    sort->entries[sort->n_entries++] =
        (struct pps_sort_entry){row->value, row->index, sort->text_bytes, row->n};
    sort->text_bytes += row->n;
    return PPS_OK;
}

// ---- handing out ----------------------------------------------------------------------------

enum pps_status pps_row_sort_next(struct pps_row_sort *sort,
                                  struct pps_sort_row *row,
                                  struct pps_error *err)
{
    if (sort->n_runs > 0)
        return pps_row_sort_next_merged(sort, row, err);
    if (!sort->merging)
        pps_row_sort_sort(sort);
    sort->merging = true;
    *row = (struct pps_sort_row){0};
    if (sort->next == sort->n_entries)
        return PPS_OK;
    const struct pps_sort_entry *entry = &sort->entries[sort->next++];
    *row = (struct pps_sort_row){entry->value, entry->index, sort->text + entry->at, entry->n};
    return PPS_OK;
}
