// SPDX-License-Identifier: Apache-2.0
// Loads an experiment file with its overrides, and builds the space of points.
#include "engine/experiment/experiment.h"

#include "base/text/characters.h"
#include "engine/axes/option_json.h"
#include "engine/experiment/loading_private.h"
#include "engine/experiment/resolved.h"
#include "engine/let/let_columns.h"
#include "engine/program/program.h"
#include "engine/space/grid.h"
#include "engine/space/typed_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// ---- columns of a row -------------------------------------------------------------------------

// The named parameters, in their order; the parameters of the composite axis come last.
static void choose_columns(struct pps_loader *l, const struct pps_axis *points)
{
    struct pps_space *space = &l->experiment->space;
    const uint64_t members = pps_composite_sets(l->kernel->composite);
    uint64_t shown = 0;
    for (int s = 0; s < l->kernel->n_slots; s++)
        if (pps_documents_count(l->experiment->inputs, s) > 1)
            space->columns[space->n_columns++] = l->kernel->slots[s].param;
    for (int e = 0; e < l->n_entries; e++) {
        const int p = pps_param_find(l->kernel, l->entries[e].name, strlen(l->entries[e].name));
        if (p >= 0)
            l->experiment->named[l->experiment->n_named++] = p;
        if (p >= 0 && (members >> p & 1) == 0) {
            space->columns[space->n_columns++] = p;
            shown |= (uint64_t)1 << p;
        }
    }
    for (int m = 0; points != NULL && m < points->n_members; m++) {
        const int p = points->members[m].param;
        if ((members >> p & 1) == 0 && (shown >> p & 1) == 0)
            space->columns[space->n_columns++] = p;
    }
    const uint64_t set = pps_axes_set(space);
    for (int m = 0; l->kernel->composite != NULL && m < l->kernel->composite->n_members; m++)
        if ((set >> l->kernel->composite->members[m] & 1) != 0)
            space->columns[space->n_columns++] = l->kernel->composite->members[m];
    for (int c = 0; c < space->n_columns && l->request->typed; c++)
        space->typed |= pps_typed_params(l->kernel) & (uint64_t)1 << space->columns[c];
}

// ---- rules ------------------------------------------------------------------------------------

static enum pps_status add_rule(struct pps_loader *l, const struct pps_json *file,
                                const cJSON *item)
{
    struct pps_space *space = &l->experiment->space;
    const struct pps_expr_scope scope = {l->kernel->params, l->kernel->n_params, NULL};
    if (!cJSON_IsString(item))
        return pps_json_fail(file, item, l->err,
                             "where: expected rules as text, as in \"sync_freq <= n\"");
    if (space->n_rules == PPS_MAX_RULES)
        return pps_json_fail(file, item, l->err, "where: at most %d rules; join some with &&",
                             PPS_MAX_RULES);
    struct pps_rule *rule = &space->rules[space->n_rules];
    struct pps_expr_fault fault;
    rule->expr = pps_expr_parse(item->valuestring, &scope, &fault);
    if (rule->expr == NULL) {
        enum pps_status status = pps_json_fail(file, item, l->err, "where: %s", fault.text);
        pps_json_where(file, item, fault.byte, &l->err->line, &l->err->column);
        return status;
    }
    space->n_rules++;
    rule->text = strdup(item->valuestring);
    if (rule->text == NULL)
        return pps_fail_memory(l->err, "a rule");
    if (pps_expr_shape(rule->expr) != PPS_EXPR_TRUTH)
        return pps_json_fail(file, item, l->err,
                             "where: a rule compares, as in \"sync_freq <= n\"");
    return PPS_OK;
}

