// SPDX-License-Identifier: Apache-2.0
// Lists the configuration files of a training framework that are to be run: the files of a folder, or
// named files.
#pragma once

#include "base/text/status.h"
#include "kernels/frameworks/framework.h"

#include <stddef.h>
#include <stdint.h>

struct nd_configuration {
    char *path;               // absolute
    char *name;               // the file's name without its ending and without "_pretrain"
    enum framework framework; // by its content, else by the ending of its name
    int64_t dp, tp, pp, cp;   // from the name, else from the file; 0: unknown
    int64_t layers;           // of the model in the file, with MTP layers; 0: unknown
    uint64_t digest;          // of its bytes
};

struct nd_configurations {
    struct nd_configuration *list;
    size_t n, room;
    char *folder; // of the first file
};

// Adds a file, or all files of a folder that end in .yaml, .yml, .sh or .toml, sorted by name
// (DP2 before DP16). A folder without configurations may have them in its folder `part`. Returns
// PPS_E_INPUT for a path that cannot be read, for a folder without configurations, and if two files
// have the same name.
PPS_MUST_CHECK enum pps_status nd_configurations_add(struct nd_configurations *all,
                                                     const char *path, const char *part,
                                                     struct pps_error *err);
void nd_configurations_free(struct nd_configurations *all); // a zeroed list is allowed

// Returns dp * tp * pp * cp, or 0 if a degree is unknown. An unknown cp counts as 1.
int64_t nd_configuration_world(const struct nd_configuration *configuration);
