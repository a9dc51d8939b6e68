// SPDX-License-Identifier: Apache-2.0
// ppsweep dynaplan check: plans of steps are replayed.
#include "base/document/json.h"
#include "base/system/whole_file.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "kernels/dynapipe/output/plan_check.h"
#include "planner/dynapipe/commands.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_opt options[] = {{NULL, 0, NULL, NULL}};

static const char details[] =
    "The command reads plans as dynaplan writes them (files of -o, or the lines of --stream) and\n"
    "replays them: every pass runs once, on its device and in order; both ends of every transfer\n"
    "start it in the same order; no wait lasts forever; slots hold what is used; the memory of\n"
    "every device suffices; every sample is in one micro-batch; makespan, bound, peaks and all\n"
    "other figures are those that the plan states.\n"
    "\n"
    "  ppsweep dynaplan check plans/plan-000000.json\n";

struct counts {
    int64_t plans, without;
};

// Returns whether a record says why a batch has no plan.
static bool is_without(const cJSON *root)
{
    const cJSON *status = pps_json_member(root, "status");
    return cJSON_IsString(status) && pps_json_member(root, "replicas") == NULL &&
           (strcmp(status->valuestring, "infeasible") == 0 ||
            strcmp(status->valuestring, "error") == 0);
}

static enum pps_status check_one(const struct pps_json *json, const char *path, int line,
                                 struct counts *counts, struct pps_error *err)
{
    struct plan_checked checked;
    struct pps_fault fault;
    bool is_wrong;
    const cJSON *batch = pps_json_member(json->root, "batch");
    if (is_without(json->root)) {
        counts->without++;
        return PPS_OK;
    }
    if (!plan_check(json->root, &checked, &is_wrong, &fault)) {
        if (fault.text[0] == '\0')
            return pps_fail_memory(err, "%s", path);
        enum pps_status failed = plan_fail_document(json, &fault, err);
        err->line = line > 0 ? line : err->line;
        if (is_wrong)
            err->code = failed = PPS_E_WRONG;
        return failed;
    }
    counts->plans++;
    pps_say(stdout,
            "%s batch %s: valid; %d replicas, %d devices, %s micro-batches, %s "
            "instructions; %s, peak %s MB%s",
            path, cJSON_IsString(batch) ? batch->valuestring : "?", (int)checked.replicas,
            (int)checked.devices, pps_count_text((double)checked.micro_batches).text,
            pps_count_text((double)checked.instructions).text,
            pps_time_text(checked.makespan / 1e3).text, pps_decimals_text(checked.peak, 1).text,
            isinf(checked.slack) ? ", no limit" : "");
    return PPS_OK;
}

// Checks every line of a file.
static enum pps_status check_lines(const char *path, const char *text, size_t n,
                                   struct counts *counts, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    int line = 0;
    for (size_t at = 0; at < n && status == PPS_OK;) {
        const char *end = memchr(text + at, '\n', n - at);
        const size_t length = end != NULL ? (size_t)(end - text) - at : n - at;
        struct pps_json json;
        line++;
        if (length > 0) {
            status = pps_json_parse(&json, path, text + at, length, err);
            if (status != PPS_OK) {
                err->line = line;
                return status;
            }
            status = check_one(&json, path, line, counts, err);
            pps_json_free(&json);
        }
        at += length + 1;
    }
    return status;
}

static enum pps_status check_main(const struct pps_args *args, struct pps_error *err)
{
    struct counts counts = {0, 0};
    enum pps_status status = PPS_OK;
    for (int k = 0; k < pps_arg_words(args) && status == PPS_OK; k++) {
        char *text;
        size_t n;
        status = pps_whole_file_read(pps_arg_word(args, k), PLAN_DATA_MAX, &text, &n, err);
        if (status != PPS_OK)
            return status;
        status = check_lines(pps_arg_word(args, k), text, n, &counts, err);
        free(text);
    }
    if (status == PPS_OK && counts.plans + counts.without == 0)
        return pps_fail(err, PPS_E_INPUT, "%s: there is no plan", pps_arg_word(args, 0));
    if (status == PPS_OK)
        pps_say(stdout, "%s plans are valid; %s batches have no plan",
                pps_count_text((double)counts.plans).text,
                pps_count_text((double)counts.without).text);
    return status;
}

const struct pps_command dynaplan_check_command = {
    .name = "dynaplan check",
    .summary = "replay plans of dynaplan",
    .usage = "PLAN...",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .main = check_main,
};
