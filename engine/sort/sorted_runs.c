// SPDX-License-Identifier: Apache-2.0
// Sorts the rows in memory and writes them as runs, one behind the other, to a nameless file.
#include "engine/sort/row_sort_private.h"

#include "base/system/disk.h"
#include "base/text/grow_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool pps_sort_before(const struct pps_sort_entry *a,
                     const struct pps_sort_entry *b,
                     bool higher)
{
    const bool a_empty = a->value != a->value, b_empty = b->value != b->value;
    if (a_empty != b_empty)
        return b_empty;
    if (!a_empty && a->value != b->value)
        return higher ? a->value > b->value : a->value < b->value;
    return a->index < b->index;
}

static int compare_rising(const void *a, const void *b)
{
    return pps_sort_before(a, b, false) ? -1 : 1;
}

static int compare_falling(const void *a, const void *b)
{
    return pps_sort_before(a, b, true) ? -1 : 1;
}

void pps_row_sort_sort(struct pps_row_sort *sort)
{
    if (sort->n_entries > 1)
        qsort(sort->entries, sort->n_entries, sizeof *sort->entries,
              sort->higher ? compare_falling : compare_rising);
}

// ---- writing runs ---------------------------------------------------------------------------

static enum pps_status open_file(struct pps_row_sort *sort, struct pps_error *err)
{
    if (sort->fd >= 0)
        return PPS_OK;
    sort->fd = pps_disk_open_nameless(sort->folder, false);
    return sort->fd >= 0 ? PPS_OK : pps_fail_errno(err, "sort in", sort->folder);
}

static bool write_all(struct pps_row_sort *sort, const char *data, size_t n)
{
    while (n > 0) {
        const ssize_t written = pwrite(sort->fd, data, n, sort->file_bytes);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            data += written;
            n -= (size_t)written;
            sort->file_bytes += written;
        }
    }
    return true;
}

enum { WRITE_BYTES = 1 << 16 };

struct writer {
    char data[WRITE_BYTES];
    size_t n;
};

static bool put(struct pps_row_sort *sort, struct writer *writer, const void *data, size_t n)
{
    if (n > WRITE_BYTES - writer->n) {
        if (!write_all(sort, writer->data, writer->n))
            return false;
        writer->n = 0;
    }
    if (n > WRITE_BYTES)
        return write_all(sort, data, n);
    memcpy(writer->data + writer->n, data, n);
    writer->n += n;
    return true;
}

static bool put_entries(struct pps_row_sort *sort)
{
    struct writer *writer = malloc(sizeof *writer);
    if (writer == NULL)
        return false;
    writer->n = 0;
    bool good = true;
    for (size_t i = 0; i < sort->n_entries && good; i++) {
        const struct pps_sort_entry *entry = &sort->entries[i];
        good = put(sort, writer, entry, sizeof *entry) &&
               put(sort, writer, sort->text + entry->at, entry->n);
    }
    good = good && write_all(sort, writer->data, writer->n);
    free(writer);
    return good;
}

enum pps_status pps_row_sort_spill(struct pps_row_sort *sort, struct pps_error *err)
{
    enum pps_status status = open_file(sort, err);
    if (status != PPS_OK)
        return status;
    const off_t at = sort->file_bytes;
    pps_row_sort_sort(sort);
    struct pps_sort_run *runs =
        pps_grow(sort->runs, &sort->runs_room, sort->n_runs + 1, sizeof *runs);
    if (runs == NULL)
        return pps_fail_memory(err, "the rows to sort");
    sort->runs = runs;
    if (!put_entries(sort))
        return pps_fail_errno(err, "write a temporary file in", sort->folder);
    sort->runs[sort->n_runs++] = (struct pps_sort_run){.at = at, .end = sort->file_bytes};
    sort->n_entries = 0;
    sort->text_bytes = 0;
    return PPS_OK;
}
