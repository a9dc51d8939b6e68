// SPDX-License-Identifier: Apache-2.0
// Writes small results for tests, with blocks of any size, shards, and rows that are wrong on
// purpose.
#pragma once

#include "tests/unit/support/engine/experiments.h"

#include "engine/manifest/manifest.h"
#include "engine/run/row_maker.h"
#include "engine/store/output.h"

#include <string.h>
#include <zlib.h>

#define TEST_VERSION PPS_VERSION

struct result_plan {
    const char *path;
    const char *experiment;
    const char *codec; // NULL: zlib:1
    uint64_t block_points;
    uint32_t shard, n_shards;
    // Changes the n bytes of text of a block before any checksum is computed; NULL: no change.
    void (*spoil)(uint64_t block, char *text, size_t *n, struct pps_counts *counts);
    const char *kernel_version; // kernel version in the manifest; NULL: the real version
};

// Writes the result as a run does.
void write_result(const struct result_plan *plan);
