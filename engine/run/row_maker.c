// SPDX-License-Identifier: Apache-2.0
// Walks points, runs the kernel and writes rows: the inner loop of a sweep.
#include "base/text/grow_list.h"
#include "engine/experiment/kernel_calls.h"
#include "engine/run/row_maker_private.h"

#include "base/text/decimal.h"
#include "engine/let/let_columns.h"
#include "engine/program/program.h"

#include <math.h>
#include <string.h>

// ---- a batch ----------------------------------------------------------------------------------

// Copies n bytes, and up to PPS_ROW_PIECE - 1 more that both sides have room for: short texts
// without a call.
static inline void copy_pieces(char *out, const char *in, size_t n)
{
    for (size_t at = 0; at < n; at += PPS_ROW_PIECE)
        memcpy(out + at, in + at, PPS_ROW_PIECE);
}

static size_t prefix_start(const struct pps_rowmaker *m, size_t i)
{
    return i > 0 ? m->prefix_end[i - 1] : 0;
}

static void group_of(const struct pps_rowmaker *m, const double *point, double *key)
{
    for (int b = 0; b < m->n_by; b++)
        key[b] = point[m->by[b]];
}

// Whether a row of this value loses certainly, however the value is rounded. Of equal values the
// lower index wins, and the others are counted.
static bool loses(struct pps_rowmaker *m, const double *group, double value, double slack)
{
    const double threshold = pps_rival_threshold(&m->rival, m->contest, group);
    return m->best.higher ? value < threshold - slack : value > threshold + slack;
}

static bool cannot_win(struct pps_rowmaker *m, const double *point)
{
    double group[PPS_MAX_PARAMS];
    if (!m->prunes)
        return false;
    group_of(m, point, group);
    if (pps_rival_threshold(&m->rival, m->contest, group) == HUGE_VAL)
        return false;
    return loses(m, group, m->kernel->lower_bound(point, m->kernel->shared), m->slack);
}

// Returns whether the cursor's point is a row of the earlier result, which then waits for its
// turn. If the row belongs to the audit, it is computed, and the row of the result is kept for
// comparison.
static bool find_row(struct pps_rowmaker *m)
{
    const struct pps_cursor *cursor = &m->cursor;
    struct pps_found found = {m->n_batch, cursor->index, cursor->prefix_n, {.n = 0}};
    if (m->reuse == NULL)
        return false;
    m->claims[m->n_batch].n = 0;
    if (!pps_known_rows_find(m->reuse, cursor->point, &found.reused))
        return false;
    if (m->audit > 0 && pps_audit_chooses(m->audit, cursor->index)) {
        m->claims[m->n_batch] = found.reused;
        return false;
    }
    memcpy(m->found_prefixes + m->n_found * m->prefix_cap, cursor->prefix, cursor->prefix_n);
    group_of(m, cursor->point, m->found_groups + m->n_found * (size_t)m->n_by);
    m->found[m->n_found++] = found;
    return true;
}

// Takes the cursor's points up to `end` into the batch, as many as it holds.
static void gather(struct pps_rowmaker *m, uint64_t end, struct pps_rows *rows)
{
    struct pps_cursor *cursor = &m->cursor;
    m->n_batch = m->n_found = 0;
    while (m->n_batch < PPS_BATCH && m->n_found < PPS_BATCH &&
           pps_cursor_next(cursor, end, rows->counts.left_out)) {
        if (m->only_audited && !pps_audit_chooses(m->audit, cursor->index)) {
            pps_cursor_step(cursor);
            continue;
        }
        if (find_row(m)) {
            pps_cursor_step(cursor);
            continue;
        }
        if (cannot_win(m, cursor->point)) {
            rows->shortcuts.pruned++;
            pps_cursor_step(cursor);
            continue;
        }
        const size_t i = m->n_batch++;
        for (int v = 0; v < m->n_varying; v++)
            m->values[(size_t)m->varying[v] * PPS_BATCH + i] = cursor->point[m->varying[v]];
        const size_t start = prefix_start(m, i);
        copy_pieces(m->prefixes + start, cursor->prefix, cursor->prefix_n);
        m->prefix_end[i] = start + cursor->prefix_n;
        m->index[i] = cursor->index;
        pps_cursor_step(cursor);
    }
}

