// SPDX-License-Identifier: Apache-2.0
// Reads the policies that the command line names, and those that come with the program.
#include "extras/judge/judge_policies.h"

#include "base/system/installed.h"
#include "extras/judge/policy_file.h"
#include "planner/shared/files.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads the file of a policy, or a shipped policy by its name.
static enum pps_status read_file(struct judge_policy *judged, const char *word,
                                 struct pps_error *err)
{
    char *own = strdup(word),
         *path = own == NULL ? NULL : pps_installed_path("policy", word, own);
    if (path == NULL)
        return pps_fail_memory(err, "%s", word);
    const struct pps_missing missing = pps_installed_missing("policy", word, path);
    const enum pps_status status =
        missing.text[0] == '\0'
            ? policy_file_read(path, &judged->policy, err)
            : pps_fail(err, PPS_E_INPUT, "%s; or write pull, w_floats or robust", missing.text);
    free(path);
    return status;
}

// Makes the shape as wide as the networks of the policy.
static void widen(struct network_shape *widest, const struct policy *policy)
{
    if (policy->kind != POLICY_LEARNED)
        return;
    widest->candidate = policy->shape.candidate;
    widest->state = policy->shape.state;
    for (int k = 0; k < 2; k++)
        if (policy->shape.width[k] > widest->width[k])
            widest->width[k] = policy->shape.width[k];
}

// Sets the label to the name of the file, without folder and ending.
static void set_label(struct judge_policy *judged, const char *word)
{
    const char *slash = strrchr(word, '/'), *name = slash != NULL ? slash + 1 : word;
    const char *end = strstr(name, ".json");
    snprintf(judged->label, sizeof judged->label, "%.*s",
             (int)(end != NULL ? end - name : (ptrdiff_t)strlen(name)), name);
    for (char *c = judged->label; *c != '\0'; c++)
        if (*c == ',' || *c == '"' || (unsigned char)*c < ' ')
            *c = '_'; // the label is a cell of a table
}

// A word is the name of a kind with its usual parameters, a file, or a policy that comes with the program.
static enum pps_status read_policy(struct judge_policies *policies, const char *word,
                                   struct pps_error *err)
{
    struct judge_policy *judged = &policies->list[policies->n++];
    const int param_of_kind[] = {[POLICY_ROBUST] = RULE_STATIC,
                                 [POLICY_W_FLOATS] = RULE_W_FLOATS,
                                 [POLICY_PULL] = RULE_PULL};
    int kind = POLICY_ROBUST;
    set_label(judged, word);
    while (kind < POLICY_LEARNED && strcmp(word, policy_kind_names[kind]) != 0)
        kind++;
    if (kind == POLICY_LEARNED) {
        const enum pps_status status = read_file(judged, word, err);
        if (status == PPS_OK)
            widen(&policies->widest, judged->policy);
        return status;
    }
    double value[N_PARAMS];
    memcpy(value, policies->value, sizeof value);
    value[P_RULE] = param_of_kind[kind];
    judged->policy = policy_new((enum policy_kind)kind, NULL);
    if (judged->policy == NULL)
        return pps_fail_memory(err, "the policies");
    judged->policy->rule = schedule_point_of(value, NULL).pull;
    return PPS_OK;
}

static int is_json(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".json") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

// Judges pull and the policies that come with the program, by name.
static enum pps_status read_shipped(struct judge_policies *policies, struct pps_error *err)
{
    char folder[PLAN_PATH], path[PLAN_PATH + 300];
    struct dirent **entry = NULL;
    struct pps_error ignored;
    enum pps_status status = read_policy(policies, "pull", err);
    const bool there =
        pps_data_path("sweep_configs/policies", folder, sizeof folder, &ignored) == PPS_OK;
    const int n = there ? scandir(folder, &entry, is_json, by_name) : 0;
    if (status == PPS_OK && n < 0 && errno == ENOMEM)
        return pps_fail_memory(err, "%s", folder);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (status == PPS_OK && policies->n < JUDGE_POLICIES_MAX)
            status = read_policy(policies, path, err);
        free(entry[i]);
    }
    free(entry);
    return status;
}

enum pps_status judge_policies_read(struct judge_policies *policies,
                                    const double value[N_PARAMS], const struct pps_args *args,
                                    struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    policies->value = value;
    if (pps_arg_words(args) == 0)
        return read_shipped(policies, err);
    for (int i = 0; i < pps_arg_words(args) && status == PPS_OK; i++)
        status = policies->n < JUDGE_POLICIES_MAX
                     ? read_policy(policies, pps_arg_word(args, i), err)
                     : pps_fail(err, PPS_E_INPUT, "more than %d policies", JUDGE_POLICIES_MAX);
    return status;
}

void judge_policies_free(struct judge_policies *policies)
{
    for (int i = 0; i < policies->n; i++)
        policy_free(policies->list[i].policy);
}
