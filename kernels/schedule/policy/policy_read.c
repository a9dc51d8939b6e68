// SPDX-License-Identifier: Apache-2.0
// Reads policies from JSON.
#include "kernels/schedule/policy/policy.h"

#include "base/document/fields.h"
#include "base/text/nearest.h"
#include "kernels/schedule/policy/features.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

// Every table begins with these keys.
enum { KEY_VERSION, KEY_KIND, KEY_NAME, KEY_COMMENT, KEY_TRAINING, KEYS };

#define COMMON_FIELDS                                                                          \
    [KEY_VERSION] = {"ppsweep_policy", DOCFIELD_OWN, 0, 0, 0},                                 \
    [KEY_KIND] = {"kind", DOCFIELD_OWN, 0, 0, 0},                                              \
    [KEY_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0},                                              \
    [KEY_COMMENT] = {"comment", DOCFIELD_OWN, 0, 0, 0},                                        \
    [KEY_TRAINING] = {"training", DOCFIELD_OWN, 0, 0, 0}

enum { KEY_REPLICATES = KEYS, KEY_BUDGET };
enum { KEY_LAG = KEYS, KEY_AHEAD, KEY_THRESHOLD };
enum { KEY_GUIDE = KEYS, KEY_SHAPE, KEY_WEIGHTS };

struct robust_values {
    int64_t replicates, budget;
};

static const struct docfield static_fields[] = {COMMON_FIELDS};
static const struct docfield robust_fields[] = {
    COMMON_FIELDS,
    [KEY_REPLICATES] = {"replicates", DOCFIELD_WHOLE, 2, 1 << 20,
                        offsetof(struct robust_values, replicates)},
    [KEY_BUDGET] = {"budget", DOCFIELD_WHOLE, 0, 1e12, offsetof(struct robust_values, budget)},
};
static const struct docfield pull_fields[] = {
    COMMON_FIELDS,
    [KEY_LAG] = {"lag", DOCFIELD_OWN, 0, 0, 0},
    [KEY_AHEAD] = {"ahead", DOCFIELD_OWN, 0, 0, 0},
    [KEY_THRESHOLD] = {"threshold", DOCFIELD_OWN, 0, 0, 0},
};
static const struct docfield learned_fields[] = {
    COMMON_FIELDS,
    [KEY_GUIDE] = {"guide", DOCFIELD_OWN, 0, 0, 0},
    [KEY_SHAPE] = {"shape", DOCFIELD_OWN, 0, 0, 0},
    [KEY_WEIGHTS] = {"weights", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docfields tables[POLICY_KINDS] = {
    [POLICY_STATIC] = {"a static policy", static_fields, COUNT_OF(static_fields), NULL, 0},
    [POLICY_ROBUST] = {"a robust policy", robust_fields, COUNT_OF(robust_fields), NULL, 0},
    [POLICY_W_FLOATS] = {"a w_floats policy", pull_fields, COUNT_OF(pull_fields) - 1, NULL, 0},
    [POLICY_PULL] = {"a pull policy", pull_fields, COUNT_OF(pull_fields), NULL, 0},
    [POLICY_LEARNED] = {"a learned policy", learned_fields, COUNT_OF(learned_fields), NULL, 0},
};

static bool require(const cJSON *root, const cJSON *item, const char *key,
                    struct pps_fault *fault)
{
    return item != NULL ||
           pps_fault_set(fault, root, false, "a learned policy needs the key \"%s\"", key);
}

static bool is_whole(const cJSON *item, double least, double most)
{
    return cJSON_IsNumber(item) && item->valuedouble >= least && item->valuedouble <= most &&
           item->valuedouble == floor(item->valuedouble);
}

// ---- version and kind ---------------------------------------------------------------------------

static bool check_version(const cJSON *root, struct pps_fault *fault)
{
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "ppsweep_policy");
    if (!cJSON_IsObject(root) || version == NULL)
        return pps_fault_set(
            fault, root, false,
            "not a policy: expected an object with the key \"ppsweep_policy\"");
    if (!is_whole(version, 1, 1e9))
        return pps_fault_set(fault, version, false,
                             "ppsweep_policy: the version must be a whole number from 1");
    if (version->valuedouble != POLICY_VERSION)
        return pps_fault_set(
            fault, version, false,
            "ppsweep_policy: version %.0f is newer than this program, which reads "
            "version %d; train the policy again with \"ppsweep schedule learn\"",
            version->valuedouble, POLICY_VERSION);
    return true;
}

static bool read_kind(const cJSON *root, enum policy_kind *kind, struct pps_fault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, "kind");
    if (!cJSON_IsString(item))
        return pps_fault_set(fault, item != NULL ? item : root, false,
                             "kind: expected \"static\", \"robust\", \"w_floats\", \"pull\" or "
                             "\"learned\"");
    for (int k = 0; k < POLICY_KINDS; k++)
        if (strcmp(item->valuestring, policy_kind_names[k]) == 0) {
            *kind = (enum policy_kind)k;
            return true;
        }
    return pps_fault_set(
        fault, item, false,
        "kind: unknown kind of policy; expected static, robust, w_floats, pull or learned%s",
        pps_did_you_mean(item->valuestring, policy_kind_names, POLICY_KINDS).text);
}

