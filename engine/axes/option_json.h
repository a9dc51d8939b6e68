// SPDX-License-Identifier: Apache-2.0
// Reads and writes the options of a kernel's composite axis as JSON.
#pragma once

#include "base/document/json.h"
#include "ppsweep/kernel.h"

// Sets every option to its default.
void pps_options_default(const struct pps_composite *composite,
                         struct pps_option_value *options);

// Frees the memory that an option owns.
void pps_option_free(struct pps_option_value *option);

// Reads option o. Rows of a list are allocated; the caller frees them with pps_option_free.
PPS_MUST_CHECK enum pps_status pps_option_from_json(const struct pps_kernel *kernel, int o,
                                                    const struct pps_json *json,
                                                    const cJSON *item,
                                                    struct pps_option_value *option,
                                                    struct pps_error *err);

// Returns the option as JSON in the form an experiment uses. The caller deletes it.
cJSON *pps_option_to_json(const struct pps_kernel *kernel, int o,
                          const struct pps_option_value *option);
