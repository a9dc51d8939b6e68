// SPDX-License-Identifier: Apache-2.0
// What nd rank does once it knows what is asked: the pipeline program of every candidate
// (toolranking.c), and what is shown and written of the ranking (toolrankshow.c).
#ifndef PPS_NDSEARCH_TOOLRANKING_H
#define PPS_NDSEARCH_TOOLRANKING_H

#include "toolinput.h"
#include "toolpicks.h"

#include <stdatomic.h>

enum { ND_RANK_THREADS_MAX = 256 };

struct nd_ranking {
    const struct nd_input *input;
    const struct nd_picks *picks;
    struct nd_ranked *ranked; // [picks->n]
    struct nd_ranked *base;   // the baseline; NULL: none
    struct nd_rank_options options;
    _Atomic int64_t next; // to be taken
    atomic_bool failed;   // no memory
};

// Solves all candidates and sorts them, so many at a time.
PPS_MUST_CHECK enum pps_status nd_ranking_all(struct nd_ranking *ranking,
                                              uint64_t threads,
                                              struct pps_error *err);
// Solves the baseline, into ranking->base.
PPS_MUST_CHECK enum pps_status nd_ranking_base(const struct nd_ranking *ranking,
                                               const struct nd_strategy *strategy,
                                               struct pps_error *err);

// To stdout: the first of the ranking as a table, or as published, and the baseline.
void nd_ranking_print(const struct nd_ranking *ranking, int64_t shown);
void nd_ranking_print_short(const struct nd_ranking *ranking, int64_t shown);
void nd_ranking_print_base(const struct nd_ranking *ranking);
// To stderr: what has to be known of the ranking, unless all is to be quiet.
void nd_ranking_notes(const struct nd_ranking *ranking);

// Before the work: a table that is in the way, a folder that a file wants and that is not there, or
// a folder's name that is a file's.
PPS_MUST_CHECK enum pps_status nd_ranking_check_output(const char *output,
                                                       bool force,
                                                       struct pps_error *err);
// Writes the first n to the file, or into the folder.
PPS_MUST_CHECK enum pps_status nd_ranking_write(const struct nd_ranking *ranking,
                                                const char *output,
                                                enum nd_rank_language language,
                                                int64_t n,
                                                struct pps_error *err);

#endif