// ---- rules --------------------------------------------------------------------------------------

static bool is_unlimited(const cJSON *item)
{
    return cJSON_IsString(item) && strcmp(item->valuestring, "unlimited") == 0;
}

// Reads a number of W's; absent: the value stays.
static bool read_count(const cJSON *item, int32_t *n, struct pps_fault *fault)
{
    if (item == NULL)
        return true;
    if (is_unlimited(item))
        *n = PULL_UNLIMITED;
    else if (is_whole(item, 0, PULL_UNLIMITED - 1))
        *n = (int32_t)item->valuedouble;
    else
        return pps_fault_set(fault, item, false,
                             "%s: expected a whole number from 0, or \"unlimited\"",
                             docfields_name(item));
    return true;
}

static bool read_threshold(const cJSON *item, double *threshold, struct pps_fault *fault)
{
    if (item == NULL)
        return true;
    if (is_unlimited(item))
        *threshold = (double)INFINITY;
    else if (cJSON_IsNumber(item) && item->valuedouble >= 0)
        *threshold = item->valuedouble;
    else
        return pps_fault_set(fault, item, false,
                             "threshold: expected a number from 0 in units of the time of a W, "
                             "or \"unlimited\"");
    return true;
}

static bool read_rule(const struct docitems *items, struct pull_rule *rule,
                      struct pps_fault *fault)
{
    return read_count(items->item[KEY_LAG], &rule->lag, fault) &&
           read_count(items->item[KEY_AHEAD], &rule->ahead, fault) &&
           read_threshold(items->item[KEY_THRESHOLD], &rule->threshold, fault);
}

static bool read_guide(const cJSON *object, struct pull_rule *rule, struct pps_fault *fault)
{
    static const struct docfields table = {"a guide", pull_fields + KEYS,
                                           COUNT_OF(pull_fields) - KEYS, NULL, 0};
    struct docitems items, moved = {{NULL}};
    if (object == NULL)
        return true;
    if (!docfields_find(&table, object, false, &items, fault))
        return false;
    memcpy(&moved.item[KEYS], items.item, (size_t)table.n_fields * sizeof *items.item);
    return read_rule(&moved, rule, fault);
}

// ---- networks -----------------------------------------------------------------------------------

struct shape_values {
    int64_t candidate, state;
};

static bool check_features(const cJSON *object, const cJSON *item, const char *key,
                           const char *of, int64_t n, int expected, struct pps_fault *fault)
{
    if (item == NULL)
        return pps_fault_set(fault, object, false, "a shape needs the key \"%s\"", key);
    return n == expected ||
           pps_fault_set(fault, item, false,
                         "shape: the policy was trained with %lld features of %s, this program "
                         "has %d; train the policy again with \"ppsweep schedule learn\"",
                         (long long)n, of, expected);
}

static bool read_widths(const cJSON *object, const cJSON *list, struct network_shape *shape,
                        struct pps_fault *fault)
{
    const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;
    if (cJSON_GetArraySize(list) != 2)
        return pps_fault_set(fault, list != NULL ? list : object, false,
                             "widths: expected the widths of two layers, as in [64, 64]");
    for (int k = 0; k < 2; k++, item = item->next) {
        if (!is_whole(item, 8, NETWORK_WIDTH_MAX) || (int)item->valuedouble % 8 != 0)
            return pps_fault_set(fault, item, false,
                                 "widths: expected a multiple of 8, at most %d",
                                 NETWORK_WIDTH_MAX);
        shape->width[k] = (int)item->valuedouble;
    }
    return true;
}

