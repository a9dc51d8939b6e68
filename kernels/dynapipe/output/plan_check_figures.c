// SPDX-License-Identifier: Apache-2.0
// Compares the figures of plans with those of the replay.
#include "base/document/fault.h"
#include "base/document/json.h"
#include "kernels/dynapipe/methods/methods.h"
#include "kernels/dynapipe/output/plan_check_private.h"
#include "kernels/dynapipe/step/step.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SAME  1e-9  // relative
#define EQUAL 1e-12 // absolute

// ---- what a plan states ---------------------------------------------------------------------------

bool plan_refuse(struct plan_reading *r, const cJSON *item, const char *what)
{
    return pps_fault_set(r->fault, item, false, "%s", what);
}

bool plan_wrong(struct plan_reading *r, const cJSON *item, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->is_wrong = true;
    return plan_refuse(r, item, text);
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b)) + EQUAL;
}

bool plan_states(struct plan_reading *r, const cJSON *object, const char *name, double found)
{
    const cJSON *item = pps_json_member(object, name);
    if (!cJSON_IsNumber(item))
        return pps_fault_set(r->fault, item != NULL ? item : object, false,
                             "%s: expected a number", name);
    return is_same(item->valuedouble, found) ||
           plan_wrong(r, item, "%s: the plan states %.10g, but its replay gives %.10g", name,
                      item->valuedouble, found);
}

static bool plan_states_truth(struct plan_reading *r, const cJSON *object, const char *name,
                              bool found)
{
    const cJSON *item = pps_json_member(object, name);
    if (!cJSON_IsBool(item))
        return pps_fault_set(r->fault, item != NULL ? item : object, false,
                             "%s: expected true or false", name);
    return (cJSON_IsTrue(item) != 0) == found ||
           plan_wrong(r, item, "%s: the replicas say %s", name, found ? "true" : "false");
}

bool plan_states_word(struct plan_reading *r, const cJSON *object, const char *name,
                      const char *found)
{
    const cJSON *item = pps_json_member(object, name);
    if (!cJSON_IsString(item))
        return pps_fault_set(r->fault, item != NULL ? item : object, false,
                             "%s: expected a text", name);
    return strcmp(item->valuestring, found) == 0 ||
           plan_wrong(r, item, "%s: the plan states %.40s, but it is %.40s", name,
                      item->valuestring, found);
}

bool plan_states_one_of(struct plan_reading *r, const cJSON *object, const char *name,
                        const char *const *words)
{
    const cJSON *item = pps_json_member(object, name);
    const char *word = cJSON_IsString(item) ? item->valuestring : NULL;
    while (word != NULL && *words != NULL && strcmp(word, *words) != 0)
        words++;
    return (word != NULL && *words != NULL) ||
           pps_fault_set(r->fault, item != NULL ? item : object, false,
                         "%s: dynaplan writes no such word", name);
}

// ---- a replica ------------------------------------------------------------------------------------

static bool check_peaks(struct plan_reading *r, const cJSON *replica)
{
    const cJSON *peaks = pps_json_member(replica, "peak_mb"), *one;
    int32_t d = 0;
    if (!cJSON_IsArray(peaks) || cJSON_GetArraySize(peaks) != r->plan.pipeline.devices)
        return plan_refuse(r, peaks != NULL ? peaks : replica,
                           "peak_mb: expected a number for each device");
    cJSON_ArrayForEach (one, peaks) {
        const double found = r->peaks[d++];
        if (!cJSON_IsNumber(one) || !is_same(one->valuedouble, found))
            return plan_wrong(r, one,
                              "device %d needs %.6f MB, but the plan states another peak",
                              (int)d - 1, found);
    }
    return true;
}

static int32_t warm_up_of(const struct plan_reading *r, int32_t device)
{
    int32_t n = 0;
    for (int32_t k = 0; k < r->instructions.n[device]; k++) {
        const int kind = instruction_at(&r->instructions, device, k)->kind;
        if (kind == INSTRUCTION_B)
            return n;
        n += kind == INSTRUCTION_F;
    }
    return n;
}

static bool check_warm_ups(struct plan_reading *r, const cJSON *replica)
{
    const cJSON *list = pps_json_member(replica, "warm_up"), *one;
    int32_t d = 0;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != r->plan.pipeline.devices)
        return plan_refuse(r, list != NULL ? list : replica,
                           "warm_up: expected a number for each device");
    cJSON_ArrayForEach (one, list) {
        const int32_t found = warm_up_of(r, d++);
        if (!cJSON_IsNumber(one) || one->valuedouble != found)
            return plan_wrong(r, one,
                              "warm_up: device %d runs %d forwards before its first backward",
                              (int)d - 1, (int)found);
    }
    return true;
}

