// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/points.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct numbered_point *left = a, *right = b;
    return memcmp(left->point, right->point, sizeof left->point);
}

static bool is_refused(const struct pps_cursor *cursor)
{
    for (int d = 0; d < cursor->space->n_axes; d++)
        if (cursor->level[d].refused)
            return true;
    return false;
}

struct numbered_points points_of_experiment(const struct pps_experiment *e)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct numbered_points points = {calloc(e->n_points + 1, sizeof *points.sorted), 0};
    for (uint64_t k = 0; k < e->n_points; k++) {
        struct numbered_point *next = &points.sorted[points.n];
        pps_cursor_seek(cursor, &e->space, k);
        if (is_refused(cursor))
            continue;
        memcpy(next->point, cursor->point, sizeof next->point);
        next->number = k;
        points.n++;
    }
    qsort(points.sorted, points.n, sizeof *points.sorted, compare);
    free(cursor);
    return points;
}

const struct numbered_point *points_find(const struct numbered_points *points,
                                         const double *point)
{
    return bsearch(point, points->sorted, points->n, sizeof *points->sorted, compare);
}

bool points_differ(const struct numbered_points *points)
{
    for (size_t i = 1; i < points->n; i++)
        if (compare(&points->sorted[i - 1], &points->sorted[i]) == 0)
            return false;
    return true;
}
