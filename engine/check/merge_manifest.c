// SPDX-License-Identifier: Apache-2.0
// Writes the manifest of a merged result: the manifest of a shard with the counts of all
// shards. It equals the manifest of a run of the whole experiment except for times, machine and
// command.
#include "engine/check/merge.h"

#include "base/document/json.h"
#include "base/text/characters.h"
#include "engine/manifest/manifest.h"
#include "engine/manifest/manifest_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sum_text(const struct pps_merge *merge)
{
    uint64_t n = 0;
    for (size_t i = 0; i < merge->n; i++)
        n += merge->files[i].seen.text_bytes - merge->files[i].seen.header_bytes;
    return n;
}

static void add_failed(cJSON *root, const struct pps_merge *merge)
{
    uint64_t first = PPS_NO_BLOCK;
    const cJSON *example = NULL;
    for (size_t i = 0; i < merge->n; i++) {
        const struct pps_whole_prefix *seen = &merge->files[i].seen;
        if (seen->first_failed < first) {
            first = seen->first_failed;
            example = pps_json_member(merge->files[i].manifest, "failed_example");
        }
    }
    pps_json_add_count(root, "failed", merge->counts.failed);
    if (example != NULL)
        cJSON_AddItemToObject(root, "failed_example", cJSON_Duplicate(example, true));
}

// Returns the entry of a reason. A manifest lists only the reasons that skipped points, in
// their order.
static const cJSON *left_out_of(const struct pps_shardfile *file, int reason)
{
    int at = 0;
    for (int r = 0; r < reason; r++)
        at += file->seen.counts.left_out[r].n > 0;
    return cJSON_GetArrayItem(pps_json_member(file->manifest, "skipped"), at);
}

static void add_left_out(cJSON *root, const struct pps_merge *merge)
{
    cJSON *list = cJSON_AddArrayToObject(root, "skipped");
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        const uint64_t n = merge->counts.left_out[r].n;
        uint64_t first = PPS_NO_BLOCK;
        const cJSON *entry = NULL;
        for (size_t i = 0; i < merge->n; i++) {
            const struct pps_whole_prefix *seen = &merge->files[i].seen;
            if (seen->first_left_out[r] < first) {
                first = seen->first_left_out[r];
                entry = left_out_of(&merge->files[i], r);
            }
        }
        if (n == 0 || entry == NULL)
            continue;
        cJSON *whole = cJSON_CreateObject();
        cJSON_AddItemToObject(whole, "reason",
                              cJSON_Duplicate(pps_json_member(entry, "reason"), true));
        pps_json_add_count(whole, "points", n);
        cJSON_AddItemToObject(whole, "example",
                              cJSON_Duplicate(pps_json_member(entry, "example"), true));
        cJSON_AddItemToArray(list, whole);
    }
}

// Adds the audit only if all shards were audited with the same fraction.
static void add_audit(cJSON *root, const struct pps_merge *merge)
{
    const cJSON *first = pps_json_member(merge->files[0].manifest, "audit");
    double rows = 0, sensitive = 0, largest = 0;
    for (size_t i = 0; i < merge->n; i++) {
        const cJSON *audit = pps_json_member(merge->files[i].manifest, "audit");
        if (audit == NULL ||
            pps_manifest_number(audit, "fraction") != pps_manifest_number(first, "fraction"))
            return;
        rows += pps_manifest_number(audit, "rows");
        sensitive += pps_manifest_number(audit, "sensitive");
        largest = fmax(largest, pps_manifest_number(audit, "largest_difference"));
    }
    cJSON *audit = cJSON_AddObjectToObject(root, "audit");
    cJSON_AddNumberToObject(audit, "fraction", pps_manifest_number(first, "fraction"));
    pps_json_add_count(audit, "rows", (uint64_t)rows);
    cJSON_AddNumberToObject(audit, "largest_difference", largest);
    pps_json_add_count(audit, "sensitive", (uint64_t)sensitive);
    cJSON_AddNumberToObject(audit, "tolerance", pps_manifest_number(first, "tolerance"));
}

