// SPDX-License-Identifier: Apache-2.0
// Writes a manifest with cJSON.
#include "engine/manifest/manifest.h"

#include "base/document/json.h"
#include "base/system/machine.h"
#include "base/text/decimal.h"
#include "engine/best/tie_counts.h"
#include "engine/experiment/column_types.h"
#include "engine/space/typed_columns.h"
#include "engine/space/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void add_hex(cJSON *object, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    cJSON_AddStringToObject(object, name, text);
}

static void add_value(cJSON *object, const struct pps_param *param, double value)
{
    char text[PPS_CELL_TEXT];
    pps_value_text(param, value, text);
    const bool number = param->kind == PPS_INTEGER || param->kind == PPS_BOOLEAN ||
                        (param->kind == PPS_REAL && !(param->names != NULL && value < 0));
    if (number)
        cJSON_AddRawToObject(object, param->name, text);
    else
        cJSON_AddStringToObject(object, param->name, text);
}

static cJSON *point_json(const struct pps_experiment *e, uint64_t index)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    cJSON *point = cJSON_CreateObject();
    if (cursor == NULL)
        return point; // the manifest is not printed then
    pps_cursor_seek(cursor, &e->space, index);
    for (int c = 0; c < e->space.n_columns; c++) {
        const int p = e->space.columns[c];
        add_value(point, &e->kernel->params[p], cursor->point[p]);
    }
    free(cursor);
    return point;
}

static void add_parameters(cJSON *root, const struct pps_experiment *e)
{
    cJSON *names = cJSON_AddArrayToObject(root, "parameters");
    for (int c = 0; c < e->space.n_columns; c++) {
        const int p = e->space.columns[c];
        char tier[128];
        cJSON_AddItemToArray(names, cJSON_CreateString(e->kernel->params[p].name));
        snprintf(tier, sizeof tier, "%s" PPS_TIER_SUFFIX, e->kernel->params[p].name);
        if ((e->space.typed >> p & 1) != 0)
            cJSON_AddItemToArray(names, cJSON_CreateString(tier));
    }
    cJSON *constants = cJSON_AddObjectToObject(root, "constants");
    for (int p = 0; p < e->kernel->n_params; p++) {
        bool shown = false;
        for (int c = 0; c < e->space.n_columns; c++)
            shown = shown || e->space.columns[c] == p;
        if (!shown)
            add_value(constants, &e->kernel->params[p], e->space.base[p]);
    }
}

static void add_columns(cJSON *root, const struct pps_experiment *e)
{
    static const char *const goals[] = {"none", "lower", "higher"};
    cJSON *columns = cJSON_AddArrayToObject(root, "columns");
    for (int c = 0; c < e->kernel->n_columns; c++) {
        const struct pps_column *column = &e->kernel->columns[c];
        if (!e->wanted[c])
            continue;
        const int decimals = pps_column_decimals(e->kernel, c, e->digits);
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "name", column->name);
        cJSON_AddStringToObject(entry, "unit", column->unit);
        cJSON_AddStringToObject(entry, "goal", goals[column->goal]);
        if (column->kind == PPS_COLUMN_TEXT)
            cJSON_AddStringToObject(entry, "kind", "text");
        if (decimals == PPS_FULL_DIGITS)
            cJSON_AddStringToObject(entry, "decimals", "full");
        else
            cJSON_AddNumberToObject(entry, "decimals", decimals);
        cJSON_AddItemToArray(columns, entry);
    }
    if (!e->status)
        return;
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "name", PPS_STATUS_COLUMN);
    cJSON_AddStringToObject(entry, "unit", "");
    cJSON_AddStringToObject(entry, "goal", goals[PPS_NEUTRAL]);
    cJSON_AddStringToObject(entry, "kind", "text");
    cJSON_AddNumberToObject(entry, "decimals", 0);
    cJSON_AddItemToArray(columns, entry);
}

