// SPDX-License-Identifier: Apache-2.0
// What sets two runs apart, told by their manifests.
#ifndef PPS_DIFFERENCE_H
#define PPS_DIFFERENCE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

// Writes "KEY was X, is Y" for the first thing that makes the two runs' results differ; false
// where there is none. Either may be a manifest without its counts (an interrupted run's). The
// key is what a user would change: a parameter, a word of the experiment, an option.
bool pps_manifest_difference(const cJSON *was, const cJSON *is, char *text, size_t cap);

#endif
