// SPDX-License-Identifier: Apache-2.0
// Reads the coverage of a result: the number of points of the experiment's whole grid that the
// result covers. A result is partial after --limit, in a shard, in the .part of an unfinished
// run, and with --only-top, which keeps the best rows only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

struct pps_coverage {
    bool partial;
    uint64_t points;    // points of the grid that the result covers, including skipped points
    uint64_t whole;     // number of points of the whole grid; 0: unknown
    bool unfinished;    // the result is the .part of a run
    bool limited;       // --limit
    uint64_t shard, of; // of: 0 if the result is not a shard
    bool only_best;     // --only-top
    uint64_t rows;      // rows of the result; set for only_best
};

// Returns the manifest beside a result, or the known part of the manifest beside a .part.
// Returns NULL if none can be read. The caller deletes it.
struct cJSON *pps_coverage_manifest(const char *path);

// Reads the coverage from the manifest beside the result, or beside a .part. A result without a
// manifest ("-", or a CSV file of another program) counts as complete. Thread-safe.
void pps_coverage_read(const char *path, struct pps_coverage *coverage);

// Writes "partial: 100 of 1584 points (--limit)", or "" if the result is complete. cap is the
// size of out in bytes.
void pps_coverage_text(const struct pps_coverage *coverage, char *out, size_t cap);
