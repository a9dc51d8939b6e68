// SPDX-License-Identifier: Apache-2.0
// Collects rows and returns them in order, from memory or from runs in a file.
#include "engine/sort/row_sort.h"

#include "base/system/disk.h"
#include "base/text/grow_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

// A row in memory, and before its text in the file.
struct pps_sort_entry {
    double value;
    uint64_t index;
    size_t at; // of the text in the buffer
    size_t n;
};

// A sorted run in the file, and its window in memory. The window always holds the first remaining
// row completely.
struct pps_sort_run {
    off_t at, end; // what is still in the file
    char *window;
    size_t begin, filled, room; // the window's rows
    struct pps_sort_entry head;
};

struct pps_row_sort {
    size_t memory_bytes;
    bool higher;
    bool merging;
    const char *folder;

    char *text; // rows in memory
    size_t text_bytes, text_room;
    struct pps_sort_entry *entries;
    size_t n_entries, entries_room, next;

    int fd; // of the runs; -1: there is none
    off_t file_bytes;
    struct pps_sort_run *runs;
    size_t n_runs, runs_room;
    size_t *heap; // indices of runs, the one with the first row on top
    size_t n_heap;
};

// ---- sorted runs --------------------------------------------------------------------------------

// Returns whether a comes before b. Rows without a value come last.
static bool sort_before(const struct pps_sort_entry *a, const struct pps_sort_entry *b,
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
    return sort_before(a, b, false) ? -1 : 1;
}

static int compare_falling(const void *a, const void *b)
{
    return sort_before(a, b, true) ? -1 : 1;
}

// Sorts the rows in memory.
static void row_sort_sort(struct pps_row_sort *sort)
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

