// SPDX-License-Identifier: Apache-2.0
// Merges sorted runs: each run has a window in memory; a heap has the run with the next row on
// top.
#include "engine/sort/row_sort_private.h"

#include "base/text/grow_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Ensures that the run's window holds `wanted` bytes of its rows, or all remaining bytes.
static enum pps_status fill(struct pps_row_sort *sort,
                            struct pps_sort_run *run,
                            size_t wanted,
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
static enum pps_status load_head(struct pps_row_sort *sort,
                                 struct pps_sort_run *run,
                                 bool *left,
                                 struct pps_error *err)
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
    return pps_sort_before(&sort->runs[a].head, &sort->runs[b].head, sort->higher);
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
    enum pps_status status = sort->n_entries > 0 ? pps_row_sort_spill(sort, err) : PPS_OK;
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

enum pps_status pps_row_sort_next_merged(struct pps_row_sort *sort,
                                         struct pps_sort_row *row,
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
