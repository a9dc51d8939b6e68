// SPDX-License-Identifier: Apache-2.0
// Reads an earlier result, so that a job copies its rows instead of computing them. The set and
// order of the parameter columns do not matter: other parameters are in the manifest beside the
// result. Documents of the same name must be equal; the result and the experiment may each have
// further documents.
#pragma once

#include "base/text/status.h"
#include "engine/experiment/experiment.h"
#include "engine/run/known_rows.h"

#include <stdbool.h>

// Reads the result at path. Returns PPS_E_INPUT, with one line that names the difference, if
// its rows can differ from the rows that the experiment computes: another kernel or version,
// another setting of --exact, a wanted column (or the objective) that is missing or has other
// digits, or no manifest. Also PPS_E_INPUT if its bytes do not match the checksums in its
// index. *checked: there was an index. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_known_rows_open(struct pps_known_rows **reuse,
                                                   const char *path,
                                                   const struct pps_experiment *experiment,
                                                   int objective, bool *checked,
                                                   struct pps_error *err);
