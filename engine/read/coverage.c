// SPDX-License-Identifier: Apache-2.0
// Reads the coverage of a result from its manifest, and for an unfinished run from its journal.
#include "engine/read/coverage.h"

#include "base/document/json.h"
#include "base/text/characters.h"
#include "base/text/human.h"
#include "engine/manifest/manifest_file.h"
#include "engine/store/index_write.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char part[] = ".part";

// Returns the points of the blocks in the journal of an unfinished run, or 0 if it cannot be
// read.
static uint64_t journal_points(const char *result)
{
    struct pps_index_reader index = {.fd = -1};
    enum pps_index_reader_state state;
    struct pps_error unused;
    char *path = NULL;
    uint64_t points = 0;
    if (asprintf(&path, "%s.idx%s", result, part) < 0)
        return 0;
    if (pps_index_reader_open(&index, path, &state, &unused) == PPS_OK &&
        state == PPS_INDEX_READER_WHOLE && index.n_records > 1) {
        // The first record is the header line's.
        const uint64_t blocks = index.n_records - 1;
        points = index.head.n_points;
        if (blocks <= points / index.head.block_points)
            points = blocks * index.head.block_points;
    }
    pps_index_reader_close(&index);
    free(path);
    return points;
}

// Returns the result's path without .part, or NULL if memory runs out.
static char *without_part(const char *path)
{
    return strndup(path, strlen(path) - strlen(part));
}

static void fill(const char *path, const cJSON *manifest, struct pps_coverage *coverage)
{
    const cJSON *shard = pps_json_member(manifest, "shard");
    const uint64_t asked = shard != NULL ? pps_manifest_count(shard, "points")
                                         : pps_manifest_count(manifest, "points");
    *coverage = (struct pps_coverage){
        .points = pps_manifest_count(manifest, "points"),
        .whole = pps_manifest_count(manifest, "grid_points"),
        .unfinished = pps_ends_with(path, part),
        .shard = pps_manifest_count(shard, "index"),
        .of = pps_manifest_count(shard, "of"),
        .only_best = pps_json_member(manifest, "only_top") != NULL,
    };
    coverage->rows = pps_manifest_count(manifest, "rows");
    coverage->limited = asked < coverage->whole;
    if (coverage->whole == 0) // written before manifests had "whole"
        coverage->whole = asked;
    if (coverage->unfinished) {
        char *result = without_part(path);
        coverage->points = result == NULL ? 0 : journal_points(result);
        free(result);
    }
    coverage->partial =
        coverage->unfinished || coverage->only_best || coverage->points < coverage->whole;
}

cJSON *pps_coverage_manifest(const char *path)
{
    cJSON *manifest = NULL;
    struct pps_error unused;
    const bool unfinished = pps_ends_with(path, part);
    char *result = unfinished ? without_part(path) : strdup(path);
    if (result != NULL && strcmp(result, "-") != 0)
        (void)!pps_manifest_beside(result, unfinished ? ".json.part" : ".json", &manifest,
                                   &unused);
    if (manifest == NULL && !unfinished && strcmp(path, "-") != 0)
        (void)!pps_manifest_known(path, &manifest, &unused);
    free(result);
    return manifest;
}

void pps_coverage_read(const char *path, struct pps_coverage *coverage)
{
    cJSON *manifest = pps_coverage_manifest(path);
    fill(path, manifest, coverage);
    cJSON_Delete(manifest);
}

static void add_reason(char *out, size_t cap, const char *reason)
{
    const size_t n = strlen(out);
    snprintf(out + n, cap - n, "%s%s", n == 0 ? "" : ", ", reason);
}

void pps_coverage_text(const struct pps_coverage *coverage, char *out, size_t cap)
{
    char reasons[96] = "", shard[64];
    out[0] = '\0';
    if (!coverage->partial)
        return;
    snprintf(shard, sizeof shard, "shard %" PRIu64 " of %" PRIu64, coverage->shard,
             coverage->of);
    if (coverage->unfinished)
        add_reason(reasons, sizeof reasons, "unfinished run");
    if (coverage->limited)
        add_reason(reasons, sizeof reasons, "--limit");
    if (coverage->of > 0)
        add_reason(reasons, sizeof reasons, shard);
    if (coverage->only_best && !coverage->unfinished) {
        add_reason(reasons, sizeof reasons, "--only-top");
        snprintf(out, cap, "partial: the best %s rows of %s points (%s)",
                 pps_count_text((double)coverage->rows).text,
                 pps_count_text((double)coverage->whole).text, reasons);
    } else if (coverage->whole > 0)
        snprintf(out, cap, "partial: %s of %s points (%s)",
                 pps_count_text((double)coverage->points).text,
                 pps_count_text((double)coverage->whole).text, reasons);
    else
        snprintf(out, cap, "partial: %s", reasons);
}