// The sum of a count over all shards.
static uint64_t sum_member(const struct pps_merge *merge, const char *object, const char *key)
{
    uint64_t n = 0;
    for (size_t i = 0; i < merge->n; i++) {
        const cJSON *root = merge->files[i].manifest;
        n += pps_manifest_count(object != NULL ? pps_json_member(root, object) : root, key);
    }
    return n;
}

// Shards that took rows from different results name the first of these.
static void add_reused(cJSON *root, const struct pps_merge *merge, const cJSON *item)
{
    cJSON *reused = cJSON_AddObjectToObject(root, "reused");
    cJSON_AddItemToObject(reused, "from", cJSON_Duplicate(pps_json_member(item, "from"), true));
    pps_json_add_count(reused, "rows", sum_member(merge, "reused", "rows"));
    pps_json_add_count(reused, "audited", sum_member(merge, "reused", "audited"));
}

// Shards run at the same time: the wall time is the longest, the CPU time is the sum.
static void add_times(cJSON *root, const struct pps_merge *merge)
{
    double wall_s = 0, cpu_s = 0;
    for (size_t i = 0; i < merge->n; i++) {
        wall_s = fmax(wall_s, pps_manifest_number(merge->files[i].manifest, "wall_s"));
        cpu_s += pps_manifest_number(merge->files[i].manifest, "cpu_s");
    }
    cJSON_AddNumberToObject(root, "wall_s", wall_s);
    cJSON_AddNumberToObject(root, "cpu_s", cpu_s);
}

static void add_command(cJSON *root, const struct pps_merge *merge)
{
    char *command = pps_shardfile_command(&merge->files[0], (struct pps_shard){0, 0});
    cJSON_AddStringToObject(root, "command", command != NULL ? command : "");
    free(command);
}

// Returns true if the member of a shard's manifest was replaced by one of the whole. Call this
// function for one member after another.
static bool replace(cJSON *root, const struct pps_merge *merge, const cJSON *item,
                    uint64_t bytes)
{
    const char *key = item->string;
    if (pps_has_word("shard failed_example audit cpu_s manifest_digest", key))
        return true;
    if (strcmp(key, "points") == 0)
        pps_json_add_count(root, key, merge->files[0].index.head.n_points);
    else if (strcmp(key, "rows") == 0)
        pps_json_add_count(root, key, merge->counts.rows);
    else if (strcmp(key, "failed") == 0)
        add_failed(root, merge);
    else if (strcmp(key, "infeasible") == 0)
        pps_json_add_count(root, key, merge->counts.infeasible);
    else if (strcmp(key, "skipped") == 0)
        add_left_out(root, merge);
    else if (strcmp(key, "text_bytes") == 0)
        pps_json_add_count(root, key, sum_text(merge));
    else if (strcmp(key, "data_bytes") == 0) {
        pps_json_add_count(root, key, bytes);
        add_audit(root, merge);
    } else if (strcmp(key, "wall_s") == 0)
        add_times(root, merge);
    else if (strcmp(key, "computed") == 0 || strcmp(key, "recalled") == 0)
        pps_json_add_count(root, key, sum_member(merge, NULL, key));
    else if (strcmp(key, "reused") == 0)
        add_reused(root, merge, item);
    else if (strcmp(key, "command") == 0)
        add_command(root, merge);
    else
        return false;
    return true;
}

char *pps_merge_manifest(const struct pps_merge *merge, uint64_t data_bytes)
{
    cJSON *root = cJSON_CreateObject();
    const cJSON *item;
    cJSON_ArrayForEach (item, merge->files[0].manifest) {
        if (!replace(root, merge, item, data_bytes))
            cJSON_AddItemToObject(root, item->string, cJSON_Duplicate(item, true));
    }
    return pps_manifest_print(root);
}
