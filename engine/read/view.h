// SPDX-License-Identifier: Apache-2.0
// A view is a result file with the roles of its columns (parameter or result), their units and
// goals, and the rows that pass `key=value` filters. The roles come from the manifest beside
// the file; without a manifest, from the kernel that has all columns.
#pragma once

#include "base/text/status.h"
#include "engine/read/result.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pps_role {
    PPS_ROLE_OTHER, // neither, or unknown
    PPS_ROLE_PARAM,
    PPS_ROLE_RESULT,
};

struct pps_view_column {
    const char *name;
    char unit[32]; // "" if there is none
    enum pps_role role;
    enum pps_goal goal; // of a result
    bool is_text;       // words, not numbers
    // A comparison, such as b - a: the value `equal` means no difference, and `note` says in a few
    // words what is compared (NULL: nothing). The note belongs to whoever adds the column.
    bool is_compared;
    double equal;
    const char *note;
};

// Joins the two columns of each typed parameter (typed_columns.h) for all later rows; the joined
// column has the cell that is not empty.
void pps_typed_join(struct pps_result *result, const struct pps_kernel *kernel);

struct pps_filter;
struct pps_derived;

struct pps_view {
    struct pps_result *result;
    const char *path;
    const struct pps_kernel *kernel; // NULL: unknown
    struct pps_view_column *columns;
    int n_columns;
    bool roles_known; // false: every role is PPS_ROLE_OTHER
    int first;        // index in the file of the kernel's first column; -1: missing
    struct pps_filter *filters;
    int n_filters;
    struct pps_derived *derived;
    int n_derived;
    char partial[160]; // "partial: 100 of 1584 points (--limit)"; "" for a complete result
};

// The result and rows to view.
struct pps_view_ask {
    const char *path;                        // as pps_result_open takes it; must stay valid
    const struct pps_kernel *const *kernels; // all known kernels, ended with NULL
    const char **filters; // n_filters words as filter.h has them: rows to keep
    int n_filters;
    const char **lets; // n_lets words NAME = EXPRESSION: columns to compute
    int n_lets;
    // Adds columns with pps_view_add, before those of `lets`; or NULL.
    enum pps_status (*add)(void *self, struct pps_view *view, struct pps_error *err);
    void *self; // of `add`
    struct pps_read_watch watch;
};

// Opens a view. An unknown key in a filter is PPS_E_INPUT. After an error there is nothing to
// close.
PPS_MUST_CHECK enum pps_status pps_view_open(struct pps_view *view,
                                             const struct pps_view_ask *ask,
                                             struct pps_error *err);
void pps_view_close(struct pps_view *view); // a zeroed view is fine

// Appends a computed column to the view and to all later rows. PPS_E_INPUT if the result has a
// column of this name, or too many computed columns.
PPS_MUST_CHECK enum pps_status pps_view_add(struct pps_view *view,
                                            const struct pps_result_derived *derived,
                                            const struct pps_view_column *column,
                                            struct pps_error *err);

// Reads the next row that passes every filter, as pps_result_next does.
PPS_MUST_CHECK enum pps_status pps_view_next(struct pps_view *view,
                                             const struct pps_cell **cells,
                                             struct pps_error *err);

// pps_view_passes returns whether a row passes every filter. pps_view_filtered returns the columns
// that filters use, one bit for each of the first 64 columns.
bool pps_view_passes(const struct pps_view *view, const struct pps_cell *cells);
uint64_t pps_view_filtered(const struct pps_view *view);

// Returns whether the row has a usable result: the kernel's first column is empty if the point
// is infeasible (with any values in the other columns) or has failed.
bool pps_view_is_done(const struct pps_view *view, const struct pps_cell *cells);

// Finds the column with this name. PPS_E_INPUT, with the nearest known name, if there is none;
// the message names `option` ("--x").
PPS_MUST_CHECK enum pps_status pps_view_column(const struct pps_view *view, const char *option,
                                               const char *name, int *column,
                                               struct pps_error *err);

// Returns the values, separated by commas, by which a filter selects rows in this column; NULL:
// no filter.
const char *pps_view_filter(const struct pps_view *view, int column);

// Returns the text of filter i if the filter is a rule; NULL if it is a list of values.
const char *pps_view_rule(const struct pps_view *view, int i);

// Parses a list of columns separated by commas. *columns (the caller frees it in every case)
// has *n columns in the given order. An empty list is fine; commas alone are an error.
PPS_MUST_CHECK enum pps_status pps_view_list(const struct pps_view *view, const char *option,
                                             const char *list, int **columns, int *n,
                                             struct pps_error *err);

// Finds the column that ranks rows: the named column, or, if name is NULL, the kernel's `ranks`, its first
// column that the file has, or the first result column. The message names `option`.
// PPS_E_INPUT for a column of words.
PPS_MUST_CHECK enum pps_status pps_view_objective(const struct pps_view *view,
                                                  const char *option, const char *name,
                                                  int *column, struct pps_error *err);

// Writes the file name of a result without folder and endings; "stdin" for "-". Writes at most
// cap bytes.
void pps_view_stem(const char *path, char *out, size_t cap);
