// SPDX-License-Identifier: Apache-2.0
// libppsweep evaluates models of pipeline-parallel training, runs whole experiments and reads
// their results, without the command line. For C99 and C++.
//
// Rules for all functions:
//   errors    A function that can fail returns PPSWEEP_OK (0) or another code of `enum
//             ppsweep_code`, and then fills *error. `error` may be NULL. No function prints,
//             ends the process, or changes signal handlers or the locale.
//   NULL      Pointers must be valid unless the comment allows NULL. A handle that is NULL
//             gives PPSWEEP_E_CALL, or the value in the comment; ..._close(NULL) does nothing.
//   strings   Text is UTF-8 and ends with NUL. Strings and structs that a function returns
//             belong to the handle and are valid until it is closed. Strings that the caller
//             passes are copied.
//   size      The first member of a struct that the caller fills is its size, `sizeof (struct
//             ...)`. All other members may be 0 or NULL unless their comment forbids it.
//   threads   Different handles may be used by different threads at the same time. Only
//             ppsweep_model and ppsweep_stop may be used by several threads at once.
//   fork      A child process may use the handles of its parent that no other thread used during
//             the fork, but must not call ppsweep_run if its parent did.
//   locale    The decimal point of the locale (LC_NUMERIC) must be a full stop, as it is unless
//             the program changes it.
//   data      Shipped documents are read from ../share/ppsweep beside the shared library, or from
//             the folder in the environment variable PPSWEEP_DATA if it is set.
//
// Not promised: the text of messages, the order of parameters and columns between versions of a
// kernel (look them up by name), the version of kernels, and the layout of structs between
// different values of PPSWEEP_ABI.
//
// Results equal the results of `ppsweep run`: the same point gives the same bits in every call, with any
// number of points and threads.
#ifndef PPSWEEP_H
#define PPSWEEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PPSWEEP_API __attribute__((visibility("default")))
#else
#define PPSWEEP_API
#endif

// The number of the binary interface. It changes when a program must be compiled again.
#define PPSWEEP_ABI 0

// Returns the PPSWEEP_ABI of the library that is loaded.
PPSWEEP_API int ppsweep_abi(void);

// Returns the version of the library that is loaded, such as "0.1.0".
PPSWEEP_API const char *ppsweep_version(void);

// ---- errors ---------------------------------------------------------------------------------

// Codes from 1 to 5 equal the exit status of the program.
enum ppsweep_code {
    PPSWEEP_OK = 0,
    PPSWEEP_E_MACHINE = 1,    // no memory, a full disk, a failed system call
    PPSWEEP_E_INPUT = 2,      // a document, an experiment, a file or a name is wrong
    PPSWEEP_E_INFEASIBLE = 3, // nothing feasible exists
    PPSWEEP_E_POINTS = 4,     // some points failed, or an audit differs
    PPSWEEP_E_STOPPED = 5,    // the stop flag was raised, or the time limit is over
    PPSWEEP_E_WRONG = 6,      // a file does not contain what it should
    PPSWEEP_E_CALL = 7        // the caller broke a rule of this header
};

struct ppsweep_error {
    int code;        // enum ppsweep_code
    int line;        // from 1; 0: unknown
    int column;      // in characters, from 1; 0: unknown
    char file[512];  // the file or argument at fault, or ""
    char text[4096]; // one line without full stop: what is wrong and what to write
};

// ---- stop flag ------------------------------------------------------------------------------

// A stop flag ends evaluations and runs early. Any number of calls may share a flag.
struct ppsweep_stop;

// Creates a lowered flag. Returns NULL if memory runs out.
PPSWEEP_API struct ppsweep_stop *ppsweep_stop_open(void);
// The flag must not be in use.
PPSWEEP_API void ppsweep_stop_close(struct ppsweep_stop *stop);
// Raises the flag; safe in any thread and in a signal handler. NULL is allowed.
PPSWEEP_API void ppsweep_stop_raise(struct ppsweep_stop *stop);
// Lowers the flag, for the next call. NULL is allowed.
PPSWEEP_API void ppsweep_stop_lower(struct ppsweep_stop *stop);

// ---- kernels and models ---------------------------------------------------------------------

