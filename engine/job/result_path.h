// SPDX-License-Identifier: Apache-2.0
// Chooses the path and codec of the result of a run.
#pragma once

#include "base/system/codec.h"
#include "engine/experiment/experiment.h"
#include "engine/space/shard.h"

#define PPS_DATA_FOLDER "outputs/data"

struct pps_resultpath {
    char path[1024]; // or "-"
    struct pps_codec_choice codec;
};

// Chooses the path from `output` (NULL: "output" of the experiment, else a name in
// PPS_DATA_FOLDER) and the codec (NULL: by the ending, else zlib:1). The name of a shard is
// NAME.shard-K-of-N with the ending of NAME. Creates nothing.
PPS_MUST_CHECK enum pps_status pps_resultpath_choose(const char *output, const char *codec,
                                                     const struct pps_experiment *experiment,
                                                     struct pps_shard shard,
                                                     struct pps_resultpath *out,
                                                     struct pps_error *err);

// Returns PPS_E_INPUT if the name is too long for the names of related files; the longest name
// is the name of the unfinished manifest.
PPS_MUST_CHECK enum pps_status pps_resultpath_fits(const char *path, struct pps_error *err);

// Creates the folder of the path.
PPS_MUST_CHECK enum pps_status pps_resultpath_folder(const struct pps_resultpath *path,
                                                     struct pps_error *err);

// Returns whether the path is an index or a manifest (NAME.idx, NAME.json, or their .part). A
// pattern such as NAME* matches these files together with the result.
bool pps_resultpath_is_beside(const char *path);

// Returns PPS_E_INPUT if the path is an index or a manifest instead of a result.
PPS_MUST_CHECK enum pps_status pps_resultpath_check(const char *path, struct pps_error *err);
