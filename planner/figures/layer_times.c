// SPDX-License-Identifier: Apache-2.0
// Converts raw layer times to ratios.
#include "base/text/number.h"
#include "planner/figures/ratios.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

double nd_robust_mean(double *us, int64_t n, enum nd_compat compat)
{
    const int64_t dropped = n / 4;
    double sum = 0.0;
    if (n == 0)
        return 0.0;
    if (compat == ND_CORRECTED)
        qsort(us, (size_t)n, sizeof *us, ascending);
    for (int64_t i = dropped; i < n - dropped; i++)
        sum += us[i];
    return number_text_round(sum / (double)(n - 2 * dropped) / 1e3, 3);
}

// ---- the document -----------------------------------------------------------------------------------

enum { DENSE_FW, DENSE_BW, RECOMP_DENSE_BW, MOE_FW, MOE_BW, RECOMP_MOE_BW, TOTAL, N_LISTS };

static const char *const LISTS[N_LISTS] = {
    "dense_fw", "dense_bw", "recomp_dense_bw", "moe_fw", "moe_bw", "recomp_moe_bw", "total"};

struct times {
    double mean_ms[N_LISTS]; // 0: no times
    double layers;           // on the last stage
    double recomputed;       // recomputed layers on the last stage
};

static bool read_mean(double *mean_ms, const cJSON *document, const char *key,
                      enum nd_compat compat, struct pps_fault *fault)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(document, key);
    const cJSON *item;
    *mean_ms = 0.0;
    if (list == NULL)
        return true;
    if (!cJSON_IsArray(list))
        return pps_fault_set(fault, list, false, "%s: must be a list of microseconds", key);
    const int size = cJSON_GetArraySize(list);
    double *us = malloc(((size_t)size + 1) * sizeof *us);
    if (us == NULL)
        return pps_fault_set(fault, list, false, "%s: out of memory for its times", key);
    int64_t n = 0;
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0) || isinf(item->valuedouble)) {
            free(us);
            return pps_fault_set(fault, item, false,
                                 "%s: every entry must be microseconds, a number >= 0", key);
        }
        us[n++] = item->valuedouble;
    }
    *mean_ms = nd_robust_mean(us, n, compat);
    free(us);
    return true;
}

// Reads a whole number of an object. If the key is missing, *value is `fallback`; a fallback below
// `least` makes the key mandatory.
static bool read_whole(double *value, const cJSON *object, const char *key, double least,
                       double fallback, struct pps_fault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *value = fallback;
    if (item == NULL && fallback < least)
        return pps_fault_set(fault, object, false, "%s: must be given", key);
    if (item == NULL)
        return true;
    *value = item->valuedouble;
    if (cJSON_IsNumber(item) && *value >= least && *value <= 1e9 && *value == floor(*value))
        return true;
    return pps_fault_set(fault, item, false, "%s: must be a whole number of at least %g", key,
                         least);
}

static bool read_config(struct nd_profile *profile, const cJSON *document,
                        struct pps_fault *fault)
{
    static const struct {
        const char *key;
        size_t offset;
        double least, fallback;
    } KEYS[] = {
        {"dp", offsetof(struct nd_profile, dp), 1, 0},
        {"tp", offsetof(struct nd_profile, tp), 1, 0},
        {"pp", offsetof(struct nd_profile, pp), 1, 0},
        {"ep", offsetof(struct nd_profile, ep), 1, 1},
        {"cp", offsetof(struct nd_profile, cp), 1, 1},
        {"op", offsetof(struct nd_profile, op), -1, 0},
        {"mbs", offsetof(struct nd_profile, mbs), 0, 0},
        {"seq_length", offsetof(struct nd_profile, seq_length), 0, 0},
    };
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(document, "config");
    if (!cJSON_IsObject(config))
        return pps_fault_set(fault, config != NULL ? config : document, false,
                             "config: must be an object with dp, tp, pp and ep");
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        double value;
        if (!read_whole(&value, config, KEYS[i].key, KEYS[i].least, KEYS[i].fallback, fault))
            return false;
        const int64_t number = (int64_t)value;
        memcpy((char *)profile + KEYS[i].offset, &number, sizeof number);
    }
    return true;
}

// ---- ratios -----------------------------------------------------------------------------------------

