// SPDX-License-Identifier: Apache-2.0
// Adds the counts and the best rows of a sweep.
#include "engine/run/sweep.h"

uint64_t pps_totals_computed(const struct pps_totals *t)
{
    const uint64_t rows = t->judged > 0 ? t->judged : t->counts.rows;
    return rows - t->earlier_rows - t->shortcuts.recalled -
           (t->shortcuts.reused - t->shortcuts.checked);
}

void pps_totals_add(struct pps_totals *totals, const struct pps_rows *rows, uint64_t points)
{
    totals->points += points;
    pps_counts_add(&totals->counts, &rows->counts);
    pps_shortcuts_add(&totals->shortcuts, &rows->shortcuts);
    totals->text_bytes += rows->n;
}

enum pps_status pps_totals_join(struct pps_totals *totals, struct pps_totals *earlier,
                                struct pps_error *err)
{
    struct pps_counts counts = earlier->counts;
    struct pps_shortcuts shortcuts = earlier->shortcuts;
    pps_counts_add(&counts, &totals->counts);
    totals->counts = counts;
    shortcuts.recalled = shortcuts.reused = shortcuts.checked = 0;
    pps_shortcuts_add(&shortcuts, &totals->shortcuts);
    totals->shortcuts = shortcuts;
    totals->points += earlier->points;
    totals->earlier += earlier->points;
    totals->earlier_rows += earlier->counts.rows;
    totals->text_bytes += earlier->text_bytes;
    enum pps_status status = pps_best_by_group_merge(&totals->nearest, &earlier->nearest, err);
    return status == PPS_OK ? pps_best_by_group_merge(&totals->best, &earlier->best, err)
                            : status;
}

void pps_totals_free(struct pps_totals *totals)
{
    pps_best_by_group_free(&totals->best);
    pps_best_by_group_free(&totals->nearest);
}
