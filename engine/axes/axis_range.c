// SPDX-License-Identifier: Apache-2.0
// Converts {start, stop, step} to an axis.
#include "base/text/nearest.h"
#include "engine/axes/axis_json_private.h"

#include <math.h>

static enum pps_status range_keys(const struct pps_axis_source *s, const cJSON *object)
{
    static const char *const keys[] = {"start", "stop", "step", "continuous"};
    const cJSON *item;
    cJSON_ArrayForEach (item, object) {
        if (!pps_json_key_is_of(item, keys, 3))
            return pps_json_fail_key(s->json, item, s->err,
                                     "%s: a range takes start, stop and step, not \"%.40s\"%s",
                                     s->param->name, item->string,
                                     pps_json_missing_key(object, item, keys, 4).text);
        if (!cJSON_IsNumber(item))
            return pps_json_fail(s->json, item, s->err, "%s.%s: expected a number",
                                 s->param->name, item->string);
    }
    return PPS_OK;
}

static enum pps_status range_member(const struct pps_axis_source *s, const cJSON *object,
                                    const char *key, double *value)
{
    const cJSON *item = pps_json_member(object, key);
    if (item == NULL)
        return pps_json_fail(s->json, object, s->err,
                             "%s: a range needs %s; write {\"start\": 1, \"stop\": 4, "
                             "\"step\": 1}",
                             s->param->name, key);
    *value = item->valuedouble;
    return PPS_OK;
}

// Reports a step that is not above 0. Suggests to swap start and stop unless the step is 0.
static enum pps_status fail_step(const struct pps_axis_source *s, const cJSON *step,
                                 const struct pps_axis_range *range)
{
    const char *name = s->param->name;
    if (!(range->step < 0))
        return pps_json_fail(s->json, step, s->err, "%s.step: must be above 0 (got %.15g)",
                             name, range->step);
    return pps_json_fail(s->json, step, s->err,
                         "%s.step: must be above 0 (got %.15g), because ranges ascend; write "
                         "{\"start\": %.15g, \"stop\": %.15g, \"step\": %.15g}, or list the "
                         "values in descending order",
                         name, range->step, fmin(range->start, range->stop),
                         fmax(range->start, range->stop), -range->step);
}

static enum pps_status count_range(const struct pps_axis_source *s, const cJSON *object,
                                   struct pps_axis_range *range)
{
    const char *name = s->param->name;
    const cJSON *step = pps_json_member(object, "step");
    if (!(range->step > 0))
        return fail_step(s, step, range);
    if (range->stop < range->start)
        return pps_json_fail(s->json, pps_json_member(object, "stop"), s->err,
                             "%s: stop %.15g is below start %.15g, and the step (%.15g) is "
                             "positive; write \"start\": %.15g, \"stop\": %.15g, or list the "
                             "values in descending order",
                             name, range->stop, range->start, range->step, range->stop,
                             range->start);
    const double steps = (range->stop - range->start) / range->step;
    if (!(steps < 9007199254740992.0))
        return pps_json_fail(s->json, step != NULL ? step : object, s->err,
                             "%s: the range has more than 2^53 values; use a larger step",
                             name);
    enum pps_status status =
        pps_axis_check_steps(s, pps_json_member(object, "stop"), ".stop", range);
    if (status != PPS_OK)
        return status;
    range->n = (uint64_t)round(steps) + 1;
    return PPS_OK;
}

enum pps_status pps_axis_from_range(struct pps_axis *axis, const struct pps_axis_source *s,
                                    const cJSON *object)
{
    struct pps_axis_range range = {.step = 1};
    char domain[PPS_DOMAIN];
    pps_value_domain(s->param, domain, sizeof domain);
    if (s->param->kind != PPS_INTEGER && s->param->kind != PPS_REAL)
        return pps_json_fail(s->json, object, s->err, "%s: expected %s, not a range",
                             s->param->name, domain);
    enum pps_status status = range_keys(s, object);
    if (status == PPS_OK)
        status = range_member(s, object, "start", &range.start);
    if (status == PPS_OK)
        status = range_member(s, object, "stop", &range.stop);
    if (status == PPS_OK && pps_json_member(object, "step") != NULL)
        status = range_member(s, object, "step", &range.step);
    if (status == PPS_OK)
        status = count_range(s, object, &range);
    if (status == PPS_OK)
        status =
            pps_axis_check_value(s, pps_json_member(object, "start"), range.start, ".start");
    if (status == PPS_OK && range.n > 1 && s->param->kind == PPS_INTEGER &&
        range.step != floor(range.step))
        status = pps_json_fail(s->json, pps_json_member(object, "step"), s->err,
                               "%s.step: expected a whole number (got %.15g)", s->param->name,
                               range.step);
    // The last value may exceed stop by a rounding error.
    const double last = range.start + (double)(range.n - 1) * range.step;
    if (status == PPS_OK)
        status = pps_axis_check_value(s, pps_json_member(object, "stop"),
                                      fmax(range.stop, last), ".stop");
    return status == PPS_OK ? pps_axis_make_range(axis, s, &range) : status;
}
