// SPDX-License-Identifier: Apache-2.0
// Compares the rows of a block with the points of the experiment, and computes selected rows
// again. Runs of neighbouring rows are computed together, so that a whole block costs as much
// as in the run that made it.
#include "engine/check/verify_rows.h"

#include "engine/run/row_maker.h"
#include "engine/space/space.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_SEED UINT64_C(0x9e3779b97f4a7c15) // selects other rows than an audit

// Neighbouring selected rows that are not yet computed again.
struct run {
    const char *text, *end;
    uint64_t first, last; // point numbers
    uint64_t row;         // number in the file of the first row
    uint64_t rows;
};

struct pps_rowchecker {
    const struct pps_block_check *check;
    const struct pps_index_entry *entry;
    struct pps_cursor *cursor; // NULL: only count rows
    struct pps_rowmaker *maker;
    const char *at, *end;
    struct pps_counts counts; // of the block, up to the current row
    struct run run;
    uint64_t computed;
    struct pps_audited audited;
};

// Opens what a check against the experiment needs.
static enum pps_status open_parts(struct pps_rowchecker *c, struct pps_error *err)
{
    struct pps_row_settings settings = {.experiment = c->check->experiment,
                                        .audit = c->check->reference};
    c->cursor = calloc(1, sizeof *c->cursor);
    if (c->cursor == NULL)
        return pps_fail_memory(err, "%s", c->check->path);
    while (!settings.experiment->wanted[settings.objective])
        settings.objective++;
    return c->check->sample > 0 ? pps_rowmaker_open(&c->maker, &settings, err) : PPS_OK;
}

enum pps_status pps_rowchecker_open(struct pps_rowchecker **checker,
                                    const struct pps_block_check *check, struct pps_error *err)
{
    struct pps_rowchecker *c = calloc(1, sizeof *c);
    *checker = NULL;
    if (c == NULL)
        return pps_fail_memory(err, "%s", check->path);
    c->check = check;
    const enum pps_status status = check->experiment != NULL ? open_parts(c, err) : PPS_OK;
    if (status == PPS_OK)
        *checker = c;
    else
        pps_rowchecker_close(c);
    return status;
}

void pps_rowchecker_close(struct pps_rowchecker *c)
{
    if (c == NULL)
        return;
    pps_rowmaker_close(c->maker);
    free(c->cursor);
    free(c);
}

uint64_t pps_rowchecker_computed(const struct pps_rowchecker *c)
{
    return c->computed;
}

struct pps_audited pps_rowchecker_audited(const struct pps_rowchecker *c)
{
    return c->audited;
}

// ---- errors ---------------------------------------------------------------------------------

static enum pps_status wrong(const struct pps_rowchecker *c, struct pps_error *err,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum pps_status wrong(const struct pps_rowchecker *c, struct pps_error *err,
                             const char *format, ...)
{
    char text[896];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pps_fail_at(err, PPS_E_WRONG, c->check->path, 0, 0, "block %" PRIu64 ": %s",
                       c->entry->record.index, text);
}

// Returns the row number in the file, from 1.
static uint64_t row_number(const struct pps_rowchecker *c, uint64_t row)
{
    return c->entry->first_row + row + 1;
}

// Returns how many characters of an arbitrary text can be shown: printable ones, up to a limit.
static int shown(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && i < 60 && text[i] > ' ' && text[i] < 0x7f)
        i++;
    return (int)i;
}

// Returns the length of the cell at text, which ends before `end`.
static size_t cell_length(const char *text, const char *end)
{
    size_t n = 0;
    while (text + n < end && text[n] != ',' && text[n] != '\n')
        n++;
    return n;
}

// Returns the name of column c of the header line.
static const char *column_name(const struct pps_rowchecker *c, int column, int *n)
{
    const char *at = c->check->header;
    for (; column > 0 && strchr(at, ',') != NULL; column--)
        at = strchr(at, ',') + 1;
    *n = (int)strcspn(at, ",\n");
    return at;
}

