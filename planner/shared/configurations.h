// SPDX-License-Identifier: Apache-2.0
// Lists the configuration files in a folder.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>

// Paths of files, sorted by name: DP2 before DP16.
struct plan_configurations {
    char **paths;
    size_t n, room;
};

bool plan_is_folder(const char *path);

// Returns the extension of a configuration at the end of a name: .yaml, .yml, .toml, .sh or .json;
// NULL: another name, or a hidden file.
const char *plan_configuration_ending(const char *name);

// Lists the configurations in a folder. Other files, and folders in the folder, are skipped. After
// an error there is nothing to free.
PPS_MUST_CHECK enum pps_status plan_configurations_list(struct plan_configurations *list,
                                                        const char *folder,
                                                        struct pps_error *err);
// The same; returns PPS_E_INPUT if there is no configuration.
PPS_MUST_CHECK enum pps_status plan_configurations_require(struct plan_configurations *list,
                                                           const char *folder,
                                                           struct pps_error *err);
void plan_configurations_free(struct plan_configurations *list); // a zeroed list is allowed
