// SPDX-License-Identifier: Apache-2.0
// Where a run's result goes.
#ifndef PPS_CLI_RESULTPATH_H
#define PPS_CLI_RESULTPATH_H

#include "command.h"
#include "engine/codec.h"
#include "engine/experiment.h"
#include "engine/shard.h"

#define PPS_DATA_FOLDER "outputs/data"

struct pps_resultpath {
    char path[1024]; // or "-"
    bool is_default; // the name was ours to choose
    struct pps_codec_choice codec;
};

// From -o (or "output" of the experiment) and --compress; a shard's name is NAME.shard-K-of-N
// with the ending of NAME. Creates nothing.
PPS_MUST_CHECK enum pps_status pps_resultpath_choose(const struct pps_args *args,
                                                     const struct pps_experiment *experiment,
                                                     struct pps_shard shard,
                                                     struct pps_resultpath *out,
                                                     struct pps_error *err);

// PPS_E_INPUT where the name is too long for the files beside it, of which the manifest has the
// longest name while it is made.
PPS_MUST_CHECK enum pps_status pps_resultpath_fits(const char *path, struct pps_error *err);

// Makes the default folder where the path lies in it and it is missing.
PPS_MUST_CHECK enum pps_status pps_resultpath_folder(const struct pps_resultpath *path,
                                                     struct pps_error *err);

// Whether it is an index or manifest (NAME.idx, NAME.json; or a .part of one), which a pattern such
// as NAME* takes in with the result.
bool pps_resultpath_is_beside(const char *path);

// PPS_E_INPUT for such a path in place of a result.
PPS_MUST_CHECK enum pps_status pps_resultpath_check(const char *path, struct pps_error *err);

#endif
