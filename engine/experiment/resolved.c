// SPDX-License-Identifier: Apache-2.0
// Writes out an experiment in full and computes its digest.
#include "engine/experiment/resolved.h"

#include "base/document/json.h"
#include "engine/axes/axis_json.h"
#include "engine/axes/option_json.h"
#include "engine/let/let_columns.h"
#include "engine/program/program.h"
#include "engine/space/sample.h"
#include "engine/space/value.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

// Returns the axis of parameter p alone, in the form of the experiment.
static cJSON *named_axis(const struct pps_experiment *e, const struct pps_axis *axis, int p)
{
    struct pps_axis one = *axis;
    for (int m = 0; m < axis->n_members; m++)
        if (axis->members[m].param == p)
            one.members = &axis->members[m];
    one.n_members = axis->n_members > 0;
    return pps_axis_to_json(&one, e->kernel->params);
}

static void add_params(cJSON *root, const struct pps_experiment *e)
{
    cJSON *params = cJSON_AddObjectToObject(root, "params");
    for (int i = 0; i < e->n_named; i++) {
        const int p = e->named[i];
        cJSON_AddItemToObject(params, e->kernel->params[p].name,
                              named_axis(e, pps_space_axis_of(&e->space, p), p));
    }
}

static void add_zip(cJSON *root, const struct pps_experiment *e)
{
    cJSON *zip = cJSON_CreateArray();
    for (int d = 0; d < e->space.n_axes; d++) {
        const struct pps_axis *axis = &e->space.axes[d];
        if (axis->kind != PPS_AXIS_TABLE || axis->n_members < 2 ||
            axis->members[0].entries != NULL || axis->of_slot)
            continue;
        cJSON *group = cJSON_CreateArray();
        for (int m = 0; m < axis->n_members; m++)
            cJSON_AddItemToArray(
                group, cJSON_CreateString(e->kernel->params[axis->members[m].param].name));
        cJSON_AddItemToArray(zip, group);
    }
    if (cJSON_GetArraySize(zip) > 0)
        cJSON_AddItemToObject(root, "zip", zip);
    else
        cJSON_Delete(zip);
}

static void add_options(cJSON *root, const struct pps_experiment *e)
{
    const struct pps_composite *composite = e->kernel->composite;
    if (composite == NULL || e->space.axes[e->space.n_axes - 1].kind != PPS_AXIS_COMPOSITE)
        return;
    for (int o = 0; o < composite->n_options; o++)
        cJSON_AddItemToObject(root, composite->options[o].name,
                              pps_option_to_json(e->kernel, o, &e->options[o]));
}

static void add_rules(cJSON *root, const struct pps_space *space)
{
    if (space->n_rules == 0)
        return;
    cJSON *where = cJSON_AddArrayToObject(root, "where");
    for (int r = 0; r < space->n_rules; r++)
        cJSON_AddItemToArray(where, cJSON_CreateString(space->rules[r].text));
}

static void add_sample(cJSON *root, const struct pps_sample *sample)
{
    if (sample == NULL)
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "sample");
    pps_json_add_count(object, "count", sample->count);
    cJSON_AddStringToObject(object, "method", pps_sample_methods[sample->method]);
    pps_json_add_count(object, "seed", sample->seed);
}

static void add_lets(cJSON *root, const struct pps_let_columns *lets)
{
    cJSON *object =
        pps_let_columns_count(lets) > 0 ? cJSON_AddObjectToObject(root, "let") : NULL;
    for (int i = 0; object != NULL && i < pps_let_columns_count(lets); i++)
        cJSON_AddStringToObject(object, pps_let_columns_name(lets, i),
                                pps_let_columns_text(lets, i));
}

// Computes the digest of the experiment's text and the other inputs that determine rows.
static uint64_t digest_of(const struct pps_experiment *e, const char *text)
{
    char rest[256 + PPS_MAX_COLUMNS * 64]; // fits names as long as any kernel has
    size_t at = (size_t)snprintf(
        rest, sizeof rest, "%s %s points %016llx digits %d limit %llu seed %llu%s%s%s",
        e->kernel->name, e->kernel->version, (unsigned long long)e->points_digest, e->digits,
        (unsigned long long)e->n_points, (unsigned long long)e->seed,
        e->exact ? " exact 1" : "", e->status ? " status 1" : "",
        e->space.typed != 0 ? " typed 1" : "");
    if (e->point_limit > 0)
        at += (size_t)snprintf(rest + at, sizeof rest - at, " point_limit %llu",
                               (unsigned long long)e->point_limit);
    if (e->only != NULL)
        at += (size_t)snprintf(rest + at, sizeof rest - at, " only %016llx",
                               (unsigned long long)XXH64(e->only, strlen(e->only), 0));
    for (int c = 0; c < e->kernel->n_columns && at < sizeof rest; c++)
        if (e->wanted[c])
            at += (size_t)snprintf(rest + at, sizeof rest - at, " %s",
                                   e->kernel->columns[c].name);
    return XXH64(rest, strlen(rest), XXH64(text, strlen(text), 0));
}

enum pps_status pps_experiment_resolve(struct pps_experiment *e, const char *points_path,
                                       struct pps_error *err)
{
    cJSON *root = cJSON_CreateObject();
    e->resolved = root;
    cJSON_AddStringToObject(root, "kernel", e->kernel->name);
    if (e->program != NULL)
        cJSON_AddItemToObject(root, "command",
                              cJSON_Duplicate(pps_program_resolved(e->program), true));
    if (pps_documents_resolved(e->inputs) != NULL)
        cJSON_AddItemToObject(root, "inputs",
                              cJSON_Duplicate(pps_documents_resolved(e->inputs), true));
    add_params(root, e);
    add_zip(root, e);
    add_options(root, e);
    add_rules(root, &e->space);
    add_sample(root, e->space.sample);
    add_lets(root, e->lets);
    if (pps_seed_param(e->kernel) < 0)
        pps_json_add_count(root, "seed", e->seed); // with all digits
    char *text = pps_json_print_line(root);
    if (text == NULL)
        return pps_fail_memory(err, "the experiment");
    e->digest = digest_of(e, text);
    cJSON_free(text);
    if (points_path != NULL)
        cJSON_AddStringToObject(root, "points", points_path);
    return PPS_OK;
}