static bool read_shape(const cJSON *object, struct network_shape *shape,
                       struct pps_fault *fault)
{
    static const struct docfield fields[] = {
        {"candidate", DOCFIELD_WHOLE, 1, NETWORK_FEATURES_MAX,
         offsetof(struct shape_values, candidate)},
        {"state", DOCFIELD_WHOLE, 1, NETWORK_FEATURES_MAX,
         offsetof(struct shape_values, state)},
        {"widths", DOCFIELD_OWN, 0, 0, 0},
    };
    static const struct docfields table = {"a shape", fields, COUNT_OF(fields), NULL, 0};
    struct docitems items;
    struct shape_values v = {0, 0};
    if (!docfields_find(&table, object, false, &items, fault) ||
        !docfields_store(&table, &items, &v, fault))
        return false;
    shape->candidate = FEATURES_CANDIDATE;
    shape->state = FEATURES_STATE;
    return check_features(object, items.item[0], "candidate", "a candidate", v.candidate,
                          FEATURES_CANDIDATE, fault) &&
           check_features(object, items.item[1], "state", "the state", v.state, FEATURES_STATE,
                          fault) &&
           read_widths(object, items.item[2], shape, fault);
}

static bool read_weights(const cJSON *list, struct policy *policy, struct pps_fault *fault)
{
    const int expected = network_parameters(&policy->shape);
    const int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
    if (n < 0)
        return pps_fault_set(fault, list, false, "weights: expected a list of numbers");
    if (n != expected)
        return pps_fault_set(fault, list, false,
                             "weights: %d numbers, but networks of widths %d and %d have %d", n,
                             policy->shape.width[0], policy->shape.width[1], expected);
    int k = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsNumber(item))
            return pps_fault_set(fault, item, false, "weights: expected a number");
        policy->parameters[k++] = item->valuedouble;
    }
    return true;
}

// ---- policies -----------------------------------------------------------------------------------

static bool read_own(const cJSON *root, const struct docitems *items, struct policy *policy,
                     struct pps_fault *fault)
{
    struct robust_values robust = {policy->replicates, policy->budget};
    if (policy->kind == POLICY_ROBUST) {
        if (!docfields_store(&tables[POLICY_ROBUST], items, &robust, fault))
            return false;
        policy->replicates = (int32_t)robust.replicates;
        policy->budget = robust.budget;
    } else if (policy->kind == POLICY_LEARNED) {
        return require(root, items->item[KEY_WEIGHTS], "weights", fault) &&
               read_guide(items->item[KEY_GUIDE], &policy->rule, fault) &&
               read_weights(items->item[KEY_WEIGHTS], policy, fault);
    } else if (policy->kind != POLICY_STATIC) {
        return read_rule(items, &policy->rule, fault);
    }
    return true;
}

static bool read_training(const cJSON *item, struct policy *policy, struct pps_fault *fault)
{
    if (item == NULL)
        return true;
    if (!cJSON_IsObject(item))
        return pps_fault_set(fault, item, false, "training: expected an object");
    policy->training = cJSON_Duplicate(item, true);
    return policy->training != NULL;
}

struct policy *policy_read(const struct cJSON *root, struct pps_fault *fault)
{
    enum policy_kind kind = POLICY_STATIC;
    struct docitems items;
    struct network_shape shape = {0, 0, {0, 0}};
    *fault = (struct pps_fault){.document = 0};
    if (!check_version(root, fault) || !read_kind(root, &kind, fault) ||
        !docfields_find(&tables[kind], root, false, &items, fault))
        return NULL;
    if (kind == POLICY_LEARNED && (!require(root, items.item[KEY_SHAPE], "shape", fault) ||
                                   !read_shape(items.item[KEY_SHAPE], &shape, fault)))
        return NULL;
    struct policy *policy = policy_new(kind, &shape);
    if (policy != NULL && read_own(root, &items, policy, fault) &&
        read_training(items.item[KEY_TRAINING], policy, fault))
        return policy;
    policy_free(policy);
    return NULL;
}
