// SPDX-License-Identifier: Apache-2.0
// Loads computed columns: "let" of the experiment, then the options --let.
#include "engine/experiment/loading_private.h"
#include "engine/let/let_columns.h"

#include <stdio.h>
#include <string.h>

static enum pps_status add_of_file(struct pps_loader *l, const cJSON *item)
{
    if (!cJSON_IsString(item))
        return pps_json_fail(&l->file, item, l->err, "let: %s: expected an expression as text",
                             item->string);
    const enum pps_status status =
        pps_let_columns_add(l->experiment->lets, item->string, item->valuestring, l->err);
    if (status != PPS_E_INPUT)
        return status;
    const struct pps_error said = *l->err;
    return pps_json_fail(&l->file, item, l->err, "let: %s", said.text);
}

static enum pps_status add_of_option(struct pps_loader *l, const char *word)
{
    char name[PPS_LET_NAME];
    const char *equals = strchr(word, '=');
    const size_t n = equals != NULL ? (size_t)(equals - word) : 0;
    if (n == 0 || n >= sizeof name)
        return pps_fail(
            l->err, PPS_E_INPUT,
            "--let %s: expected NAME=EXPRESSION, as in gain=1-total_time/ideal_time", word);
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    const enum pps_status status =
        pps_let_columns_add(l->experiment->lets, name, equals + 1, l->err);
    if (status != PPS_E_INPUT)
        return status;
    const struct pps_error said = *l->err;
    return pps_fail(l->err, PPS_E_INPUT, "--let %s", said.text);
}

enum pps_status pps_load_lets(struct pps_loader *l)
{
    const cJSON *object = pps_json_member(l->file.root, "let"), *item;
    if (object == NULL && l->request->n_lets == 0)
        return PPS_OK;
    if (object != NULL && !cJSON_IsObject(object))
        return pps_json_fail(&l->file, object, l->err,
                             "let: expected {\"NAME\": \"EXPRESSION\", ...}");
    enum pps_status status = pps_let_columns_open(&l->experiment->lets, l->kernel, l->err);
    cJSON_ArrayForEach (item, object) {
        if (status == PPS_OK)
            status = add_of_file(l, item);
    }
    for (int i = 0; i < l->request->n_lets && status == PPS_OK; i++)
        status = add_of_option(l, l->request->lets[i]);
    if (status == PPS_OK)
        l->kernel = pps_let_columns_kernel(l->experiment->lets);
    return status;
}