static void add_left_out(cJSON *root, const struct pps_manifest *m)
{
    const struct pps_experiment *e = m->experiment;
    cJSON *list = cJSON_AddArrayToObject(root, "skipped");
    for (int r = 0; r < e->space.n_reasons; r++) {
        const struct pps_left_out *left_out = &m->totals->counts.left_out[r];
        if (left_out->n == 0)
            continue;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "reason", e->space.reasons[r]);
        pps_json_add_count(entry, "points", left_out->n);
        cJSON_AddItemToObject(entry, "example", point_json(e, left_out->example));
        cJSON_AddItemToArray(list, entry);
    }
}

static void add_counts(cJSON *root, const struct pps_manifest *m)
{
    const struct pps_totals *totals = m->totals;
    pps_json_add_count(root, "points", totals->points);
    pps_json_add_count(root, "rows", totals->counts.rows);
    pps_json_add_count(root, "failed", totals->counts.failed);
    if (totals->counts.failed > 0)
        cJSON_AddItemToObject(root, "failed_example",
                              point_json(m->experiment, totals->counts.failed_example));
    pps_json_add_count(root, "infeasible", totals->counts.infeasible);
    add_left_out(root, m);
    pps_json_add_count(root, "text_bytes", totals->text_bytes);
    pps_json_add_count(root, "data_bytes", m->data_bytes);
}

static void add_audit(cJSON *root, const struct pps_manifest *m)
{
    if (m->audit <= 0)
        return;
    cJSON *audit = cJSON_AddObjectToObject(root, "audit");
    cJSON_AddNumberToObject(audit, "fraction", m->audit);
    pps_json_add_count(audit, "rows", m->totals->shortcuts.audited.rows);
    cJSON_AddNumberToObject(audit, "largest_difference", m->totals->shortcuts.audited.largest);
    pps_json_add_count(audit, "sensitive", m->totals->shortcuts.audited.sensitive);
    cJSON_AddNumberToObject(audit, "tolerance", m->experiment->kernel->tolerance);
}

// Adds what rows do not show, so that the summary of a complete result can be read back.
static void add_examples(cJSON *only, const struct pps_experiment *e, struct pps_totals *t)
{
    size_t n;
    const struct pps_best_row *nearest = pps_best_by_group_rows(&t->nearest, &n);
    if (t->counts.failed > 0)
        pps_json_add_count(only, "failed_point", t->counts.failed_example);
    cJSON *skipped = cJSON_AddObjectToObject(only, "skipped_points");
    for (int r = 0; r < e->space.n_reasons; r++)
        if (t->counts.left_out[r].n > 0)
            pps_json_add_count(skipped, e->space.reasons[r], t->counts.left_out[r].example);
    if (n > 0 && t->best.kept == 0)
        cJSON_AddStringToObject(only, "nearest", nearest[0].text);
}

// How many points were pruned depends on the number of threads, like `recalled`.
static void add_only_top(cJSON *root, const struct pps_manifest *m)
{
    const struct pps_sweep *sweep = m->sweep;
    const struct pps_kernel *kernel = m->experiment->kernel;
    if (!sweep->only_best)
        return;
    cJSON *only = cJSON_AddObjectToObject(root, "only_top");
    cJSON_AddStringToObject(only, "selection", m->experiment->only);
    pps_json_add_count(only, "top", sweep->n_best);
    cJSON *by = cJSON_AddArrayToObject(only, "by");
    for (int b = 0; b < sweep->n_by; b++)
        cJSON_AddItemToArray(by, cJSON_CreateString(kernel->params[sweep->by[b]].name));
    cJSON_AddStringToObject(only, "objective", kernel->columns[sweep->objective].name);
    pps_json_add_count(only, "computed", m->totals->judged);
    pps_json_add_count(only, "pruned", m->totals->shortcuts.pruned);
    char *header = pps_experiment_header(m->experiment);
    cJSON_AddItemToObject(only, "equal", pps_counted_list(&m->totals->best, header));
    free(header);
    add_examples(only, m->experiment, m->totals);
}

static void add_reused(cJSON *root, const struct pps_manifest *m)
{
    if (m->reuse == NULL)
        return;
    cJSON *reused = cJSON_AddObjectToObject(root, "reused");
    cJSON_AddStringToObject(reused, "from", m->reuse);
    pps_json_add_count(reused, "rows", m->totals->shortcuts.reused);
    pps_json_add_count(reused, "audited", m->totals->shortcuts.checked);
}