// Returns the name or the summary of kernel k, counted from 0; NULL: there is none.
PPSWEEP_API const char *ppsweep_kernel_name(int k);
PPSWEEP_API const char *ppsweep_kernel_summary(int k);

// A model is a kernel that has read its documents.
struct ppsweep_model;

struct ppsweep_model_options {
    size_t size;
    // The value of "inputs" in an experiment, as JSON text: {"model": "llama3-70b", "cluster":
    // {"devices": 64}}. A document is a path, relative to the working folder, or the name of a
    // shipped document, or the document itself; or a list of these.
    const char *inputs;
    // The options of the kernel's composite axis, as JSON text, as in an experiment:
    // {"priority_step": 0.1, "tiers": "all"}. They determine ppsweep_model_combination.
    const char *options;
    int exact;            // not 0: disable shortcuts; bit-identical on every machine
    uint64_t point_limit; // a point that takes more events fails; 0: no limit
};

// Opens the model of a kernel (such as "contention"; NULL: the first one). options may be NULL.
// On success the caller closes *model; after an error *model is NULL. PPSWEEP_E_INPUT, with the
// place, if the kernel is unknown or a document is wrong or missing.
PPSWEEP_API int ppsweep_model_open(struct ppsweep_model **model, const char *kernel,
                                   const struct ppsweep_model_options *options,
                                   struct ppsweep_error *error);
// No other thread may use the model.
PPSWEEP_API void ppsweep_model_close(struct ppsweep_model *model);

// Return the name of the model's kernel and its version, which changes when its results do; ""
// for NULL.
PPSWEEP_API const char *ppsweep_model_kernel(const struct ppsweep_model *model);
PPSWEEP_API const char *ppsweep_model_version(const struct ppsweep_model *model);

// ---- parameters -----------------------------------------------------------------------------

// Every value of a parameter is a double: a number as itself, a boolean as 0 or 1, a choice as
// its index in `names`. A real may have names besides its numbers (a priority is a weight, or a
// tier a ... z); names[i] is then -1 - i. ppsweep_encode and ppsweep_decode convert text.
enum ppsweep_kind {
    PPSWEEP_INTEGER = 0, // whole, |x| < 2^53
    PPSWEEP_REAL = 1,    // finite
    PPSWEEP_BOOLEAN = 2,
    PPSWEEP_CHOICE = 3
};

struct ppsweep_param {
    const char *name;
    const char *unit; // "" if there is none
    const char *summary;
    const char *domain; // the values that are allowed, in words
    int kind;           // enum ppsweep_kind
    int n_names;
    const char *const *names; // n_names strings, of a boolean too; NULL if n_names is 0
    double fallback;          // the default
    double min, max;          // of the numbers; INFINITY: no limit
    int min_open, max_open;   // not 0: min or max itself is not allowed
    int fixed;                // not 0: documents set it; it has no value of its own
    int by_document;          // not 0: by default the document of the point sets it
    int combined;             // not 0: ppsweep_model_combination sets it
};

// Returns the number of parameters; 0 for NULL.
PPSWEEP_API int ppsweep_model_params(const struct ppsweep_model *model);
// Returns parameter p; NULL if there is none.
PPSWEEP_API const struct ppsweep_param *ppsweep_model_param(const struct ppsweep_model *model,
                                                            int p);
// Returns the index of the parameter, or -1 with an error that suggests a similar name.
PPSWEEP_API int ppsweep_model_find_param(const struct ppsweep_model *model, const char *name,
                                         struct ppsweep_error *error);

// Writes the value of parameter p for a text as in a row of a result: "8", "0.25", "true",
// "1f1b", "a". PPSWEEP_E_INPUT if the parameter does not allow it.
PPSWEEP_API int ppsweep_encode(const struct ppsweep_model *model, int p, const char *text,
                               double *value, struct ppsweep_error *error);

// Writes the text of a value of parameter p, as in a row of a result: at most 15 significant
// digits. PPSWEEP_E_INPUT if the parameter does not allow the value.
enum { PPSWEEP_VALUE_TEXT = 32 };
PPSWEEP_API int ppsweep_decode(const struct ppsweep_model *model, int p, double value,
                               char text[PPSWEEP_VALUE_TEXT], struct ppsweep_error *error);

