// SPDX-License-Identifier: Apache-2.0
// Tests of the check of plans: every value, member and instruction of valid plans is changed, and every change must be
// refused, but for those that no replay can know.
#include "kernels/dynapipe/output/plan_check.h"

#include "base/text/text_buffer.h"
#include "kernels/dynapipe/point.h"
#include "tests/unit/support/kernels/golden.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pps_kernel pps_kernel_dynapipe;

// ---- plans ----------------------------------------------------------------------------------------

static void append(void *self, const char *text, size_t n)
{
    text_buffer_add_bytes(self, text, n);
}

// Returns the plan of a point of the kernel.
static cJSON *plan_of(const struct pps_document *documents, int n, double value[N_PARAMS])
{
    struct text_buffer text = {.text = NULL};
    struct pps_fault fault;
    const struct pps_text_sink sink = {&text, append};
    void *shared;
    cr_assert(dynapipe_open(documents, n, &shared, &fault), "%s", fault.text);
    cr_assert_eq(dynapipe_check(value, shared), 0);
    const size_t bytes = dynapipe_scratch_bytes(value, shared);
    struct pps_worker worker = {.scratch = aligned_alloc(64, (bytes + 63) / 64 * 64),
                                .shared = shared};
    memset(worker.scratch, 0, bytes);
    cr_assert_eq(pps_kernel_dynapipe.artifact(value, 0, &worker, &sink, &fault), PPS_DONE);
    cJSON *plan = cJSON_Parse(text.text);
    free(worker.scratch);
    dynapipe_close(shared);
    text_buffer_free(&text);
    return plan;
}

static void set_defaults(double value[N_PARAMS])
{
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = dynapipe_params[p].fallback;
    value[P_BUDGET] = 200;
}

static cJSON *plan_of_samples(const char *grid, const char *network, const char *samples,
                              double value[N_PARAMS])
{
    cJSON *costs = golden_of("dynapipe", grid);
    const struct pps_document documents[] = {
        {.slot = SLOT_COSTS, .root = costs},
        {.slot = SLOT_BATCHES, .text = samples, .n = strlen(samples)}};
    cJSON_AddItemToObject(costs, "network", cJSON_Parse(network));
    cJSON *plan = plan_of(documents, 2, value);
    cJSON_Delete(costs);
    return plan;
}

// Decoders, and samples that share rows.
static cJSON *plan_with_decoders(void)
{
    double value[N_PARAMS];
    set_defaults(value);
    value[P_DEVICES] = 2;
    value[P_PACKING] = 1;
    return plan_of_samples("grid_encoder_decoder.json",
                           "{\"encoder_layers\": 4, \"decoder_layers\": 4, \"hidden\": 1024}",
                           "300,60 64,40 500,30 90,20\n", value);
}

// Two replicas, and a limit that needs recomputation.
static cJSON *plan_that_recomputes(void)
{
    double value[N_PARAMS];
    set_defaults(value);
    value[P_DEVICES] = 3;
    value[P_DP] = 2;
    value[P_MEMORY] = 1000;
    return plan_of_samples("grid_decoder_only.json",
                           "{\"encoder_layers\": 6, \"hidden\": 1024}",
                           "900 800 700 900 850 600 640\n", value);
}

static bool is_valid(const cJSON *plan, bool *is_wrong)
{
    struct plan_checked checked;
    struct pps_fault fault;
    return plan_check(plan, &checked, is_wrong, &fault);
}

static bool is_refused(const cJSON *plan)
{
    bool is_wrong;
    return !is_valid(plan, &is_wrong);
}

// ---- changes --------------------------------------------------------------------------------------

static bool is_among(const char *key, const char *const *keys)
{
    while (*keys != NULL && strcmp(key, *keys) != 0)
        keys++;
    return *keys != NULL;
}

// What no replay can know: names, and what the plan was asked for.
static bool is_free(const char *key)
{
    static const char *const keys[] = {"batch",    "seed",        "evaluations",
                                       "hidden",   "first_layer", "objective_ms",
                                       "limit_mb", "proven",      NULL};
    return is_among(key, keys);
}

static bool is_count(const char *key)
{
    static const char *const keys[] = {
        "instructions", "order",    "warm_up", "tensors",     "device_of_stage",
        "slots",        "number",   "samples", "rows",        "micro_batches_planned",
        "replica",      "replicas", "devices", "peak_device", NULL};
    return is_among(key, keys);
}

