// SPDX-License-Identifier: Apache-2.0
// Defines the only interface between the engine and a kernel (a model of training). A kernel
// includes this header alone; the engine knows a kernel only by its `struct pps_kernel`.
//
// A kernel is a pure function from points to rows: no globals, no files, no clock, no locale,
// no memory except the scratch that the engine passes. The same point gives the same bits on
// every thread, in every batch, in every order. Several threads may call any function here at
// the same time, each with its own batch and scratch. `open` reads once the documents that all
// points of an experiment share (for example the description of a model); they are constant
// afterwards.
#ifndef PPS_KERNEL_H
#define PPS_KERNEL_H

#include "ppsweep/fault.h"

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

// Every value of a parameter is passed as a double: an integer or a real as itself, a boolean
// as 0 or 1, a choice as its index in `names`. A real may have `names` in addition to its
// numbers (a priority is a weight, or a tier a...z): names[i] is passed as -1 - i, so min must
// be >= 0.
//
// `aliases` are other names that a user may write for a choice. Rows have the name of the choice.
//
// A parameter named "seed" is the seed of the kernel's random draws: a PPS_INTEGER from 0 up.
// The key "seed" of an experiment sets it and may be a list, which is then an axis; the option
// --seed sets it too.
struct pps_alias {
    const char *name;
    int value; // index in `names`
    const char
        *reason; // why the name is refused and what to write instead; NULL: it is accepted
};

struct pps_param {
    const char *name;
    const char *symbol;  // a second name in expressions ("N"); or NULL
    const char *unit;    // "" where there is none
    const char *summary; // one line
    enum pps_kind kind;
    double fallback; // the default, as a double
    double min, max; // of the numbers; INFINITY: no limit
    bool min_open;   // min itself is not allowed
    bool max_open;
    const char *const *names;        // ends with NULL; or NULL (a slot's: the documents given)
    bool fixed;                      // set by a document only; expressions may use it
    bool changes_work;               // the amount of useful work depends on it
    const struct pps_alias *aliases; // of a choice; ends with a NULL name; or NULL
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

// The first column must be a number. It is the objective unless the user names another column.
struct pps_column {
    const char *name;
    const char *unit;
    const char *summary;
    enum pps_column_kind kind;
    int decimals; // of a real: the default
    int text_max; // of a text: the maximum length
    enum pps_goal goal;
    bool on_request; // shown only with --metrics
    bool by_name;    // shown only where --metrics or --objective names it: a costly column
    bool size_free;  // comparable between points that do different amounts of work
    // A point that is done may have no value here: NAN, an empty cell. In other columns a value that is not finite
    // makes the point PPS_FAILED. Not of the first column.
    bool may_be_empty;
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

// The value of an option in an experiment.
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
    // Keys of an experiment that set all members at once, as {label: value}; members without a
    // value are 0. The value of a later key replaces that of an earlier one. Ends with NULL; or
    // NULL: none.
    const char *const *dictionaries;
    const struct pps_option *options;
    int n_options;
    // Number of values, at most 2^53; false: refused, with the reason.
    bool (*count)(const struct pps_option_value *options, uint64_t *count,
                  struct pps_refusal *refusal);
    // Writes the values of the members for index < count.
    void (*value)(const struct pps_option_value *options, uint64_t index, double *values);
};

// ---- documents ------------------------------------------------------------------------------

struct cJSON;

// A kind of document that an experiment names under "inputs": the description of a model or of
// a cluster. A slot with a parameter accepts several documents and is then an axis.
struct pps_slot {
    const char *name; // the key
    const char
        *summary; // at the end, in parentheses: what holds without a document, if anything
    bool required;
    int param; // PPS_CHOICE without names: the number of the document; -1: one document only
    // The parameters that a document of this slot sets. The experiment and the options of a run
    // override the document. NULL: none.
    const int *sets;
    int n_sets;
    // The slot also takes text that is not a JSON object: a file whose first character, apart
    // from blanks and comments, is not {; or {"text": "..."} in an experiment.
    bool text;
    // Turns a file that is no document of the kernel but can be read as one, such as a launch script, into the JSON
    // text of a document, which the engine frees with free(). path: its name, for the form. fault->text is "" before the call. Returns
    // NULL: with fault->text "" the file is none of these, and the engine reads it as any other; otherwise it is one with
    // an error, at a line and a column. NULL: the slot turns no files.
    char *(*convert)(const char *path, const char *text, size_t n, struct pps_fault *fault);
};

// A document has either a root or a text; both are valid while `open` runs. In a fault, `item`
// is in the root; `line` and `column` are in the text.
struct pps_document {
    int slot;
    const char *name; // "name" in the document, or the name of its file
    const struct cJSON *root;
    const char *text; // n bytes of UTF-8 without NUL, then a NUL
    size_t n;
};

// A named set of axes and rules. A parameter that the experiment sets replaces the axis of the
// preset.
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
    // The point is valid and cannot run: a row with the reason. The first column is NAN; the
    // row shows a NAN as an empty cell.
    PPS_INFEASIBLE,
    // Memory ran out, which is no property of the point: the command ends with "out of memory", and the row is
    // computed again later.
    PPS_NO_MEMORY,
};

