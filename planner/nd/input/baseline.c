// SPDX-License-Identifier: Apache-2.0
// Checks the values of a document's baseline and writes them as an option would.
#include "planner/nd/input/baseline.h"

#include "base/document/fault.h"
#include "base/text/say.h"
#include "planner/nd/strategies/enumerate.h"
#include "planner/shared/files.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

static const char *const degrees[] = {"dp", "tp", "cp", "pp", "ep", "op", "vp", "mbs"};

enum { N_DEGREES = sizeof degrees / sizeof *degrees, N_DEVICE_DEGREES = 4 };

static bool add_degree(const cJSON *baseline,
                       const char *name,
                       char *text,
                       size_t *n,
                       struct pps_fault *fault)
{
    const cJSON *item = pps_json_member(baseline, name);
    if (item == NULL)
        return true;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
    const bool shards = strcmp(name, "op") == 0;
    if (value != (double)(int32_t)value || value > ND_DEVICES_MAX ||
        (value < 1 && !(shards && value == -1)))
        return pps_fault_set(fault, item, false, "%s: expected a whole number from 1 to %d",
                             name, ND_DEVICES_MAX);
    const cJSON *dp = pps_json_member(baseline, "dp");
    const double meant =
        value == -1 && dp != NULL ? dp->valuedouble : value; // op -1: as many as dp
    *n += (size_t)snprintf(text + *n, ND_BASELINE_BYTES - *n, "%s%s=%d", *n > 0 ? "," : "",
                           name, (int)meant);
    return true;
}

static bool add_sequence_parallel(const cJSON *baseline,
                                  char *text,
                                  size_t *n,
                                  struct pps_fault *fault)
{
    const cJSON *item = pps_json_member(baseline, "sp");
    if (item != NULL && !cJSON_IsBool(item))
        return pps_fault_set(fault, item, false, "sp: expected true or false");
    if (item != NULL)
        *n += (size_t)snprintf(text + *n, ND_BASELINE_BYTES - *n, "%ssp=%s", *n > 0 ? "," : "",
                               cJSON_IsTrue(item) ? "on" : "off");
    return true;
}

// Returns the devices of the strategy; 0 if dp is missing, which the cluster then decides.
static double devices_of(const cJSON *baseline)
{
    double product = 1;
    for (int k = 0; k < N_DEVICE_DEGREES; k++) {
        const cJSON *item = pps_json_member(baseline, degrees[k]);
        if (item == NULL && k == 0)
            return 0;
        product *= item != NULL ? item->valuedouble : 1;
    }
    return product;
}

enum pps_status nd_baseline_text(const struct pps_json *document,
                                 const cJSON *baseline,
                                 char text[ND_BASELINE_BYTES],
                                 double *devices,
                                 struct pps_error *err)
{
    struct pps_fault fault = {.item = NULL};
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; k < N_DEGREES; k++)
        if (!add_degree(baseline, degrees[k], text, &n, &fault))
            return plan_fail_document(document, &fault, err);
    if (!add_sequence_parallel(baseline, text, &n, &fault))
        return plan_fail_document(document, &fault, err);
    *devices = devices_of(baseline);
    return PPS_OK;
}

enum pps_status nd_baseline_of_document(const struct plan_run *run,
                                        bool quiet,
                                        char text[ND_BASELINE_BYTES],
                                        struct pps_error *err)
{
    double devices;
    text[0] = '\0';
    if (run->baseline == NULL)
        return PPS_OK;
    const struct pps_fault *reason = &run->baseline_in->cannot_run;
    if (reason->text[0] != '\0') {
        if (!quiet)
            pps_say(stderr,
                    "note      no baseline: the training in %s cannot run: %s:%d:%d: %s",
                    run->baseline_in->json.name, run->baseline_in->json.name, reason->line,
                    reason->column, reason->text);
        return PPS_OK;
    }
    const enum pps_status status =
        nd_baseline_text(&run->baseline_in->json, run->baseline, text, &devices, err);
    if (status != PPS_OK || devices == 0 || devices == (double)run->cluster.world_size)
        return status;
    if (!quiet)
        pps_say(
            stderr,
            "note      no baseline: the strategy in %s (%s) is for %.0f devices, the cluster "
            "has %lld",
            run->baseline_in->json.name, text, devices, (long long)run->cluster.world_size);
    text[0] = '\0';
    return PPS_OK;
}
