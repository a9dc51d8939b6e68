// SPDX-License-Identifier: Apache-2.0
// Walking, running and writing: the inner loop of a sweep.
#include "rows.h"

#include "decimal.h"
#include "result.h"
#include "scratch.h"
#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_ROOM = PPS_TEXT_TARGET + PPS_TEXT_TARGET / 4,
    PIECE = 32, // bytes of a prefix copied at once
};

// A row of an earlier result among the points of a batch.
struct found {
    size_t before; // it comes before this point of the batch
    uint64_t index;
    size_t prefix_n;
    struct pps_reused reused;
};

struct pps_rowmaker {
    const struct pps_experiment *experiment;
    const struct pps_kernel *kernel;
    struct pps_cursor cursor;
    struct pps_tops best;
    struct pps_tops nearest;     // of infeasible rows
    int nearest_column;          // -1: there is none
    struct pps_contest *contest; // or NULL
    struct pps_rival rival;
    bool prunes; // the kernel bounds the objective
    int by[PPS_MAX_PARAMS];
    int n_by;
    int objective;
    double *values; // one array of PPS_BATCH for each parameter, then for each wanted column
    const double *param[PPS_MAX_PARAMS];
    int varying[PPS_MAX_PARAMS]; // parameters that are not the same at all points
    int n_varying;
    int asked[PPS_MAX_COLUMNS]; // columns that are wanted, and the objective
    int n_asked;
    double *column[PPS_MAX_COLUMNS];
    char *texts;                    // one array of PPS_BATCH for each wanted text column
    char *text_of[PPS_MAX_COLUMNS]; // NULL: not a text, or not wanted
    int decimals[PPS_MAX_COLUMNS];
    uint8_t outcome[PPS_BATCH];
    uint64_t index[PPS_BATCH];
    size_t n_batch;
    char *prefixes;    // of the batch, one behind the other
    size_t prefix_cap; // greatest bytes of one
    size_t prefix_end[PPS_BATCH];
    const struct pps_reuse *reuse; // or NULL
    struct found *found;           // PPS_BATCH of them, their prefixes and groups
    char *found_prefixes;
    double *found_groups;
    size_t n_found;
    char *text;
    size_t text_n, text_cap;
    size_t row_cap; // greatest bytes of a row
    void *scratch;
    struct pps_auditor *auditor; // or NULL
    double only_audited;         // make no rows but those of this fraction; 0: all
    struct pps_cell shown;       // the objective in the row written last; n 0: not shown
};

// ---- opening ----------------------------------------------------------------------------------