// Points in, results out: one array per parameter and per column. The arrays do not overlap.
struct pps_batch {
    size_t n_points;
    const double *const *param; // param[p][i]: parameter p of point i
    double *const *column;      // column[c][i]; column[c] is NULL if not wanted
    char *const *text;          // text columns: the NUL-terminated text of point i is at
                                // text[c] + i * (text_max + 1)
    uint8_t *outcome;           // enum pps_outcome of point i
    size_t *n_recalled;         // run adds the points recalled, not computed; or NULL
    double *n_events; // run adds the simulated events, if the kernel has any, counted for each
                      // point as if it were alone; or NULL
};

struct pps_worker {
    // scratch_bytes bytes, 64-byte aligned: zero before the first call, then unchanged between
    // the calls of a worker. Data kept in it may save work but never changes a result.
    void *scratch;
    const atomic_bool *stop; // poll it during a long point
    bool exact;              // disable shortcuts that could change a bit of a result
    const void *shared;      // the result of `open`
    // A point whose simulation takes more events than this fails (PPS_FAILED), in `run` and in
    // `reference`; only for a kernel that counts_events. 0: no limit.
    uint64_t point_limit;
};

// ---- trace ----------------------------------------------------------------------------------

// A segment of a task: its rate is constant from `start` to `end`.
struct pps_piece {
    int32_t group;   // the process in the trace: a GPU
    int32_t track;   // index in `tracks`: the lane within it
    int32_t kind;    // index in `kinds`
    int32_t item;    // micro-batch, from 0
    int32_t ordinal; // the label: the micro-batch, or the ordinal among its kind
    double start, end;
    double rate;
    bool flag;     // named by `flag` of the names: throttled
    int32_t chunk; // the model chunk, from 0; used only if the names name it
};

// A quantity that changes at `time` and keeps its value until the next of the same group.
struct pps_level {
    int32_t group;
    int32_t counter; // index in `counters`
    double time, value;
};

// A limit that a counter should not exceed.
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

// Another arrangement of the tracks: track_of[t] is the index in `tracks` of the view of track t.
struct pps_trace_view {
    const char *name;          // NULL ends a list
    const char *const *tracks; // end with NULL
    const int32_t *track_of;
};

