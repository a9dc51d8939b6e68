// SPDX-License-Identifier: Apache-2.0
// Reads the totals of a complete result that holds only the best rows (--only-top).
#ifndef PPS_ENGINE_JOB_FINISHED_BEST_H
#define PPS_ENGINE_JOB_FINISHED_BEST_H

#include "engine/job/earlier_totals.h"

#include <cjson/cJSON.h>

// Reads the rows of the only block, and the counts and examples from the manifest's member
// only_top. The index of a best row is its place in the file, from 0. The caller calls
// pps_totals_free in every case.
PPS_MUST_CHECK enum pps_status pps_finishedtop_read(const struct pps_resume_ask *ask,
                                                    const struct pps_index_record *record,
                                                    const cJSON *only,
                                                    struct pps_totals *totals,
                                                    struct pps_error *err);

#endif
