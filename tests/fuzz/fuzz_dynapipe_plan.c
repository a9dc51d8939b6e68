// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a plan of a step. A plan that is accepted fits in its memory; one that is refused has a
// reason.
#include "base/document/json.h"
#include "kernels/dynapipe/output/plan_check.h"
#include "tests/fuzz/support/require.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    struct plan_checked checked;
    bool is_wrong;
    if (pps_json_parse(&json, "-", (const char *)data, n, &err) != PPS_OK)
        return 0;
    if (plan_check(json.root, &checked, &is_wrong, &fault))
        require(checked.slack >= -1e-3 && checked.makespan >= 0);
    else
        require(fault.text[0] != '\0');
    pps_json_free(&json);
    return 0;
}