// The parameters' arrays; returns what is behind them.
static double *set_params(struct pps_rowmaker *m)
{
    const struct pps_space *space = &m->experiment->space;
    double *next = m->values;
    uint64_t varying = 0;
    for (int d = 0; d < space->n_axes; d++)
        if (!pps_axis_is_constant(&space->axes[d]))
            varying |= space->axes[d].sets;
    for (int p = 0; p < m->kernel->n_params; p++, next += PPS_BATCH) {
        m->param[p] = next;
        if ((varying >> p & 1) != 0)
            m->varying[m->n_varying++] = p;
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

static void set_nearest(struct pps_rowmaker *m)
{
    const char *name = m->kernel->nearest;
    m->nearest_column = name != NULL ? pps_column_find(m->kernel, name, strlen(name)) : -1;
    if (m->nearest_column >= 0 && m->column[m->nearest_column] == NULL)
        m->nearest_column = -1;
    const bool higher =
        m->nearest_column >= 0 && m->kernel->columns[m->nearest_column].goal == PPS_HIGHER;
    pps_tops_init(&m->nearest, 1, higher, 0);
}

enum pps_status pps_rowmaker_open(struct pps_rowmaker **maker,
                                  const struct pps_experiment *experiment,
                                  int objective,
                                  size_t n_best,
                                  struct pps_error *err)
{
    const struct pps_kernel *kernel = experiment->kernel;
    const size_t arrays = (size_t)(kernel->n_params + kernel->n_columns);
    size_t scratch_bytes;
    struct pps_rowmaker *m = calloc(1, sizeof *m);
    *maker = m;
    enum pps_status status = pps_scratch_bytes(experiment, 1, &scratch_bytes, err);
    if (status != PPS_OK)
        return status;
    if (m == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a worker");
    m->experiment = experiment;
    m->kernel = kernel;
    m->objective = objective;
    m->prefix_cap = (size_t)(experiment->space.n_columns + 1) * PPS_CELL_TEXT;
    m->row_cap = m->prefix_cap + (size_t)kernel->n_columns * (PPS_DECIMAL_CAP + 1) + 1;
    size_t texts = 0;
    for (int c = 0; c < kernel->n_columns; c++)
        texts += pps_column_width(&kernel->columns[c]);
    m->row_cap += texts + PPS_STATUS_ROOM;
    m->text_cap = TEXT_ROOM + PPS_BATCH * m->row_cap + PIECE;
    m->values = calloc(arrays * PPS_BATCH, sizeof *m->values);
    m->texts = calloc(texts + 1, PPS_BATCH);
    m->prefixes = malloc(PPS_BATCH * m->prefix_cap + PIECE);
    m->text = malloc(m->text_cap);
    m->scratch = pps_scratch_take(scratch_bytes);
    if (m->values == NULL || m->texts == NULL || m->prefixes == NULL || m->text == NULL ||
        m->scratch == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a worker (%zu bytes of scratch)",
                        scratch_bytes);
    set_columns(m);
    const bool higher = kernel->columns[objective].goal == PPS_HIGHER;
    pps_tops_init(&m->best, n_best, higher, 0);
    set_nearest(m);
    return PPS_OK;
}

void pps_rowmaker_group(struct pps_rowmaker *m, const int *by, int n_by)
{
    const size_t k = m->best.k;
    const bool higher = m->best.higher;
    pps_tops_free(&m->best);
    pps_tops_init(&m->best, k, higher, n_by);
    for (int b = 0; b < n_by; b++)
        m->by[b] = by[b];
    m->n_by = n_by;
}

enum pps_status pps_rowmaker_reuse(struct pps_rowmaker *m,
                                   const struct pps_reuse *reuse,
                                   struct pps_error *err)
{
    m->reuse = reuse;
    m->found = calloc(PPS_BATCH, sizeof *m->found);
    m->found_prefixes = malloc(PPS_BATCH * m->prefix_cap);
    m->found_groups = calloc(PPS_BATCH * ((size_t)m->n_by + 1), sizeof *m->found_groups);
    if (m->found == NULL || m->found_prefixes == NULL || m->found_groups == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a worker");
    return PPS_OK;
}

void pps_rowmaker_enter(struct pps_rowmaker *m, struct pps_contest *contest)
{
    m->contest = contest;
    m->prunes = m->kernel->lower_bound != NULL && m->objective == 0 &&
                m->kernel->columns[0].goal == PPS_LOWER;
}

enum pps_status pps_rowmaker_audit(struct pps_rowmaker *m,
                                   double fraction,
                                   bool only,
                                   struct pps_error *err)
{
    m->only_audited = only ? fraction : 0;
    return pps_auditor_open(&m->auditor, m->experiment, fraction, err);
}

void pps_rowmaker_close(struct pps_rowmaker *m)
{
    if (m == NULL)
        return;
    pps_auditor_close(m->auditor);
    pps_tops_free(&m->best);
    pps_tops_free(&m->nearest);
    free(m->values);
    free(m->texts);
    free(m->prefixes);
    free(m->found);
    free(m->found_prefixes);
    free(m->found_groups);
    free(m->text);
    free(m->scratch);
    free(m);
}

struct pps_tops *pps_rowmaker_best(struct pps_rowmaker *m)
{
    return &m->best;
}

struct pps_tops *pps_rowmaker_nearest(struct pps_rowmaker *m)
{
    return &m->nearest;
}

// ---- a batch ----------------------------------------------------------------------------------

// Copies n bytes, and up to PIECE - 1 more that both sides have room for: short texts without a
// call.
static inline void copy_pieces(char *out, const char *in, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE)
        memcpy(out + at, in + at, PIECE);
}

static size_t prefix_start(const struct pps_rowmaker *m, size_t i)
{
    return i > 0 ? m->prefix_end[i - 1] : 0;
}

// Fills the arrays of parameters that are the same at all points.
static void fill_constants(struct pps_rowmaker *m)
{
    for (int p = 0, v = 0; p < m->kernel->n_params; p++) {
        if (v < m->n_varying && m->varying[v] == p) {
            v++;
            continue;
        }
        for (size_t i = 0; i < PPS_BATCH; i++)
            m->values[(size_t)p * PPS_BATCH + i] = m->cursor.point[p];
    }
}

static void group_of(const struct pps_rowmaker *m, const double *point, double *key)
{
    for (int b = 0; b < m->n_by; b++)
        key[b] = point[m->by[b]];
}

// Whether the point would lose: equal values are for the lower index to win.
static bool cannot_win(struct pps_rowmaker *m, const double *point)
{
    double group[PPS_MAX_PARAMS];
    if (!m->prunes)
        return false;
    group_of(m, point, group);
    const double threshold = pps_rival_threshold(&m->rival, m->contest, group);
    return threshold < HUGE_VAL && m->kernel->lower_bound(point, m->kernel->shared) > threshold;
}

// Whether the cursor's point is a row of the earlier result, which then waits for its turn.
static bool find_row(struct pps_rowmaker *m)
{
    const struct pps_cursor *cursor = &m->cursor;
    struct found found = {m->n_batch, cursor->index, cursor->prefix_n, {.n = 0}};
    if (m->reuse == NULL || !pps_reuse_find(m->reuse, cursor->point, &found.reused))
        return false;
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
           pps_cursor_next(cursor, end, rows->left_out)) {
        if (m->only_audited > 0 && !pps_audit_chooses(m->only_audited, cursor->index)) {
            pps_cursor_step(cursor);
            continue;
        }
        if (find_row(m)) {
            pps_cursor_step(cursor);
            continue;
        }
        if (cannot_win(m, cursor->point)) {
            rows->pruned++;
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
    size_t need = m->text_n + m->n_batch * m->row_cap + PIECE;
    for (size_t f = 0; f < m->n_found; f++)
        need += m->found[f].prefix_n + m->found[f].reused.n;
    if (need <= m->text_cap)
        return true;
    char *text = realloc(m->text, 2 * need);
    if (text == NULL)
        return false;
    m->text = text;
    m->text_cap = 2 * need;
    return true;
}

// What became of point i: a result without a number somewhere is none.
static enum pps_outcome outcome_of(const struct pps_rowmaker *m, size_t i)
{
    if (m->outcome[i] != PPS_DONE)
        return (enum pps_outcome)m->outcome[i];
    for (int a = 0; a < m->n_asked; a++) {
        const double *column = m->column[m->asked[a]];
        if (column != NULL && !isfinite(column[i]))
            return PPS_FAILED;
    }
    return PPS_DONE;
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
    m->shown.n = 0;
    for (int a = 0; a < m->n_asked; a++) {
        const char *cell = out;
        const int c = m->asked[a];
        if (!m->experiment->wanted[c])
            continue;
        if (outcome != PPS_FAILED)
            out = write_result(m, i, c, out);
        if (c == m->objective)
            m->shown = (struct pps_cell){cell, (size_t)(out - cell)};
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

// What stands in the text from `start` on is the infeasible row of point i.
static enum pps_status take_infeasible(struct pps_rowmaker *m,
                                       size_t i,
                                       size_t start,
                                       struct pps_error *err)
{
    if (m->nearest_column < 0 || m->contest != NULL)
        return PPS_OK;
    const double value = m->column[m->nearest_column][i];
    if (!isfinite(value) || !pps_tops_would_take(&m->nearest, NULL, value))
        return PPS_OK;
    return pps_tops_add(&m->nearest, NULL, value, m->index[i], m->text + start,
                        m->text_n - start - 1, err);
}

// In a contest the text of a row is made for the winners only, and not kept here.
static enum pps_status take_row(struct pps_rowmaker *m,
                                size_t i,
                                struct pps_rows *rows,
                                struct pps_error *err)
{
    struct pps_tops *best = m->contest != NULL ? &m->contest->tops : &m->best;
    const size_t start = m->text_n;
    const enum pps_outcome outcome = outcome_of(m, i);
    double key[PPS_MAX_PARAMS];
    rows->rows++;
    if (outcome == PPS_FAILED && rows->failed++ == 0)
        rows->failed_example = m->index[i];
    rows->infeasible += outcome == PPS_INFEASIBLE;
    if (m->contest == NULL)
        write_row(m, i, outcome);
    if (outcome == PPS_INFEASIBLE)
        return take_infeasible(m, i, start, err);
    if (outcome != PPS_DONE)
        return PPS_OK;
    double value = m->column[m->objective][i];
    for (int b = 0; b < m->n_by; b++)
        key[b] = m->param[m->by[b]][i];
    if (!pps_tops_would_take(best, key, value))
        return PPS_OK;
    if (m->contest != NULL)
        write_row(m, i, outcome);
    else if (m->shown.n > 0)
        (void)pps_cell_number(m->shown, &value);
    enum pps_status status = pps_tops_add(best, key, value, m->index[i], m->text + start,
                                          m->text_n - start - 1, err);
    if (m->contest != NULL) {
        atomic_fetch_add_explicit(&m->contest->changes, 1, memory_order_relaxed);
        m->text_n = start;
    }
    return status;
}

static enum pps_status take_found(struct pps_rowmaker *m,
                                  size_t f,
                                  struct pps_rows *rows,
                                  struct pps_error *err)
{
    const struct found *found = &m->found[f];
    const double *group = m->found_groups + f * (size_t)m->n_by;
    const size_t start = m->text_n, n = found->prefix_n + found->reused.n;
    char *out = m->text + start;
    memcpy(out, m->found_prefixes + f * m->prefix_cap, found->prefix_n);
    memcpy(out + found->prefix_n, found->reused.results, found->reused.n);
    m->text_n += n;
    rows->rows++;
    rows->reused++;
    return pps_tops_add(&m->best, group, found->reused.objective, found->index, out, n - 1,
                        err);
}

static enum pps_status take_rows(struct pps_rowmaker *m,
                                 struct pps_rows *rows,
                                 struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    size_t f = 0;
    if (m->contest != NULL)
        pthread_mutex_lock(&m->contest->lock);
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
    if (m->contest != NULL)
        pthread_mutex_unlock(&m->contest->lock);
    return status;
}

static enum pps_status run_batch(struct pps_rowmaker *m,
                                 const atomic_bool *stop,
                                 struct pps_rows *rows,
                                 struct pps_error *err)
{
    const struct pps_batch batch = {m->n_batch, m->param,   m->column,
                                    m->text_of, m->outcome, &rows->recalled};
    const struct pps_worker worker = {m->scratch, stop, m->experiment->exact,
                                      m->kernel->shared};
    if (m->n_batch > 0)
        m->kernel->run(&batch, &worker);
    if (!room_for_batch(m))
        return pps_fail(err, PPS_E_MACHINE, "no memory for the rows of a block");
    enum pps_status status = take_rows(m, rows, err);
    if (status != PPS_OK || rows->stopped || m->auditor == NULL || m->n_batch == 0)
        return status;
    return pps_auditor_batch(m->auditor, &batch, m->index, &worker, &rows->audited, err);
}

enum pps_status pps_rowmaker_make(struct pps_rowmaker *m,
                                  uint64_t first,
                                  uint64_t n,
                                  const atomic_bool *stop,
                                  struct pps_rows *rows,
                                  struct pps_error *err)
{
    *rows = (struct pps_rows){.n = 0};
    m->text_n = 0;
    pps_cursor_seek(&m->cursor, &m->experiment->space, first);
    fill_constants(m);
    do {
        gather(m, first + n, rows);
        enum pps_status status = PPS_OK;
        if (m->n_batch + m->n_found > 0)
            status = run_batch(m, stop, rows, err);
        if (status != PPS_OK)
            return status;
        rows->stopped = rows->stopped || rows->audited.stopped;
    } while (m->cursor.index < first + n && !rows->stopped);
    rows->text = m->text;
    rows->n = m->text_n;
    return PPS_OK;
}
