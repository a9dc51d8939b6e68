// SPDX-License-Identifier: Apache-2.0
// Reads and writes workflow.json.
#include "planner/nd/workflow/state.h"

#include "base/document/json.h"
#include "base/text/text_buffer.h"
#include "planner/shared/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void state_path(char path[PLAN_PATH + 32], const char *folder)
{
    snprintf(path, PLAN_PATH + 32, "%s/workflow.json", folder);
}

static bool is_state(const cJSON *root)
{
    return cJSON_IsString(pps_json_member(root, "input")) &&
           cJSON_IsObject(pps_json_member(root, "complete"));
}

static bool is_of_input(const cJSON *root, uint64_t input)
{
    char digest[24];
    const char *text = cJSON_GetStringValue(pps_json_member(root, "input"));
    snprintf(digest, sizeof digest, "%016" PRIx64, input);
    return text != NULL && strcmp(text, digest) == 0;
}

enum pps_status nd_workflow_state_open(struct nd_workflow_state *state,
                                       const char *folder,
                                       uint64_t input,
                                       bool force,
                                       struct pps_error *err)
{
    char path[PLAN_PATH + 32];
    struct pps_json json;
    *state = (struct nd_workflow_state){.input = input};
    state_path(path, folder);
    if (access(path, F_OK) != 0)
        return PPS_OK;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (!force && !is_state(json.root)) {
        status = pps_json_fail(&json, json.root, err,
                               "not a state of ppsweep nd auto; choose another folder, or "
                               "--force replaces it");
        pps_json_free(&json);
        return status;
    }
    for (int s = 0; s < ND_N_STAGES && is_of_input(json.root, input); s++) {
        const char *line = cJSON_GetStringValue(pps_json_member(
            pps_json_member(json.root, "complete"), nd_stage_name((enum nd_stage)s)));
        if (line == NULL)
            continue; // not complete, or skipped
        state->lines[s] = strdup(line);
        if (state->lines[s] == NULL)
            status = pps_fail_memory(err, "%s", path);
    }
    pps_json_free(&json);
    if (status != PPS_OK)
        nd_workflow_state_close(state);
    return status;
}

static void forget_from(struct nd_workflow_state *state, int stage)
{
    for (int s = stage; s < ND_N_STAGES; s++) {
        free(state->lines[s]);
        state->lines[s] = NULL;
    }
}

void nd_workflow_state_close(struct nd_workflow_state *state)
{
    forget_from(state, 0);
}

bool nd_workflow_state_has(const struct nd_workflow_state *state,
                           enum nd_stage stage,
                           const char *line)
{
    return state->lines[stage] != NULL && strcmp(state->lines[stage], line) == 0;
}

static cJSON *state_tree(const struct nd_workflow_state *state)
{
    char digest[24];
    cJSON *root = cJSON_CreateObject();
    snprintf(digest, sizeof digest, "%016" PRIx64, state->input);
    cJSON_AddStringToObject(root, "input", digest);
    cJSON *complete = cJSON_AddObjectToObject(root, "complete");
    for (int s = 0; s < ND_N_STAGES; s++)
        if (state->lines[s] != NULL)
            cJSON_AddStringToObject(complete, nd_stage_name((enum nd_stage)s), state->lines[s]);
    return root;
}

enum pps_status nd_workflow_state_set(struct nd_workflow_state *state,
                                      const char *folder,
                                      enum nd_stage stage,
                                      const char *line,
                                      struct pps_error *err)
{
    char path[PLAN_PATH + 32];
    struct text_buffer text = {.text = NULL};
    state_path(path, folder);
    forget_from(state, (int)stage);
    state->lines[stage] = strdup(line);
    cJSON *root = state_tree(state);
    char *printed = pps_json_print(root);
    cJSON_Delete(root);
    if (state->lines[stage] == NULL || printed == NULL) {
        cJSON_free(printed);
        return pps_fail_memory(err, "%s", path);
    }
    text_buffer_add(&text, "%s\n", printed);
    cJSON_free(printed);
    return plan_write_text(path, &text, &pps_gate_open, err);
}