// Returns the number of values of the kernel's composite axis, which sets several parameters at
// once (the priorities of `contention`); 0 if the kernel has none, and for NULL.
PPSWEEP_API uint64_t ppsweep_model_combinations(const struct ppsweep_model *model);
// Writes values first ... first + n - 1 of the composite axis, in the order of an experiment:
// param[p][i] is parameter p in value first + i. param has one pointer per parameter; pointers
// of parameters that are not `combined` are not used and may be NULL.
PPSWEEP_API int ppsweep_model_combination(const struct ppsweep_model *model, uint64_t first,
                                          size_t n, double *const *param,
                                          struct ppsweep_error *error);

// ---- columns --------------------------------------------------------------------------------

enum ppsweep_column_kind {
    PPSWEEP_COLUMN_REAL = 0,
    PPSWEEP_COLUMN_INTEGER = 1,
    PPSWEEP_COLUMN_TEXT = 2
};

enum ppsweep_goal { PPSWEEP_NEUTRAL = 0, PPSWEEP_LOWER = 1, PPSWEEP_HIGHER = 2 };

enum ppsweep_shown {
    PPSWEEP_BY_DEFAULT = 0, // rows of a run show it
    PPSWEEP_ON_REQUEST = 1, // only with metrics
    PPSWEEP_BY_NAME = 2     // only if metrics name it: a costly column
};

struct ppsweep_column {
    const char *name;
    const char *unit; // "" if there is none
    const char *summary;
    int kind;         // enum ppsweep_column_kind
    int goal;         // enum ppsweep_goal: which values are better
    int shown;        // enum ppsweep_shown
    int decimals;     // of a real in a row of a result
    size_t text_size; // bytes of a text with its NUL; 0: a number
};

// Returns the number of columns; 0 for NULL. Column 0 is the objective unless one is named.
PPSWEEP_API int ppsweep_model_columns(const struct ppsweep_model *model);
// Returns column c; NULL if there is none.
PPSWEEP_API const struct ppsweep_column *ppsweep_model_column(const struct ppsweep_model *model,
                                                              int c);
// Returns the index of the column, or -1 with an error that suggests a similar name.
PPSWEEP_API int ppsweep_model_find_column(const struct ppsweep_model *model, const char *name,
                                          struct ppsweep_error *error);

// ---- evaluation -----------------------------------------------------------------------------

enum ppsweep_outcome {
    PPSWEEP_DONE = 0,
    PPSWEEP_FAILED = 1,     // the kernel could not finish the point; no results
    PPSWEEP_STOPPED = 2,    // not computed: the stop flag was raised; no results
    PPSWEEP_INFEASIBLE = 3, // the point is valid but cannot run; some results may be NaN
    PPSWEEP_SKIPPED = 4,    // a rule of the kernel excludes the point; no results
    PPSWEEP_INVALID = 5     // a parameter does not allow its value; no results
};

struct ppsweep_points {
    size_t size;
    size_t n; // points
    // One pointer per parameter: param[p][i] is parameter p of point i. NULL: the default at all
    // points. param itself NULL: all defaults. Values are used as they are; values of
    // an experiment are the doubles nearest to at most 15 significant digits.
    const double *const *param;
    // One pointer per column: column[c][i] is result c of point i, NaN if there is none. NULL:
    // not wanted; a column that is not wanted may cost no time. column itself may be NULL.
    double *const *column;
    // One pointer per column: the text of point i is at text[c] + i * text_size, "" if there is
    // none. NULL: not wanted. text itself may be NULL.
    char *const *text;
    unsigned char *outcome; // n of enum ppsweep_outcome; or NULL
    // n numbers: of a skipped point the index for ppsweep_model_reason; of an invalid point the
    // parameter at fault, or -1 if the point needs more memory than there is; otherwise -1. Or
    // NULL.
    int *detail;
    int threads;                     // 0: all CPUs this process may use
    const struct ppsweep_stop *stop; // or NULL
};