// Reports the first cell in which two rows differ.
static enum pps_status differs(const struct pps_rowchecker *c, uint64_t row, const char *got,
                               const char *got_end, const char *want, const char *want_end,
                               struct pps_error *err)
{
    for (int column = 0; got < got_end && want < want_end; column++) {
        const size_t n = cell_length(got, got_end), m = cell_length(want, want_end);
        const bool same = n == m && memcmp(got, want, n) == 0;
        const bool last = want + m >= want_end || want[m] == '\n';
        if (same && got + n < got_end && got[n] == want[m] && !last) {
            got += n + 1;
            want += m + 1;
            continue;
        }
        int name_n;
        const char *name = column_name(c, column, &name_n);
        if (same)
            break;
        return wrong(c, err, "row %" PRIu64 ": %.*s is \"%.*s\", but should be \"%.*s\"",
                     row_number(c, row), name_n, name, shown(got, n), got, shown(want, m),
                     want);
    }
    return wrong(c, err, "row %" PRIu64 " has another number of cells than the header line",
                 row_number(c, row));
}

// ---- recomputing rows -----------------------------------------------------------------------

static const char *line_end(const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return newline != NULL ? newline + 1 : end;
}

// Finds the first row in which two texts differ.
static enum pps_status find_difference(const struct pps_rowchecker *c, const char *want,
                                       const char *want_end, struct pps_error *err)
{
    const char *got = c->run.text;
    for (uint64_t row = c->run.row;; row++) {
        const char *got_end = line_end(got, c->run.end), *next = line_end(want, want_end);
        if (got_end - got != next - want || memcmp(got, want, (size_t)(next - want)) != 0 ||
            got_end == c->run.end)
            return differs(c, row, got, got_end, want, next, err);
        got = got_end;
        want = next;
    }
}

static enum pps_status compute_run(struct pps_rowchecker *c, struct pps_error *err)
{
    const struct run *run = &c->run;
    const size_t n = (size_t)(run->end - run->text);
    struct pps_rows rows;
    if (run->rows == 0)
        return PPS_OK;
    enum pps_status status = pps_rowmaker_make(c->maker, run->first, run->last - run->first + 1,
                                               c->check->stop, &rows, err);
    if (status == PPS_E_POINTS) {
        const struct pps_error it = *err;
        return wrong(c, err, "%.860s", it.text);
    }
    if (status == PPS_OK && rows.stopped)
        status = pps_fail(err, PPS_E_STOPPED, "stopped");
    if (status != PPS_OK)
        return status;
    if (rows.n != n || memcmp(rows.text, run->text, n) != 0)
        return find_difference(c, rows.text, rows.text + rows.n, err);
    c->computed += run->rows;
    pps_audited_add(&c->audited, &rows.shortcuts.audited);
    c->run.rows = 0;
    return PPS_OK;
}

// Returns whether the row's point does not follow the run's last point: rows of the points
// between are absent.
static bool is_apart(const struct pps_rowchecker *c)
{
    return c->run.rows > 0 && c->cursor->index != c->run.last + 1 && c->check->only_some;
}

// Adds the row to the run, or ends the run before it.
static enum pps_status sample(struct pps_rowchecker *c, const char *line, const char *next,
                              struct pps_error *err)
{
    if (!pps_audit_chooses(c->check->sample, c->cursor->index ^ SAMPLE_SEED))
        return compute_run(c, err);
    if (is_apart(c)) {
        enum pps_status status = compute_run(c, err);
        if (status != PPS_OK)
            return status;
    }
    if (c->run.rows == 0)
        c->run = (struct run){.text = line, .first = c->cursor->index, .row = c->counts.rows};
    c->run.rows++;
    c->run.end = next;
    c->run.last = c->cursor->index;
    return PPS_OK;
}

// ---- rows -------------------------------------------------------------------------------------

static bool is_at_point(const struct pps_rowchecker *c, const char *line, const char *next)
{
    const size_t n = c->cursor->prefix_n;
    return (size_t)(next - line) > n && memcmp(line, c->cursor->prefix, n) == 0;
}

// Moves the cursor to the next point. In a result with only the best rows, moves to the point
// with these cells. Returns false if there is none.
static bool find_point(struct pps_rowchecker *c, const char *line, const char *next)
{
    const uint64_t end = c->entry->first + c->entry->n_points;
    while (c->cursor->index < end && pps_cursor_next(c->cursor, end, c->counts.left_out)) {
        if (!c->check->only_some || is_at_point(c, line, next))
            return true;
        pps_cursor_step(c->cursor);
    }
    return false;
}

// Returns whether the row that ends before `next` ends with the word.
static bool ends_with(const char *results, const char *next, enum pps_outcome outcome)
{
    const char *word = pps_outcome_word(outcome);
    const size_t n = strlen(word), length = (size_t)(next - 1 - results);
    return length > n && next[-2 - (ptrdiff_t)n] == ',' && memcmp(next - 1 - n, word, n) == 0;
}