static bool room_for_batch(struct pps_rowmaker *m)
{
    size_t need = m->text_n + m->n_batch * m->row_cap + PPS_ROW_PIECE;
    for (size_t f = 0; f < m->n_found; f++)
        need += m->found[f].prefix_n + m->found[f].reused.n;
    char *text = pps_grow(m->text, &m->text_cap, need, 1);
    if (text != NULL)
        m->text = text;
    return text != NULL;
}

static char *write_result(const struct pps_rowmaker *m, size_t i, int c, char *out)
{
    const struct pps_column *column = &m->kernel->columns[c];
    if (column->kind == PPS_COLUMN_TEXT) {
        const char *text = m->text_of[c] + i * pps_column_width(column);
        const size_t n = strlen(text);
        memcpy(out, text, n);
        return out + n;
    }
    const double value = m->column[c][i];
    if (!isfinite(value))
        return out;
    if (column->kind == PPS_COLUMN_INTEGER)
        return out + pps_decimal_integer(out, value);
    return out + pps_decimal_write(out, value, m->decimals[c]);
}

static void write_results(struct pps_rowmaker *m, size_t i, enum pps_outcome outcome)
{
    char *out = m->text + m->text_n;
    m->shown.n = m->shown_need.n = 0;
    for (int a = 0; a < m->n_asked; a++) {
        const char *cell = out;
        const int c = m->asked[a];
        if (!m->experiment->wanted[c])
            continue;
        if (outcome != PPS_FAILED)
            out = write_result(m, i, c, out);
        if (c == m->objective)
            m->shown = (struct pps_cell){cell, (size_t)(out - cell)};
        if (c == m->experiment->nearest)
            m->shown_need = (struct pps_cell){cell, (size_t)(out - cell)};
        *out++ = ',';
    }
    if (m->experiment->status)
        out += sprintf(out, "%s,", pps_outcome_word(outcome));
    out[-1] = '\n';
    m->text_n = (size_t)(out - m->text);
}

static void write_row(struct pps_rowmaker *m, size_t i, enum pps_outcome outcome)
{
    const size_t start = prefix_start(m, i), n = m->prefix_end[i] - start;
    copy_pieces(m->text + m->text_n, m->prefixes + start, n);
    m->text_n += n;
    write_results(m, i, outcome);
}

// Takes point i, which is infeasible. Its row begins at `start` in the text. A contest needs the row only
// if no point is feasible: then no point was left out, and the point nearest to feasible is among the
// points that this function gets. The row is judged by its written text, because a resumed run has
// nothing else.
static enum pps_status take_infeasible(struct pps_rowmaker *m, size_t i, size_t start,
                                       struct pps_error *err)
{
    if (m->experiment->nearest < 0 ||
        (m->contest != NULL &&
         atomic_load_explicit(&m->contest->changes, memory_order_relaxed)))
        return PPS_OK;
    double value = m->column[m->experiment->nearest][i];
    if (!isfinite(value) || !pps_best_by_group_would_take(&m->nearest, NULL, value))
        return PPS_OK;
    if (m->contest != NULL)
        write_row(m, i, PPS_INFEASIBLE);
    if (m->shown_need.n > 0)
        (void)pps_cell_number(m->shown_need, &value);
    enum pps_status status = pps_best_by_group_add(&m->nearest, NULL, value, m->index[i],
                                                   m->text + start, m->text_n - start - 1, err);
    if (m->contest != NULL)
        m->text_n = start;
    return status;
}