static bool is_1f1b(const struct plan_reading *r)
{
    for (int32_t d = 0; d < r->plan.pipeline.devices; d++) {
        const int32_t left = r->plan.pipeline.devices - d;
        if (warm_up_of(r, d) != (left < r->count ? left : r->count))
            return false;
    }
    return true;
}

// Behind the warm-up, backwards and forwards take turns, in the order of the plan.
static bool check_turns(struct plan_reading *r, const cJSON *item)
{
    for (int32_t d = 0; d < r->plan.pipeline.devices; d++) {
        const int32_t warm_up = warm_up_of(r, d);
        int32_t ran[2] = {0, 0}; // forwards, backwards
        for (int32_t k = 0; k < r->instructions.n[d]; k++) {
            const struct instruction *i = instruction_at(&r->instructions, d, k);
            if (i->kind != INSTRUCTION_F && i->kind != INSTRUCTION_B)
                continue;
            const bool backward = ran[0] == r->count || ran[0] == warm_up + ran[1];
            if (backward != (i->kind == INSTRUCTION_B) || i->micro_batch != ran[backward]++)
                return plan_wrong(
                    r, item, "method: forwards and backwards of device %d do not take turns",
                    (int)d);
        }
    }
    return true;
}

// A method exists for the assignment, and 1F1B has its own warm-ups.
static bool check_method(struct plan_reading *r, const cJSON *replica)
{
    const enum assignment a = assignment_of(&r->plan.pipeline);
    const cJSON *item = pps_json_member(replica, "method");
    const char *word = cJSON_IsString(item) ? item->valuestring : "";
    int method = 0;
    if (strcmp(word, plan_free_warm_ups) == 0)
        return (a == ASSIGNMENT_LINEAR ||
                plan_wrong(r, item, "method: %s needs one stage on every device", word)) &&
               check_turns(r, item);
    if (strcmp(word, plan_free_orders) == 0)
        return true;
    while (method < METHODS && strcmp(word, method_names[method]) != 0)
        method++;
    if (method == METHODS)
        return plan_refuse(r, item != NULL ? item : replica, "method: there is no such method");
    if (!method_allows((enum method)method, a))
        return plan_wrong(r, item, "method: %s does not exist for these stages", word);
    return method != METHOD_1F1B || is_1f1b(r) ||
           plan_wrong(r, item, "method: the devices do not begin as in 1F1B");
}

// Without recomputation a backward takes its plain time, with it at least that. The published planner charges the
// mirrored stage.
static bool check_types(struct plan_reading *r, const cJSON *list, int32_t m)
{
    const cJSON *one;
    int32_t type;
    int64_t at = micro_batches_at(&r->batches, m, 0);
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != r->batches.stages)
        return plan_refuse(r, list, "recompute: expected a type for each stage");
    cJSON_ArrayForEach (one, list) {
        const double took = r->batches.backward[at], plain = r->plain[at];
        at++;
        if (!plan_whole_read(one, 0, DYNAPIPE_RECOMPUTE_TYPES - 1, &type))
            return plan_refuse(r, one, "recompute: there is no such type");
        if (!r->as_published &&
            (type == DYNAPIPE_KEEP ? !is_same(took, plain) : took < plain - EQUAL))
            return plan_wrong(r, one,
                              "recompute: a backward of type %d takes %.10g us, without "
                              "recomputation %.10g us",
                              (int)type, took, plain);
    }
    return true;
}

static bool check_recomputation(struct plan_reading *r, const cJSON *replica)
{
    const cJSON *list = pps_json_member(replica, "micro_batches"), *one;
    int32_t m = 0;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != r->count)
        return plan_refuse(r, list != NULL ? list : replica,
                           "micro_batches: expected one for each position of the order");
    cJSON_ArrayForEach (one, list) {
        const cJSON *types = pps_json_member(one, "recompute");
        if (types == NULL)
            return plan_refuse(r, one, "recompute: missing");
        if (!check_types(r, types, m++))
            return false;
    }
    return true;
}

// The output of the last stage goes nowhere.
static bool check_last_stage(struct plan_reading *r, const cJSON *replica)
{
    for (int32_t m = 0; m < r->count; m++) {
        const int64_t last = micro_batches_at(&r->batches, m, r->batches.stages - 1);
        if (r->batches.activation[last] > 0 || r->batches.gradient[last] > 0)
            return plan_wrong(r, pps_json_member(replica, "activation_us"),
                              "position %d: the last stage has no transfer behind it", (int)m);
    }
    return true;
}

