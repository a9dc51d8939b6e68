// SPDX-License-Identifier: Apache-2.0
// Chooses the analysis that the rows of a result allow, and runs it for every group of rows.
#include "engine/sensitivity/sensitivity_private.h"

#include "base/document/json.h"
#include "engine/read/coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- effects --------------------------------------------------------------------------------------

struct pps_effect pps_effect_none(void)
{
    const struct pps_estimate none = {(double)NAN, (double)NAN};
    return (struct pps_effect){.first = none,
                               .total = none,
                               .mu_star = none,
                               .mu = none,
                               .sigma = none,
                               .low = (double)NAN,
                               .high = (double)NAN};
}

// Returns the number by which effects are sorted: the total index, else the first-order index, else mu*;
// 0 if there is none.
static double effect_size(const struct pps_effect *e)
{
    const double size = !isnan(e->total.value)   ? e->total.value
                        : !isnan(e->first.value) ? e->first.value
                                                 : e->mu_star.value;
    return isnan(size) ? 0 : size;
}

// A factor with its members.
struct block {
    int at, n;
    double size;
};

static int by_size(const void *left, const void *right)
{
    const struct block *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->at - b->at;
}

static int list_blocks(const struct pps_sensitivity_group *group, struct block *blocks)
{
    int n = 0;
    for (int e = 0; e < group->n_effects; e++) {
        if (group->effects[e].is_member)
            blocks[n - 1].n++;
        else
            blocks[n++] = (struct block){e, 1, effect_size(&group->effects[e])};
    }
    return n;
}

enum pps_status pps_effects_sort(struct pps_sensitivity_group *group, struct pps_error *err)
{
    const size_t n = (size_t)group->n_effects;
    struct block *blocks = calloc(n + 1, sizeof *blocks);
    struct pps_effect *sorted = calloc(n + 1, sizeof *sorted);
    if (blocks == NULL || sorted == NULL) {
        free(blocks);
        free(sorted);
        return pps_fail_memory(err, "the effects");
    }
    const int n_blocks = list_blocks(group, blocks);
    qsort(blocks, (size_t)n_blocks, sizeof *blocks, by_size);
    int at = 0;
    group->sum_first = 0;
    for (int b = 0; b < n_blocks; b++) {
        group->sum_first += group->effects[blocks[b].at].first.value;
        for (int i = 0; i < blocks[b].n; i++)
            sorted[at++] = group->effects[blocks[b].at + i];
    }
    free(group->effects);
    free(blocks);
    group->effects = sorted;
    return PPS_OK;
}

// ---- groups ---------------------------------------------------------------------------------------

// Writes "n=8 gbs=64" for group g; the caller frees it. NULL without memory.
static char *group_name(const struct pps_observations *o, uint32_t g)
{
    struct text_buffer name = {.n = 0};
    const char *at = pps_string_pool_text(&o->groups.names, g);
    text_buffer_add(&name, "%s", "");
    for (int i = 0; i < o->groups.n_by; i++) {
        const int n = (int)strcspn(at, ",");
        text_buffer_add(&name, "%s%s=%.*s", i > 0 ? " " : "",
                        o->view.columns[o->groups.by[i]].name, n, at);
        at += n + (at[n] == ',');
    }
    if (name.failed)
        text_buffer_free(&name);
    return name.text;
}

// Sorts the rows by group: rows[first[g]] ... rows[first[g + 1] - 1].
static void sort_rows(const struct pps_observations *o, uint32_t *rows, uint64_t *first)
{
    const uint32_t n_groups = o->groups.names.n;
    for (uint64_t i = 0; i < o->n; i++)
        first[o->group[i] + 1]++;
    for (uint32_t g = 0; g < n_groups; g++)
        first[g + 1] += first[g];
    for (uint64_t i = 0; i < o->n; i++)
        rows[first[o->group[i]]++] = (uint32_t)i;
    for (uint32_t g = n_groups; g > 0; g--)
        first[g] = first[g - 1];
    first[0] = 0;
}

