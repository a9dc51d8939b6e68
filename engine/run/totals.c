// SPDX-License-Identifier: Apache-2.0
// What a sweep has counted.
#include "engine/run/sweep.h"

uint64_t pps_totals_computed(const struct pps_totals *t)
{
    const uint64_t rows = t->judged > 0 ? t->judged : t->rows;
    return rows - t->earlier_rows - t->recalled - (t->reused - t->checked);
}

static void add_left_out(struct pps_left_out *total, const struct pps_left_out *part)
{
    if (total->n == 0)
        total->example = part->example;
    total->n += part->n;
}

void pps_totals_add(struct pps_totals *totals, const struct pps_rows *rows, uint64_t points)
{
    totals->points += points;
    totals->rows += rows->rows;
    if (totals->failed == 0)
        totals->failed_example = rows->failed_example;
    totals->failed += rows->failed;
    totals->infeasible += rows->infeasible;
    totals->recalled += rows->recalled;
    totals->reused += rows->reused;
    totals->checked += rows->checked;
    totals->pruned += rows->pruned;
    pps_audited_add(&totals->audited, &rows->audited);
    totals->text_bytes += rows->n;
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        if (rows->left_out[r].n > 0)
            add_left_out(&totals->left_out[r], &rows->left_out[r]);
}

// The example is the first point's.
static void join_left_out(struct pps_left_out *left_out, const struct pps_left_out *earlier)
{
    if (earlier->n > 0)
        left_out->example = earlier->example;
    left_out->n += earlier->n;
}

enum pps_status pps_totals_join(struct pps_totals *totals,
                                struct pps_totals *earlier,
                                struct pps_error *err)
{
    totals->points += earlier->points;
    totals->earlier += earlier->points;
    totals->rows += earlier->rows;
    totals->earlier_rows += earlier->rows;
    if (earlier->failed > 0)
        totals->failed_example = earlier->failed_example;
    totals->failed += earlier->failed;
    totals->infeasible += earlier->infeasible;
    totals->pruned += earlier->pruned;
    totals->text_bytes += earlier->text_bytes;
    pps_audited_add(&totals->audited, &earlier->audited);
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        join_left_out(&totals->left_out[r], &earlier->left_out[r]);
    enum pps_status status = pps_tops_merge(&totals->nearest, &earlier->nearest, err);
    return status == PPS_OK ? pps_tops_merge(&totals->best, &earlier->best, err) : status;
}

void pps_totals_free(struct pps_totals *totals)
{
    pps_tops_free(&totals->best);
    pps_tops_free(&totals->nearest);
}
