// SPDX-License-Identifier: Apache-2.0
// The one interface between the engine and a kernel (a model of training). All that a kernel
// needs of the engine is here; the engine knows of a kernel what its `struct pps_kernel` says.
//
// A kernel is a pure function from points to rows: no globals, no files, no clock, no locale,
// no memory of its own beyond the scratch it is given. The same point gives the same bits on
// every thread, in every batch, in every order. Any function here may be called from several
// threads at once, each with its own batch and scratch. What all points of an experiment share
// (documents such as a model's description) is read once by `open` and constant from then on.
#ifndef PPS_KERNEL_H
#define PPS_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- parameters -----------------------------------------------------------------------------

enum pps_kind {
    PPS_INTEGER, // whole, |x| < 2^53
    PPS_REAL,    // finite
    PPS_BOOLEAN, // false or true
    PPS_CHOICE,  // one of `names`
};

// Every value of a parameter travels as a double: an integer or a real as itself, a boolean as
// 0 or 1, a choice as its index in `names`. A real may have `names` besides its numbers (a
// priority is a weight, or a tier a...z): names[i] travels as -1 - i, so min must be >= 0.
struct pps_param {
    const char *name;
    const char *symbol;  // what formulas call it ("N"): a second name in expressions; or NULL
    const char *unit;    // "" where there is none
    const char *summary; // one line
    enum pps_kind kind;
    double fallback; // the default, as it travels
    double min, max; // of the numbers; INFINITY: no limit
    bool min_open;   // min itself is not allowed
    bool max_open;
    const char *const *names; // ends with NULL; or NULL (a slot's: the documents given)
    bool fixed;               // only a document says it: known to expressions, not to be set
    bool changes_work; // how much useful work a point does, so that less of it takes less time
};

static inline double pps_name_value(int i)
{
    return -1.0 - i;
}

// ---- columns --------------------------------------------------------------------------------

enum pps_column_kind {
    PPS_COLUMN_REAL,
    PPS_COLUMN_INTEGER,
    PPS_COLUMN_TEXT, // no comma, quote, line break or control character
};

enum pps_goal {
    PPS_NEUTRAL,
    PPS_LOWER, // smaller is better
    PPS_HIGHER,
};

// The first column, a number, is the objective unless the user names another.
struct pps_column {
    const char *name;
    const char *unit;
    const char *summary;
    enum pps_column_kind kind;
    int decimals; // of a real, where the user does not say
    int text_max; // of a text: its greatest length
    enum pps_goal goal;
    bool on_request; // shown only with --metrics
    bool by_name;    // shown only where --metrics or --objective names it: a costly column
    bool size_free;  // comparable between points that do different amounts of work
};

// ---- composite axis -------------------------------------------------------------------------

// One index that sets several parameters at once. It is the innermost axis of a grid in which
// none of its parameters is an axis of its own.

enum pps_option_kind {
    PPS_OPTION_NUMBER,      // a positive number
    PPS_OPTION_ASSIGNMENTS, // one of `words`, or a list of {member: name} objects
};

struct pps_option {
    const char *name; // the key in an experiment; also --name on the command line
    const char *summary;
    enum pps_option_kind kind;
    double fallback;          // of a number; index in `words` otherwise
    const char *const *words; // ends with NULL; or NULL
};

// What the experiment says of an option.
struct pps_option_value {
    double number;
    int word;      // index in `words`; -1: `rows` hold a list
    size_t n_rows; // of a list
    double *rows;  // n_rows x n_members, NAN where the object does not name the member
};

struct pps_refusal {
    int option;     // index of the option at fault
    char text[512]; // what is wrong and what to write
};

struct pps_composite {
    int n_members;
    const int *members;        // indices of the parameters it sets
    const char *const *labels; // their short names, as keys of an assignment
    const struct pps_option *options;
    int n_options;
    // Number of values, at most 2^53; false: refused, with the reason.
    bool (*count)(const struct pps_option_value *options,
                  uint64_t *count,
                  struct pps_refusal *refusal);
    // Members' values for index < count.
    void (*value)(const struct pps_option_value *options, uint64_t index, double *values);
    // The inverse; false where no index has these values.
    bool (*find)(const struct pps_option_value *options, const double *values, uint64_t *index);
};

