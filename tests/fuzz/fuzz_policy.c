// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a policy of the schedule kernel, and as a distribution of training problems. What is
// accepted is the same, bit for bit, after it is written and read again; what is refused has a reason of
// one line.
#include "tests/fuzz/support/require.h"

#include "base/document/json.h"
#include "extras/learning/problem_json.h"
#include "kernels/schedule/policy/policy.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_again(const struct policy *policy)
{
    struct text_buffer text = {.text = NULL}, second = {.text = NULL};
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    policy_write(policy, &text);
    require(!text.failed && pps_json_parse(&json, "again", text.text, text.n, &err) == PPS_OK);
    struct policy *again = policy_read(json.root, &fault);
    require(again != NULL);
    policy_write(again, &second);
    require(!second.failed && strcmp(second.text, text.text) == 0);
    policy_free(again);
    pps_json_free(&json);
    text_buffer_free(&text);
    text_buffer_free(&second);
}

static void read_space(const struct cJSON *root)
{
    struct problem_space space, again;
    struct pps_fault fault;
    if (!problem_space_read(root, &space, &fault)) {
        require(fault.text[0] != '\0');
        return;
    }
    struct cJSON *tree = problem_space_tree(&space);
    require(tree != NULL && problem_space_read(tree, &again, &fault));
    require(memcmp(&space, &again, sizeof space) == 0);
    cJSON_Delete(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    if (pps_json_parse(&json, "fuzz", (const char *)data, n, &err) != PPS_OK)
        return 0;
    struct policy *policy = policy_read(json.root, &fault);
    if (policy != NULL)
        read_again(policy);
    else
        require(fault.text[0] != '\0');
    policy_free(policy);
    read_space(json.root);
    pps_json_free(&json);
    return 0;
}