// A preset's rules come before the experiment's own.
static enum pps_status preset_rules(struct pps_loader *l)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, pps_json_member(l->preset.root, "where")) {
        enum pps_status status = add_rule(l, &l->preset, item);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status build_rules(struct pps_loader *l)
{
    const cJSON *where = pps_json_member(l->file.root, "where");
    enum pps_status preset = preset_rules(l);
    if (preset != PPS_OK)
        return preset;
    if (where == NULL)
        return PPS_OK;
    if (!cJSON_IsArray(where))
        return add_rule(l, &l->file, where);
    const cJSON *item;
    cJSON_ArrayForEach (item, where) {
        enum pps_status status = add_rule(l, &l->file, item);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

// ---- the other reserved words -----------------------------------------------------------------

static enum pps_status choose_kernel(struct pps_loader *l)
{
    const cJSON *item = pps_json_member(l->file.root, "kernel");
    if (pps_json_member(l->file.root, "command") != NULL)
        return pps_load_command(l);
    if (item != NULL && !cJSON_IsString(item))
        return pps_json_fail(&l->file, item, l->err, "kernel: expected a name, as in \"%s\"",
                             l->request->kernels[0]->name);
    enum pps_status status = pps_kernel_choose(
        l->request->kernels, item != NULL ? item->valuestring : NULL, &l->kernel, l->err);
    if (status == PPS_E_INPUT) {
        const struct pps_error said = *l->err;
        return pps_json_fail(&l->file, item, l->err, "%s", said.text);
    }
    return status;
}

static enum pps_status open_inputs(struct pps_loader *l)
{
    const struct pps_documents_ask ask = {.kernel = l->kernel,
                                          .file = &l->file,
                                          .item = pps_json_member(l->file.root, "inputs"),
                                          .beside = l->request->path,
                                          .words = l->request->inputs,
                                          .again = l->request->again};
    enum pps_status status = pps_documents_open(&l->experiment->inputs, &ask, l->err);
    if (status == PPS_OK)
        l->kernel = pps_documents_kernel(l->experiment->inputs);
    return status;
}

static enum pps_status other_words(struct pps_loader *l)
{
    const cJSON *root = l->file.root;
    const bool own = pps_seed_param(l->kernel) >= 0; // then "seed" is an axis
    const cJSON *item = own ? NULL : pps_json_member(root, "seed");
    if (item != NULL &&
        (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble >= 0x1p53 ||
         item->valuedouble != (double)(uint64_t)item->valuedouble))
        return pps_json_fail(&l->file, item, l->err,
                             "seed: expected a whole number from 0 up, below 2^53");
    l->experiment->seed = own                      ? 0
                          : l->request->seed_given ? l->request->seed
                          : item != NULL           ? (uint64_t)item->valuedouble
                                                   : 0;
    item = pps_json_member(root, "$schema");
    if (item != NULL && !cJSON_IsString(item))
        return pps_json_fail(&l->file, item, l->err,
                             "$schema: expected the path of a schema (ppsweep schema)");
    item = pps_json_member(root, "output");
    if (item != NULL && (!cJSON_IsString(item) || item->valuestring[0] == '\0'))
        return pps_json_fail(&l->file, item, l->err,
                             "output: expected a path that ends with .csv.gz or .csv");
    if (item != NULL) {
        l->experiment->output = strdup(item->valuestring);
        if (l->experiment->output == NULL)
            return pps_fail_memory(l->err, "a path");
    }
    return PPS_OK;
}

static void set_name(struct pps_loader *l)
{
    const char *path = l->request->path;
    const char *base = path == NULL || strcmp(path, "-") == 0 ? l->kernel->name : path;
    const char *slash = strrchr(base, '/');
    base = slash != NULL ? slash + 1 : base;
    static const char *const endings[] = {".json", ".yaml", ".yml", ".toml"};
    size_t n = strlen(base);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (pps_ends_with(base, endings[i])) {
            n -= strlen(endings[i]);
            break;
        }
    snprintf(l->experiment->name, sizeof l->experiment->name, "%.*s", (int)n, base);
}

// ---- the whole --------------------------------------------------------------------------------

static int column_of(const struct pps_kernel *kernel, const char *name)
{
    return name != NULL ? pps_column_find(kernel, name, strlen(name)) : -1;
}

static enum pps_status choose_results(struct pps_loader *l)
{
    const struct pps_request *request = l->request;
    bool *wanted = l->experiment->wanted;
    enum pps_status status = pps_columns_choose(l->kernel, request->metrics, wanted, l->err);
    pps_let_columns_need(l->experiment->lets, wanted);
    const int objective = column_of(l->kernel, request->objective);
    const int nearest = column_of(l->kernel, l->kernel->nearest);
    if (objective >= 0)
        wanted[objective] = true;
    const bool any =
        nearest >= 0 && wanted[nearest] && l->kernel->columns[nearest].kind != PPS_COLUMN_TEXT;
    l->experiment->nearest = any ? nearest : -1;
    return status;
}

static enum pps_status set_up(struct pps_loader *l)
{
    struct pps_experiment *experiment = l->experiment;
    if (!cJSON_IsObject(l->file.root))
        return pps_json_fail(&l->file, l->file.root, l->err,
                             "an experiment is an object: {\"n\": [8, 16], ...}");
    enum pps_status status = choose_kernel(l);
    if (status != PPS_OK)
        return status;
    status = open_inputs(l);
    if (status != PPS_OK)
        return status;
    experiment->model = l->kernel;
    status = l->bare ? PPS_OK : pps_load_lets(l);
    if (status != PPS_OK)
        return status;
    experiment->kernel = experiment->space.kernel = l->kernel;
    for (int p = 0; p < l->kernel->n_params; p++) {
        experiment->space.base[p] = l->kernel->params[p].fallback;
        l->axis_of[p] = -1;
    }
    if (l->kernel->composite != NULL)
        pps_options_default(l->kernel->composite, experiment->options);
    experiment->digits = l->request->digits;
    experiment->exact = l->request->exact;
    experiment->point_limit = l->request->point_limit;
    experiment->status = l->request->status;
    if (l->request->only != NULL && (experiment->only = strdup(l->request->only)) == NULL)
        return pps_fail_memory(l->err, "the experiment");
    set_name(l);
    status = pps_point_limit_check(l->kernel, experiment->point_limit, l->err);
    if (status != PPS_OK)
        return status;
    return choose_results(l);
}

static enum pps_status build(struct pps_loader *l)
{
    struct pps_space *space = &l->experiment->space;
    enum pps_status status = pps_load_entries(l);
    if (status == PPS_OK)
        status = other_words(l);
    if (status == PPS_OK)
        status = pps_load_sample(l);
    if (status == PPS_OK)
        status = pps_load_axes(l);
    if (status == PPS_OK)
        status = build_rules(l);
    if (status != PPS_OK)
        return status;
    if (space->n_axes == 0)
        return pps_json_fail(&l->file, l->file.root, l->err,
                             "the experiment names no parameter");
    choose_columns(l, l->points_path != NULL ? &space->axes[space->n_axes - 1] : NULL);
    return PPS_OK;
}

// Where the axis stands that leaves no point.
static enum pps_status fail_empty(struct pps_loader *l, const struct pps_axis *axis)
{
    const char *name = l->kernel->params[axis->param].name;
    const struct pps_entry *entry = pps_find_entry(l, name);
    if (entry == NULL)
        return pps_fail(l->err, PPS_E_INPUT, "no points: %s: \"%.200s\" has no values", name,
                        axis->text);
    return pps_override_place(l, pps_json_fail(entry->json, entry->item, l->err,
                                               "no points: %s: \"%.200s\" has no values", name,
                                               axis->text));
}

static enum pps_status count(struct pps_loader *l)
{
    struct pps_experiment *experiment = l->experiment;
    const uint64_t limit = l->request->limit;
    enum pps_status status = pps_space_prepare(&experiment->space, l->err);
    experiment->n_points = experiment->space.n_points;
    if (limit != 0 && limit < experiment->n_points)
        experiment->n_points = limit;
    const struct pps_axis *empty =
        status == PPS_E_INPUT ? pps_dependent_counts_empty_axis(&experiment->space) : NULL;
    if (empty != NULL)
        return fail_empty(l, empty);
    if (status == PPS_E_INPUT && l->request->path != NULL)
        snprintf(l->err->file, sizeof l->err->file, "%s", l->request->path);
    return status;
}

enum pps_status pps_load_experiment(struct pps_loader *l)
{
    const size_t n = (size_t)l->request->n_overrides;
    l->experiment = calloc(1, sizeof *l->experiment);
    l->overrides = calloc(n + 1, sizeof *l->overrides);
    if (l->experiment == NULL || l->overrides == NULL)
        return pps_fail_memory(l->err, "the experiment");
    enum pps_status status = set_up(l);
    if (status == PPS_OK)
        status = build(l);
    if (status == PPS_OK)
        status = count(l);
    if (status == PPS_OK)
        status = pps_experiment_resolve(l->experiment, l->points_path, l->err);
    return status;
}

void pps_loader_free(struct pps_loader *l)
{
    pps_json_free(&l->preset);
    for (int i = 0; l->overrides != NULL && i <= l->request->n_overrides; i++)
        pps_json_free(&l->overrides[i]);
    free(l->overrides);
    free(l->points_path);
    cJSON_Delete(l->results);
}

// Builds the experiment if its document was read, and frees what only loading needs.
static enum pps_status finish(struct pps_loader *l, enum pps_status status,
                              struct pps_experiment **experiment)
{
    if (status == PPS_OK)
        status = pps_load_experiment(l);
    pps_json_free(&l->file);
    pps_loader_free(l);
    if (status != PPS_OK)
        pps_experiment_free(l->experiment);
    *experiment = status == PPS_OK ? l->experiment : NULL;
    return status;
}

enum pps_status pps_experiment_load(struct pps_experiment **experiment,
                                    const struct pps_request *request, struct pps_error *err)
{
    struct pps_loader l = {.request = request, .err = err};
    return finish(&l, pps_load_file(&l), experiment);
}

enum pps_status pps_experiment_load_tree(struct pps_experiment **experiment,
                                         const struct pps_request *request, const char *name,
                                         const cJSON *tree, struct pps_error *err)
{
    struct pps_loader l = {.request = request, .err = err};
    return finish(&l, pps_json_of_tree(&l.file, name, tree, err), experiment);
}

void pps_experiment_free(struct pps_experiment *experiment)
{
    if (experiment == NULL)
        return;
    pps_space_free(&experiment->space);
    for (int o = 0; o < PPS_MAX_OPTIONS; o++)
        pps_option_free(&experiment->options[o]);
    pps_let_columns_close(experiment->lets);
    pps_documents_close(experiment->inputs);
    pps_program_close(experiment->program);
    cJSON_Delete(experiment->resolved);
    free(experiment->output);
    free(experiment->only);
    free(experiment);
}