// Evaluates the points into the caller's arrays, which must not overlap. An invalid, skipped,
// infeasible or failed point is no error. PPSWEEP_E_STOPPED if the stop flag was raised before
// the end: points with another outcome than PPSWEEP_STOPPED are complete. PPSWEEP_E_CALL, with
// nothing written, if an array of a `fixed` parameter is given, or an array of the wrong kind
// for a column.
//
// The call uses no more threads than pay for themselves. The model keeps the working memory of
// its threads for the next call.
PPSWEEP_API int ppsweep_evaluate(struct ppsweep_model *model,
                                 const struct ppsweep_points *points,
                                 struct ppsweep_error *error);

// Returns the rule that excludes a point, as a phrase; NULL if there is none.
PPSWEEP_API const char *ppsweep_model_reason(const struct ppsweep_model *model, int reason);

// ---- runs -----------------------------------------------------------------------------------

// The state of a run.
struct ppsweep_progress {
    uint64_t points;     // scanned so far, also by the runs that this run resumes
    uint64_t all_points; // of the experiment
    uint64_t rows;       // written so far, likewise
    double seconds;      // since the call
};

struct ppsweep_run_options {
    size_t size;
    // The experiment: one of its JSON text and the path of its file. Paths in a text are relative
    // to the working folder, paths in a file to the folder of the file.
    const char *experiment;
    const char *path;
    // The result: NAME.csv.gz, NAME.csv or a folder. NULL: "output" of the experiment, else a
    // name in outputs/data, as for `ppsweep run`.
    const char *output;
    const char *metrics;   // more columns, separated by commas; "": all but costly ones
    const char *objective; // the column that ranks rows; NULL: the first one
    const char *compress;  // "zlib:1" to "zlib:9", "isal:0" to "isal:3", "none"; NULL: zlib:1
    int decimals;          // of results; 0: default of each column; -1: read back exactly
    int typed;             // not 0: numbers and names of a parameter in columns of their own
    int status;            // not 0: rows end with a column `status`
    int exact;             // as in struct ppsweep_model_options
    uint64_t point_limit;  // likewise
    uint64_t limit;        // the first points only; 0: all points
    int resume;            // not 0: continue an interrupted run, if there is one
    int force;             // not 0: overwrite the result if it exists
    int threads;           // 0: all CPUs this process may use
    double time_limit_s;   // stops the run after this time; 0: no limit
    // Called at the start, about ten times a second, and at the end, by one thread at a time but
    // not always the same. It may raise the stop flag. It must return soon. Or NULL.
    void (*watch)(void *self, const struct ppsweep_progress *progress);
    void *self;
    struct ppsweep_stop *stop; // or NULL
};

struct ppsweep_summary {
    char path[1024];      // of the result
    char objective[64];   // the column that ranks rows
    double best;          // its best value; NaN if there is none
    char best_row[2048];  // the row with this value; "" if there is none or it is longer
    uint64_t points;      // scanned, skipped ones included
    uint64_t skipped;     // of these, points that a rule excludes
    uint64_t rows;        // of the result
    uint64_t failed;      // rows with empty results
    uint64_t infeasible;  // rows of points that cannot run
    uint64_t file_bytes;  // of the result
    double wall_s, cpu_s; // of this run, or of the run that made the result
    int resumed;          // not 0: an interrupted run was continued
    int repeated;         // not 0: the result was complete before; nothing was computed
};

// Runs a whole experiment to a file, with its index and manifest, as `ppsweep run` does. The
// result has the same bytes for any number of threads and after any interruption. summary may be
// NULL; it is filled as far as the run came.
//   PPSWEEP_OK         the result is complete; summary->failed may be above 0
//   PPSWEEP_E_STOPPED  stopped; the finished part is kept, and a call with `resume` continues
//   PPSWEEP_E_INPUT    the experiment is wrong, another result is at the path (`force`
//                      overwrites it), or an interrupted one (`resume` continues it)
//   PPSWEEP_E_MACHINE  the machine failed; the finished part is kept, as after a stop
// Messages name options as the command line does: --resume is `resume`.
PPSWEEP_API int ppsweep_run(const struct ppsweep_run_options *options,
                            struct ppsweep_summary *summary, struct ppsweep_error *error);

// ---- results, row by row --------------------------------------------------------------------

