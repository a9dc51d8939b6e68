// SPDX-License-Identifier: Apache-2.0
// The best rows seen so far: a binary heap with the worst kept row on top.
#include "best.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pps_best_init(struct pps_best *best, size_t cap, bool higher)
{
    *best = (struct pps_best){.cap = cap, .higher = higher};
}

void pps_best_free(struct pps_best *best)
{
    for (size_t i = 0; i < best->n; i++)
        free(best->rows[i].text);
    free(best->rows);
    *best = (struct pps_best){0};
}

// Is a before b in the list of the best? A total order, as indices differ.
static bool better(const struct pps_best_row *a, const struct pps_best_row *b, bool higher)
{
    if (a->value != b->value)
        return higher ? a->value > b->value : a->value < b->value;
    return a->index < b->index;
}

static void swap(struct pps_best_row *a, struct pps_best_row *b)
{
    const struct pps_best_row kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(struct pps_best *best, size_t at)
{
    struct pps_best_row *rows = best->rows;
    while (at > 0 && better(&rows[(at - 1) / 2], &rows[at], best->higher)) {
        swap(&rows[(at - 1) / 2], &rows[at]);
        at = (at - 1) / 2;
    }
}

// The first n rows are a heap but for the row at the top.
static void sift_down(struct pps_best *best, size_t n)
{
    struct pps_best_row *rows = best->rows;
    for (size_t at = 0;;) {
        size_t worst = 2 * at + 1;
        if (worst >= n)
            return;
        if (worst + 1 < n && better(&rows[worst], &rows[worst + 1], best->higher))
            worst++;
        if (!better(&rows[at], &rows[worst], best->higher))
            return;
        swap(&rows[at], &rows[worst]);
        at = worst;
    }
}

// Best first, turned round, is worst first: a heap.
static void back_to_heap(struct pps_best *best)
{
    for (size_t i = 0; i < best->n / 2; i++)
        swap(&best->rows[i], &best->rows[best->n - 1 - i]);
    best->in_order = false;
}

static bool make_room(struct pps_best *best)
{
    if (best->n < best->room)
        return true;
    size_t room = best->room == 0 ? 4 : 2 * best->room;
    if (room > best->cap)
        room = best->cap;
    struct pps_best_row *rows = realloc(best->rows, room * sizeof *rows);
    if (rows == NULL)
        return false;
    best->rows = rows;
    best->room = room;
    return true;
}

static char *copy_text(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static void replace_worst(struct pps_best *best, const struct pps_best_row *row)
{
    free(best->rows[0].text);
    best->rows[0] = *row;
    sift_down(best, best->n);
}

enum pps_status pps_best_add(struct pps_best *best,
                             double value,
                             uint64_t index,
                             const char *text,
                             size_t n,
                             struct pps_error *err)
{
    struct pps_best_row row = {value, index, NULL, n};
    if (!pps_best_would_take(best, value))
        return PPS_OK;
    if (best->in_order)
        back_to_heap(best);
    const bool full = best->n == best->cap;
    if (full && !better(&row, &best->rows[0], best->higher))
        return PPS_OK;
    row.text = copy_text(text, n);
    if (row.text == NULL || (!full && !make_room(best))) {
        free(row.text);
        errno = ENOMEM;
        return pps_fail_errno(err, "keep", "the best rows");
    }
    if (full) {
        replace_worst(best, &row);
    } else {
        best->rows[best->n++] = row;
        sift_up(best, best->n - 1);
    }
    return PPS_OK;
}

const struct pps_best_row *pps_best_sorted(struct pps_best *best, size_t *n)
{
    if (!best->in_order) {
        for (size_t rest = best->n; rest > 1; rest--) {
            swap(&best->rows[0], &best->rows[rest - 1]);
            sift_down(best, rest - 1);
        }
        best->in_order = true;
    }
    *n = best->n;
    return best->rows;
}

enum pps_status pps_best_join(struct pps_best *best,
                              struct pps_best *other,
                              struct pps_error *err)
{
    size_t n;
    const struct pps_best_row *rows = pps_best_sorted(other, &n);
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < n && status == PPS_OK; i++)
        status = pps_best_add(best, rows[i].value, rows[i].index, rows[i].text, rows[i].n, err);
    return status;
}
