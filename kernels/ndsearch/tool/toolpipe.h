// SPDX-License-Identifier: Apache-2.0
// What `ppsweep nd pipeline` says and writes of one solved program.
#ifndef PPS_NDSEARCH_TOOLPIPE_H
#define PPS_NDSEARCH_TOOLPIPE_H

#include "kernels/ndsearch/program/feedback.h"
#include "kernels/ndsearch/program/solfile.h"
#include "toolinput.h"

struct nd_pipe {
    const struct nd_input *input;
    struct nd_strategy strategy;
    struct nd_figures_key key;
    enum nd_ratio_source source;
    double layer_ms;     // NAN: not known
    bool unit_of_model;  // the profile does not say it; the models do
    bool tokens_unknown; // the profile does not say its micro-batch
    double limit_mb;
};

// The split by stages, its time, peaks of memory; lists as they are written back.
void nd_pipe_report(const struct nd_pipe *pipe,
                    const struct nd_program *program,
                    const struct nd_choice *choice,
                    const struct nd_peak *peaks); // [stages]

// How good it is, and where the rest of the devices' time goes.
void nd_pipe_report_solution(const struct nd_pipe *pipe,
                             const struct nd_program *program,
                             const struct nd_solution *solution);

// Where the devices' time goes that is not forwards and backwards: a line.
void nd_pipe_report_overhead(const struct nd_program *program, const struct nd_choice *choice);

// Keys of the model's and the recompute section of a configuration, as YAML; and, in remarks, the
// list of layers that frameworks with one list want.
void nd_pipe_add_configuration(struct textroom *text,
                               const struct nd_program *program,
                               const struct nd_choice *choice);

// ---- toolpipefiles.c ----

// What is written under a folder, each in a folder of its kind: configuration/, memory_info/,
// sol_output/, model_mps/.
struct nd_pipe_files {
    const char *folder; // NULL: nothing is written
    bool configuration;
    bool program;
    bool solution; // and the figures it is of
};

// Refuses files that are in the way, unless the input says that they may be replaced.
PPS_MUST_CHECK enum pps_status nd_pipe_check_files(const struct nd_pipe *pipe,
                                                   const struct nd_pipe_files *files,
                                                   struct pps_error *err);

// Whether a folder is made by writing them.
bool nd_pipe_makes_folder(const struct nd_pipe_files *files, const char *path, size_t n);

PPS_MUST_CHECK enum pps_status nd_pipe_write_program(const struct nd_pipe *pipe,
                                                     const struct nd_pipe_files *files,
                                                     const struct nd_program *program,
                                                     struct pps_error *err);

PPS_MUST_CHECK enum pps_status nd_pipe_write_solution(const struct nd_pipe *pipe,
                                                      const struct nd_pipe_files *files,
                                                      const struct nd_program *program,
                                                      const struct nd_choice *choice,
                                                      struct pps_error *err);

// ---- toolpipeasked.c ----

// What the options say.
struct nd_pipe_asked {
    bool check, extract;
    enum nd_feedback_kind fit;
    struct nd_pipe_files files;
    const char *solution, *check_data, *trace; // NULL: none
    const char *layers, *recompute;            // of a split that is given
};

PPS_MUST_CHECK enum pps_status nd_pipe_read_asked(struct nd_pipe_asked *asked,
                                                  const struct pps_args *args,
                                                  struct pps_error *err);

// Chunks a stage, of --vpp or of the strategy, which has been read.
PPS_MUST_CHECK enum pps_status nd_pipe_read_chunks(const struct nd_pipe *pipe,
                                                   const struct pps_args *args,
                                                   int32_t *chunks,
                                                   struct pps_error *err);

// ---- toolpipegiven.c ----

// A split that the user names. All zero at first; to be freed in every case.
struct nd_pipe_given {
    struct nd_choice choice;
    int32_t *room;
};

// layers, recompute (or NULL): lists of numbers by commas or blanks, one a stage, rows of them by
// bars where there are several chunks. Whether it fits is not asked.
PPS_MUST_CHECK enum pps_status nd_pipe_given_read(struct nd_pipe_given *given,
                                                  const struct nd_program *program,
                                                  const char *layers,
                                                  const char *recompute,
                                                  struct pps_error *err);
void nd_pipe_given_free(struct nd_pipe_given *given);

// The report of a solution that was read.
PPS_MUST_CHECK enum pps_status nd_pipe_report_file(const struct nd_pipe *pipe,
                                                   const struct nd_program *program,
                                                   const struct nd_sol *sol,
                                                   struct pps_error *err);

// The report of a split, and how far it is from the best. PPS_E_INFEASIBLE, before the best is
// sought, where it does not fit.
PPS_MUST_CHECK enum pps_status nd_pipe_report_given(const struct nd_pipe *pipe,
                                                    const struct nd_program *program,
                                                    const struct nd_choice *choice,
                                                    struct pps_error *err);

// ---- toolpipetrace.c ----

// Refuses a name that is none of a trace, a picture of too many pieces, and a file that cannot be
// made: one in the way, no folder but those that `files` are written to.
PPS_MUST_CHECK enum pps_status nd_pipe_check_trace(const struct nd_pipe *pipe,
                                                   const struct nd_pipe_files *files,
                                                   const struct nd_program *program,
                                                   const char *path,
                                                   struct pps_error *err);

// When every pass runs and what its stage holds then.
PPS_MUST_CHECK enum pps_status nd_pipe_trace(const struct nd_pipe *pipe,
                                             const struct nd_program *program,
                                             const struct nd_choice *choice,
                                             const char *path,
                                             struct pps_error *err);

#endif