// Writes the rows in memory as a run to the file.
static enum pps_status row_sort_spill(struct pps_row_sort *sort, struct pps_error *err)
{
    enum pps_status status = open_file(sort, err);
    if (status != PPS_OK)
        return status;
    const off_t at = sort->file_bytes;
    row_sort_sort(sort);
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

// ---- row merge ----------------------------------------------------------------------------------

// Ensures that the run's window holds `wanted` bytes of its rows, or all remaining bytes.
static enum pps_status fill(struct pps_row_sort *sort, struct pps_sort_run *run, size_t wanted,
                            struct pps_error *err)
{
    memmove(run->window, run->window + run->begin, run->filled - run->begin);
    run->filled -= run->begin;
    run->begin = 0;
    char *window = pps_grow(run->window, &run->room, wanted, 1);
    if (window == NULL)
        return pps_fail_memory(err, "the rows to sort");
    run->window = window;
    while (run->filled < run->room && run->at < run->end) {
        const size_t left = (size_t)(run->end - run->at);
        const size_t space = run->room - run->filled;
        const ssize_t got =
            pread(sort->fd, run->window + run->filled, left < space ? left : space, run->at);
        if (got == 0)
            errno = EIO;
        if (got <= 0 && errno != EINTR)
            return pps_fail_errno(err, "read a temporary file in", sort->folder);
        if (got > 0) {
            run->at += got;
            run->filled += (size_t)got;
        }
    }
    return PPS_OK;
}

// Reads the head of the run's next row; *left is false if there is none.
static enum pps_status load_head(struct pps_row_sort *sort, struct pps_sort_run *run,
                                 bool *left, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (run->filled - run->begin < sizeof run->head)
        status = fill(sort, run, sizeof run->head, err);
    *left = status == PPS_OK && run->filled - run->begin >= sizeof run->head;
    if (!*left)
        return status;
    memcpy(&run->head, run->window + run->begin, sizeof run->head);
    if (run->filled - run->begin < sizeof run->head + run->head.n)
        status = fill(sort, run, sizeof run->head + run->head.n, err);
    return status;
}

static bool run_before(const struct pps_row_sort *sort, size_t a, size_t b)
{
    return sort_before(&sort->runs[a].head, &sort->runs[b].head, sort->higher);
}

static void sift_down(struct pps_row_sort *sort, size_t at)
{
    size_t *heap = sort->heap;
    for (;;) {
        size_t first = 2 * at + 1;
        if (first >= sort->n_heap)
            return;
        if (first + 1 < sort->n_heap && run_before(sort, heap[first + 1], heap[first]))
            first++;
        if (!run_before(sort, heap[first], heap[at]))
            return;
        const size_t kept = heap[at];
        heap[at] = heap[first];
        heap[first] = kept;
        at = first;
    }
}

static void drop_memory(struct pps_row_sort *sort)
{
    free(sort->text);
    free(sort->entries);
    sort->text = NULL;
    sort->entries = NULL;
    sort->n_entries = sort->entries_room = sort->text_room = 0;
}

// Spills the last rows as a run, and gives each run an equal share of the memory as its window.
static enum pps_status start_merge(struct pps_row_sort *sort, struct pps_error *err)
{
    enum pps_status status = sort->n_entries > 0 ? row_sort_spill(sort, err) : PPS_OK;
    drop_memory(sort);
    sort->heap = calloc(sort->n_runs, sizeof *sort->heap);
    if (status == PPS_OK && sort->heap == NULL)
        return pps_fail_memory(err, "the rows to sort");
    size_t share = sort->memory_bytes / sort->n_runs;
    share = share > (1 << 20) ? (1 << 20) : share < 4096 ? 4096 : share;
    for (size_t i = 0; i < sort->n_runs && status == PPS_OK; i++) {
        struct pps_sort_run *run = &sort->runs[i];
        bool left = false;
        run->window = malloc(share);
        run->room = run->window == NULL ? 0 : share;
        status = run->window == NULL ? pps_fail_memory(err, "the rows to sort")
                                     : load_head(sort, run, &left, err);
        if (left)
            sort->heap[sort->n_heap++] = i;
    }
    for (size_t at = sort->n_heap; at-- > 0 && status == PPS_OK;)
        sift_down(sort, at);
    return status;
}

// Moves past the row that was returned last: the head of the run on top.
static enum pps_status drop_top(struct pps_row_sort *sort, struct pps_error *err)
{
    struct pps_sort_run *run = &sort->runs[sort->heap[0]];
    bool left;
    run->begin += sizeof run->head + run->head.n;
    const enum pps_status status = load_head(sort, run, &left, err);
    if (!left)
        sort->heap[0] = sort->heap[--sort->n_heap];
    if (status == PPS_OK && sort->n_heap > 0)
        sift_down(sort, 0);
    return status;
}

// The next row of all runs; the first call begins to merge.
static enum pps_status row_sort_next_merged(struct pps_row_sort *sort, struct pps_sort_row *row,
                                            struct pps_error *err)
{
    const enum pps_status status = sort->merging && sort->n_heap > 0 ? drop_top(sort, err)
                                   : sort->merging                   ? PPS_OK
                                                                     : start_merge(sort, err);
    sort->merging = true;
    *row = (struct pps_sort_row){0};
    if (status != PPS_OK || sort->n_heap == 0)
        return status;
    const struct pps_sort_run *run = &sort->runs[sort->heap[0]];
    *row = (struct pps_sort_row){run->head.value, run->head.index,
                                 run->window + run->begin + sizeof run->head, run->head.n};
    return PPS_OK;
}

// ---- row sort -----------------------------------------------------------------------------------

enum pps_status pps_row_sort_open(struct pps_row_sort **out, size_t memory_bytes, bool higher,
                                  const char *folder, struct pps_error *err)
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

enum pps_status pps_row_sort_add(struct pps_row_sort *sort, const struct pps_sort_row *row,
                                 struct pps_error *err)
{
    // Lists that grow by doubling and qsort's copy of the entries take as much again.
    const size_t used =
        sort->text_bytes + row->n + 2 * (sort->n_entries + 1) * sizeof *sort->entries;
    if (sort->n_entries > 0 && used > sort->memory_bytes / 2) {
        const enum pps_status status = row_sort_spill(sort, err);
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

enum pps_status pps_row_sort_next(struct pps_row_sort *sort, struct pps_sort_row *row,
                                  struct pps_error *err)
{
    if (sort->n_runs > 0)
        return row_sort_next_merged(sort, row, err);
    if (!sort->merging)
        row_sort_sort(sort);
    sort->merging = true;
    *row = (struct pps_sort_row){0};
    if (sort->next == sort->n_entries)
        return PPS_OK;
    const struct pps_sort_entry *entry = &sort->entries[sort->next++];
    *row = (struct pps_sort_row){entry->value, entry->index, sort->text + entry->at, entry->n};
    return PPS_OK;
}
