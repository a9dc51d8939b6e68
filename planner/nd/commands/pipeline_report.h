// SPDX-License-Identifier: Apache-2.0
// Prints and writes the results of `ppsweep nd pipeline` for one program.
#pragma once

#include "kernels/common/plan/plan.h"
#include "planner/exchange/solution_file.h"
#include "planner/figures/feedback.h"
#include "planner/nd/commands/solve_progress.h"
#include "planner/nd/input/baseline.h"
#include "planner/nd/input/program_input.h"
#include "planner/nd/rank/rank.h"
#include "planner/shared/plan_configuration.h"
#include "planner/shared/plan_trace.h"

struct nd_pipe {
    const struct nd_input *input;
    struct nd_strategy strategy;
    const char *at; // the strategy as text
    char of_document[ND_BASELINE_BYTES];
    bool chooses_vp;          // no option sets the chunks per stage
    struct nd_ranked *ranked; // what nd rank finds for the strategy
    char chosen[128];         // what was chosen, a sentence; "": nothing
    struct nd_figures_key key;
    enum nd_ratio_source source;
    const struct nd_profile *profile; // where the ratios were measured; or NULL
    double layer_ms;                  // NAN: not known
    bool unit_of_model;               // from the models, because the profile lacks it
    bool tokens_unknown;              // the profile lacks its micro-batch size
    double limit_mb;
    double weights_time, weights_memory; // as in nd_rank_case
    const struct pps_args *args;
    bool priced; // times and memory come from the models: figures are those of the evaluator
    struct nd_effort *effort;           // of every solution
    struct nd_solve_progress *progress; // of them
    struct plan_mine mine;              // the training of the user
    // The training of the configuration that is about to be written, as read back; without parts: none is.
    struct configuration *written;
};

// Evaluates a choice. The caller frees the step in any case. Returns false when out of memory, or if figures
// are not those of the evaluator.
bool nd_pipe_step(const struct nd_pipe *pipe, const struct nd_program *program,
                  const struct nd_choice *choice, struct configuration_step *step);

// Prints ", 66547.495 ms per step, ..." if the time of a layer is known.
void nd_pipe_print_time(const struct nd_pipe *pipe, const struct nd_program *program,
                        const struct nd_choice *choice, double objective);

// Prints the training of the user, and how much faster a step of `ms` is; nothing without one.
void nd_pipe_print_mine(const struct nd_pipe *pipe, double ms);

// The same for a choice.
void nd_pipe_compare(const struct nd_pipe *pipe, const struct nd_program *program,
                     const struct nd_choice *choice);

// Prints the split by stages, its times and memory peaks, and the lists for the framework.
void nd_pipe_report(const struct nd_pipe *pipe, const struct nd_program *program,
                    const struct nd_choice *choice,
                    const struct nd_peak *peaks); // [stages]

// Prints the objective, its lower bound and the overhead.
void nd_pipe_report_solution(const struct nd_pipe *pipe, const struct nd_program *program,
                             const struct nd_solution *solution);

// Prints one line with the device time that is not spent in forwards and backwards, unless this takes long.
void nd_pipe_report_overhead(const struct nd_pipe *pipe, const struct nd_program *program,
                             const struct nd_choice *choice);

// Solves a program and shows progress. The caller frees the solution with nd_solution_free in any case.
enum nd_outcome nd_pipe_solve(const struct nd_pipe *pipe, const struct nd_program *program,
                              struct nd_solution *solution);

// Adds the model and recompute sections of a configuration as YAML, and, in a comment, the list of
// layers for frameworks that take one list.
void nd_pipe_add_configuration(struct text_buffer *text, const struct nd_program *program,
                               const struct nd_choice *choice);

// ---- pipeline_files.c ----

// The files to write under a folder, each kind in its own folder: configuration/, memory_info/,
// sol_output/, model_mps/.
struct nd_pipe_files {
    const char *folder; // NULL: nothing is written
    bool configuration;
    bool program;
    bool solution; // and its memory figures
};

// Refuses files that the gate refuses.
PPS_MUST_CHECK enum pps_status nd_pipe_check_files(const struct nd_pipe *pipe,
                                                   const struct nd_pipe_files *files,
                                                   struct pps_error *err);

// Returns whether writing the files creates this folder.
bool nd_pipe_makes_folder(const struct nd_pipe_files *files, const char *path);

PPS_MUST_CHECK enum pps_status nd_pipe_write_program(const struct nd_pipe *pipe,
                                                     const struct nd_pipe_files *files,
                                                     const struct nd_program *program,
                                                     struct pps_error *err);

// Reads the user's configuration back as it will be written for a choice, so that figures are those of the file.
PPS_MUST_CHECK enum pps_status nd_pipe_read_back(const struct nd_pipe *pipe,
                                                 const struct nd_pipe_files *files,
                                                 const struct nd_program *program,
                                                 const struct nd_choice *choice,
                                                 struct pps_error *err);

// Writes the user's configuration with settings.
PPS_MUST_CHECK enum pps_status nd_pipe_write_text(const struct nd_pipe *pipe,
                                                  const struct nd_pipe_files *files,
                                                  struct text_buffer *text,
                                                  struct pps_error *err);

// Reads a text back as nd_pipe_read_back does.
PPS_MUST_CHECK enum pps_status nd_pipe_read_text(const struct nd_pipe *pipe,
                                                 const struct text_buffer *text,
                                                 struct pps_error *err);

PPS_MUST_CHECK enum pps_status nd_pipe_write_solution(const struct nd_pipe *pipe,
                                                      const struct nd_pipe_files *files,
                                                      const struct nd_program *program,
                                                      const struct nd_choice *choice,
                                                      struct pps_error *err);