struct pps_trace_names {
    const char *group;         // "gpu"
    const char *item;          // "micro_batch"
    const char *flag;          // "throttled"
    const char *const *tracks; // end with NULL
    const char *const *kinds;
    const char *const *counters;        // "memory_gib"; or NULL
    const char *time_unit;              // "us"; or NULL: the model's own
    const struct pps_trace_view *views; // the first is the default; or NULL: no other view
    const char *chunk;                  // "chunk"; or NULL: no piece has a chunk
    // The name of the time at which the trace of every point ends: a column of the row with the
    // same value and unit, "total_time". NULL: no column has this value.
    const char *end;
    // What the load of a group is summed over: track t counts for loads[load_of[t]], "network".
    // NULL: each track for itself.
    const char *const *loads; // end with NULL
    const int32_t *load_of;
};

// ---- artifacts ------------------------------------------------------------------------------

// A text that the kernel can write of a point besides its row: an order as CSV, a plan as JSON.
// `trace RESULT --row K --as NAME` writes it.
struct pps_artifact {
    const char *name; // a lower-case identifier
    const char *summary;
    const char *ending; // of the file's name: ".csv"
};

struct pps_text_sink {
    void *self;
    void (*write)(void *self, const char *text, size_t n); // appends n bytes
};

// ---- the kernel -----------------------------------------------------------------------------

// The default picture of `plot`: names of parameters and columns.
struct pps_heatmap {
    const char *x, *y, *value;
    const char *split; // each *name* of this parameter gets its own map; or NULL
    bool best;         // a cell shows its best row by the value's goal, over all parameters
    // Parameters, separated by commas, over which no best row is taken: each combination of
    // their values gets its own map. NULL: none.
    const char *by;
    // What the names among the numbers of x and y mean, as pictures explain them: "strict
    // priority". NULL: they explain themselves.
    const char *names_mean;
    // What axes of pictures write beside the names of parameters and columns, as in
    // "n=micro-batches". Ends with NULL; or NULL.
    const char *const *texts;
};

// Columns that add up to a total: `plot --stack NAME` draws them as the parts of a bar. They
// have the same unit and are never negative.
struct pps_stack {
    const char *name;    // not the name of a column
    const char *columns; // two or more, separated by commas, from the foot of the bar up
};

