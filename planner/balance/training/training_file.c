// SPDX-License-Identifier: Apache-2.0
// Reads files of training configurations.
#include "planner/balance/training/training_file.h"

#include "kernels/balance/documents/training_read.h"
#include "planner/shared/document_read.h"
#include "planner/shared/files.h"

#include <stdio.h>

enum pps_status training_file_read(const char *path,
                                   struct balance_training *training,
                                   struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    bool is_usual = false;
    enum pps_status status = plan_yaml_read(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (!balance_training_read(json.root, training, &is_usual, &fault))
        status = plan_fail_document(&json, &fault, err);
    else if (is_usual)
        fprintf(stderr, "note      %s has no intermediate_size: %d is used\n", path,
                BALANCE_INTERMEDIATE_USUAL);
    pps_json_free(&json);
    return status;
}
