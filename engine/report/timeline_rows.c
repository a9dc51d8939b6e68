// SPDX-License-Identifier: Apache-2.0
// Finds the best row of every combination of some columns.
#include "engine/report/timeline_rows.h"

#include "base/text/decimal.h"
#include "base/text/string_pool.h"
#include "base/text/text_buffer.h"
#include "engine/space/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BY = PPS_MAX_PARAMS, POLL = 1 << 16 }; // rows between two looks at the stop flag

// The columns whose combinations are cells.
struct keys {
    int by[MOST_BY];
    int n;
};

// Writes the cells of the columns.
static void write_key(const struct pps_page_rows *rows, const struct keys *keys, size_t row,
                      struct text_buffer *key)
{
    text_buffer_clear(key);
    text_buffer_add_bytes(key, ":", 1);
    for (int b = 0; b < keys->n; b++) {
        char text[PPS_DECIMAL_CAP];
        const size_t n =
            pps_page_column_text(&rows->columns[keys->by[b]], row, text, sizeof text);
        text_buffer_add_bytes(key, text, n < sizeof text ? n : sizeof text - 1);
        text_buffer_add_bytes(key, ",", 1);
    }
}

// Finds the best row of each of the first `most` combinations. *best has room for them.
static enum pps_status find_best(const struct pps_page_rows *rows, const struct keys *keys,
                                 size_t most, size_t *best, size_t *n, const atomic_bool *stop,
                                 struct pps_error *err)
{
    struct pps_string_pool groups = {.text = NULL};
    struct text_buffer key = {.text = NULL};
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < rows->n && status == PPS_OK; i++) {
        uint32_t id = 0;
        if (i % POLL == 0 && stop != NULL && atomic_load(stop)) {
            status = pps_fail(err, PPS_E_STOPPED, "stopped while choosing timelines");
            break;
        }
        write_key(rows, keys, i, &key);
        status = key.failed ? pps_fail_memory(err, "the timelines of the page")
                            : pps_string_pool_add(&groups, key.text, key.n, &id, err);
        if (status != PPS_OK || id >= most)
            continue;
        if (id == *n)
            best[(*n)++] = i;
        else if (pps_page_rows_better(rows, i, best[id]))
            best[id] = i;
    }
    text_buffer_free(&key);
    pps_string_pool_free(&groups);
    return status;
}

// ---- the cells of the map ---------------------------------------------------------------------

static void add_column(const struct pps_page_rows *rows, const char *name, struct keys *keys)
{
    for (int c = 0; c < rows->view.n_columns; c++)
        if (name != NULL && strcmp(rows->view.columns[c].name, name) == 0 && keys->n < MOST_BY)
            keys->by[keys->n++] = c;
}

struct ranked {
    double rank; // lower is better
    size_t row;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *one = a, *two = b;
    if (one->rank != two->rank)
        return one->rank < two->rank ? -1 : 1;
    return one->row < two->row ? -1 : one->row > two->row;
}

static bool is_in(const size_t *rows, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i] == row)
            return true;
    return false;
}

// Sorts the rows of `more`, without those that have no value and those that are chosen already.
static enum pps_status sort_more(struct pps_timeline_rows *chosen,
                                 const struct pps_page_rows *rows, struct pps_error *err)
{
    const double *numbers = rows->columns[rows->objective].numbers;
    struct ranked *ranked = malloc((chosen->n_more + 1) * sizeof *ranked);
    size_t n = 0;
    if (ranked == NULL)
        return pps_fail_memory(err, "the timelines of the page");
    for (size_t i = 0; i < chosen->n_more; i++) {
        const size_t row = chosen->more[i];
        if (!isnan(numbers[row]) && !is_in(chosen->best, chosen->n_best, row))
            ranked[n++] = (struct ranked){rows->higher ? -numbers[row] : numbers[row], row};
    }
    qsort(ranked, n, sizeof *ranked, compare_ranks);
    chosen->n_more = n;
    for (size_t i = 0; i < n; i++)
        chosen->more[i] = ranked[i].row;
    free(ranked);
    return PPS_OK;
}

enum pps_status pps_timeline_rows_open(struct pps_timeline_rows *chosen,
                                       const struct pps_page_rows *rows, size_t most_best,
                                       size_t most_more, const atomic_bool *stop,
                                       struct pps_error *err)
{
    struct keys keys = {.n = 0};
    *chosen = (struct pps_timeline_rows){.n_best = 0};
    chosen->best = malloc((most_best + 1) * sizeof *chosen->best);
    chosen->more = malloc((most_more + 1) * sizeof *chosen->more);
    if (chosen->best == NULL || chosen->more == NULL)
        return pps_fail_memory(err, "the timelines of the page");
    for (int b = 0; b < rows->work.n_by && keys.n < MOST_BY; b++)
        keys.by[keys.n++] = rows->work.by[b];
    enum pps_status status =
        find_best(rows, &keys, most_best, chosen->best, &chosen->n_best, stop, err);
    if (status != PPS_OK || rows->view.kernel == NULL)
        return status;
    add_column(rows, rows->view.kernel->heatmap.x, &keys);
    add_column(rows, rows->view.kernel->heatmap.y, &keys);
    status = find_best(rows, &keys, most_more, chosen->more, &chosen->n_more, stop, err);
    return status == PPS_OK ? sort_more(chosen, rows, err) : status;
}

void pps_timeline_rows_close(struct pps_timeline_rows *chosen)
{
    free(chosen->best);
    free(chosen->more);
    *chosen = (struct pps_timeline_rows){.n_best = 0};
}
