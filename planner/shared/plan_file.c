// SPDX-License-Identifier: Apache-2.0
// Reads plans, and makes plans of trainings.
#include "planner/shared/plan_file.h"

#include "base/text/characters.h"
#include "base/text/say.h"
#include "engine/command/signals.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_configuration.h"

#include <stdio.h>
#include <string.h>

// ---- a training ---------------------------------------------------------------------------------

static enum pps_status plan_of_mine(struct plan **plan,
                                    struct plan_run *run,
                                    const char *path,
                                    struct pps_error *err)
{
    struct plan_mine mine;
    struct poll poll = {.over = poll_flag, .self = pps_signals_install()};
    if (run->baseline == NULL)
        return pps_fail_at(
            err, PPS_E_INPUT, path, 0, 0,
            "describes no strategy; ppsweep check --at --plan makes a plan of it");
    const enum pps_status status = plan_mine_open(&mine, run, true, &poll, err);
    if (status != PPS_OK)
        return status;
    if (!mine.has) {
        pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "the training cannot run: %s",
                    mine.plan.cannot_run.text);
    } else {
        *plan = configuration_plan(&mine.plan.configuration, &mine.step);
        if (*plan == NULL)
            pps_fail_memory(err, "the plan");
    }
    plan_mine_close(&mine);
    return *plan != NULL ? PPS_OK : err->code;
}

static enum pps_status plan_of_training(struct plan **plan,
                                        const char *path,
                                        const char *cluster,
                                        struct pps_error *err)
{
    struct plan_run run;
    enum pps_status status = plan_run_open_files(&run, path, cluster, NULL, err);
    if (status != PPS_OK)
        return status;
    status = plan_of_mine(plan, &run, path, err);
    if (status == PPS_OK && cluster == NULL && !run.names_hardware)
        pps_say(stderr, "note      %s: priced on %s (assumed; name a cluster after the file)",
                path, run.cluster.hardware.name);
    plan_run_close(&run);
    return status;
}

// ---- a plan -------------------------------------------------------------------------------------

static enum pps_status plan_of_json(struct plan **plan,
                                    struct pps_json *json,
                                    struct pps_error *err)
{
    struct pps_fault fault = {.item = NULL};
    *plan = plan_json_read(json->root, &fault);
    if (*plan != NULL)
        return PPS_OK;
    if (fault.item == NULL)
        fault.item = json->root;
    return fault.text[0] == '\0' ? pps_fail_memory(err, "%s", json->name)
                                 : plan_fail_document(json, &fault, err);
}

enum pps_status plan_file_read(struct plan **plan,
                               struct pps_json *json,
                               const char *path,
                               const char *cluster,
                               struct pps_error *err)
{
    *plan = NULL;
    *json = (struct pps_json){.root = NULL};
    if (strcmp(path, "-") != 0 && !pps_ends_with(path, ".json"))
        return plan_of_training(plan, path, cluster, err);
    enum pps_status status = pps_json_load(json, path, err);
    if (status != PPS_OK)
        return status;
    if (plan_json_is_plan(json->root) && cluster == NULL) {
        status = plan_of_json(plan, json, err);
        if (status != PPS_OK)
            pps_json_free(json);
        return status;
    }
    pps_json_free(json);
    return plan_of_training(plan, path, cluster, err);
}
