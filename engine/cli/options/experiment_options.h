// SPDX-License-Identifier: Apache-2.0
// Reads the options that define an experiment, shared by `run` and `plan`.
#pragma once

#include "base/text/status.h"
#include "engine/command/command.h"
#include "engine/experiment/experiment.h"
#include "engine/job/job.h"
#include "engine/let/let_columns.h"

// ---- format option ------------------------------------------------------------------------------

// clang-format off
#define PPS_FORMAT_OPTION \
    {"format", 0, "NAME", "csv or parquet (by the ending of the output; csv)"}
// clang-format on

// Sets *codec to what --format and --compress ask for: "parquet:6"; NULL: by the name of the output.
// PPS_E_INPUT if --format is unknown, or does not match --compress or the output.
PPS_MUST_CHECK enum pps_status pps_format_option(const struct pps_args *args,
                                                 const char *output, const char **codec,
                                                 struct pps_error *err);

// ---- best options -------------------------------------------------------------------------------

// Entries of an option table.
#define PPS_TOP_OPTIONS                                                                        \
    {"top", 0, "K", "number of best rows to show at the end, per group (3)"},                  \
        {"by", 0, "NAMES",                                                                     \
         "rank per group of equal NAMES, or none (parameters that change the work)"},          \
        {"ties", 0, NULL, "with --only-top: also write all rows equal to the last of the K"},  \
        {"only-top", 0, NULL,                                                                  \
         "write only the best rows; prune other points by a lower bound"},                     \
    {                                                                                          \
        "objective", 0, "COLUMN",                                                              \
            "column to rank by; added to the rows (main result of the kernel)"                 \
    }

// Sets top, by, only_best and ties of a job.
PPS_MUST_CHECK enum pps_status pps_top_options(const struct pps_args *args, struct pps_job *job,
                                               struct pps_error *err);

// ---- experiment options -------------------------------------------------------------------------

// Entries of an option table.
#define PPS_REQUEST_OPTIONS                                                                    \
    {"config", 'c', "FILE", "experiment in JSON, YAML or TOML, or - for JSON from stdin"},     \
        {"set", 's', "KEY=VALUES", "set or add an axis: n=8,16  bwd_len='2..3 step 0.5'"},     \
        {"input", 'i', "SLOT=FILE", "input document, such as model=FILE or model=FILE,FILE"},  \
        {"points", 0, "FILE", "points from a CSV (one column per parameter) instead of axes"}, \
        {"sample", 0, "METHOD:N",                                                              \
         "sample: random, sobol, lhs, saltelli or morris, as in sobol:10k (whole grid)"},      \
        {"metrics", 0, "[NAMES]", "add result columns: NAMES, or all but costly ones"},        \
        {"let", 0, "NAME=EXPR", "add a column computed from others; may be repeated"},         \
        {"digits", 0, "N", "decimals of results, or full to read back exactly (by column)"},   \
        {"limit", 0, "N", "only the first N points; k, M, G allowed (all points)"},            \
        {"seed", 0, "N", "seed of a sample, and of kernels that draw random numbers"},         \
        {"status", 0, NULL, "add a last column: ok, infeasible or failed"},                    \
        {"typed", 0, NULL, "write weights and tiers in separate columns: X, X_tier"},          \
        {"point-limit", 0, "EVENTS",                                                           \
         "fail points that need more than EVENTS events; k, M, G allowed (no limit)"},         \
        {"exact", 0, NULL, "disable shortcuts: bit-identical on every machine"},               \
    {                                                                                          \
        "threads", 'j', "N", "number of worker threads (all CPUs this process may use)"        \
    }

// Published names of these options; for pps_command.aliases.
extern const struct pps_opt_alias pps_request_aliases[];

// Reads the values of --input into `words`; returns PPS_E_INPUT if there are more than fit.
enum { PPS_MAX_INPUT_WORDS = 16 };
PPS_MUST_CHECK enum pps_status pps_request_inputs(const struct pps_args *args,
                                                  const char *words[PPS_MAX_INPUT_WORDS],
                                                  struct pps_input_words *inputs,
                                                  struct pps_error *err);

enum { PPS_MAX_OVERRIDES = 256 };

// Memory of a request.
struct pps_request_words {
    struct pps_override list[PPS_MAX_OVERRIDES];
    char *keys[PPS_MAX_OVERRIDES];
    int n;
    const char *inputs[PPS_MAX_INPUT_WORDS];
    const char
        *lets[PPS_LET_COLUMNS + 1]; // one more than there may be, so that loading says so
};

// Fills *request from the options. The caller calls pps_request_free in every case, after the
// last use of the request.
PPS_MUST_CHECK enum pps_status pps_request_read(const struct pps_args *args,
                                                struct pps_request_words *room,
                                                struct pps_request *request,
                                                struct pps_error *err);
void pps_request_free(struct pps_request_words *room);

// Reads -j; the default is the number of CPUs that this process may use.
PPS_MUST_CHECK enum pps_status pps_request_threads(const struct pps_args *args, int *threads,
                                                   struct pps_error *err);
