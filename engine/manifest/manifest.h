// SPDX-License-Identifier: Apache-2.0
// Writes the manifest beside a result: the experiment, the counts of the run, and the command
// that repeats the run.
#ifndef PPS_ENGINE_MANIFEST_MANIFEST_H
#define PPS_ENGINE_MANIFEST_MANIFEST_H

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
};

// The manifest as JSON text ended with a newline; the caller frees it. NULL without memory. Its
// last member, "manifest_digest", is XXH64 of the text before it. Counts depend on the experiment
// alone; times, threads, machine, and how many points were computed and copied, are those of the
// last run where there were several.
char *pps_manifest_text(const struct pps_manifest *manifest);

// The text of a manifest with these members and "manifest_digest" behind them; frees root. NULL
// without memory.
char *pps_manifest_close(cJSON *root);

#endif
