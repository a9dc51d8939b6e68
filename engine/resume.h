// SPDX-License-Identifier: Apache-2.0
// The totals of an interrupted run are read back from its whole blocks: counts, examples, the
// best rows, and, if no row is feasible, the nearest to feasible. They equal the totals of a
// run without interruption.
#ifndef PPS_RESUME_H
#define PPS_RESUME_H

#include "prefix.h"
#include "shard.h"
#include "sweep.h"

struct pps_resume_ask {
    const struct pps_experiment *experiment;
    const struct pps_prefix *prefix; // the blocks that were kept
    struct pps_shard shard;
    uint64_t block_points;
    enum pps_codec_kind codec;
    const char *data_path, *index_path; // the .part files
    int objective;
    const int *by; // n_by parameters that form the groups; each group has its best rows
    int n_by;
    size_t n_best; // ignored if the rows do not show the objective
    int threads;
};

// Returns whether rows show the column, so that the best rows can be read back.
bool pps_resume_shows(const struct pps_experiment *experiment, int column);

// Sets all totals except the times. The caller calls pps_totals_free in every case.
PPS_MUST_CHECK enum pps_status pps_resume_totals(const struct pps_resume_ask *ask,
                                                 struct pps_totals *totals,
                                                 struct pps_error *err);

#endif
