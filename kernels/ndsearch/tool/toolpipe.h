// SPDX-License-Identifier: Apache-2.0
// What `ppsweep nd pipeline` says and writes of one solved program.
#ifndef PPS_NDSEARCH_TOOLPIPE_H
#define PPS_NDSEARCH_TOOLPIPE_H

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
void nd_pipe_report_idle(const struct nd_program *program, const struct nd_choice *choice);

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
};

// Refuses files that are in the way, unless the input says that they may be replaced.
PPS_MUST_CHECK enum pps_status nd_pipe_check_files(const struct nd_pipe *pipe,
                                                   const struct nd_pipe_files *files,
                                                   struct pps_error *err);

PPS_MUST_CHECK enum pps_status nd_pipe_write_program(const struct nd_pipe *pipe,
                                                     const struct nd_pipe_files *files,
                                                     const struct nd_program *program,
                                                     struct pps_error *err);

PPS_MUST_CHECK enum pps_status nd_pipe_write_solution(const struct nd_pipe *pipe,
                                                      const struct nd_pipe_files *files,
                                                      const struct nd_program *program,
                                                      const struct nd_choice *choice,
                                                      struct pps_error *err);

// ---- toolpipegiven.c ----

// A split that the user names. All zero at first; to be freed in every case.
struct nd_pipe_given {
    struct nd_choice choice;
    int32_t *room;
};

// layers, recompute (or NULL): lists of numbers, one a stage, rows of them by bars where there are
// several chunks. Whether it fits is not asked.
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

// The report of a split, and how far it is from the best. PPS_E_INFEASIBLE after it where it does
// not fit.
PPS_MUST_CHECK enum pps_status nd_pipe_report_given(const struct nd_pipe *pipe,
                                                    const struct nd_program *program,
                                                    const struct nd_choice *choice,
                                                    struct pps_error *err);

// ---- toolpipetrace.c ----

// Refuses a name that is none of a trace, and a file that is in the way.
PPS_MUST_CHECK enum pps_status nd_pipe_check_trace(const char *path,
                                                   bool force,
                                                   struct pps_error *err);

// When every pass runs and what its stage holds then.
PPS_MUST_CHECK enum pps_status nd_pipe_trace(const struct nd_pipe *pipe,
                                             const struct nd_program *program,
                                             const struct nd_choice *choice,
                                             const char *path,
                                             struct pps_error *err);

#endif