// "points" is the number of points that this file covers, "grid_points" the number of points of
// the space without --limit.
static void add_shard(cJSON *root, const struct pps_manifest *m)
{
    pps_json_add_count(root, "grid_points", m->experiment->space.n_points);
    if (m->shard.count == 0 && m->totals == NULL) // that will be passed
        pps_json_add_count(root, "points", m->experiment->n_points);
    if (m->shard.count == 0)
        return;
    cJSON *shard = cJSON_AddObjectToObject(root, "shard");
    pps_json_add_count(shard, "index", m->shard.index);
    pps_json_add_count(shard, "of", m->shard.count);
    pps_json_add_count(shard, "points", m->experiment->n_points);
}

static void add_run(cJSON *root, const struct pps_manifest *m)
{
    char machine[256];
    pps_machine_name(machine, sizeof machine);
    cJSON_AddNumberToObject(root, "threads", m->threads);
    if (m->totals != NULL) {
        cJSON_AddNumberToObject(root, "wall_s", m->totals->wall_s);
        cJSON_AddNumberToObject(root, "cpu_s", m->totals->cpu_s);
        pps_json_add_count(root, "computed", pps_totals_computed(m->totals));
        pps_json_add_count(root, "recalled", m->totals->shortcuts.recalled);
    }
    cJSON_AddStringToObject(root, "machine", machine);
    cJSON_AddStringToObject(root, "command", m->command);
    if (m->view != NULL)
        cJSON_AddStringToObject(root, "view", m->view);
}

char *pps_manifest_print(cJSON *root)
{
    char *text = pps_json_print(root);
    cJSON_Delete(root);
    if (text == NULL)
        return NULL;
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '}' || text[n - 1] == '\n'))
        n--;
    const uint64_t digest = XXH64(text, n, 0);
    char *whole = NULL;
    if (asprintf(&whole, "%.*s,\n\t\"manifest_digest\":\t\"%016llx\"\n}\n", (int)n, text,
                 (unsigned long long)digest) < 0)
        whole = NULL;
    cJSON_free(text);
    return whole;
}

char *pps_manifest_constant(cJSON *root)
{
    static const char *const kept[] = {
        "ppsweep",    "kernel",    "kernel_version", "name",   "digest", "experiment",
        "parameters", "constants", "columns",        "dtypes", "exact",  "point_limit"};
    cJSON *constant = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(root, kept[i]);
        if (item != NULL)
            cJSON_AddItemToObject(constant, kept[i], item);
    }
    char *text = pps_json_print_line(constant);
    cJSON_Delete(constant);
    cJSON_Delete(root);
    return text;
}

cJSON *pps_manifest_tree(const struct pps_manifest *m)
{
    const struct pps_experiment *e = m->experiment;
    char codec[16];
    pps_codec_name(m->codec, codec, sizeof codec);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "ppsweep", m->version);
    cJSON_AddStringToObject(root, "kernel", e->kernel->name);
    cJSON_AddStringToObject(root, "kernel_version", e->kernel->version);
    cJSON_AddStringToObject(root, "name", e->name);
    add_hex(root, "digest", e->digest);
    cJSON_AddItemToObject(root, "experiment", cJSON_Duplicate(e->resolved, true));
    add_parameters(root, e);
    add_columns(root, e);
    pps_experiment_add_dtypes(e, root);
    cJSON_AddBoolToObject(root, "exact", e->exact);
    if (e->point_limit > 0)
        pps_json_add_count(root, "point_limit", e->point_limit);
    add_shard(root, m);
    if (m->totals != NULL) {
        add_counts(root, m);
        add_audit(root, m);
        add_only_top(root, m);
        add_reused(root, m);
    }
    if (cJSON_GetArraySize(pps_documents_doubts(e->inputs)) > 0)
        cJSON_AddItemToObject(root, "warnings",
                              cJSON_Duplicate(pps_documents_doubts(e->inputs), true));
    pps_json_add_count(root, "block_points", m->block_points);
    cJSON_AddStringToObject(root, "codec", codec);
    add_run(root, m);
    return root;
}
