// SPDX-License-Identifier: Apache-2.0
// Declares the steps of an analysis of sensitivity.
#pragma once

#include "engine/sensitivity/observations.h"
#include "engine/sensitivity/sensitivity.h"

struct cJSON;

// An effect without any value.
struct pps_effect pps_effect_none(void);

// Sorts factors by size, the largest first; members stay below their factor. Sets sum_first.
PPS_MUST_CHECK enum pps_status pps_effects_sort(struct pps_sensitivity_group *group,
                                                struct pps_error *err);

// Fills the group from n of its rows (indices into the observations). is_sample: the rows were drawn.
PPS_MUST_CHECK enum pps_status pps_sensitivity_of_rows(const struct pps_observations *o,
                                                       const uint32_t *rows, uint64_t n,
                                                       bool is_sample,
                                                       struct pps_sensitivity_group *group,
                                                       struct pps_error *err);

// Fills the group from a result whose experiment is a design.
PPS_MUST_CHECK enum pps_status pps_sensitivity_of_design(const struct pps_sensitivity_ask *ask,
                                                         const struct cJSON *experiment,
                                                         struct pps_sensitivity *sensitivity,
                                                         struct pps_error *err);

// Sets the objective, its unit and goal, and the coverage.
PPS_MUST_CHECK enum pps_status pps_sensitivity_head(struct pps_sensitivity *s,
                                                    const struct pps_view *view, int objective,
                                                    struct pps_error *err);