// A reader of NAME.csv.gz or NAME.csv, or of the finished part of either (.part). Its memory
// does not grow with the file.
struct ppsweep_result;

// Opens a result and reads its header line. On success the caller closes *result; after an error
// *result is NULL.
PPSWEEP_API int ppsweep_result_open(struct ppsweep_result **result, const char *path,
                                    struct ppsweep_error *error);
PPSWEEP_API void ppsweep_result_close(struct ppsweep_result *result);

// Return the number of columns (0 for NULL) and the name of column c (NULL if there is none).
PPSWEEP_API int ppsweep_result_columns(const struct ppsweep_result *result);
PPSWEEP_API const char *ppsweep_result_name(const struct ppsweep_result *result, int c);

// Reads the next row; *is_row is 0 at the end, otherwise 1. A damaged or truncated file is
// PPSWEEP_E_INPUT, with the line, after its last whole row; a .part file ends there without an
// error. After an error only ppsweep_result_close may follow.
PPSWEEP_API int ppsweep_result_next(struct ppsweep_result *result, int *is_row,
                                    struct ppsweep_error *error);

// Return cell c of the row that was read last, until the next call of ppsweep_result_next: as a
// text ("" if it is empty or there is no row), and as a number (NaN unless it is a finite one).
PPSWEEP_API const char *ppsweep_result_text(const struct ppsweep_result *result, int c);
PPSWEEP_API double ppsweep_result_number(const struct ppsweep_result *result, int c);

// ---- results, column by column --------------------------------------------------------------

// A result, or some of its columns, in memory: 8 bytes per cell, 4 more per cell of a column
// with texts, and each different text of a column once.
struct ppsweep_table;

enum ppsweep_cells {
    PPSWEEP_CELLS_REAL = 0,    // numbers; empty cells are NaN
    PPSWEEP_CELLS_INTEGER = 1, // whole numbers below 2^53, no empty cells
    PPSWEEP_CELLS_BOOLEAN = 2, // 0 and 1 for false and true, no empty cells
    PPSWEEP_CELLS_TEXT = 3,    // texts or empty cells
    PPSWEEP_CELLS_MIXED = 4    // numbers and texts
};

struct ppsweep_table_column {
    const char *name;
    const char *unit; // from the manifest beside the result; "" if it is unknown
    int is_result;    // not 0: a result by the manifest; 0: a parameter, or unknown
    int kind;         // enum ppsweep_cells
    // One per row: the number; NaN if the cell is empty or a text.
    const double *numbers;
    // One per row, NULL unless `kind` is TEXT or MIXED: the index of the cell's text in `texts`;
    // -1 if the cell is empty or a number.
    const int32_t *codes;
    int n_texts;
    const char *const *texts; // in order of first appearance
};

// Reads a result. `columns` names the columns to read and ends with NULL; NULL: all columns.
// PPSWEEP_E_INPUT for a column that the file does not have, with a similar name, and for a
// damaged or truncated file. On success the caller closes *table; after an error *table is NULL.
PPSWEEP_API int ppsweep_table_read(struct ppsweep_table **table, const char *path,
                                   const char *const *columns, struct ppsweep_error *error);
PPSWEEP_API void ppsweep_table_close(struct ppsweep_table *table);

// Return the number of rows and of columns; 0 for NULL.
PPSWEEP_API uint64_t ppsweep_table_rows(const struct ppsweep_table *table);
PPSWEEP_API int ppsweep_table_columns(const struct ppsweep_table *table);
// Returns column c; NULL if there is none. The arrays belong to the table.
PPSWEEP_API const struct ppsweep_table_column *ppsweep_table_column(
    const struct ppsweep_table *table, int c);

// ---- plans of training steps ------------------------------------------------------------------

// A planner turns batches of samples of different length into plans of training steps, as `ppsweep
// dynaplan` does: which samples form a micro-batch, which replica runs it, in which order, with
// which recomputation, and the instructions of every device. Any number of threads may plan with
// one planner at the same time; each call plans on its own thread.
struct ppsweep_planner;