// Returns whether the results in the text from `start` on equal the results that an earlier
// result has for point i, where it has any.
static enum pps_status check_claim(const struct pps_rowmaker *m, size_t i, size_t start,
                                   struct pps_rows *rows, struct pps_error *err)
{
    if (m->reuse == NULL || m->claims[i].n == 0)
        return PPS_OK;
    const size_t prefix_n = m->prefix_end[i] - prefix_start(m, i);
    rows->shortcuts.reused++;
    rows->shortcuts.checked++;
    return pps_audit_reused(m->experiment, m->param, i, m->claims[i].results,
                            m->text + start + prefix_n, err);
}

// The objective of the row written last, as it is written.
static double shown_value(const struct pps_rowmaker *m, double value)
{
    if (m->shown.n > 0)
        (void)pps_cell_number(m->shown, &value);
    return value;
}

// In a contest the text of a row is made only where it may win, and is not kept here.
static enum pps_status contest_row(struct pps_rowmaker *m, size_t i, const double *group,
                                   struct pps_error *err)
{
    const size_t start = m->text_n;
    enum pps_status status = PPS_OK;
    double value = m->column[m->objective][i];
    if (loses(m, group, value, m->slack))
        return PPS_OK;
    write_row(m, i, PPS_DONE);
    value = shown_value(m, value);
    if (!loses(m, group, value, 0)) {
        if (value != m->rival.threshold) // otherwise no threshold changes
            status = pps_shared_best_enter(m->contest, group, value, m->index[i], err);
        if (status == PPS_OK)
            status = pps_best_by_group_add(&m->best, group, value, m->index[i], m->text + start,
                                           m->text_n - start - 1, err);
    }
    m->text_n = start;
    return status;
}

static enum pps_status take_row(struct pps_rowmaker *m, size_t i, struct pps_rows *rows,
                                struct pps_error *err)
{
    const size_t start = m->text_n;
    const enum pps_outcome outcome = pps_batch_outcome(m->kernel->columns, m->outcome[i],
                                                       m->column, m->kernel->n_columns, i);
    double key[PPS_MAX_PARAMS];
    rows->counts.rows++;
    if (outcome == PPS_FAILED && rows->counts.failed++ == 0)
        rows->counts.failed_example = m->index[i];
    rows->counts.infeasible += outcome == PPS_INFEASIBLE;
    if (m->contest == NULL) {
        write_row(m, i, outcome);
        enum pps_status status = check_claim(m, i, start, rows, err);
        if (status != PPS_OK)
            return status;
    }
    if (outcome == PPS_INFEASIBLE)
        return take_infeasible(m, i, start, err);
    if (outcome != PPS_DONE)
        return PPS_OK;
    for (int b = 0; b < m->n_by; b++)
        key[b] = m->param[m->by[b]][i];
    if (m->contest != NULL)
        return contest_row(m, i, key, err);
    double value = m->column[m->objective][i];
    if (!pps_best_by_group_would_take(&m->best, key,
                                      m->best.higher ? value + m->slack : value - m->slack))
        return PPS_OK;
    value = shown_value(m, value);
    return pps_best_by_group_add(&m->best, key, value, m->index[i], m->text + start,
                                 m->text_n - start - 1, err);
}

static enum pps_status take_found(struct pps_rowmaker *m, size_t f, struct pps_rows *rows,
                                  struct pps_error *err)
{
    const struct pps_found *found = &m->found[f];
    const double *group = m->found_groups + f * (size_t)m->n_by;
    const size_t start = m->text_n, n = found->prefix_n + found->reused.n;
    char *out = m->text + start;
    memcpy(out, m->found_prefixes + f * m->prefix_cap, found->prefix_n);
    memcpy(out + found->prefix_n, found->reused.results, found->reused.n);
    m->text_n += n;
    rows->counts.rows++;
    rows->shortcuts.reused++;
    if (!found->reused.infeasible)
        return pps_best_by_group_add(&m->best, group, found->reused.value, found->index, out,
                                     n - 1, err);
    rows->counts.infeasible++;
    if (m->experiment->nearest < 0 || isnan(found->reused.value))
        return PPS_OK;
    return pps_best_by_group_add(&m->nearest, NULL, found->reused.value, found->index, out,
                                 n - 1, err);
}

