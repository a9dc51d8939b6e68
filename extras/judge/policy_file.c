// SPDX-License-Identifier: Apache-2.0
// Reads policies from JSON files.
#include "extras/judge/policy_file.h"

#include "base/document/json.h"

static enum pps_status fail_policy(const struct pps_json *json, const char *path,
                                   const struct pps_fault *fault, struct pps_error *err)
{
    if (fault->text[0] == '\0')
        return pps_fail_memory(err, "%s", path);
    const cJSON *item = fault->item != NULL ? fault->item : json->root;
    return fault->at_key ? pps_json_fail_key(json, item, err, "%s", fault->text)
                         : pps_json_fail(json, item, err, "%s", fault->text);
}

enum pps_status policy_file_read(const char *path, struct policy **policy,
                                 struct pps_error *err)
{
    struct pps_fault fault = {.document = 0};
    struct pps_json json;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    *policy = policy_read(json.root, &fault);
    if (*policy == NULL)
        status = fail_policy(&json, path, &fault, err);
    pps_json_free(&json);
    return status;
}