// Opens a planner. options: words of the command line of `ppsweep dynaplan`, ended with NULL, as in
// {"--costs", "llama2-7b", "--cluster", "h100", "--devices", "4", "--tp", "2", "--mode", "quick",
// NULL}; --costs and --cluster are necessary, words that are no options are refused. On success the
// caller closes *planner; after an error *planner is NULL.
PPSWEEP_API int ppsweep_planner_open(struct ppsweep_planner **planner,
                                     const char *const *options, struct ppsweep_error *error);
// No other thread may use the planner. Its plans stay valid.
PPSWEEP_API void ppsweep_planner_close(struct ppsweep_planner *planner);

// A global batch.
struct ppsweep_batch {
    size_t size;
    int n;                // samples, or ready micro-batches
    const int32_t *input; // n lengths
    // n lengths of targets; NULL for networks without cross attention.
    const int32_t *target;
    // n numbers of rows: the batch consists of ready micro-batches of so many rows with these
    // lengths, padded; they are dealt and scheduled, not divided. NULL: samples.
    const int32_t *rows;
};

enum ppsweep_instruction_kind {
    PPSWEEP_LOAD = 0,            // tensors from the data loader
    PPSWEEP_FREE = 1,            // ends the use of slots
    PPSWEEP_SEND_ACTIVATION = 2, // starts to send to `peer`
    PPSWEEP_SENT_ACTIVATION = 3, // waits until what was started has ended
    PPSWEEP_RECEIVE_ACTIVATION = 4,
    PPSWEEP_RECEIVED_ACTIVATION = 5,
    PPSWEEP_SEND_GRADIENT = 6,
    PPSWEEP_SENT_GRADIENT = 7,
    PPSWEEP_RECEIVE_GRADIENT = 8,
    PPSWEEP_RECEIVED_GRADIENT = 9,
    PPSWEEP_FORWARD = 10, // of a stage
    PPSWEEP_BACKWARD = 11
};

struct ppsweep_instruction {
    int32_t kind;        // enum ppsweep_instruction_kind
    int32_t micro_batch; // of the replica, in its order; -1: of PPSWEEP_FREE
    int32_t
        stage; // s: forward of stage s; 2 * stages - 1 - s: its backward; -1: of PPSWEEP_FREE
    int32_t peer; // device of a transfer; -1: none
    int32_t n_slots;
    int32_t slot[2]; // of the tensors that it reads or writes
    int32_t tensors; // of a transfer or load
};

// A plan. Micro-batches of replica k are first[k] to first[k + 1] - 1, in the order in which its
// first stage runs them.
struct ppsweep_plan {
    double makespan_ms;
    double bound_ms;   // no plan is shorter: of any division, for ready micro-batches of these
    double peak_mb;    // the largest memory of a device
    double planning_s; // that the call took
    int64_t evaluations;
    const char *method, *mode; // of the slowest replica
    int replicas, devices, stages, micro_batches, samples;
    const int32_t *first;                 // replicas + 1
    const int32_t *rows, *input, *target; // micro_batches: shapes, lengths padded
    // The samples of micro-batch m are sample[sample_first[m]] to sample[sample_first[m + 1] - 1];
    // row[...] is the row of each in its micro-batch.
    const int32_t *sample_first, *sample, *row;
    // micro_batches * stages: what a stage computes again: 0 nothing, 1 full, 2 selective.
    const unsigned char *recompute;
    // Device d of replica k runs instruction[instruction_first[k * devices + d]] and so on, to the
    // place before that of the next device; replicas * devices + 1.
    const int32_t *instruction_first;
    const struct ppsweep_instruction *instruction;
};

// Plans a batch into *plan, which the caller closes; after an error *plan is NULL.
// PPSWEEP_E_INFEASIBLE if nothing fits in memory, PPSWEEP_E_INPUT for lengths that the cost tables do
// not have, PPSWEEP_E_STOPPED if the flag was raised. stop may be NULL.
PPSWEEP_API int ppsweep_plan_batch(struct ppsweep_planner *planner,
                                   const struct ppsweep_batch *batch,
                                   const struct ppsweep_stop *stop,
                                   const struct ppsweep_plan **plan,
                                   struct ppsweep_error *error);
PPSWEEP_API void ppsweep_plan_close(const struct ppsweep_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
