// SPDX-License-Identifier: Apache-2.0
// Makes, compares and writes policies.
#include "kernels/schedule/policy/policy.h"

#include "base/edit/json_write.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const policy_kind_names[POLICY_KINDS] = {"static", "robust", "w_floats", "pull",
                                                     "learned"};

static const struct pull_rule usual_rules[POLICY_KINDS] = {
    [POLICY_STATIC] = {(double)INFINITY, 0, 0},  [POLICY_ROBUST] = {(double)INFINITY, 0, 0},
    [POLICY_W_FLOATS] = {0, 0, PULL_UNLIMITED},  [POLICY_PULL] = {0.5, 0, PULL_UNLIMITED},
    [POLICY_LEARNED] = {0.5, 0, PULL_UNLIMITED},
};

struct policy *policy_new(enum policy_kind kind, const struct network_shape *shape)
{
    struct policy *policy = calloc(1, sizeof *policy);
    if (policy == NULL)
        return NULL;
    *policy = (struct policy){.kind = kind,
                              .rule = usual_rules[kind],
                              .replicates = 256,
                              .budget = 2000};
    if (kind == POLICY_LEARNED) {
        policy->shape = *shape;
        policy->parameters = calloc((size_t)network_parameters(shape), sizeof(double));
        if (policy->parameters == NULL) {
            policy_free(policy);
            return NULL;
        }
    }
    return policy;
}

void policy_free(struct policy *policy)
{
    if (policy == NULL)
        return;
    free(policy->parameters);
    cJSON_Delete(policy->training);
    free(policy);
}

// ---- documents ----------------------------------------------------------------------------------

static void write_count(struct text_buffer *out, const char *key, int32_t n)
{
    if (n == PULL_UNLIMITED)
        text_buffer_add(out, ", \"%s\": \"unlimited\"", key);
    else
        text_buffer_add(out, ", \"%s\": %d", key, n);
}

static void write_rule(const struct pull_rule *rule, struct text_buffer *out)
{
    text_buffer_add(out, "\"threshold\": ");
    if (isinf(rule->threshold))
        text_buffer_add(out, "\"unlimited\"");
    else
        json_write_number(out, rule->threshold);
    write_count(out, "lag", rule->lag);
    write_count(out, "ahead", rule->ahead);
}

static void write_networks(const struct policy *policy, struct text_buffer *out)
{
    enum { PER_LINE = 8 };
    const struct network_shape *shape = &policy->shape;
    const int n = network_parameters(shape);
    text_buffer_add(out, ",\n \"guide\": {");
    write_rule(&policy->rule, out);
    text_buffer_add(
        out,
        "},\n \"shape\": {\"candidate\": %d, \"state\": %d, \"widths\": [%d, %d]},\n"
        " \"weights\": [",
        shape->candidate, shape->state, shape->width[0], shape->width[1]);
    for (int k = 0; k < n; k++) {
        text_buffer_add(out, k == 0 ? "\n  " : k % PER_LINE == 0 ? ",\n  " : ", ");
        json_write_number(out, policy->parameters[k]);
    }
    text_buffer_add(out, "\n ]");
}

void policy_write(const struct policy *policy, struct text_buffer *out)
{
    text_buffer_add(out, "{\"ppsweep_policy\": %d, \"kind\": \"%s\"", POLICY_VERSION,
                    policy_kind_names[policy->kind]);
    if (policy->kind == POLICY_LEARNED) {
        write_networks(policy, out);
    } else if (policy->kind == POLICY_ROBUST) {
        text_buffer_add(out, ", \"replicates\": %d, \"budget\": %lld", policy->replicates,
                        (long long)policy->budget);
    } else if (policy->kind == POLICY_W_FLOATS) {
        write_count(out, "lag", policy->rule.lag);
        write_count(out, "ahead", policy->rule.ahead);
    } else if (policy->kind == POLICY_PULL) {
        text_buffer_add(out, ", ");
        write_rule(&policy->rule, out);
    }
    if (policy->training != NULL) {
        text_buffer_add(out, ",\n \"training\": ");
        json_write_tree(out, policy->training);
    }
    text_buffer_add(out, "}\n");
}
