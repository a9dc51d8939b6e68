// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as cost tables, JSON or CSV. Tables that are accepted have ascending axes, and all values that
// they know are at least 0; tables that are refused have a reason.
#include "base/document/json.h"
#include "kernels/dynapipe/documents/cost_tables_read.h"
#include "kernels/dynapipe/documents/cost_tables_write.h"
#include "tests/fuzz/support/require.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void look(const struct cost_tables *t)
{
    static const int32_t places[][COST_AXES] = {{1, 64, 64},
                                                {0, 0, 0},
                                                {3, 100, 50},
                                                {1 << 24, 7, 7}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
            for (int q = 0; q < COST_QUANTITIES; q++) {
                double value = -1;
                if (cost_tables_lookup(t, (enum dynapipe_recompute)type, (enum cost_quantity)q,
                                       places[k], &value))
                    require(value >= 0);
            }
}

static void check(const struct cost_tables *t)
{
    struct text_buffer text = {.text = NULL};
    for (int axis = 0; axis < COST_AXES; axis++)
        for (int32_t k = 1; k < t->nodes[axis]; k++)
            require(t->axis[axis][k] > t->axis[axis][k - 1]);
    require(t->has[DYNAPIPE_KEEP]);
    look(t);
    cost_tables_write(t, &text);
    require(!text.failed);
    text_buffer_free(&text);
}

static void read_json(const uint8_t *data, size_t n)
{
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    struct cost_tables tables;
    int32_t degrees[4];
    if (pps_json_parse(&json, "-", (const char *)data, n, &err) != PPS_OK)
        return;
    const int found = cost_tables_degrees(json.root, degrees, 4);
    if (cost_tables_read(json.root, found > 0 ? degrees[0] : 1, &tables, &fault)) {
        check(&tables);
        cost_tables_free(&tables);
    } else {
        require(fault.text[0] != '\0');
    }
    pps_json_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct pps_fault fault;
    struct cost_tables tables;
    int32_t degrees[4];
    read_json(data, n);
    const int found = cost_tables_degrees_csv((const char *)data, n, degrees, 4);
    if (cost_tables_read_csv((const char *)data, n, found > 0 ? degrees[0] : 1, &tables,
                             &fault)) {
        check(&tables);
        cost_tables_free(&tables);
    } else {
        require(fault.text[0] != '\0');
    }
    return 0;
}
