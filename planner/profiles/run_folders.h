// SPDX-License-Identifier: Apache-2.0
// Finds the folders of runs below a folder, and the files of a run.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- run name -----------------------------------------------------------------------------------

// Degrees of a run. 0: not in the name, except op, whose -1 means "not searched".
struct run_degrees {
    int32_t dp, tp, pp, ep, cp, op, vp, mbs;
};

// Reads a name such as DP8_TP2_PP4_EP16 or DP8_TP1_PP1_EP1_CP1_FSDP8_pretrain: keys in upper or
// lower case, each followed by its number, separated by '_', '-' or '.'. FSDP is a name of op.
// Returns true if the name has dp, tp and pp.
bool run_degrees_read(const char *name, struct run_degrees *degrees);

// Returns the number of ranks of one pipeline stage: dp tp cp.
int64_t run_stage_ranks(const struct run_degrees *degrees);

// Returns the pipeline stage of a rank, or -1 if the rank is unknown (below 0) or outside the run.
// Consecutive ranks belong to the same stage, as in Megatron-LM, MindSpore and torchtitan.
int32_t run_stage_of(const struct run_degrees *degrees, int32_t rank);

// Returns the rank that the path of a file names, or -1. The last of these decides: rank_3, rank3,
// rank-3, worker_3, device_3, or a folder 3 that holds stdout.log or stderr.log (torchrun).
int32_t run_rank_of_path(const char *path);

// ---- run folders --------------------------------------------------------------------------------

struct run_folder {
    char *path; // a folder; or a file, if a run has only one log with the name of the run
    struct run_degrees degrees;
};

struct run_folders {
    struct run_folder *rows; // in order of their names
    size_t n, room;
};

// Finds the degrees of a run whose name has none, for example in a configuration beside it. Returns
// true if the folder is a run.
struct run_guess {
    bool (*degrees)(void *self, const char *folder, struct run_degrees *degrees);
    void *self;
};

// Finds runs: folders whose names have dp, tp and pp, such as DP8_TP2_PP4_EP16, logs (.log, .txt,
// .out, also with .gz) with such a name, and folders without such names in them that `guess` (NULL:
// none) knows. The folder itself may be a run. Folders with other names are searched too, at most 4
// levels deep. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status run_folders_find(struct run_folders *runs, const char *folder,
                                                const struct run_guess *guess,
                                                struct pps_error *err);
void run_folders_free(struct run_folders *runs);

struct run_files {
    char **paths; // begin with the folder
    size_t n, room;
    size_t below; // bytes of the folder at the start of the paths
};

// Lists all regular files in a folder and below, at most 16 levels deep and in order of their names.
// Links to folders are not followed. If `path` is a file, the list has this file only. After an error
// there is nothing to free.
PPS_MUST_CHECK enum pps_status run_files_list(struct run_files *files, const char *path,
                                              struct pps_error *err);
void run_files_free(struct run_files *files);

// Returns the rank that the path of a file below the folder names (run_rank_of_path), or -1.
int32_t run_file_rank(const struct run_files *files, size_t file);

// Returns the name behind the last '/' of a path.
const char *run_file_name(const char *path);