static enum pps_status take_rows(struct pps_rowmaker *m, struct pps_rows *rows,
                                 struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    size_t f = 0;
    for (size_t i = 0; i <= m->n_batch && status == PPS_OK && !rows->stopped; i++) {
        for (; f < m->n_found && m->found[f].before == i && status == PPS_OK; f++)
            status = take_found(m, f, rows, err);
        if (i == m->n_batch || status != PPS_OK)
            break;
        if (m->outcome[i] == PPS_STOPPED)
            rows->stopped = true;
        else
            status = take_row(m, i, rows, err);
    }
    return status;
}

static void run_points(const struct pps_rowmaker *m, const struct pps_batch *batch,
                       const struct pps_worker *worker)
{
    pps_kernel_run(m->kernel, batch, worker);
    pps_let_columns_compute(m->experiment->lets, batch);
}

static enum pps_status run_batch(struct pps_rowmaker *m, const atomic_bool *stop,
                                 struct pps_rows *rows, struct pps_error *err)
{
    const struct pps_batch batch = {.n_points = m->n_batch,
                                    .param = m->param,
                                    .column = m->column,
                                    .text = m->text_of,
                                    .outcome = m->outcome,
                                    .n_recalled = &rows->shortcuts.recalled};
    const struct pps_worker worker = {m->scratch, stop, m->experiment->exact, m->kernel->shared,
                                      m->experiment->point_limit};
    if (m->n_batch > 0)
        run_points(m, &batch, &worker);
    // A kernel calls a point failed if it had no memory for it.
    if (pps_memory_failed() || !room_for_batch(m))
        return pps_fail_memory(err, "the rows of a block");
    enum pps_status status = take_rows(m, rows, err);
    if (status == PPS_OK && !rows->stopped && m->auditor != NULL && m->n_batch > 0)
        status = pps_auditor_batch(m->auditor, &batch, m->index, &worker,
                                   &rows->shortcuts.audited, err);
    if (pps_memory_failed())
        return pps_fail_memory(err, "the audit");
    // A lack stops points, of the batch or of its audit.
    return status == PPS_OK && m->experiment->program != NULL
               ? pps_program_lack(m->experiment->program, err)
               : status;
}

enum pps_status pps_rowmaker_make(struct pps_rowmaker *m, uint64_t first, uint64_t n,
                                  const atomic_bool *stop, struct pps_rows *rows,
                                  struct pps_error *err)
{
    *rows = (struct pps_rows){.n = 0};
    m->text_n = 0;
    if (m->contest != NULL) {
        pps_best_by_group_clear(&m->best);
        pps_best_by_group_clear(&m->nearest);
    }
    pps_cursor_seek(&m->cursor, &m->experiment->space, first);
    do {
        gather(m, first + n, rows);
        enum pps_status status = PPS_OK;
        if (m->n_batch + m->n_found > 0)
            status = run_batch(m, stop, rows, err);
        if (status != PPS_OK)
            return status;
        rows->stopped = rows->stopped || rows->shortcuts.audited.stopped;
    } while (m->cursor.index < first + n && !rows->stopped);
    rows->text = m->text;
    rows->n = m->text_n;
    return PPS_OK;
}

void pps_shortcuts_add(struct pps_shortcuts *shortcuts, const struct pps_shortcuts *later)
{
    shortcuts->recalled += later->recalled;
    shortcuts->reused += later->reused;
    shortcuts->checked += later->checked;
    shortcuts->pruned += later->pruned;
    pps_audited_add(&shortcuts->audited, &later->audited);
}
