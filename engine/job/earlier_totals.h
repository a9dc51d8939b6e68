// SPDX-License-Identifier: Apache-2.0
// The totals of an interrupted or a complete run are read back from its whole blocks: counts,
// examples, the best rows, and, if no row is feasible, the nearest to feasible. They equal the
// totals of the run that made these blocks.
#pragma once

#include "engine/run/sweep.h"
#include "engine/space/shard.h"
#include "engine/store/whole_prefix.h"

struct pps_resume_ask {
    const struct pps_sweep *sweep; // the run; its best rows are ignored if rows do not show the
                                   // objective
    const struct pps_whole_prefix *prefix; // the blocks that were kept
    const char *data_path, *index_path;
};

// Returns whether rows show the column, so that the best rows can be read back.
bool pps_resume_shows(const struct pps_experiment *experiment, int column);

// Sets all totals except the times. Reading ends early, without an error, if the stop flag of the
// sweep is raised: totals->complete is then false and best rows may be missing. The caller calls
// pps_totals_free in every case.
PPS_MUST_CHECK enum pps_status pps_resume_totals(const struct pps_resume_ask *ask,
                                                 struct pps_totals *totals,
                                                 struct pps_error *err);
