// SPDX-License-Identifier: Apache-2.0
// Reads files of strategies that users write.
#include "planner/balance/manual/manual_file.h"

#include "base/text/say.h"
#include "planner/shared/files.h"

#include <string.h>

enum pps_status balance_manual_file_read(struct balance_manual_file *file, const char *path,
                                         const struct balance_layers *layers, int32_t stages,
                                         int32_t chunks, struct pps_error *err)
{
    struct pps_fault fault, doubts[PLAN_DOUBTS_MOST];
    *file = (struct balance_manual_file){.manual = {.entries = NULL}};
    enum pps_status status = plan_document_read(&file->document, path, PLAINDOC_YAML, err);
    if (status != PPS_OK)
        return status;
    const struct pps_json *json = &file->document.json;
    if (file->document.framework != FRAMEWORK_NONE)
        status = pps_fail(err, PPS_E_INPUT,
                          "%s: a training configuration, expected strategies; write NAME: with "
                          "offset, recompute, select_recompute and select_comm_recompute",
                          path);
    else if (!balance_manual_read(json->root, layers, stages, chunks, &file->manual, &fault))
        status = plan_fail_document(json, &fault, err);
    if (status != PPS_OK) {
        balance_manual_file_free(file);
        return status;
    }
    plan_warn(json, doubts, balance_manual_doubts(json->root, doubts, PLAN_DOUBTS_MOST));
    return PPS_OK;
}

void balance_manual_file_free(struct balance_manual_file *file)
{
    balance_manual_free(&file->manual);
    plan_document_free(&file->document);
}

enum pps_status balance_manual_file_fail(const struct balance_manual_file *file, int32_t entry,
                                         struct pps_error *err)
{
    const struct pps_fault *fault = &file->manual.entries[entry].fault;
    return fault->text[0] == '\0' ? PPS_OK
                                  : plan_fail_document(&file->document.json, fault, err);
}

enum pps_status balance_manual_file_check(const struct balance_manual_file *file,
                                          struct pps_error *err)
{
    int wrong = 0;
    for (int32_t i = 0; i < file->manual.n; i++) {
        struct pps_error at;
        if (balance_manual_file_fail(file, i, &at) == PPS_OK)
            continue;
        pps_say(stderr, "ppsweep: %s:%d:%d: %s", at.file, at.line, at.column, at.text);
        wrong++;
    }
    if (wrong == 0)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--manual-config: %d of %d strategies left out", wrong,
                    file->manual.n);
}
