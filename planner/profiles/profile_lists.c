// SPDX-License-Identifier: Apache-2.0
// Sorts layer times by the kind of layer and pass, and writes them as a document.
#include "planner/profiles/profile_run.h"

#include "base/text/grow_list.h"
#include "base/text/number.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { USUAL_DENSE = 3 }; // leading dense layers of a profiled mixture-of-experts model

const char *profile_list_name(enum profile_list list)
{
    static const char *const names[PROFILE_LISTS] = {"dense_fw", "dense_bw", "recomp_dense_bw",
                                                     "moe_fw",   "moe_bw",   "recomp_moe_bw",
                                                     "total"};
    return names[list];
}

static bool add(struct profile_times *times, double us)
{
    double *grown = pps_grow(times->us, &times->room, times->n + 1, sizeof *grown);
    if (grown == NULL)
        return false;
    times->us = grown;
    grown[times->n++] = us;
    return true;
}

// ---- kinds of layers ----------------------------------------------------------------------------

struct sorting {
    struct profile_run *run;
    const struct layer_cut *cuts;
    const struct run_degrees *degrees;
    const struct profile_request *request;
    bool sees_experts; // kernels of experts are in the profile
    int32_t dense;     // leading dense layers, unless sees_experts decides
};

// Returns the number of layers on the stages before `stage`; -1: a stage is not in the profile.
static int32_t layers_before(const struct sorting *s, int32_t stage)
{
    int32_t layers = 0;
    for (int32_t k = 0; k < stage; k++) {
        int32_t of_stage =
            s->request->layers != NULL && k < s->request->n_layers ? s->request->layers[k] : 0;
        for (size_t i = 0; i < s->run->n_ranks && of_stage == 0; i++)
            if (s->run->ranks[i].is_cut && s->run->ranks[i].stage == k)
                of_stage = s->run->ranks[i].shape.layers;
        if (of_stage == 0)
            return -1;
        layers += of_stage;
    }
    return layers;
}

// Returns whether a layer of a rank has experts.
static bool is_moe(const struct sorting *s, size_t rank, int32_t layer)
{
    const int32_t stage = s->run->ranks[rank].stage;
    if (!s->run->has_experts)
        return false;
    if (s->sees_experts && !s->request->has_dense)
        return s->cuts[rank].has_experts[layer];
    const int32_t before = layers_before(s, stage);
    if (before < 0) // behind a stage that is not in the profile
        return stage > 0;
    return before + layer >= s->dense;
}

// Decides whether the model has experts and how many leading layers have none.
static void find_kinds(struct sorting *s)
{
    struct profile_run *run = s->run;
    for (size_t i = 0; i < run->n_ranks; i++)
        for (int32_t l = 0; run->ranks[i].is_cut && l < run->ranks[i].shape.layers; l++)
            s->sees_experts = s->sees_experts || s->cuts[i].has_experts[l];
    run->has_experts =
        s->sees_experts || s->degrees->ep > 1 || (s->request->has_dense && s->degrees->ep > 0);
    s->dense = s->request->has_dense ? s->request->dense : USUAL_DENSE;
    bool is_any = false;
    for (size_t i = 0; i < run->n_ranks; i++)
        is_any = is_any || run->ranks[i].is_cut;
    if (is_any && run->has_experts && !s->sees_experts && !s->request->has_dense)
        text_buffer_add(
            &run->notes,
            "no kernel of experts is in the profile; the first %d layers are taken as dense (--dense)\n",
            USUAL_DENSE);
}

// ---- sorting ------------------------------------------------------------------------------------

static enum profile_list list_of(const struct layer_time *time, bool moe)
{
    static const enum profile_list lists[][2] = {
        [LAYER_FORWARD] = {PROFILE_DENSE_FW, PROFILE_MOE_FW},
        [LAYER_BACKWARD] = {PROFILE_DENSE_BW, PROFILE_MOE_BW},
        [LAYER_BACKWARD_FULL] = {PROFILE_RECOMP_DENSE_BW, PROFILE_RECOMP_MOE_BW},
    };
    return time->pass == LAYER_PERIOD ? PROFILE_TOTAL : lists[time->pass][moe];
}

static bool sort_rank(struct sorting *s, size_t rank)
{
    const struct layer_cut *cut = &s->cuts[rank];
    const bool is_last = s->run->ranks[rank].stage == s->degrees->pp - 1;
    for (size_t i = 0; i < cut->n; i++) {
        const struct layer_time *time = &cut->times[i];
        const bool moe = time->pass != LAYER_PERIOD && is_moe(s, rank, time->layer);
        if (time->pass == LAYER_PERIOD && !is_last)
            continue;
        if (!add(&s->run->lists[list_of(time, moe)], time->us))
            return false;
    }
    return true;
}

// ---- the last stage -----------------------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

