// SPDX-License-Identifier: Apache-2.0
// Reads policies from JSON files.
#include "extras/judge/policy_file.h"

#include "base/document/json.h"
#include "planner/shared/files.h"

enum pps_status policy_file_read(const char *path, struct policy **policy,
                                 struct pps_error *err)
{
    struct pps_fault fault = {.document = 0};
    struct pps_json json;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    *policy = policy_read(json.root, &fault);
    if (*policy == NULL) {
        fault.item = fault.item != NULL ? fault.item : json.root;
        status = plan_fail_document(&json, &fault, err);
    }
    pps_json_free(&json);
    return status;
}
