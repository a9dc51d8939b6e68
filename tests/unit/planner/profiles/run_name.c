// SPDX-License-Identifier: Apache-2.0
// Tests of degrees and ranks in names.
#include "planner/profiles/run_folders.h"

#include <criterion/criterion.h>

// A wrong degree would compare the peak with another strategy.
Test(run_name, degrees)
{
    static const struct {
        const char *name;
        bool complete;
        struct run_degrees d;
    } cases[] = {
        {"DP8_TP2_PP4_EP16", true, {.dp = 8, .tp = 2, .pp = 4, .ep = 16}},
        {"DP8_TP2_PP4_EP16_pretrain", true, {.dp = 8, .tp = 2, .pp = 4, .ep = 16}},
        {"DP4_TP1_PP1_EP1_CP2_FSDP4_pretrain",
         true,
         {.dp = 4, .tp = 1, .pp = 1, .ep = 1, .cp = 2, .op = 4}},
        {"DP4_TP1_PP1_EP1_CP2_FSDP-1",
         true,
         {.dp = 4, .tp = 1, .pp = 1, .ep = 1, .cp = 2, .op = -1}},
        {"run-dp2-tp4-pp1-mbs2.log", true, {.dp = 2, .tp = 4, .pp = 1, .mbs = 2}},
        {"DP8_TP2_VPP2", false, {.dp = 8, .tp = 2, .vp = 2}},
        {"DP0_TP2_PP99999999999", false, {.tp = 2}},
        {"DPx_EPOCH3_SP4", false, {0}},
        {"", false, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_degrees d;
        const struct run_degrees *w = &cases[i].d;
        cr_assert_eq(run_degrees_read(cases[i].name, &d), cases[i].complete, "%s",
                     cases[i].name);
        cr_assert(d.dp == w->dp && d.tp == w->tp && d.pp == w->pp && d.ep == w->ep &&
                      d.cp == w->cp && d.op == w->op && d.vp == w->vp && d.mbs == w->mbs,
                  "%s", cases[i].name);
    }
}

// Ranks in the folders of all frameworks; a wrong rank would be another stage.
Test(run_name, ranks)
{
    static const struct {
        const char *path;
        int32_t rank;
    } cases[] = {
        {"DP8_TP2_PP4/msrun_log/worker_12.log", 12},
        {"DP8_TP2_PP4/output/log/rank_3/info.log", 3},
        {"DP8_TP2_PP4/output_dryrun/rank_16.log", 16},
        {"out/profile_trace/iteration_20/rank5_trace.json", 5},
        {"profile/rank_7/host_123_2025_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", 7},
        {"tb/rank-9.json.gz", 9},
        {"dp0_pp0_tp3_rank3_123_2026_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", 3},
        {"torchelastic/none_ab/attempt_0/6/stderr.log", 6},
        {"torchelastic/none_ab/attempt_0/x6/stderr.log", -1},
        {"slurm-1234.out", -1},
        {"rank_/log", -1},
        {"rank99999999999", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_eq(run_rank_of_path(cases[i].path), cases[i].rank, "%s: %d", cases[i].path,
                     run_rank_of_path(cases[i].path));
}

// The stage of a rank follows from the degrees: consecutive ranks share a stage.
Test(run_name, stages)
{
    const struct run_degrees d = {.dp = 2, .tp = 2, .pp = 3, .cp = 2};
    cr_assert_eq(run_stage_ranks(&d), 8);
    cr_assert_eq(run_stage_of(&d, 0), 0);
    cr_assert_eq(run_stage_of(&d, 7), 0);
    cr_assert_eq(run_stage_of(&d, 8), 1);
    cr_assert_eq(run_stage_of(&d, 23), 2);
    cr_assert_eq(run_stage_of(&d, 24), -1);
    cr_assert_eq(run_stage_of(&d, -1), -1);
}
