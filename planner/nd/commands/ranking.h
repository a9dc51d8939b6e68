// SPDX-License-Identifier: Apache-2.0
// Ranks the candidates of nd rank: solves the pipeline program of each candidate (ranking.c),
// and prints and writes the ranking (ranking_show.c).
#pragma once

#include "base/write/gate.h"
#include "planner/nd/input/candidates_to_rank.h"
#include "planner/nd/input/program_input.h"
#include "planner/shared/plan_configuration.h"

#include <stdatomic.h>

enum { ND_RANK_THREADS_MAX = 256 };

struct nd_ranking {
    const struct nd_input *input;
    const struct pps_args *args;
    const struct nd_picks *picks;
    struct nd_ranked *ranked; // [picks->n]
    struct nd_ranked *base;   // the baseline; NULL: none
    struct plan_mine mine;    // the training of the user
    const char *base_label;   // "base" or "mine"
    bool base_fits;
    struct text_buffer *files; // [picks->n], by the index of a row; NULL: none are written
    struct nd_rank_options options;
    _Atomic int64_t next; // to be taken
    atomic_bool failed;   // no memory
};

// Solves all candidates with this number of threads and sorts them.
PPS_MUST_CHECK enum pps_status nd_ranking_all(struct nd_ranking *ranking, uint64_t threads,
                                              struct pps_error *err);
// Prices the training of the user as it is, into ranking->base.
PPS_MUST_CHECK enum pps_status nd_ranking_mine(struct nd_ranking *ranking,
                                               struct pps_error *err);
// Solves the baseline, into ranking->base.
PPS_MUST_CHECK enum pps_status nd_ranking_base(const struct nd_ranking *ranking,
                                               const struct nd_strategy *strategy,
                                               struct pps_error *err);

// Print to stdout: the first rows of the ranking, the same as published, and the baseline.
void nd_ranking_print(const struct nd_ranking *ranking, int64_t shown);
void nd_ranking_print_short(const struct nd_ranking *ranking, int64_t shown);
void nd_ranking_print_base(const struct nd_ranking *ranking);
// Prints notes about the ranking to stderr, unless --quiet.
void nd_ranking_notes(const struct nd_ranking *ranking);

// Checks the output before the work. Refuses an existing table, a file in a folder that does not
// exist, and a folder whose name is a file.
PPS_MUST_CHECK enum pps_status nd_ranking_check_output(const char *output,
                                                       const struct pps_gate *gate,
                                                       struct pps_error *err);
// Writes the first n rows to the file, or to a new file in the folder.
PPS_MUST_CHECK enum pps_status nd_ranking_write(const struct nd_ranking *ranking,
                                                const char *output,
                                                enum nd_rank_language language, int64_t n,
                                                struct pps_error *err);

// Makes the configuration of every row that could be evaluated, reads it back, gives the row the price of
// what is read, and sorts the rows again. The configuration is the user's with the strategy and the split of the
// row; if the training run was not read from a configuration of a framework, a launch script of Megatron-LM. A row
// that cannot be written, or whose file does not fit in memory, is marked. As published no file is made.
PPS_MUST_CHECK enum pps_status nd_ranking_make_files(struct nd_ranking *ranking,
                                                     struct pps_error *err);
void nd_ranking_free_files(struct nd_ranking *ranking);

// Writes the files of the first n rows to `configuration` under the folder.
PPS_MUST_CHECK enum pps_status nd_ranking_write_configurations(const struct nd_ranking *ranking,
                                                               const char *folder, int64_t n,
                                                               struct pps_error *err);