static void add(struct plan_reading *r, const cJSON *replica, double bound)
{
    if (r->replicas == 0 || r->makespan > r->slowest_makespan) {
        r->slowest_makespan = r->makespan;
        r->slowest_replica = replica;
    }
    for (int32_t d = 0; d < r->plan.pipeline.devices; d++)
        if (r->peaks[d] > r->peak) {
            r->peak = r->peaks[d];
            r->peak_device = d;
        }
    for (int64_t at = 0; at < (int64_t)r->count * r->batches.stages; at++)
        r->busy += r->batches.forward[at] + r->batches.backward[at];
    r->bound = fmax(r->bound, bound);
    r->is_proven = r->is_proven && cJSON_IsTrue(pps_json_member(replica, "proven"));
    r->micro_batches += r->count;
    r->replicas++;
}

bool plan_check_replica(struct plan_reading *r, const cJSON *replica)
{
    struct micro_batches plain = r->batches;
    plain.backward = r->plain;
    const double bound = fmin(method_bound(&r->plan.pipeline, &plain), r->makespan);
    if (!plan_states(r, replica, "replica", r->replicas) ||
        !plan_states(r, replica, "makespan_ms", r->makespan / 1000) ||
        !plan_states(r, replica, "lower_bound_ms", bound / 1000) || !check_peaks(r, replica) ||
        !check_warm_ups(r, replica) || !check_method(r, replica) ||
        !check_recomputation(r, replica) || !check_last_stage(r, replica))
        return false;
    if (!cJSON_IsBool(pps_json_member(replica, "proven")))
        return plan_refuse(r, replica, "proven: expected true or false");
    add(r, replica, bound);
    return true;
}

// ---- the step -------------------------------------------------------------------------------------

static bool check_words(struct plan_reading *r, const cJSON *root)
{
    static const char *const compats[] = {"none", "orig", NULL};
    const char *modes[PLAN_MODES + 1] = {NULL};
    const cJSON *method = pps_json_member(r->slowest_replica, "method");
    memcpy(modes, plan_mode_names, PLAN_MODES * sizeof *modes);
    return plan_states_one_of(r, root, "compat", compats) &&
           plan_states_one_of(r, root, "mode", modes) &&
           plan_states_word(r, root, "method",
                            cJSON_IsString(method) ? method->valuestring : "");
}

// Where a plan comes from: nothing to compare with.
static bool check_origin(struct plan_reading *r, const cJSON *root)
{
    static const char *const counts[] = {"seed", "evaluations"};
    const cJSON *limit = pps_json_member(pps_json_member(root, "pipeline"), "limit_mb");
    if (!cJSON_IsString(pps_json_member(root, "batch")))
        return plan_refuse(r, root, "batch: expected a name");
    for (int k = 0; k < 2; k++) {
        const cJSON *item = pps_json_member(root, counts[k]);
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
            item->valuedouble != floor(item->valuedouble))
            return pps_fault_set(r->fault, item != NULL ? item : root, false,
                                 "%s: expected a whole number", counts[k]);
    }
    return cJSON_IsNumber(limit) || cJSON_IsNull(limit) ||
           plan_refuse(r, limit != NULL ? limit : root,
                       "limit_mb: expected MB, or null for no limit");
}

bool plan_check_step(struct plan_reading *r, const cJSON *root)
{
    const cJSON *batch = pps_json_member(root, "batch_bound_ms");
    // Nothing here can compute the bound of the batch; without it the gap counts from that of the micro-batches.
    const double least = cJSON_IsNumber(batch) ? 1000 * batch->valuedouble : r->bound;
    const double makespan = r->slowest_makespan,
                 devices = (double)r->plan.pipeline.devices * r->replicas;
    return plan_states(r, root, "makespan_ms", makespan / 1000) &&
           plan_states(r, root, "lower_bound_ms", r->bound / 1000) &&
           (cJSON_IsNumber(batch) || cJSON_IsNull(batch) ||
            plan_refuse(r, root, "batch_bound_ms: expected ms, or null")) &&
           (least <= r->bound * (1 + 1e-9) ||
            plan_wrong(r, batch, "batch_bound_ms: the bound of the micro-batches is %.10g",
                       r->bound / 1000)) &&
           plan_states(r, root, "gap", least > 0 ? makespan / least - 1 : 0) &&
           plan_states_truth(r, root, "proven", r->is_proven) &&
           plan_states(r, root, "utilisation",
                       makespan > 0 ? r->busy / (makespan * devices) : 0) &&
           plan_states(r, root, "peak_mb", r->peak) &&
           plan_states(r, root, "peak_device", r->peak_device) &&
           plan_states(r, root, "micro_batches_planned", (double)r->micro_batches) &&
           plan_states(r, pps_json_member(root, "pipeline"), "replicas", r->replicas) &&
           check_words(r, root) && check_origin(r, root);
}
