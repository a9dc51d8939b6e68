// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a policy of the schedule kernel. An accepted policy is the same policy, bit for
// bit, after it is written and read again; a refused policy has a reason of one line.
#include "require.h"

#include "base/document/json.h"
#include "kernels/schedule/policy/policy.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_again(const struct policy *policy)
{
    struct text_buffer text = {.text = NULL};
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    policy_write(policy, &text);
    require(!text.failed && pps_json_parse(&json, "again", text.text, text.n, &err) == PPS_OK);
    struct policy *again = policy_read(json.root, &fault);
    require(again != NULL && policy_equal(policy, again));
    policy_free(again);
    pps_json_free(&json);
    text_buffer_free(&text);
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
    pps_json_free(&json);
    return 0;
}
