// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a plan of a training step. An accepted plan is the same plan, bit for bit,
// after it is written and read again; a refused plan has a reason of one line.
#include "tests/fuzz/support/require.h"

#include "base/document/json.h"
#include "kernels/common/plan/plan_json.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_again(const struct plan *plan)
{
    struct text_buffer text = {.text = NULL}, second = {.text = NULL};
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    plan_json_write(plan, &text);
    require(!text.failed && pps_json_parse(&json, "again", text.text, text.n, &err) == PPS_OK);
    struct plan *again = plan_json_read(json.root, &fault);
    require(again != NULL);
    plan_json_write(again, &second);
    require(!second.failed && strcmp(second.text, text.text) == 0);
    plan_free(again);
    pps_json_free(&json);
    text_buffer_free(&text);
    text_buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    if (pps_json_parse(&json, "fuzz", (const char *)data, n, &err) != PPS_OK)
        return 0;
    struct plan *plan = plan_json_read(json.root, &fault);
    if (plan != NULL)
        read_again(plan);
    else
        require(fault.text[0] != '\0');
    plan_free(plan);
    pps_json_free(&json);
    return 0;
}
