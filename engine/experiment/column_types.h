// SPDX-License-Identifier: Apache-2.0
// The kinds of the columns that an experiment's rows have.
#pragma once

#include "base/columns/schema.h"
#include "engine/experiment/experiment.h"

// Sets the names and kinds of all columns. A column that has numbers and names (a parameter that is
// not typed) counts as text. The caller frees the schema.
PPS_MUST_CHECK enum pps_status pps_experiment_schema(const struct pps_experiment *experiment,
                                                     struct pps_schema *schema,
                                                     struct pps_error *err);

// Adds the object "dtypes" to a manifest: the kind of each column by its name, for example "int64" or
// "float64"; "float64 or text" for a column of numbers and names.
void pps_experiment_add_dtypes(const struct pps_experiment *experiment, cJSON *root);