// Uses the dense layer as the unit, for a model that has dense layers only.
static void take_dense_as_unit(struct times *times)
{
    times->mean_ms[MOE_FW] = times->mean_ms[DENSE_FW];
    times->mean_ms[MOE_BW] = times->mean_ms[DENSE_BW];
    times->mean_ms[RECOMP_MOE_BW] = times->mean_ms[RECOMP_DENSE_BW];
}

// As published, ratios need all lists. Otherwise a missing list leaves its ratios unknown.
static bool check_lists(const struct times *times, const cJSON *document, enum nd_compat compat,
                        struct pps_fault *fault)
{
    static const int NEEDED[] = {MOE_FW, MOE_BW, RECOMP_MOE_BW, TOTAL, DENSE_FW};
    const int n = compat == ND_ORIG ? 5 : 1;
    for (int i = 0; i < n; i++)
        if (times->mean_ms[NEEDED[i]] == 0.0)
            return pps_fault_set(fault, document, false,
                                 "%s: has no times, which the ratios need", LISTS[NEEDED[i]]);
    return true;
}

// Returns the time of the head, ms; NAN if a time that it needs is unknown.
static double head_of(const struct times *times, enum nd_compat compat)
{
    const double *ms = times->mean_ms;
    const double plain = times->layers - times->recomputed;
    const double recomputed = compat == ND_ORIG ? 1.0 : times->recomputed;
    if (ms[TOTAL] == 0.0 || (plain > 0 && ms[MOE_BW] == 0.0) ||
        (recomputed > 0 && ms[RECOMP_MOE_BW] == 0.0))
        return (double)NAN;
    return ms[TOTAL] - times->layers * ms[MOE_FW] - plain * ms[MOE_BW] -
           recomputed * ms[RECOMP_MOE_BW];
}

static double ratio(bool is_known, double value, double unit)
{
    return is_known ? value / unit : (double)NAN;
}

static bool take_ratios(struct nd_ratios *ratios, const struct times *times,
                        const cJSON *document, enum nd_compat compat, struct pps_fault *fault)
{
    const double *ms = times->mean_ms, unit = ms[MOE_FW];
    const double head = head_of(times, compat);
    const bool has_backward = ms[MOE_BW] > 0.0;
    if (compat == ND_CORRECTED && head < 0.0)
        return pps_fault_set(fault, cJSON_GetObjectItemCaseSensitive(document, "total"), false,
                             "total: %g ms is less than the time of %g layers; check "
                             "last_stage_layers and recomputed_layers",
                             ms[TOTAL], times->layers);
    *ratios = (struct nd_ratios){
        .dense = ratio(ms[DENSE_FW] > 0.0, ms[DENSE_FW], unit),
        .backward = ratio(has_backward, ms[MOE_BW], unit),
        .recompute = ratio(has_backward && ms[RECOMP_MOE_BW] > 0.0,
                           ms[RECOMP_MOE_BW] - ms[MOE_BW], unit),
        .head = ratio(!isnan(head), head, unit),
        .layer_ms = unit,
    };
    return true;
}

bool nd_profile_of_times(struct nd_profile *profile, const struct cJSON *document,
                         enum nd_compat compat, struct pps_fault *fault)
{
    struct times times;
    *profile = (struct nd_profile){0};
    if (!cJSON_IsObject(document))
        return pps_fault_set(fault, document, false, "must be an object of layer times");
    if (!read_config(profile, document, fault))
        return false;
    for (int i = 0; i < N_LISTS; i++)
        if (!read_mean(&times.mean_ms[i], document, LISTS[i], compat, fault))
            return false;
    const bool needs_layers = compat == ND_ORIG || times.mean_ms[TOTAL] > 0.0;
    if (!read_whole(&times.layers, document, "last_stage_layers", 1, needs_layers ? 0 : 1,
                    fault) ||
        !read_whole(&times.recomputed, document, "recomputed_layers", 0, 1, fault))
        return false;
    if (times.recomputed > times.layers)
        return pps_fault_set(fault,
                             cJSON_GetObjectItemCaseSensitive(document, "recomputed_layers"),
                             false, "recomputed_layers: must be at most last_stage_layers");
    if (compat == ND_CORRECTED && times.mean_ms[MOE_FW] == 0.0)
        take_dense_as_unit(&times);
    return check_lists(&times, document, compat, fault) &&
           take_ratios(&profile->ratios, &times, document, compat, fault);
}
