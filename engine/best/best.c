// SPDX-License-Identifier: Apache-2.0
// Implements the best rows as a binary heap with the worst kept row on top.
#include "engine/best/best.h"

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
    free(best->more.text);
    *best = (struct pps_best){0};
}

// Returns whether a is before b in the list of the best rows. A total order, as indices differ.
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

// Restores the heap of the first n rows after a change of the top row.
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

// Reverses the rows from best first to worst first, which is a heap.
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
    if (room > best->cap && !best->ties)
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

static enum pps_status fail_memory(struct pps_error *err)
{
    return pps_fail_memory(err, "the best rows");
}

// ---- rows that are counted --------------------------------------------------------------------

// Compares two lines of cells separated by commas. Returns a mask: bit c is set if cell c
// differs; of the first 64 cells.
static uint64_t cells_differ(const char *a, size_t a_n, const char *b, size_t b_n)
{
    const char *a_end = a + a_n, *b_end = b + b_n;
    uint64_t differ = 0;
    for (int c = 0; c < 64 && a <= a_end && b <= b_end; c++, a++, b++) {
        while (a < a_end && b < b_end && *a == *b && *a != ',') {
            a++;
            b++;
        }
        if ((a == a_end || *a == ',') && (b == b_end || *b == ','))
            continue;
        differ |= (uint64_t)1 << c;
        while (a < a_end && *a != ',')
            a++;
        while (b < b_end && *b != ',')
            b++;
    }
    return differ;
}

// Finds the ends of the text that do not vary: the cells before the first cell that varies, and after
// the last one. has_ends: all cells between the ends vary.
static void find_ends(struct pps_best_equal *more)
{
    const uint64_t varying = more->differ, lowest = varying & -varying;
    const char *at = more->text, *end = at + more->text_n;
    more->has_ends = varying != 0 && (varying & (varying + lowest)) == 0;
    more->head = more->tail = 0;
    for (int c = 0; c < 64 && varying >> c != 0; c++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        at = comma != NULL ? comma + 1 : end;
        if ((uint64_t)1 << c < lowest)
            more->head = (size_t)(at - more->text);
        more->tail = comma != NULL ? (size_t)(end - comma) : 0;
    }
}

// Returns whether a row can differ from more->text only in cells that are known to vary.
static bool adds_nothing(const struct pps_best_equal *more, const char *text, size_t n)
{
    return more->has_ends && more->head + more->tail <= n &&
           memcmp(more->text, text, more->head) == 0 &&
           memcmp(more->text + more->text_n - more->tail, text + n - more->tail, more->tail) ==
               0;
}

static void forget_equal(struct pps_best *best)
{
    free(best->more.text);
    best->more = (struct pps_best_equal){.n = 0};
}

// Counts n rows, `text` among them, that differ from each other in the cells `differ`.
static enum pps_status count_rows(struct pps_best *best, uint64_t n, uint64_t differ,
                                  const char *text, size_t text_n, struct pps_error *err)
{
    struct pps_best_equal *more = &best->more;
    if (more->n == 0) {
        more->text = copy_text(text, text_n);
        if (more->text == NULL)
            return fail_memory(err);
        more->text_n = text_n;
    } else if (!adds_nothing(more, text, text_n)) {
        differ |= cells_differ(more->text, more->text_n, text, text_n);
    }
    more->n += n;
    if ((more->differ | differ) != more->differ) {
        more->differ |= differ;
        find_ends(more);
    }
    return PPS_OK;
}

enum pps_status pps_best_count(struct pps_best *best, double value,
                               const struct pps_best_equal *equal, struct pps_error *err)
{
    if (equal->n == 0 || best->n == 0 || pps_best_worst(best)->value != value)
        return PPS_OK;
    return count_rows(best, equal->n, equal->differ, equal->text, equal->text_n, err);
}

// ---- adding -----------------------------------------------------------------------------------

static void free_worst(struct pps_best *best)
{
    free(best->rows[0].text);
    best->rows[0] = best->rows[--best->n];
    sift_down(best, best->n);
}

// Returns the number of rows in the subtree at `at` with the value of the worst row; these rows
// are connected.
static size_t count_worst(const struct pps_best *best, size_t at)
{
    if (at >= best->n || best->rows[at].value != best->rows[0].value)
        return 0;
    return 1 + count_worst(best, 2 * at + 1) + count_worst(best, 2 * at + 2);
}

// Drops the rows of the worst value if enough better rows are kept: either all rows of a value
// are kept, or none.
static void drop_ties(struct pps_best *best)
{
    if (best->n <= best->cap)
        return;
    const size_t worst = count_worst(best, 0);
    if (best->n - worst < best->cap)
        return;
    for (size_t i = 0; i < worst; i++)
        free_worst(best);
}

// Replaces the worst row. The dropped row is counted if the new worst row has the same value.
static enum pps_status displace(struct pps_best *best, const struct pps_best_row *row,
                                struct pps_error *err)
{
    const struct pps_best_row dropped = best->rows[0];
    enum pps_status status = PPS_OK;
    best->rows[0] = *row;
    sift_down(best, best->n);
    if (best->rows[0].value == dropped.value)
        status = count_rows(best, 1, 0, dropped.text, dropped.n, err);
    else
        forget_equal(best);
    free(dropped.text);
    return status;
}

enum pps_status pps_best_add(struct pps_best *best, double value, uint64_t index,
                             const char *text, size_t n, struct pps_error *err)
{
    struct pps_best_row row = {value, index, NULL, n};
    if (!pps_best_would_take(best, value))
        return PPS_OK;
    if (best->in_order)
        back_to_heap(best);
    const bool full = best->n >= best->cap && !best->ties;
    if (full && !better(&row, &best->rows[0], best->higher))
        return count_rows(best, 1, 0, text, n, err);
    row.text = copy_text(text, n);
    if (row.text == NULL || (!full && !make_room(best))) {
        free(row.text);
        return fail_memory(err);
    }
    if (full)
        return displace(best, &row, err);
    best->rows[best->n++] = row;
    sift_up(best, best->n - 1);
    drop_ties(best);
    return PPS_OK;
}

struct pps_best_ties pps_best_ties(struct pps_best *best)
{
    struct pps_best_ties ties = {.n = 0};
    const struct pps_best_row *rows = pps_best_sorted(best, &ties.kept);
    const struct pps_best_equal *more = &best->more;
    const size_t n = ties.kept;
    ties.kept = n > 0;
    while (ties.kept < n && rows[ties.kept].value == rows[0].value) {
        const struct pps_best_row *row = &rows[ties.kept++];
        ties.differ |= cells_differ(rows[0].text, rows[0].n, row->text, row->n);
    }
    ties.n = ties.kept;
    if (ties.kept < n || more->n == 0)
        return ties;
    ties.n += more->n;
    ties.differ |= more->differ;
    ties.differ |= cells_differ(rows[0].text, rows[0].n, more->text, more->text_n);
    return ties;
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