// ---- pipeline_request.c ----

// The values of the options.
struct nd_pipe_request {
    bool check, extract;
    enum nd_feedback_kind fit;
    struct nd_pipe_files files;
    const char *solution, *check_data, *trace, *plan; // NULL: none
    const char *layers, *recompute;                   // of a given split
};

PPS_MUST_CHECK enum pps_status nd_pipe_read_request(struct nd_pipe_request *request,
                                                    const struct pps_args *args,
                                                    struct pps_error *err);

// Reads the strategy of --at, else the strategy that a document sets.
PPS_MUST_CHECK enum pps_status nd_pipe_read_strategy(struct nd_pipe *pipe, struct nd_job *job,
                                                     const struct pps_args *args,
                                                     struct pps_error *err);

// Sets the chunks per stage in the strategy, which has been read, from --vpp or from the rows of --layers.
PPS_MUST_CHECK enum pps_status nd_pipe_read_chunks(struct nd_pipe *pipe,
                                                   const struct pps_args *args,
                                                   struct pps_error *err);

// ---- pipeline_choice.c ----

// Ranks the strategy as nd rank does, into pipe->ranked, and takes what is not given of it: the chunks per stage and
// the micro-batch size. As published there are one chunk and the first size.
PPS_MUST_CHECK enum pps_status nd_pipe_choose(struct nd_pipe *pipe, struct pps_error *err);

// Solves the program of the strategy. Takes the solution of the ranking where it is proven, or as good. The caller
// frees the solution with nd_solution_free in any case.
enum nd_outcome nd_pipe_solve_best(const struct nd_pipe *pipe, const struct nd_program *program,
                                   struct nd_solution *solution);

// ---- pipeline_order.c ----

// Returns whether the training of the user has a placement or an order that the solver does not know.
bool nd_pipe_is_ordered(const struct nd_pipe *pipe);

// Searches splits in that order, prints the best, compares it with the training of the user, and writes the
// configuration and the plan.
PPS_MUST_CHECK enum pps_status nd_pipe_solve_ordered(const struct nd_pipe *pipe,
                                                     const struct nd_pipe_request *request,
                                                     const struct nd_program *program,
                                                     struct pps_error *err);

// ---- pipeline_split.c ----

// A split given by the user. Initialise with zeros; the caller frees it in every case.
struct nd_pipe_split {
    struct nd_choice choice;
    int32_t *room;
};

// layers, recompute (or NULL): lists of one number per stage, separated by commas or blanks; bars
// separate the rows of several chunks. Does not check whether the split fits in memory.
PPS_MUST_CHECK enum pps_status nd_pipe_split_read(struct nd_pipe_split *split,
                                                  const struct nd_program *program,
                                                  const char *layers, const char *recompute,
                                                  struct pps_error *err);
void nd_pipe_split_free(struct nd_pipe_split *split);

// Takes the split of the user's training, as nd_pipe_split_read does.
PPS_MUST_CHECK enum pps_status nd_pipe_split_of_mine(struct nd_pipe_split *split,
                                                     const struct nd_pipe *pipe,
                                                     const struct nd_program *program,
                                                     struct pps_error *err);

// Prints the report of a solution from a file.
PPS_MUST_CHECK enum pps_status nd_pipe_report_file(const struct nd_pipe *pipe,
                                                   const struct nd_program *program,
                                                   const struct nd_sol *sol,
                                                   struct pps_error *err);

// Prints the report of a split and compares it with the best split. Returns PPS_E_INFEASIBLE,
// without solving for the best, if the split does not fit.
PPS_MUST_CHECK enum pps_status nd_pipe_report_split(const struct nd_pipe *pipe,
                                                    const struct nd_program *program,
                                                    const struct nd_choice *choice,
                                                    struct pps_error *err);

// ---- pipeline_trace.c ----

// Refuses a name without a trace extension, an existing file, and a folder that neither exists nor is
// created for `files`.
PPS_MUST_CHECK enum pps_status nd_pipe_check_trace(const struct nd_pipe *pipe,
                                                   const struct nd_pipe_files *files,
                                                   const char *path, struct pps_error *err);

// Refuses a plan whose times would have no unit, and paths as nd_pipe_check_trace does.
PPS_MUST_CHECK enum pps_status nd_pipe_check_plan(const struct nd_pipe *pipe,
                                                  const struct nd_pipe_files *files,
                                                  const char *path, struct pps_error *err);

// Writes the step as a plan (kernels/common/plan/plan.md).
PPS_MUST_CHECK enum pps_status nd_pipe_plan(const struct nd_pipe *pipe,
                                            const struct nd_program *program,
                                            const struct nd_choice *choice, const char *path,
                                            struct pps_error *err);

// Writes a plan and frees it; NULL: out of memory.
PPS_MUST_CHECK enum pps_status nd_pipe_write_plan(const struct nd_pipe *pipe, struct plan *plan,
                                                  const char *path, struct pps_error *err);

// Writes the timeline of a step.
PPS_MUST_CHECK enum pps_status nd_pipe_write_trace(const struct nd_pipe *pipe,
                                                   const struct step_trace *trace,
                                                   const char *path, struct pps_error *err);

// Writes the timeline of a choice: the executed step of the evaluator where figures are its.
PPS_MUST_CHECK enum pps_status nd_pipe_trace(const struct nd_pipe *pipe,
                                             const struct nd_program *program,
                                             const struct nd_choice *choice, const char *path,
                                             struct pps_error *err);
