// SPDX-License-Identifier: Apache-2.0
// Converts JSON to a continuous axis and back.
#include "engine/axes/axis_continuous.h"
#include "base/text/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More decimals exceed the 15 digits of a value. Fewer decimals exceed the range of a double.
enum { MOST_DECIMALS = 15, FEWEST_DECIMALS = -15, DIGITS_OF_RANGE = 6 };

static const char *const keys[] = {"start", "stop", "continuous", "decimals"};
enum { N_KEYS = sizeof keys / sizeof *keys };

bool pps_is_continuous(const cJSON *item)
{
    return cJSON_IsObject(item) && pps_json_member(item, "continuous") != NULL;
}

static enum pps_status check_keys(const struct pps_param *param, const struct pps_json *json,
                                  const cJSON *object, struct pps_error *err)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, object) {
        if (!pps_json_key_is_of(item, keys, N_KEYS))
            return pps_json_fail_key(
                json, item, err,
                "%s: a continuous range takes start, stop and decimals, not \"%.40s\"%s",
                param->name, item->string,
                pps_json_missing_key(object, item, keys, N_KEYS).text);
    }
    item = pps_json_member(object, "continuous");
    if (!cJSON_IsTrue(item))
        return pps_json_fail(json, item, err, "%s.continuous: expected true, or remove it",
                             param->name);
    return PPS_OK;
}

static enum pps_status read_end(const struct pps_param *param, const struct pps_json *json,
                                const cJSON *object, const char *key, double *value,
                                struct pps_error *err)
{
    const cJSON *item = pps_json_member(object, key);
    char why[PPS_WHY];
    if (item == NULL)
        return pps_json_fail(json, object, err,
                             "%s: a continuous range needs %s; write {\"start\": 1, \"stop\": "
                             "4, \"continuous\": true}",
                             param->name, key);
    if (!cJSON_IsNumber(item))
        return pps_json_fail(json, item, err, "%s.%s: expected a number", param->name, key);
    *value = item->valuedouble;
    if (!pps_value_check(param, *value, why))
        return pps_json_fail(json, item, err, "%s.%s: %s", param->name, key, why);
    return PPS_OK;
}

static enum pps_status read_decimals(struct pps_axis *axis, const struct pps_param *param,
                                     const struct pps_json *json, const cJSON *object,
                                     struct pps_error *err)
{
    const cJSON *item = pps_json_member(object, "decimals");
    char text[32];
    if (item == NULL) {
        // The exponent of the range's width.
        snprintf(text, sizeof text, "%.17e", axis->stop - axis->start);
        const int decimals = DIGITS_OF_RANGE - atoi(strchr(text, 'e') + 1);
        axis->decimals = decimals > MOST_DECIMALS     ? MOST_DECIMALS
                         : decimals < FEWEST_DECIMALS ? FEWEST_DECIMALS
                                                      : decimals;
        return PPS_OK;
    }
    if (!cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) ||
        item->valuedouble < FEWEST_DECIMALS || item->valuedouble > MOST_DECIMALS)
        return pps_json_fail(json, item, err,
                             "%s.decimals: expected a whole number from %d to %d", param->name,
                             FEWEST_DECIMALS, MOST_DECIMALS);
    axis->decimals = (int)item->valuedouble;
    return PPS_OK;
}

enum pps_status pps_continuous_from_json(struct pps_axis *axis, const struct pps_kernel *kernel,
                                         int p, const struct pps_json *json,
                                         const cJSON *object, struct pps_error *err)
{
    const struct pps_param *param = &kernel->params[p];
    *axis = (struct pps_axis){.kind = PPS_AXIS_CONTINUOUS, .sets = (uint64_t)1 << p};
    axis->param = p;
    axis->step = 1;
    if (param->kind != PPS_INTEGER && param->kind != PPS_REAL) {
        char domain[PPS_DOMAIN];
        pps_value_domain(param, domain, sizeof domain);
        return pps_json_fail(json, object, err, "%s: expected %s, not a range", param->name,
                             domain);
    }
    enum pps_status status = check_keys(param, json, object, err);
    if (status == PPS_OK)
        status = read_end(param, json, object, "start", &axis->start, err);
    if (status == PPS_OK)
        status = read_end(param, json, object, "stop", &axis->stop, err);
    if (status == PPS_OK && axis->stop < axis->start)
        status = pps_json_fail(json, pps_json_member(object, "stop"), err,
                               "%s: stop %.15g is below start %.15g; write \"start\": %.15g, "
                               "\"stop\": %.15g",
                               param->name, axis->stop, axis->start, axis->stop, axis->start);
    if (status == PPS_OK && !isfinite(axis->stop - axis->start))
        status = pps_json_fail(json, object, err, "%s: the range is too wide for a number",
                               param->name);
    if (status == PPS_OK)
        status = read_decimals(axis, param, json, object, err);
    if (status == PPS_OK && param->kind == PPS_INTEGER) {
        axis->kind = PPS_AXIS_RANGE;
        axis->count = (uint64_t)(axis->stop - axis->start) + 1;
    }
    return status;
}

static void add_number(cJSON *object, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    cJSON_AddRawToObject(object, name, text);
}

cJSON *pps_continuous_to_json(const struct pps_axis *axis)
{
    cJSON *range = cJSON_CreateObject();
    add_number(range, "start", axis->start);
    add_number(range, "stop", axis->stop);
    cJSON_AddTrueToObject(range, "continuous");
    cJSON_AddNumberToObject(range, "decimals", axis->decimals);
    return range;
}
