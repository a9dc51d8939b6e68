// SPDX-License-Identifier: Apache-2.0
// What an interrupted run had found out, read back from its whole blocks: counts, examples, the
// best rows, and the nearest to feasible where no row is, as they would be had it not been
// interrupted.
#ifndef PPS_RESUME_H
#define PPS_RESUME_H

#include "prefix.h"
#include "shard.h"
#include "sweep.h"

struct pps_resume_ask {
    const struct pps_experiment *experiment;
    const struct pps_prefix *prefix; // what was kept
    struct pps_shard shard;
    uint64_t block_points;
    enum pps_codec_kind codec;
    const char *data_path, *index_path; // the .part files
    int objective;
    const int *by; // n_by parameters: the best rows of every group
    int n_by;
    size_t n_best; // ignored where the rows do not show the objective
    int threads;
};

// Whether rows show the column, so that the best of them can be read back.
bool pps_resume_shows(const struct pps_experiment *experiment, int column);

// Fills totals but for the times; pps_totals_free in every case.
PPS_MUST_CHECK enum pps_status pps_resume_totals(const struct pps_resume_ask *ask,
                                                 struct pps_totals *totals,
                                                 struct pps_error *err);

#endif