static enum pps_status all_groups(const struct pps_observations *o, bool is_sample,
                                  struct pps_sensitivity *s, struct pps_error *err)
{
    const uint32_t n_groups = o->groups.names.n;
    uint32_t *rows = malloc(o->n * sizeof *rows);
    uint64_t *first = calloc((size_t)n_groups + 2, sizeof *first);
    s->groups = calloc(n_groups, sizeof *s->groups);
    enum pps_status status = PPS_OK;
    if (rows == NULL || first == NULL || s->groups == NULL)
        status = pps_fail_memory(err, "the groups");
    else
        sort_rows(o, rows, first);
    for (uint32_t g = 0; g < n_groups && status == PPS_OK; g++) {
        struct pps_sensitivity_group *group = &s->groups[s->n_groups++];
        group->name = group_name(o, g);
        if (group->name == NULL)
            status = pps_fail_memory(err, "the groups");
        else
            status = pps_sensitivity_of_rows(o, rows + first[g], first[g + 1] - first[g],
                                             is_sample, group, err);
    }
    free(rows);
    free(first);
    return status;
}

enum pps_status pps_sensitivity_head(struct pps_sensitivity *s, const struct pps_view *view,
                                     int objective, struct pps_error *err)
{
    const struct pps_view_column *column = &view->columns[objective];
    s->objective = strdup(column->name);
    s->unit = strdup(column->unit);
    s->goal = column->goal;
    snprintf(s->partial, sizeof s->partial, "%s", view->partial);
    return s->objective != NULL && s->unit != NULL ? PPS_OK
                                                   : pps_fail_memory(err, "the objective");
}

static enum pps_status from_rows(const struct pps_sensitivity_ask *ask, bool is_sample,
                                 struct pps_sensitivity *s, struct pps_error *err)
{
    struct pps_observations o;
    enum pps_status status =
        pps_observations_open(&o, &ask->view, ask->objective, ask->by, err);
    if (status == PPS_OK)
        status = pps_sensitivity_head(s, &o.view, o.objective, err);
    if (status == PPS_OK)
        status = all_groups(&o, is_sample, s, err);
    pps_observations_close(&o);
    return status;
}

// ---- the choice -----------------------------------------------------------------------------------

static bool is_design(const cJSON *sample)
{
    const char *method = cJSON_GetStringValue(pps_json_member(sample, "method"));
    return method != NULL && (strcmp(method, "saltelli") == 0 || strcmp(method, "morris") == 0);
}

static enum pps_status check_notes(const struct pps_sensitivity *s, struct pps_error *err)
{
    for (size_t g = 0; g < s->n_groups; g++)
        if (s->groups[g].notes.failed)
            return pps_fail_memory(err, "the notes");
    return PPS_OK;
}

enum pps_status pps_sensitivity_open(struct pps_sensitivity *s,
                                     const struct pps_sensitivity_ask *ask,
                                     struct pps_error *err)
{
    struct pps_coverage coverage;
    *s = (struct pps_sensitivity){.n_groups = 0};
    pps_coverage_read(ask->view.path, &coverage);
    if (coverage.only_best)
        return pps_fail(err, PPS_E_INPUT,
                        "%s has only the best rows (--only-top), which cannot show what a "
                        "parameter changes; run the experiment without --only-top",
                        ask->view.path);
    cJSON *manifest = pps_coverage_manifest(ask->view.path);
    const cJSON *experiment = pps_json_member(manifest, "experiment");
    const cJSON *sample = pps_json_member(experiment, "sample");
    const bool drawn = sample != NULL || pps_json_member(experiment, "points") != NULL;
    enum pps_status status = is_design(sample)
                                 ? pps_sensitivity_of_design(ask, experiment, s, err)
                                 : from_rows(ask, drawn, s, err);
    cJSON_Delete(manifest);
    return status == PPS_OK ? check_notes(s, err) : status;
}

void pps_sensitivity_free(struct pps_sensitivity *s)
{
    for (size_t g = 0; g < s->n_groups; g++) {
        free(s->groups[g].name);
        free(s->groups[g].constant);
        free(s->groups[g].effects);
        text_buffer_free(&s->groups[g].notes);
    }
    free(s->groups);
    free(s->objective);
    free(s->unit);
    *s = (struct pps_sensitivity){.n_groups = 0};
}
