// SPDX-License-Identifier: Apache-2.0
// Opens a row maker: allocates its arrays and stores its settings.
#include "base/system/machine.h"
#include "engine/run/row_maker_private.h"

#include "base/text/decimal.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = PPS_TEXT_TARGET + PPS_TEXT_TARGET / 4 };

// The parameters' arrays, filled with what is the same at all points; returns what is behind them.
static double *set_params(struct pps_rowmaker *m)
{
    const struct pps_space *space = &m->experiment->space;
    double *next = m->values, point[PPS_MAX_PARAMS];
    uint64_t varying = 0;
    memcpy(point, space->base, sizeof point);
    for (int d = 0; d < space->n_axes; d++) {
        const struct pps_axis *axis = &space->axes[d];
        if (pps_axis_is_constant(axis))
            pps_axis_place(axis, m->kernel->params, NULL, 0, point, NULL);
        else
            varying |= axis->sets;
    }
    for (int p = 0; p < m->kernel->n_params; p++, next += PPS_BATCH) {
        m->param[p] = next;
        if ((varying >> p & 1) != 0)
            m->varying[m->n_varying++] = p;
        for (size_t i = 0; i < PPS_BATCH; i++)
            next[i] = point[p];
    }
    return next;
}

static void set_columns(struct pps_rowmaker *m)
{
    double *next = set_params(m);
    char *next_text = m->texts;
    for (int c = 0; c < m->kernel->n_columns; c++) {
        m->decimals[c] = pps_column_decimals(m->kernel, c, m->experiment->digits);
        if (!m->experiment->wanted[c] && c != m->objective)
            continue;
        m->asked[m->n_asked++] = c;
        if (m->kernel->columns[c].kind == PPS_COLUMN_TEXT) {
            m->text_of[c] = next_text;
            next_text += PPS_BATCH * pps_column_width(&m->kernel->columns[c]);
        } else {
            m->column[c] = next;
            next += PPS_BATCH;
        }
    }
}

static enum pps_status take_memory(struct pps_rowmaker *m, struct pps_error *err)
{
    const struct pps_kernel *kernel = m->kernel;
    const size_t arrays = (size_t)(kernel->n_params + kernel->n_columns);
    size_t scratch_bytes, texts = 0;
    enum pps_status status = pps_scratch_bytes(m->experiment, 1, &scratch_bytes, err);
    if (status != PPS_OK)
        return status;
    m->prefix_cap = (size_t)(pps_space_cells(&m->experiment->space) + 1) * PPS_CELL_TEXT;
    m->row_cap = m->prefix_cap + (size_t)kernel->n_columns * (PPS_DECIMAL_CAP + 1) + 1;
    for (int c = 0; c < kernel->n_columns; c++)
        texts += pps_column_width(&kernel->columns[c]);
    m->row_cap += texts + PPS_STATUS_ROOM;
    m->text_cap = TEXT_ROOM + PPS_BATCH * m->row_cap + PPS_ROW_PIECE;
    m->values = calloc(arrays * PPS_BATCH, sizeof *m->values);
    m->texts = calloc(texts + 1, PPS_BATCH);
    m->prefixes = malloc(PPS_BATCH * m->prefix_cap + PPS_ROW_PIECE);
    m->text = malloc(m->text_cap);
    m->scratch = pps_scratch_take(scratch_bytes);
    if (m->values == NULL || m->texts == NULL || m->prefixes == NULL || m->text == NULL ||
        m->scratch == NULL)
        return pps_fail_memory(err, "a worker (%zu bytes of scratch)", scratch_bytes);
    return PPS_OK;
}

static void set_best(struct pps_rowmaker *m, const struct pps_row_settings *settings)
{
    const struct pps_column *columns = m->kernel->columns;
    const bool higher = columns[m->objective].goal == PPS_HIGHER;
    const int nearest = m->experiment->nearest;
    if (m->decimals[m->objective] >= 0) // twice what rounding can change
        m->slack = pow(10, -m->decimals[m->objective]);
    pps_best_by_group_init(&m->best, settings->n_best, higher, settings->n_by);
    pps_best_by_group_init(&m->nearest, 1, nearest >= 0 && columns[nearest].goal == PPS_HIGHER,
                           0);
    m->n_by = settings->n_by;
    for (int b = 0; b < m->n_by; b++)
        m->by[b] = settings->by[b];
    m->contest = settings->contest;
    m->best.ties = m->contest != NULL && settings->ties;
    m->prunes = m->contest != NULL && m->kernel->lower_bound != NULL && m->objective == 0 &&
                columns[0].goal == PPS_LOWER;
}

static enum pps_status set_reuse(struct pps_rowmaker *m, const struct pps_known_rows *reuse,
                                 struct pps_error *err)
{
    m->reuse = reuse;
    if (reuse == NULL)
        return PPS_OK;
    m->found = calloc(PPS_BATCH, sizeof *m->found);
    m->claims = calloc(PPS_BATCH, sizeof *m->claims);
    m->found_prefixes = malloc(PPS_BATCH * m->prefix_cap);
    m->found_groups = calloc(PPS_BATCH * ((size_t)m->n_by + 1), sizeof *m->found_groups);
    if (m->found == NULL || m->claims == NULL || m->found_prefixes == NULL ||
        m->found_groups == NULL)
        return pps_fail_memory(err, "a worker");
    return PPS_OK;
}

enum pps_status pps_rowmaker_open(struct pps_rowmaker **maker,
                                  const struct pps_row_settings *settings,
                                  struct pps_error *err)
{
    struct pps_rowmaker *m = *maker = calloc(1, sizeof *m);
    if (m == NULL)
        return pps_fail_memory(err, "a worker");
    m->experiment = settings->experiment;
    m->kernel = m->experiment->kernel;
    m->objective = settings->objective;
    m->audit = settings->audit;
    m->only_audited = settings->only_audited;
    enum pps_status status = take_memory(m, err);
    if (status == PPS_OK) {
        set_columns(m);
        set_best(m, settings);
        status = set_reuse(m, settings->reuse, err);
    }
    if (status == PPS_OK && m->audit > 0)
        status = pps_auditor_open(&m->auditor, m->experiment, m->audit, err);
    if (status == PPS_OK)
        return PPS_OK;
    pps_rowmaker_close(m);
    *maker = NULL;
    return status;
}

void pps_rowmaker_close(struct pps_rowmaker *m)
{
    if (m == NULL)
        return;
    pps_auditor_close(m->auditor);
    pps_best_by_group_free(&m->best);
    pps_best_by_group_free(&m->nearest);
    free(m->values);
    free(m->texts);
    free(m->prefixes);
    free(m->found);
    free(m->claims);
    free(m->found_prefixes);
    free(m->found_groups);
    free(m->text);
    free(m->scratch);
    free(m);
}

struct pps_best_by_group *pps_rowmaker_best(struct pps_rowmaker *m)
{
    return &m->best;
}

struct pps_best_by_group *pps_rowmaker_nearest(struct pps_rowmaker *m)
{
    return &m->nearest;
}
