// SPDX-License-Identifier: Apache-2.0
// Compares the manifests of existing files with the manifest of the requested run.
#include "engine/job/existing_result.h"

#include "engine/manifest/difference.h"
#include "engine/manifest/manifest_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool pps_existing_file(const char *path, const char *ending)
{
    char name[1200];
    const int n = snprintf(name, sizeof name, "%s%s", path, ending);
    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

// Gives raw items, which keep the spelling of numbers and truth values, the value that a parser
// reads, so that a new manifest can be compared with one from a file.
static void parse_raw_items(cJSON *item)
{
    cJSON *child, *value = cJSON_IsRaw(item) ? cJSON_Parse(item->valuestring) : NULL;
    if (value != NULL) {
        cJSON_free(item->valuestring);
        item->valuestring = NULL;
        item->type = value->type | (item->type & cJSON_StringIsConst);
        item->valueint = value->valueint;
        item->valuedouble = value->valuedouble;
        cJSON_Delete(value);
    }
    cJSON_ArrayForEach (child, item) {
        parse_raw_items(child);
    }
}

// The data depend only on digest, codec and shard.
static bool is_same(const cJSON *found, const cJSON *wanted)
{
    static const char *const keys[] = {"digest", "codec", "shard"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *a = pps_json_member(found, keys[i]), *b = pps_json_member(wanted, keys[i]);
        if ((a != NULL || b != NULL) && !cJSON_Compare(a, b, true))
            return false;
    }
    return true;
}

static bool is_complete(const char *path, const cJSON *wanted)
{
    struct pps_error unused;
    cJSON *found = NULL;
    const bool same = pps_existing_file(path, "") &&
                      pps_manifest_of_result(path, &found, &unused) == PPS_OK &&
                      is_same(found, wanted);
    cJSON_Delete(found);
    return same;
}

static enum pps_status fail_different(const char *path, const cJSON *found, const cJSON *wanted,
                                      bool is_part, struct pps_error *err)
{
    char what[600] = "its digest differs";
    (void)pps_manifest_difference(found, wanted, what, sizeof what);
    if (is_part)
        return pps_fail(err, PPS_E_INPUT,
                        "%s.part cannot be continued: %s; choose another name, or start again "
                        "with --force and without --resume",
                        path, what);
    return pps_fail(
        err, PPS_E_INPUT,
        "%s is the complete result of another run: %s; choose another name, or overwrite it "
        "with --force",
        path, what);
}

// Reads the manifest of an interrupted run: NAME.json.part, or NAME.json if the run ended
// between the last renames.
static enum pps_status read_part(const char *path, cJSON **found, struct pps_error *err)
{
    const bool part = pps_existing_file(path, ".json.part");
    struct pps_error unused;
    enum pps_status status =
        pps_manifest_beside(path, part ? ".json.part" : ".json", found, part ? &unused : err);
    return part ? PPS_OK : status; // may be damaged; the journal suffices
}

static enum pps_status check_part(const char *path, const cJSON *wanted, struct pps_error *err)
{
    cJSON *found = NULL;
    enum pps_status status = read_part(path, &found, err);
    // The version of the program is not part of the digest, but a new version may write other
    // bytes.
    const bool same =
        found == NULL ||
        (is_same(found, wanted) && cJSON_Compare(pps_json_member(found, "ppsweep"),
                                                 pps_json_member(wanted, "ppsweep"), true));
    if (status == PPS_OK && !same)
        status = fail_different(path, found, wanted, true, err);
    cJSON_Delete(found);
    return status;
}

static enum pps_status check_final(const char *path, const cJSON *wanted, bool force,
                                   bool *complete, struct pps_error *err)
{
    cJSON *found = NULL;
    enum pps_status status = pps_manifest_of_result(path, &found, err);
    *complete = status == PPS_OK && found != NULL && is_same(found, wanted);
    if (status == PPS_OK && found != NULL && !*complete && !force)
        status = fail_different(path, found, wanted, false, err);
    cJSON_Delete(found);
    return status;
}

static enum pps_status check(const char *path, const cJSON *wanted, bool force, bool *complete,
                             struct pps_error *err)
{
    const bool part = pps_existing_file(path, ".part"), final = pps_existing_file(path, "");
    enum pps_status status = PPS_OK;
    *complete = false;
    if (part && (force || !final))
        status = check_part(path, wanted, err);
    else if (final && !part)
        status = check_final(path, wanted, force, complete, err);
    return status;
}

enum pps_status pps_existing_find(const struct pps_job *job, const char *path, cJSON *wanted,
                                  bool *complete, struct pps_error *err)
{
    parse_raw_items(wanted);
    if (job->resume)
        return check(path, wanted, job->force, complete, err);
    *complete = strcmp(path, "-") != 0 && !job->force && is_complete(path, wanted);
    return PPS_OK;
}