// ---- documents ------------------------------------------------------------------------------

struct cJSON;
struct pps_command; // tool.h

// A document that an experiment names under "inputs": the description of a model, of a cluster.
// A slot with a parameter may be given several, and is an axis then.
struct pps_slot {
    const char *name; // the key
    const char *summary;
    bool required;
    int param;       // PPS_CHOICE without names: the number of the document; -1: takes one only
    const int *sets; // n_sets parameters whose values a document says where nobody else does
    int n_sets;
};

struct pps_document {
    int slot;
    const char *name;         // "name" in the document, or its file's
    const struct cJSON *root; // as long as `open` runs
};

// What is wrong with a document.
struct pps_fault {
    int document;
    const struct cJSON *item; // the value at fault; NULL: the document as a whole
    bool at_key;
    char text[512]; // what is wrong and what to write
};

// A set of axes and rules by name. What the experiment says of a parameter takes the place of the
// preset's axis.
struct pps_preset_axis {
    const char *param;
    const char *values; // an expression, or a list as JSON writes it
};

struct pps_preset {
    const char *name;
    const char *summary;
    const struct pps_preset_axis *axes; // in order, ended with a NULL name
    const char *const *rules;           // end with NULL
};

// ---- running --------------------------------------------------------------------------------

enum pps_outcome {
    PPS_DONE,
    PPS_FAILED,  // the kernel could not finish the point: a row with empty results
    PPS_STOPPED, // the stop flag was up: no row, computed again later
    // The answer is that it cannot be done: a row that says why. The first column is NAN; a number
    // that is NAN stands in the row as an empty cell.
    PPS_INFEASIBLE,
};

// Points in, results out; one array a parameter and a column, which do not overlap.
struct pps_batch {
    size_t n_points;
    const double *const *param; // param[p][i]: parameter p of point i
    double *const *column;      // column[c][i]; column[c] is NULL where nobody asked for it
    char *const *text;          // the same of texts: that of point i, ended with NUL, is at
                                // text[c] + i * (text_max + 1)
    uint8_t *outcome;           // enum pps_outcome of point i
    size_t *n_recalled; // grows by the points known from earlier ones, not computed; or NULL
    double *n_events; // grows by the events simulated, if the kernel has such, counted for each
                      // point as though it were alone; or NULL
};

struct pps_worker {
    // As many bytes as scratch_bytes said, 64-byte aligned; zero at first, then as the worker's last
    // call left it. What is kept there may save work, never change a result.
    void *scratch;
    const atomic_bool *stop; // poll it when a point is long
    bool exact;              // take no short cut that could change a bit of a result
    const void *shared;      // what `open` made
    // A point whose simulation takes more events than this fails (PPS_FAILED), in `run` and in
    // `reference`; only for a kernel that counts_events. 0: no limit.
    uint64_t point_limit;
};

// ---- trace ----------------------------------------------------------------------------------

// A piece of a task's life during which its rate is constant.
struct pps_piece {
    int32_t group;   // the process of the picture: a GPU
    int32_t track;   // index in `tracks`: the lane within it
    int32_t kind;    // index in `kinds`
    int32_t item;    // micro-batch, from 0
    int32_t ordinal; // the label: the micro-batch, or the ordinal among its kind
    double start, end;
    double rate;
    bool flag; // what `flag` names: throttled
};

// A quantity that changes at `time` and keeps its value until the next of the same group.
struct pps_level {
    int32_t group;
    int32_t counter; // index in `counters`
    double time, value;
};

// A bound that a counter should keep to.
struct pps_limit {
    int32_t group, counter;
    double value;
};

struct pps_trace_sink {
    void *self;
    void (*piece)(void *self, const struct pps_piece *piece);
    void (*level)(void *self, const struct pps_level *level);
    void (*limit)(void *self, const struct pps_limit *limit); // before any piece
};

struct pps_trace_names {
    const char *group;         // "gpu"
    const char *item;          // "micro_batch"
    const char *flag;          // "throttled"
    const char *const *tracks; // end with NULL
    const char *const *kinds;
    const char *const *counters; // "memory_gib"; or NULL
    const char *time_unit;       // "us"; or NULL: the model's own
};