static bool is_figure(const char *key)
{
    static const char *const keys[] = {"makespan_ms",   "lower_bound_ms", "gap",
                                       "utilisation",   "peak_mb",        "padding_share",
                                       "padded_tokens", "tokens",         "tokens_per_s",
                                       "forward_us",    "backward_us",    NULL};
    return is_among(key, keys);
}

// A walk over a plan that changes one thing after the other.
struct walk {
    cJSON *plan;
    int64_t changes, missed;
};

static void expect(struct walk *w, const cJSON *item, const char *key, const char *what)
{
    w->changes++;
    if (is_refused(w->plan))
        return;
    char *text = cJSON_PrintUnformatted(item);
    fprintf(stderr, "not refused: %s: %s, %.60s\n", key, what, text);
    free(text);
    w->missed++;
}

static void change_number(struct walk *w, cJSON *item, const char *key)
{
    const double value = item->valuedouble;
    if (is_free(key))
        return;
    item->valuedouble = 10 * value + 1e6;
    expect(w, item, key, "much larger");
    item->valuedouble = -value - 3;
    expect(w, item, key, "negative");
    for (int by = -1; by <= 1 && is_count(key); by += 2) {
        item->valuedouble = value + by;
        expect(w, item, key, "by one");
    }
    for (double part = 1 - 1e-6; value != 0 && is_figure(key); part += 2e-6) {
        item->valuedouble = value * part;
        expect(w, item, key, "a bit");
        if (part > 1)
            break;
    }
    item->valuedouble = value;
}

static void change_text(struct walk *w, cJSON *item, const char *key)
{
    char *text = item->valuestring;
    if (is_free(key))
        return;
    item->valuestring = (char[]){"x"};
    expect(w, item, key, "another word");
    item->valuestring = text;
}

static void change_truth(struct walk *w, cJSON *item, const char *key)
{
    const int type = item->type;
    if (is_free(key))
        return;
    item->type = cJSON_IsTrue(item) ? cJSON_False : cJSON_True;
    if (type == cJSON_False) // a plan may claim less than it is
        expect(w, item, key, "the contrary");
    item->type = type;
}

// Takes an item out of its place for a moment, or puts a copy of it behind it.
static void change_place(struct walk *w, cJSON *parent, cJSON *item, const char *key)
{
    const bool is_list = cJSON_IsArray(parent);
    cJSON *next = item->next, *previous = item->prev;
    if (parent->child == item)
        parent->child = next;
    else
        previous->next = next;
    if (next != NULL)
        next->prev = previous;
    if (strcmp(key, "row_of_sample") != 0) // without it every sample has a row
        expect(w, item, key, "missing");
    if (parent->child == next)
        parent->child = item;
    else
        previous->next = item;
    if (next != NULL)
        next->prev = item;
    if (!is_list)
        return;
    cJSON *copy = cJSON_Duplicate(item, true);
    copy->next = next;
    item->next = copy;
    expect(w, item, key, "twice");
    item->next = next;
    copy->next = NULL;
    cJSON_Delete(copy);
}

static void change_all(struct walk *w, cJSON *parent, const char *key)
{
    for (cJSON *item = parent->child; item != NULL; item = item->next) {
        const char *name = item->string != NULL ? item->string : key;
        change_place(w, parent, item, name);
        if (cJSON_IsNumber(item))
            change_number(w, item, name);
        if (cJSON_IsString(item))
            change_text(w, item, name);
        if (cJSON_IsBool(item))
            change_truth(w, item, name);
        change_all(w, item, name);
    }
}

static void check_changes(cJSON *plan, int64_t least)
{
    struct walk walk = {.plan = plan};
    bool is_wrong;
    cr_assert(is_valid(plan, &is_wrong));
    change_all(&walk, plan, "");
    cr_expect(walk.missed == 0 && walk.changes >= least,
              "%lld of %lld changes were not refused", (long long)walk.missed,
              (long long)walk.changes);
    cr_assert(is_valid(plan, &is_wrong));
}

Test(dynapipe_plan_check, every_value_of_a_plan_counts)
{
    cJSON *plan = plan_with_decoders();
    check_changes(plan, 2000);
    cJSON_Delete(plan);
    plan = plan_that_recomputes();
    check_changes(plan, 2000);
    cJSON_Delete(plan);
}

static cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static cJSON *batch_at(cJSON *plan, int replica, int position)
{
    return cJSON_GetArrayItem(
        member(cJSON_GetArrayItem(member(plan, "replicas"), replica), "micro_batches"),
        position);
}

// Changes that keep the form, the counts and every single value possible.
static void manipulate(cJSON *plan, int which)
{
    cJSON *replica = cJSON_GetArrayItem(member(plan, "replicas"), 0), *one, *two;
    switch (which) {
    case 0: // a sample twice and another one never
        one = member(batch_at(plan, 0, 0), "samples")->child;
        two = member(batch_at(plan, 1, 0), "samples")->child;
        one->valuedouble = two->valuedouble;
        break;
    case 1: // two micro-batches change their numbers
        one = member(batch_at(plan, 0, 0), "number");
        two = member(batch_at(plan, 0, 1), "number");
        const double number = one->valuedouble;
        one->valuedouble = two->valuedouble;
        two->valuedouble = number;
        break;
    case 2: // another bound, with its gap
        member(replica, "lower_bound_ms")->valuedouble /= 2;
        member(plan, "lower_bound_ms")->valuedouble =
            fmax(member(replica, "lower_bound_ms")->valuedouble,
                 member(replica->next, "lower_bound_ms")->valuedouble);
        member(plan, "gap")->valuedouble = member(plan, "makespan_ms")->valuedouble /
                                               member(plan, "lower_bound_ms")->valuedouble -
                                           1;
        break;
    case 3: // recomputation that takes no time
        cJSON_ArrayForEach (one, member(replica, "micro_batches"))
            cJSON_ArrayForEach (two, member(one, "recompute"))
                two->valuedouble = 0;
        break;
    case 4: // shorter backwards without recomputation
        cJSON_ArrayForEach (one, member(replica, "plain_backward_us"))
            cJSON_ArrayForEach (two, one)
                two->valuedouble /= 2;
        break;
    case 5:
        one = member(plan, "proven");
        one->type = cJSON_IsTrue(one) ? cJSON_False : cJSON_True;
        break;
    case 6: // a status without a plan
        cJSON_SetValuestring(member(plan, "status"), "exceeds");
        break;
    default: // a limit below the peak
        member(member(plan, "pipeline"), "limit_mb")->valuedouble =
            member(plan, "peak_mb")->valuedouble - 1;
    }
}

Test(dynapipe_plan_check, plausible_changes)
{
    cJSON *plan = plan_that_recomputes();
    for (int which = 0; which < 8; which++) {
        cJSON *changed = cJSON_Duplicate(plan, true);
        bool is_wrong;
        manipulate(changed, which);
        cr_expect(!is_valid(changed, &is_wrong) && is_wrong, "change %d", which);
        cJSON_Delete(changed);
    }
    cJSON_Delete(plan);
}

static void expect_same(const cJSON *one, const cJSON *two, const char *name)
{
    cr_expect(cJSON_Compare(member(one, name), member(two, name), true), "%s", name);
}

// A plan that is planned again had one tensor where decoders send two.
Test(dynapipe_plan_check, planned_again)
{
    double value[N_PARAMS], set[4];
    cJSON *plan = plan_with_decoders();
    const struct pps_document document = {.slot = SLOT_PLAN, .root = plan};
    struct pps_fault fault;
    bool is_wrong;
    void *shared;
    cr_assert(dynapipe_open(&document, 1, &shared, &fault));
    dynapipe_values(shared, SLOT_PLAN, 0, set);
    dynapipe_close(shared);
    set_defaults(value);
    value[P_MICRO_BATCHES] = set[0];
    value[P_DEVICES] = set[1];
    value[P_CHUNKS] = set[2];
    value[P_DP] = set[3];
    cJSON *again = plan_of(&document, 1, value);
    cr_assert(is_valid(again, &is_wrong));
    expect_same(member(plan, "pipeline"), member(again, "pipeline"), "tensors");
    expect_same(member(plan, "pipeline"), member(again, "pipeline"), "first_layer");
    expect_same(member(plan, "pipeline"), member(again, "pipeline"), "hidden");
    cJSON_Delete(again);
    cJSON_Delete(plan);
}
