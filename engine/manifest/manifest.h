// SPDX-License-Identifier: Apache-2.0
// Writes the manifest beside a result: the experiment, the counts of the run, and the command
// that repeats the run.
#pragma once

#include "base/system/codec.h"
#include "engine/experiment/experiment.h"
#include "engine/run/sweep.h"

struct pps_manifest {
    const struct pps_experiment *experiment;
    struct pps_totals *totals; // NULL: not yet known
    struct pps_shard shard;
    struct pps_codec_choice codec;
    uint64_t block_points;
    const struct pps_sweep *sweep;
    const char *reuse;   // the earlier result that rows were taken from; or NULL
    uint64_t data_bytes; // of the result file
    double audit;        // fraction of the rows that was compared with the reference; 0: none
    int threads;
    const char *version; // of ppsweep
    const char *command; // as typed
    const char *view; // the view of timelines that `trace` draws by default; NULL: the kernel's
};

// Returns the manifest as a tree, which the caller deletes; NULL if memory runs out. Counts and
// axis values are raw items, which keep their spelling. Counts depend on the experiment alone;
// times, threads, the machine, and the numbers of computed and copied points describe the last
// run.
cJSON *pps_manifest_tree(const struct pps_manifest *manifest);

// Prints the members of a manifest that every run and every shard of the experiment share, and deletes
// its tree. The caller frees the text. NULL if memory runs out or root is NULL.
char *pps_manifest_constant(cJSON *root);

// Prints a manifest and deletes its tree. The text ends with the member "manifest_digest", which
// is XXH64 of the text before it, and a newline. The caller frees the text. NULL if memory runs
// out or root is NULL.
char *pps_manifest_print(cJSON *root);
