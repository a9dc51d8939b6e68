// SPDX-License-Identifier: Apache-2.0
// Timelines of strategies as files.
#include "planner/balance/report/result_files.h"

#include "base/document/json.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/balance_golden.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct pps_gate closed; // replaces nothing

Test(timeline_file, all_forms)
{
    struct balance_golden_replayed r = balance_golden_replayed("simulate_01_tiny_1f1b.json", 0);
    const struct balance_picture picture = {"tiny",      &r.layers, &r.shape,
                                            &r.strategy, r.replay,  (double)INFINITY};
    struct pps_error err;
    struct pps_json json;
    enter();
    cr_assert(balance_timeline_write(&picture, "t.csv", &closed, &err) == PPS_OK, "%s",
              err.text);
    has_text("t.csv", "kind,micro_batch,stage,start,end,rate,recomputes,chunk\n"
                      "memory_mib,,0,0,,32,,\n"
                      "memory_mib,,1,0,,31,,\n"
                      "forward,0,0,0,2.5,1,0,0\n"
                      "memory_mib,,0,2.5,,40,,\n"
                      "forward,1,0,2.5,5,1,0,0\n"
                      "forward,0,1,2.5,5.5,1,0,0\n"
                      "memory_mib,,0,5,,48,,\n"
                      "memory_mib,,1,5.5,,39,,\n"
                      "backward,0,1,5.5,11.5,1,0,0\n"
                      "backward,0,0,11.5,16.5,1,0,0\n"
                      "memory_mib,,1,11.5,,31,,\n"
                      "forward,1,1,11.5,14.5,1,0,0\n"
                      "memory_mib,,1,14.5,,39,,\n"
                      "backward,1,1,14.5,20.5,1,0,0\n"
                      "memory_mib,,0,16.5,,40,,\n"
                      "forward,2,0,16.5,19,1,0,0\n"
                      "memory_mib,,0,19,,48,,\n"
                      "backward,1,0,20.5,25.5,1,0,0\n"
                      "memory_mib,,1,20.5,,31,,\n"
                      "forward,2,1,20.5,23.5,1,0,0\n"
                      "memory_mib,,1,23.5,,39,,\n"
                      "backward,2,1,23.5,29.5,1,0,0\n"
                      "memory_mib,,0,25.5,,40,,\n"
                      "backward,2,0,29.5,34.5,1,0,0\n"
                      "memory_mib,,1,29.5,,31,,\n"
                      "memory_mib,,0,34.5,,32,,\n");
    cr_assert(balance_timeline_write(&picture, "t.csv", &closed, &err) == PPS_E_INPUT);
    cr_assert(balance_timeline_write(&picture, "t.json", &closed, &err) == PPS_OK);
    cr_assert(pps_json_load(&json, "t.json", &err) == PPS_OK, "%s", err.text);
    pps_json_free(&json);
    cr_assert(balance_timeline_write(&picture, "t.svg", &pps_gate_open, &err) == PPS_OK);
    cr_assert(is_there("t.svg"));
    cr_assert(balance_timeline_write(&picture, "t.txt", &pps_gate_open, &err) == PPS_E_INPUT);
    leave();
    balance_golden_done(&r);
}
