// SPDX-License-Identifier: Apache-2.0
// Reads the profile of a run: the times of its layers by kind, the memory of its ranks, and what could
// not be used.
#pragma once

#include "planner/profiles/kernels/kernel_name.h"
#include "planner/profiles/kernels/layer_cut.h"
#include "planner/profiles/profile_tables.h"
#include "planner/profiles/run_folders.h"

#include "base/text/status.h"
#include "base/text/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the user knows of the runs. Zeros: nothing.
struct profile_request {
    struct kernel_names names; // of attention kernels
    int32_t skip_steps;
    int32_t micro_batches; // per step; 0: unknown
    bool has_dense;
    int32_t dense;         // leading layers without experts, if has_dense
    const int32_t *layers; // of each stage, n_layers numbers; NULL: unknown
    int32_t n_layers;
    bool is_guess; // layers and micro_batches may be wrong: kernels that contradict them count
};

// Kinds of times, named as in a document of raw times (planner/figures/ratios.h).
enum profile_list {
    PROFILE_DENSE_FW,
    PROFILE_DENSE_BW,
    PROFILE_RECOMP_DENSE_BW,
    PROFILE_MOE_FW,
    PROFILE_MOE_BW,
    PROFILE_RECOMP_MOE_BW,
    PROFILE_TOTAL,
    PROFILE_LISTS,
};

const char *profile_list_name(enum profile_list list);

struct profile_times {
    double *us;
    size_t n, room;
};

// A rank of the profile.
struct profile_rank {
    int32_t rank, stage; // -1: unknown
    long file;           // with the kernels, an index in the files of the run; -1: none
    bool is_cut;         // `shape` is known, and the times of the rank are used
    struct layer_shape shape;
    struct profile_memory memory;
    long memory_file; // -1: none
    double step_ms;   // mean, from step_trace_time.csv; 0: unknown
};

struct profile_run {
    struct profile_rank *ranks;
    size_t n_ranks;
    size_t n_profiles; // files with kernels or memory, whether they could be used or not
    struct profile_times lists[PROFILE_LISTS];
    int32_t last_layers;      // of the last stage, without dense layers; 0: not in the profile
    int32_t last_recomputed;  // of these
    bool has_experts;         // a mixture-of-experts model
    struct text_buffer notes; // lines: what was assumed, and what could not be used and why
};

// Reads the profile in the files of a run. A run without profile has no ranks. Damaged files give
// notes. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status profile_run_read(struct profile_run *run,
                                                const struct run_files *files,
                                                const struct run_degrees *degrees,
                                                const struct profile_request *request,
                                                struct pps_error *err);
void profile_run_free(struct profile_run *run);

struct cJSON;

// Returns the document of raw times of a run, as --profile-times reads it; NULL if memory runs out.
// The caller frees it with cJSON_Delete().
struct cJSON *profile_run_document(const struct profile_run *run,
                                   const struct run_degrees *degrees);

// ---- for profile_run.c and profile_lists.c ------------------------------------------------------

// Sorts the times of all ranks by kind. cuts[i] belongs to ranks[i] and is used if is_cut is set.
// false: out of memory.
bool profile_run_sort(struct profile_run *run, const struct layer_cut *cuts,
                      const struct run_degrees *degrees, const struct profile_request *request);
