// SPDX-License-Identifier: Apache-2.0
// Reads a file with an order of operations.
#include "planner/schedule/order_file.h"

#include "base/system/whole_file.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20 }; // bytes

static enum pps_status fail(const struct schedule_order_file *file,
                            const struct pps_fault *fault,
                            struct pps_error *err)
{
    int line = fault->line, column = fault->column;
    if (fault->text[0] == '\0')
        return pps_fail_memory(err, "%s", file->path);
    if (fault->item != NULL && file->document.json.root != NULL)
        pps_json_where(&file->document.json, fault->item, 0, &line, &column);
    return pps_fail_at(err, PPS_E_INPUT, file->path, line, column, "%s", fault->text);
}

enum pps_status schedule_order_read(struct schedule_order_file *file,
                                    const char *path,
                                    struct pps_error *err)
{
    struct pps_fault fault = {.document = 0};
    size_t n;
    *file = (struct schedule_order_file){.path = strcmp(path, "-") == 0 ? "stdin" : path};
    const enum pps_status status = pps_whole_file_read(path, LARGEST, &file->text, &n, err);
    if (status != PPS_OK)
        return status;
    if (order_document_read(&file->document, file->text, n, &fault))
        return PPS_OK;
    return fail(file, &fault, err);
}

enum pps_status schedule_order_check(const struct schedule_order_file *file,
                                     struct pps_error *err)
{
    struct pps_fault fault = {.document = 0};
    return order_document_check(&file->document, &fault) ? PPS_OK : fail(file, &fault, err);
}

void schedule_order_free(struct schedule_order_file *file)
{
    order_document_free(&file->document);
    free(file->text);
    *file = (struct schedule_order_file){.path = NULL};
}

struct schedule_point schedule_order_point(const struct schedule_order_file *file,
                                           const double value[N_PARAMS])
{
    const struct order_document *document = &file->document;
    return schedule_point_of_order(value, &document->shape, document->device_of,
                                   document->order);
}