// An axis that `bench` varies: whole numbers of a parameter, in ascending order.
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
    const char *version; // changes with every change of a row or of the list of reasons

    const struct pps_param *params;
    int n_params;
    const struct pps_column *columns;
    int n_columns;
    const char *const *reasons; // why a point is skipped; reasons[0] unused; ends with NULL
    const struct pps_composite *composite; // or NULL
    bool counts_events; // it simulates events and obeys the point_limit of a worker
    struct pps_heatmap heatmap;
    const struct pps_stack *stacks;            // ends with a NULL name; or NULL
    const struct pps_trace_names *trace_names; // or NULL: no trace
    // What results are compared with by default: "KEY=VALUE,KEY=VALUE", such as equal weights.
    // NULL: nothing.
    const char *baseline;
    // A column by whose goal infeasible points are compared: reports show the infeasible point
    // with the best value as the nearest to feasible. NULL: none.
    const char *nearest;
    // A column that ranks rows where they show it, instead of the first column: a mean over
    // noise. NULL: none.
    const char *ranks;
    const struct pps_bench_axis *bench_axes; // ends with a NULL name; or NULL
    const char *bench_experiment; // what `bench` sweeps; NULL: many values of one parameter
    const struct pps_slot *slots; // n_slots; documents
    int n_slots;
    const struct pps_preset *presets; // end with a NULL name; or NULL

    // ---- documents; all NULL where there are no slots ----

    // Reads the documents, slot 0 first, in the order of their numbers. All functions below get
    // *shared; `close` frees it. false: `fault` contains the error and the engine frees
    // nothing; an empty fault->text means out of memory.
    bool (*open)(const struct pps_document *documents, int n_documents, void **shared,
                 struct pps_fault *fault);
    void (*close)(void *shared);
    // Writes the values that document i of the slot sets, in the order of `sets`. Called once
    // per document. The engine refuses values out of range and rounds the others as rows show
    // them.
    void (*values)(const void *shared, int slot, int i, double *values);
    // Finds what is doubtful in documents that `open` has read: figures that contradict each other, keys without a meaning.
    // Writes at most `most` faults, with places as those of `open`, and returns their number. Commands print them as
    // warnings, and a manifest lists them. Or NULL.
    int (*doubts)(const struct pps_document *documents, int n_documents, const void *shared,
                  struct pps_fault *doubts, int most);

    // ---- points; `shared` is the result of `open`, NULL without slots ----

    // Returns the scratch for all points whose parameters are <= highest[p]; SIZE_MAX: too
    // large.
    size_t (*scratch_bytes)(const double *highest, const void *shared);
    // Returns 0 for a valid point, otherwise an index in `reasons`. All parameters are in
    // range.
    int (*check)(const double *point, const void *shared);
    // Writes to reason[i] what `check` returns for point i of n, in less time than n calls of
    // `check`. param[p][i] is parameter p of point i. Or NULL.
    void (*check_points)(const double *const *param, size_t n, const void *shared, int *reason);
    // Returns a deterministic estimate of the time of the point in ns. It sets the size of
    // blocks, and its changes along the points enter the forecast of the remaining time.
    double (*cost)(const double *point, const void *shared);
    // Returns the natural width of a batch at this point, for example the number of SIMD lanes:
    // up to this many similar points take about as long as one. NULL: 1.
    int (*together)(const double *point, const void *shared);
    // Computes the rows of a batch. Every point has passed `check`.
    void (*run)(const struct pps_batch *batch, const struct pps_worker *worker);
    // Computes the same rows with the slow, obviously correct method, to check `run`. It may
    // allocate. Rows agree to the relative `tolerance`.
    void (*reference)(const struct pps_batch *batch, const struct pps_worker *worker);
    double tolerance;
    // Returns a lower bound of the first column as `run` computes it (rounding included), at
    // far less cost than `run`. The goal of the column is PPS_LOWER. The point has passed
    // `check`. Or NULL.
    double (*lower_bound)(const double *point, const void *shared);
    // Sends the segments of one point, which has passed `check`, in order of start.
    enum pps_outcome (*trace)(const double *point, const struct pps_worker *worker,
                              const struct pps_trace_sink *sink);
    const struct pps_artifact *artifacts; // end with a NULL name; or NULL: none
    // Writes artifact `which` of one point, which has passed `check`. PPS_FAILED and
    // PPS_INFEASIBLE: fault->text gives the reason, and nothing that was written is used.
    enum pps_outcome (*artifact)(const double *point, int which,
                                 const struct pps_worker *worker,
                                 const struct pps_text_sink *sink, struct pps_fault *fault);

    const void *shared; // set for a kernel with documents (documents.h); otherwise NULL
};

// ---- kernels in shared libraries --------------------------------------------------------------

// Changes whenever a compiled kernel would no longer fit the structs of this header.
enum { PPS_KERNEL_ABI = 13 };

// A shared library with a kernel exports this object under the name ppsweep_kernel_module.
struct pps_kernel_module {
    int32_t abi;          // PPS_KERNEL_ABI
    uint32_t kernel_size; // sizeof(struct pps_kernel)
    const struct pps_kernel *kernel;
};

// Ends the file of a kernel. If PPS_BUILD_MODULE is defined, exports the kernel from a shared
// library that `ppsweep --kernel FILE.so` loads; otherwise expands to nothing.
#ifdef PPS_BUILD_MODULE
#define PPS_KERNEL_MODULE(table)                                                               \
    extern const struct pps_kernel_module ppsweep_kernel_module;                               \
    const struct pps_kernel_module ppsweep_kernel_module = {                                   \
        PPS_KERNEL_ABI, sizeof(struct pps_kernel), &(table)};
#else
#define PPS_KERNEL_MODULE(table)
#endif

#endif
