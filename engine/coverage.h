// SPDX-License-Identifier: Apache-2.0
// Coverage of a result: how many points of the experiment's whole grid it covers. Fewer than all
// after --limit, in a shard, in the .part of a run that has not finished, and where --only-top kept
// the best rows.
#ifndef PPS_COVERAGE_H
#define PPS_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

struct pps_coverage {
    bool partial;
    uint64_t points;    // of the grid that the result covers, skipped points included
    uint64_t whole;     // the grid's number of points; 0: unknown
    bool unfinished;    // the .part of a run
    bool limited;       // --limit
    uint64_t shard, of; // of: 0 where the result is not a shard
    bool only_best;     // --only-top
    uint64_t rows;      // of the result; for only_best
};

// The manifest beside a result, or beside a .part what is known of the run; NULL: none that can be
// read. The caller deletes it.
struct cJSON *pps_coverage_manifest(const char *path);

// Reads the manifest beside the result, or beside a .part what is known of the run. A result
// without a manifest ("-", a CSV file of another program) counts as whole. Thread-safe.
void pps_coverage_read(const char *path, struct pps_coverage *coverage);

// "partial: 100 of 1584 points (--limit)", or "" of a whole result.
void pps_coverage_text(const struct pps_coverage *coverage, char *out, size_t cap);

#endif
