// SPDX-License-Identifier: Apache-2.0
// A result file as those who look at it see it: which columns are parameters and which are
// results, their units and goals, and the rows that pass `key=value` filters. What a column is
// comes from the manifest beside the file; without one, from the kernel that has all of them.
#ifndef PPS_VIEW_H
#define PPS_VIEW_H

#include "kernel.h"
#include "result.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pps_role {
    PPS_ROLE_OTHER, // neither, or nobody knows
    PPS_ROLE_PARAM,
    PPS_ROLE_RESULT,
};

struct pps_view_column {
    const char *name;
    char unit[32]; // "" where there is none
    enum pps_role role;
    enum pps_goal goal; // of a result
    bool is_text;       // words, no numbers
};

struct pps_filter;

struct pps_view {
    struct pps_result *result;
    const char *path;
    const struct pps_kernel *kernel; // NULL: unknown
    struct pps_view_column *columns;
    int n_columns;
    bool roles_known; // false: every role is PPS_ROLE_OTHER
    int first;        // the kernel's first column, as it stands in the file; -1: it does not
    struct pps_filter *filters;
    int n_filters;
    char partial[160]; // "partial: 100 of 1584 points (--limit)"; "" of a whole result
};

// What to look at.
struct pps_view_ask {
    const char *path;                        // as pps_result_open takes it; must stay valid
    const struct pps_kernel *const *kernels; // those there are, ended with NULL
    const char **filters; // n_filters words as filter.h has them: rows to keep
    int n_filters;
};

// On failure the view is closed already. An unknown key in a filter is PPS_E_INPUT.
PPS_MUST_CHECK enum pps_status pps_view_open(struct pps_view *view,
                                             const struct pps_view_ask *ask,
                                             struct pps_error *err);
void pps_view_close(struct pps_view *view); // a zeroed one is fine

// The next row that passes every filter; as pps_result_next.
PPS_MUST_CHECK enum pps_status pps_view_next(struct pps_view *view,
                                             const struct pps_cell **cells,
                                             struct pps_error *err);

// Whether a row passes every filter, and the columns, of the first 64, that filters look at.
bool pps_view_passes(const struct pps_view *view, const struct pps_cell *cells);
uint64_t pps_view_filtered(const struct pps_view *view);

// Whether the row says how well its point does: the kernel's first column is empty where a point
// cannot be done, whatever the others say, or has failed.
bool pps_view_is_done(const struct pps_view *view, const struct pps_cell *cells);

// The column of this name. PPS_E_INPUT, with the nearest known name, where there is none;
// `option` ("--x") says who asks.
PPS_MUST_CHECK enum pps_status pps_view_column(const struct pps_view *view,
                                               const char *option,
                                               const char *name,
                                               int *column,
                                               struct pps_error *err);

// The values, with commas between, by which a filter chooses rows in this column; NULL: none.
const char *pps_view_filter(const struct pps_view *view, int column);

// The text of filter i where it is a rule, not a list of values; NULL.
const char *pps_view_rule(const struct pps_view *view, int i);

// Columns named in a list with commas between; *columns (malloc, to be freed in every case) has
// *n of them, in the order named. An empty list is fine, commas alone are not.
PPS_MUST_CHECK enum pps_status pps_view_list(const struct pps_view *view,
                                             const char *option,
                                             const char *list,
                                             int **columns,
                                             int *n,
                                             struct pps_error *err);

// The column to judge rows by: the one named, or where name is NULL the kernel's first column
// that the file has (the first result of the manifest). `option` is what names it. PPS_E_INPUT for
// one of words.
PPS_MUST_CHECK enum pps_status pps_view_objective(const struct pps_view *view,
                                                  const char *option,
                                                  const char *name,
                                                  int *column,
                                                  struct pps_error *err);

// File name of a result without folder and endings; "stdin" for "-". Writes at most cap bytes.
void pps_view_stem(const char *path, char *out, size_t cap);

#endif