// Returns the mean of the middle half of the times; 0 without times. Sorts them.
static double middle(struct profile_times *times)
{
    const size_t dropped = times->n / 4;
    double sum = 0;
    if (times->n == 0)
        return 0;
    qsort(times->us, times->n, sizeof *times->us, ascending);
    for (size_t i = dropped; i < times->n - dropped; i++)
        sum += times->us[i];
    return sum / (double)(times->n - 2 * dropped);
}

// Takes the dense layers of a mixture-of-experts model out of the last stage: its time and its
// layers, so that the rest is the layers with experts and the head.
static void take_out_dense(struct sorting *s, size_t rank, int32_t recomputed_dense)
{
    struct profile_run *run = s->run;
    int32_t dense = 0;
    for (int32_t l = 0; l < run->ranks[rank].shape.layers; l++)
        dense += !is_moe(s, rank, l);
    if (dense == 0 || !run->has_experts)
        return;
    const double forward = middle(&run->lists[PROFILE_DENSE_FW]);
    const double backward = middle(&run->lists[PROFILE_DENSE_BW]);
    const double again = middle(&run->lists[PROFILE_RECOMP_DENSE_BW]);
    const double us =
        dense * forward + (dense - recomputed_dense) * backward + recomputed_dense * again;
    run->last_layers -= dense;
    run->last_recomputed -= recomputed_dense;
    struct profile_times *total = &run->lists[PROFILE_TOTAL];
    const bool is_known = forward > 0 && (dense == recomputed_dense || backward > 0) &&
                          (recomputed_dense == 0 || again > 0) && run->last_layers > 0;
    for (size_t i = 0; i < total->n; i++)
        total->us[i] -= us;
    if (!is_known)
        total->n = 0; // the head cannot be told from the dense layers
}

static void describe_last_stage(struct sorting *s)
{
    struct profile_run *run = s->run;
    for (size_t i = 0; i < run->n_ranks; i++) {
        const struct profile_rank *rank = &run->ranks[i];
        if (!rank->is_cut || rank->stage != s->degrees->pp - 1)
            continue;
        int32_t dense = 0;
        bool *again = calloc((size_t)rank->shape.layers, sizeof *again);
        for (size_t k = 0; again != NULL && k < s->cuts[i].n; k++)
            if (s->cuts[i].times[k].pass == LAYER_BACKWARD_FULL)
                again[s->cuts[i].times[k].layer] = true;
        for (int32_t l = 0; again != NULL && l < rank->shape.layers; l++)
            dense += again[l] && !is_moe(s, i, l);
        free(again);
        run->last_layers = rank->shape.layers;
        run->last_recomputed = rank->shape.recomputed;
        take_out_dense(s, i, dense);
        return;
    }
}

bool profile_run_sort(struct profile_run *run, const struct layer_cut *cuts,
                      const struct run_degrees *degrees, const struct profile_request *request)
{
    struct sorting s = {.run = run, .cuts = cuts, .degrees = degrees, .request = request};
    find_kinds(&s);
    for (size_t i = 0; i < run->n_ranks; i++)
        if (run->ranks[i].is_cut && !sort_rank(&s, i))
            return false;
    describe_last_stage(&s);
    return true;
}

// ---- the document -------------------------------------------------------------------------------

static void add_degree(cJSON *config, const char *key, int32_t value)
{
    if (value != 0)
        cJSON_AddNumberToObject(config, key, value);
}

static bool add_list(cJSON *document, const struct profile_run *run, enum profile_list list)
{
    const struct profile_times *times = &run->lists[list];
    cJSON *array = cJSON_AddArrayToObject(document, profile_list_name(list));
    for (size_t i = 0; array != NULL && i < times->n; i++)
        if (!cJSON_AddItemToArray(array,
                                  cJSON_CreateNumber(number_text_round(times->us[i], 3))))
            return false;
    return array != NULL;
}

cJSON *profile_run_document(const struct profile_run *run, const struct run_degrees *degrees)
{
    cJSON *document = cJSON_CreateObject();
    cJSON *config = cJSON_AddObjectToObject(document, "config");
    bool stored = config != NULL;
    if (stored) {
        add_degree(config, "dp", degrees->dp);
        add_degree(config, "tp", degrees->tp);
        add_degree(config, "pp", degrees->pp);
        add_degree(config, "ep", degrees->ep);
        add_degree(config, "cp", degrees->cp);
        add_degree(config, "op", degrees->op);
        add_degree(config, "mbs", degrees->mbs);
    }
    for (int k = 0; stored && k < PROFILE_LISTS; k++)
        stored = run->lists[k].n == 0 || add_list(document, run, (enum profile_list)k);
    if (stored && run->last_layers > 0) {
        cJSON_AddNumberToObject(document, "last_stage_layers", run->last_layers);
        cJSON_AddNumberToObject(document, "recomputed_layers", run->last_recomputed);
    }
    if (stored)
        return document;
    cJSON_Delete(document);
    return NULL;
}
