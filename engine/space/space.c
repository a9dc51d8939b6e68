// SPDX-License-Identifier: Apache-2.0
// Prepares a space, turns numbers into points and points into numbers, and walks the list.
#include "engine/space/space.h"

#include "engine/space/grid.h"
#include "engine/space/sample.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reason -------------------------------------------------------------------------------------

const char *pps_reason_words(const struct pps_space *space, int reason,
                             char words[PPS_REASON_WORDS])
{
    const bool is_rule = reason < space->n_rules;
    const char *lead = is_rule                          ? "not satisfying"
                       : reason >= space->kernel_reason ? "where"
                                                        : "with";
    // Reasons truncate long rules.
    const bool cut = is_rule && strlen(space->rules[reason].text) >= PPS_REASON_TEXT;
    snprintf(words, PPS_REASON_WORDS, "%s %s%s", lead, space->reasons[reason],
             cut ? "..." : "");
    for (char *at = words; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            *at = ' ';
    return words;
}

// ---- preparation ----------------------------------------------------------------------------

// Returns the axis that decides an expression: the innermost axis whose parameters it uses.
static int deciding_level(const struct pps_space *space, const struct pps_expr *expr)
{
    for (int d = space->n_axes - 1; d > 0; d--)
        if ((space->axes[d].sets & pps_expr_uses(expr)) != 0)
            return d;
    return 0;
}

static void add_reason(struct pps_space *space, const char *what, const char *how)
{
    snprintf(space->reasons[space->n_reasons++], PPS_REASON_TEXT, "%s%s", what, how);
}

static enum pps_status find_reasons(struct pps_space *space, struct pps_error *err)
{
    int n = space->n_rules;
    for (int d = 0; d < space->n_axes; d++)
        n += space->axes[d].kind == PPS_AXIS_DEPENDENT;
    for (int r = 1; space->kernel->reasons[r] != NULL; r++)
        n++;
    if (n > PPS_MAX_REASONS)
        return pps_fail(err, PPS_E_INPUT, "at most %d rules and dependent axes together",
                        PPS_MAX_REASONS - (n - space->n_rules));
    space->n_reasons = 0;
    memset(space->rules_of, 0, sizeof space->rules_of);
    for (int r = 0; r < space->n_rules; r++) {
        space->rules_of[deciding_level(space, space->rules[r].expr)] |= (uint32_t)1 << r;
        add_reason(space, space->rules[r].text, "");
    }
    for (int d = 0; d < space->n_axes; d++) {
        if (space->axes[d].kind != PPS_AXIS_DEPENDENT)
            continue;
        space->range_reason[d] = space->n_reasons;
        add_reason(space, space->kernel->params[space->axes[d].param].name,
                   space->sample == NULL ? " outside its range"
                                         : " without a value in its range");
    }
    space->kernel_reason = space->n_reasons;
    for (int r = 1; space->kernel->reasons[r] != NULL; r++)
        add_reason(space, space->kernel->reasons[r], "");
    return PPS_OK;
}

enum pps_status pps_space_prepare(struct pps_space *space, struct pps_error *err)
{
    enum pps_status status = pps_grid_prepare(space, err);
    if (status == PPS_OK)
        status =
            space->sample != NULL ? pps_sample_prepare(space, err) : pps_grid_count(space, err);
    return status == PPS_OK ? find_reasons(space, err) : status;
}

void pps_space_free(struct pps_space *space)
{
    for (int d = 0; d < space->n_axes; d++)
        pps_axis_free(&space->axes[d]);
    for (int r = 0; r < space->n_rules; r++) {
        pps_expr_free(space->rules[r].expr);
        free(space->rules[r].text);
    }
    pps_dependent_counts_free(space->subtrees);
    pps_sample_free(space->sample);
    space->subtrees = NULL;
    space->sample = NULL;
    space->n_axes = space->n_rules = 0;
}

// ---- moving -----------------------------------------------------------------------------------

void pps_cursor_seek(struct pps_cursor *cursor, const struct pps_space *space, uint64_t index)
{
    cursor->space = space;
    cursor->index = index;
    if (space->sample != NULL)
        pps_sample_place(cursor);
    else
        pps_grid_seek(cursor, space, index);
}

// Moves to index, which must be the first point past the current value of some axis.
static void advance(struct pps_cursor *cursor, uint64_t index)
{
    cursor->index = index;
    if (index >= cursor->space->n_points)
        return;
    if (cursor->space->sample != NULL)
        pps_sample_place(cursor);
    else
        pps_grid_advance(cursor);
}

void pps_cursor_step(struct pps_cursor *cursor)
{
    advance(cursor, cursor->index + 1);
}

// ---- skipping -------------------------------------------------------------------------------

// Returns the reason why the current point is skipped, and the axis that decides it; -1: the
// point is not skipped.
static int refusal(const struct pps_cursor *cursor, int *level)
{
    const struct pps_space *space = cursor->space;
    for (int d = cursor->fresh; d < space->n_axes; d++) {
        *level = d;
        if (cursor->level[d].refused)
            return space->range_reason[d];
        for (uint32_t rules = space->rules_of[d]; rules != 0; rules &= rules - 1) {
            const int r = __builtin_ctz(rules);
            if (pps_expr_value(space->rules[r].expr, cursor->point) == 0)
                return r;
        }
    }
    *level = space->n_axes - 1;
    const int reason = space->kernel->check(cursor->point, space->kernel->shared);
    return reason == 0 ? -1 : space->kernel_reason + reason - 1;
}

int pps_space_cells(const struct pps_space *space)
{
    int n = space->n_columns;
    for (int c = 0; c < space->n_columns; c++)
        n += (space->typed >> space->columns[c] & 1) != 0;
    return n;
}

// Writes the cells of number and name, one of them empty; returns the end.
static size_t put_typed(char *prefix, size_t at, const struct pps_axis_cell *cell, double value)
{
    const bool is_name = value < 0;
    if (is_name)
        prefix[at++] = ',';
    memcpy(prefix + at, cell, sizeof *cell);
    at += cell->n;
    if (!is_name)
        prefix[at++] = ',';
    return at;
}

static void join_prefix(struct pps_cursor *cursor)
{
    const struct pps_space *space = cursor->space;
    size_t at = cursor->offset[cursor->stale];
    for (int c = cursor->stale; c < space->n_columns; c++) {
        const int p = space->columns[c];
        const struct pps_axis_cell *cell = cursor->cells.of[p];
        if ((space->typed >> p & 1) != 0) {
            at = put_typed(cursor->prefix, at, cell, cursor->point[p]);
        } else {
            memcpy(cursor->prefix + at, cell,
                   sizeof *cell); // text with padding: one move of 32 bytes
            at += cell->n;
        }
        cursor->offset[c + 1] = at;
    }
    cursor->prefix_n = at;
    cursor->stale = space->n_columns;
}

bool pps_cursor_next(struct pps_cursor *cursor, uint64_t end, struct pps_left_out *left_out)
{
    return pps_cursor_next_within(cursor, end, UINT64_MAX, left_out);
}

bool pps_cursor_next_within(struct pps_cursor *cursor, uint64_t end, uint64_t most,
                            struct pps_left_out *left_out)
{
    for (; cursor->index < end && most > 0; most--) {
        int level;
        const int reason = refusal(cursor, &level);
        cursor->fresh = INT_MAX;
        if (reason < 0) {
            join_prefix(cursor);
            return true;
        }
        const uint64_t past = cursor->level[level].end < end ? cursor->level[level].end : end;
        if (left_out[reason].n == 0)
            left_out[reason].example = cursor->index;
        left_out[reason].n += past - cursor->index;
        if (past < end)
            advance(cursor, past);
        cursor->index = past;
    }
    return false;
}

const struct pps_axis *pps_space_axis_of(const struct pps_space *space, int p)
{
    for (int d = 0; d < space->n_axes; d++)
        if ((space->axes[d].sets >> p & 1) != 0)
            return &space->axes[d];
    return NULL;
}