// ---- the kernel -----------------------------------------------------------------------------

// What `plot` draws unless told otherwise. Names of parameters and columns.
struct pps_heatmap {
    const char *x, *y, *value;
    const char *split; // a *name* of this parameter makes a map of its own; or NULL
    bool best;      // a cell is the best of its rows by the value's goal, over all parameters
    const char *by; // but these, with commas between, which make maps of their own; or NULL
};

// Columns that add up to something: what `plot --stack NAME` draws as the parts of a bar. They
// are of one unit and never negative.
struct pps_stack {
    const char *name;    // of no column
    const char *columns; // two or more, with commas between, the first at the bar's foot
};

// What `bench` varies: whole numbers of a parameter, from small to large.
enum { PPS_BENCH_VALUES = 6 };

struct pps_bench_axis {
    const char *param;
    double values[PPS_BENCH_VALUES];
    int n;
};

struct pps_kernel {
    const char *name;
    const char *summary;
    const char *source;  // the paper or definition it reproduces
    const char *version; // changes whenever a row or the list of reasons could

    const struct pps_param *params;
    int n_params;
    const struct pps_column *columns;
    int n_columns;
    const char *const *reasons; // why a point is left out; reasons[0] unused; ends with NULL
    const struct pps_composite *composite; // or NULL
    bool counts_events; // it simulates events, and keeps to a worker's point_limit
    struct pps_heatmap heatmap;
    const struct pps_stack *stacks;            // ends with a NULL name; or NULL
    const struct pps_trace_names *trace_names; // or NULL: no trace
    // A column: of infeasible points, the one that is best in it is nearest to feasible; or NULL.
    const char *nearest;
    const struct pps_bench_axis *bench_axes; // ends with a NULL name; or NULL
    const char *bench_experiment; // what `bench` sweeps; NULL: many values of one parameter
    const struct pps_slot *slots; // n_slots; documents
    int n_slots;
    const struct pps_preset *presets;       // end with a NULL name; or NULL
    const struct pps_command *const *tools; // verbs of its own, ended with NULL; or NULL

    // ---- documents; all NULL where there are no slots ----

    // Reads them: those of slot 0 first, in the order in which their numbers go. What it made is
    // handed to all functions below. false: fault says why, nothing was made. Without memory
    // fault->text is empty.
    bool (*open)(const struct pps_document *documents,
                 int n_documents,
                 void **shared,
                 struct pps_fault *fault);
    void (*close)(void *shared);
    // Values of the parameters that the slot `sets`, as document i of that slot says them. Asked
    // once; those outside of a parameter's range are refused, and points have them as rows show them.
    void (*values)(const void *shared, int slot, int i, double *values);

    // ---- points; `shared` is what `open` made, NULL without slots ----

    // Scratch for points none of whose parameters exceeds highest[p]; SIZE_MAX: too large.
    size_t (*scratch_bytes)(const double *highest, const void *shared);
    // 0: meaningful; otherwise an index in `reasons`. The parameters are within their ranges.
    int (*check)(const double *point, const void *shared);
    // About how many nanoseconds the point takes; deterministic. Blocks are made by it, and the time
    // that a run still takes is told by how it changes along the points.
    double (*cost)(const double *point, const void *shared);
    // How many points like it take hardly longer in one batch than one of them; NULL: 1.
    int (*together)(const double *point, const void *shared);
    // Every point of the batch has passed `check`.
    void (*run)(const struct pps_batch *batch, const struct pps_worker *worker);
    // The same by the slow, obviously right way, for checks of `run`; it may take memory of its
    // own. Rows agree to `tolerance`, relative.
    void (*reference)(const struct pps_batch *batch, const struct pps_worker *worker);
    double tolerance;
    // A value that the first column cannot be below, as `run` would give it (rounding included);
    // its goal is PPS_LOWER. Far cheaper than the point; or NULL. The point has passed `check`.
    double (*lower_bound)(const double *point, const void *shared);
    // The pieces of one point that has passed `check`, in order of their start.
    enum pps_outcome (*trace)(const double *point,
                              const struct pps_worker *worker,
                              const struct pps_trace_sink *sink);

    const void *shared; // of a kernel that has been given documents (inputs.h); otherwise NULL
};

#endif
