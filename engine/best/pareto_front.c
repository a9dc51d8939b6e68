// SPDX-License-Identifier: Apache-2.0
// Keeps the Pareto front as a sorted list, followed by rows that wait. A row that no row of the
// front dominates waits. When more rows wait than the front contains, all rows are sorted into
// a new front.
#include "engine/best/pareto_front.h"

#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_WAITING = 1024 }; // rows; a sort of fewer rows costs too much

void pps_pareto_front_free(struct pps_pareto_front *front)
{
    for (size_t i = 0; i < front->n; i++)
        free(front->rows[i].text);
    free(front->rows);
    *front = (struct pps_pareto_front){.n = 0};
}

// Returns the row of the front that is no worse than (a, b) in either value, or NULL. Of the
// rows with at most this a, the last one has the smallest b.
static struct pps_pareto_front_row *find_no_worse(const struct pps_pareto_front *front,
                                                  double a, double b)
{
    size_t low = 0, high = front->n_front;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (front->rows[middle].a <= a)
            low = middle + 1;
        else
            high = middle;
    }
    struct pps_pareto_front_row *last = low == 0 ? NULL : &front->rows[low - 1];
    return last != NULL && last->b <= b ? last : NULL;
}

bool pps_pareto_front_would_take(const struct pps_pareto_front *front, double a, double b)
{
    if (a != a || b != b) // NAN
        return false;
    const struct pps_pareto_front_row *row = find_no_worse(front, a, b);
    return row == NULL || (row->a == a && row->b == b);
}

static int compare_rows(const void *left, const void *right)
{
    const struct pps_pareto_front_row *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

// Builds the front of all rows. In order of a, a row stays if its b is below the b of all rows
// before it.
static void settle(struct pps_pareto_front *front)
{
    size_t kept = 0;
    qsort(front->rows, front->n, sizeof *front->rows, compare_rows);
    for (size_t i = 0; i < front->n; i++) {
        struct pps_pareto_front_row *row = &front->rows[i];
        struct pps_pareto_front_row *last = kept == 0 ? NULL : &front->rows[kept - 1];
        if (last == NULL || row->b < last->b) {
            front->rows[kept++] = *row;
            continue;
        }
        if (row->a == last->a && row->b == last->b)
            last->equal += row->equal;
        free(row->text);
    }
    front->n = front->n_front = kept;
}

enum pps_status pps_pareto_front_add(struct pps_pareto_front *front, double a, double b,
                                     uint64_t row, const char *text, size_t n,
                                     struct pps_error *err)
{
    if (!pps_pareto_front_would_take(front, a, b))
        return PPS_OK;
    struct pps_pareto_front_row *same = find_no_worse(front, a, b);
    if (same != NULL) {
        same->equal++;
        return PPS_OK;
    }
    struct pps_pareto_front_row *rows =
        pps_grow(front->rows, &front->room, front->n + 1, sizeof *rows);
    if (rows == NULL)
        return pps_fail_memory(err, "the Pareto front");
    front->rows = rows;
    struct pps_pareto_front_row *added = &front->rows[front->n];
    *added = (struct pps_pareto_front_row){a, b, row, 1, malloc(n + 1), n};
    if (added->text == NULL)
        return pps_fail_memory(err, "the Pareto front");
    memcpy(added->text, text, n);
    added->text[n] = '\0';
    front->n++;
    if (front->n - front->n_front > front->n_front + MIN_WAITING)
        settle(front);
    return PPS_OK;
}

const struct pps_pareto_front_row *pps_pareto_front_rows(struct pps_pareto_front *front,
                                                         size_t *n)
{
    if (front->n > front->n_front)
        settle(front);
    *n = front->n_front;
    return front->rows;
}