// Counts the row's outcome: a failed point has empty results, an infeasible point has only the
// first result empty.
static void count_answer(struct pps_rowchecker *c, const char *results, const char *next)
{
    if (c->check->experiment->status) {
        c->counts.failed += ends_with(results, next, PPS_FAILED);
        c->counts.infeasible += ends_with(results, next, PPS_INFEASIBLE);
        return;
    }
    if (*results != ',' && *results != '\n')
        return;
    if (strspn(results, ",") == (size_t)(next - 1 - results))
        c->counts.failed++;
    else
        c->counts.infeasible++;
}

// Checks that the row's cells are the next point of the experiment.
static enum pps_status check_point(struct pps_rowchecker *c, const char *line, const char *next,
                                   struct pps_error *err)
{
    struct pps_cursor *cursor = c->cursor;
    if (!find_point(c, line, next))
        return wrong(c, err, "row %" PRIu64 " is surplus: the block has no such point",
                     row_number(c, c->counts.rows));
    const size_t n = cursor->prefix_n;
    if (!is_at_point(c, line, next))
        return differs(c, c->counts.rows, line, next, cursor->prefix, cursor->prefix + n, err);
    count_answer(c, line + n, next);
    if (c->check->sample > 0) {
        enum pps_status status = sample(c, line, next, err);
        if (status != PPS_OK)
            return status;
    }
    pps_cursor_step(cursor);
    return PPS_OK;
}

static enum pps_status check_counts(const struct pps_rowchecker *c, struct pps_error *err)
{
    const struct pps_space *space = &c->check->experiment->space;
    char words[PPS_REASON_WORDS];
    for (int r = 0; r < space->n_reasons; r++)
        if (c->counts.left_out[r].n != c->entry->left_out[r])
            return wrong(c, err,
                         "the index skips %" PRIu64 " points %s, the experiment %" PRIu64,
                         c->entry->left_out[r], pps_reason_words(space, r, words),
                         c->counts.left_out[r].n);
    if (c->check->only_some) // failed and infeasible points have no rows
        return PPS_OK;
    if (c->counts.failed != c->entry->record.failed)
        return wrong(c, err, "%" PRIu64 " rows are without results, but %" PRIu64 " failed",
                     c->counts.failed, c->entry->record.failed);
    if (c->counts.infeasible != c->entry->record.infeasible)
        return wrong(c, err, "%" PRIu64 " rows are infeasible, but %" PRIu64 " in the index",
                     c->counts.infeasible, c->entry->record.infeasible);
    return PPS_OK;
}

static enum pps_status check_rows(struct pps_rowchecker *c, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    while (c->at < c->end && status == PPS_OK) {
        const char *next = line_end(c->at, c->end);
        if (next[-1] != '\n')
            return wrong(c, err, "row %" PRIu64 " has no end", row_number(c, c->counts.rows));
        if (c->cursor != NULL)
            status = check_point(c, c->at, next, err);
        c->at = next;
        c->counts.rows++;
    }
    if (status == PPS_OK && c->counts.rows != c->entry->record.rows)
        return wrong(c, err, "it has %" PRIu64 " rows, but %" PRIu64 " in the index",
                     c->counts.rows, c->entry->record.rows);
    return status;
}

enum pps_status pps_rowchecker_do(struct pps_rowchecker *c, const struct pps_index_entry *entry,
                                  const char *text, size_t n, struct pps_error *err)
{
    c->entry = entry;
    c->at = text;
    c->end = text + n;
    c->run.rows = 0;
    c->counts = (struct pps_counts){.rows = 0};
    if (c->cursor != NULL)
        pps_cursor_seek(c->cursor, &c->check->experiment->space, entry->first);
    enum pps_status status = check_rows(c, err);
    if (status != PPS_OK || c->cursor == NULL)
        return status;
    const uint64_t end = entry->first + entry->n_points;
    while (c->check->only_some && c->cursor->index < end &&
           pps_cursor_next(c->cursor, end, c->counts.left_out))
        pps_cursor_step(c->cursor);
    if (c->cursor->index < end && pps_cursor_next(c->cursor, end, c->counts.left_out))
        return wrong(c, err, "rows are missing after row %" PRIu64,
                     row_number(c, c->counts.rows) - 1);
    status = c->check->sample > 0 ? compute_run(c, err) : PPS_OK;
    return status == PPS_OK ? check_counts(c, err) : status;
}
