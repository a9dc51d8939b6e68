// SPDX-License-Identifier: Apache-2.0
// An experiment is a JSON file with additions from the command line, resolved to a kernel, a
// space of points, columns and their digest. Built once, then const.
#pragma once

#include "base/document/json.h"
#include "base/text/status.h"
#include "engine/experiment/documents.h"
#include "engine/space/space.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MAX_OPTIONS = 8, PPS_MAX_COLUMNS = 64, PPS_DEFAULT_DIGITS = -2 };

// key=text of the command line: a parameter (-s n=8,16) or an option of the kernel's composite
// axis (--priority-step 0.1).
struct pps_override {
    const char *key;
    const char *text;
    bool is_option;
};

#define PPS_POINT_LIMIT_MAX (((uint64_t)1 << 53) - 1)

struct pps_request {
    const struct pps_kernel *const *kernels; // ends with NULL; the first is the default
    const char *path;                        // of the experiment; NULL: overrides only
    const char *text; // the experiment itself, where path is NULL; or NULL
    const struct pps_override *overrides;
    int n_overrides;
    const char *points;      // --points; NULL
    const char *const *lets; // --let: n_lets computed columns as NAME=EXPRESSION; or NULL
    int n_lets;
    const char *sample; // --sample: "method:count" in place of the experiment's sample; or NULL
    const char *metrics; // --metrics, as for pps_columns_choose
    const char
        *objective; // a column that rows show besides, where there is one of this name; or NULL
    int digits;     // PPS_DEFAULT_DIGITS, PPS_FULL_DIGITS or decimals
    uint64_t limit; // 0: none
    uint64_t seed;
    bool seed_given;
    bool exact;                    // --exact
    bool continuous;               // continuous axes need no sample: they are searched
    uint64_t point_limit;          // --point-limit: events of a point; 0: none
    bool status;                   // --status: rows end with what became of their point
    bool typed;                    // --typed: numbers and names in columns of their own
    struct pps_input_words inputs; // --input
    bool again;       // the experiment is that of a manifest (see struct pps_documents_ask)
    const char *only; // what of all rows is wanted (--only-top), part of the digest; NULL: all
};

struct pps_program;

struct pps_experiment {
    const struct pps_kernel *kernel; // with the documents read, where it has slots
    struct pps_program *program;     // the command that is the kernel; or NULL
    struct pps_documents *inputs;
    struct pps_let_columns *lets; // columns that `kernel` has besides those of `model`; or NULL
    const struct pps_kernel *model; // the kernel without computed columns: what audits compare
    char name[96];                  // of the file, without folder and ending
    struct pps_space space;
    int n_named; // parameters that the experiment names, in its order
    int named[PPS_MAX_PARAMS];
    struct pps_option_value options[PPS_MAX_OPTIONS];
    bool wanted[PPS_MAX_COLUMNS]; // result columns of a row
    int nearest; // the wanted column that compares infeasible rows (pps_kernel.nearest), or -1
    int digits;
    bool exact;             // the kernel takes no short cut
    uint64_t point_limit;   // a point that takes more events fails; 0: none does
    bool status;            // rows have a last column PPS_STATUS_COLUMN
    uint64_t n_points;      // of the space, cut by the limit
    uint64_t seed;          // 0 if the kernel has a seed parameter, which is part of the space
    uint64_t points_digest; // of a file of points
    char *only;             // as in the request; NULL: all rows
    cJSON *resolved;        // the equivalent experiment with every option written out
    uint64_t digest;        // XXH64 of `resolved`
    char *output;           // "output" of the file, or NULL
    char notes[512];        // lines for the user, or ""
};

// Keys of an experiment that are not parameters, ended with NULL. "$schema" is for editors only.
extern const char *const pps_reserved_words[];

// Reads and resolves an experiment. Returns PPS_E_INPUT with the place of the first error.
// After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status pps_experiment_load(struct pps_experiment **experiment,
                                                   const struct pps_request *request,
                                                   struct pps_error *err);

// Loads the experiment from a tree, for example the tree `resolved` of another experiment. The
// request has no path and no text. Errors have the file `name` and no line. The tree is copied.
// After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status pps_experiment_load_tree(struct pps_experiment **experiment,
                                                        const struct pps_request *request,
                                                        const char *name, const cJSON *tree,
                                                        struct pps_error *err);
void pps_experiment_free(struct pps_experiment *experiment); // NULL is fine

// Return the name of the column that --status adds, and its text for an outcome.
#define PPS_STATUS_COLUMN "status"
enum { PPS_STATUS_ROOM = 16 }; // bytes of its cell, with a comma, at most
const char *pps_outcome_word(enum pps_outcome outcome);

// Returns the outcome of row `row` of a batch. `outcome` is the kernel's; a finished point has failed
// if one of its results is not a finite number, except for NAN in a column that may be empty. columns[c] may be NULL for c < n_columns.
enum pps_outcome pps_batch_outcome(const struct pps_column *of, uint8_t outcome,
                                   double *const *columns, int n_columns, size_t row);

// Bytes of a text column's cell, its NUL included; 0 of a number.
size_t pps_column_width(const struct pps_column *column);

// The header line of its rows, with a newline; the caller frees it. NULL without memory.
char *pps_experiment_header(const struct pps_experiment *experiment);

// Decimals of column c where the user asks for `digits`: a number, PPS_FULL_DIGITS or
// PPS_DEFAULT_DIGITS.
int pps_column_decimals(const struct pps_kernel *kernel, int c, int digits);

// Marks the result columns of a run with this --metrics. NULL: the columns shown without the
// option. "": all columns except the ones computed only on request by name. Otherwise: also the
// named columns. Returns PPS_E_INPUT for an unknown name.
PPS_MUST_CHECK enum pps_status pps_columns_choose(const struct pps_kernel *kernel,
                                                  const char *metrics, bool *wanted,
                                                  struct pps_error *err);

// PPS_E_INPUT for a limit (not 0) to the events of a kernel that simulates none.
PPS_MUST_CHECK enum pps_status pps_point_limit_check(const struct pps_kernel *kernel,
                                                     uint64_t point_limit,
                                                     struct pps_error *err);

// The kernel of this name (NULL: the first), or PPS_E_INPUT with the nearest name.
PPS_MUST_CHECK enum pps_status pps_kernel_choose(const struct pps_kernel *const *kernels,
                                                 const char *name,
                                                 const struct pps_kernel **kernel,
                                                 struct pps_error *err);

// Returns whether only a document sets the parameter.
bool pps_param_is_given(const struct pps_kernel *kernel, int p);
