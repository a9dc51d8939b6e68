// SPDX-License-Identifier: Apache-2.0
// Tests of profiles of runs: folders of Ascend and PyTorch profiles made from known layer times.
#include "planner/profiles/profile_run.h"

#include "planner/figures/ratios.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/traces.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <sys/stat.h>

#define TIMES .dense_fw = 1000, .dense_bw = 1900, .moe_fw = 3000, .moe_bw = 5700, .head = 9000

// The layout of profiled models: 3 dense layers first; recompute on both stages.
static const struct trace_plan moe_plan = {
    2, 8, 3, {6, 5}, {0x5, 0x3}, .dense = 3, .has_experts = true, TIMES};
static const struct trace_plan dense_plan = {2, 8, 3, {6, 5}, {0x5, 0x3}, TIMES};
static const struct trace_plan flat_plan = {1, 4, 2, {8}, {0}, TIMES};

// Makes all folders of a path that ends with '/' or with a file.
static void make_folders(const char *path)
{
    char part[500];
    for (const char *at = path; (at = strchr(at, '/')) != NULL; at++) {
        snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
        mkdir(part, 0777);
    }
}

// Writes one file per stage, with the rank in place of @; ranks are 0 and dp tp for two stages.
static void write_run(const struct trace_plan *plan, enum trace_form form, const char *pattern)
{
    struct trace_kernels stages[TRACE_STAGES];
    traces_run(plan, stages);
    for (int s = 0; s < plan->stages; s++) {
        char path[500];
        const char *at = strchr(pattern, '@');
        snprintf(path, sizeof path, "%.*s%d%s", (int)(at - pattern), pattern, 4 * s, at + 1);
        make_folders(path);
        traces_write(&stages[s], form, 4 * s, path);
    }
    traces_free(stages);
}

static void read_run(const char *path, const struct profile_request *request,
                     struct run_files *files, struct profile_run *run)
{
    struct run_degrees degrees;
    struct pps_error err;
    cr_assert(run_degrees_read(path, &degrees));
    cr_assert_eq(run_files_list(files, path, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(profile_run_read(run, files, &degrees, request, &err), PPS_OK, "%s", err.text);
}

static void check_list(const struct profile_run *run, enum profile_list list, double us)
{
    const struct profile_times *times = &run->lists[list];
    const char *name = profile_list_name(list);
    cr_assert_eq(times->n > 0, us > 0, "%s: %zu times", name, times->n);
    for (size_t i = 0; i < times->n && list != PROFILE_TOTAL; i++)
        cr_assert(fabs(times->us[i] - us) < 0.01, "%s: %g, not %g", name, times->us[i], us);
}

static void check_ratios(const struct profile_run *run, const char *name,
                         struct nd_ratios wanted, double near)
{
    struct run_degrees degrees;
    struct nd_profile profile;
    struct pps_fault fault;
    run_degrees_read(name, &degrees);
    cJSON *document = profile_run_document(run, &degrees);
    cr_assert(nd_profile_of_times(&profile, document, ND_CORRECTED, &fault), "%s", fault.text);
    cJSON_Delete(document);
    const double got[] = {profile.ratios.dense, profile.ratios.backward,
                          profile.ratios.recompute, profile.ratios.head,
                          profile.ratios.layer_ms};
    const double want[] = {wanted.dense, wanted.backward, wanted.recompute, wanted.head,
                           wanted.layer_ms};
    for (int k = 0; k < 5; k++)
        cr_assert(isnan(want[k]) ? isnan(got[k]) : fabs(got[k] - want[k]) < near,
                  "%s: ratio %d is %g, not %g", name, k, got[k], want[k]);
    cr_assert_eq(profile.pp, degrees.pp);
}

// The same run as every profiler writes it: the same times.
Test(profile_run, forms_of_profiles, .init = enter, .fini = leave)
{
    static const struct {
        enum trace_form form;
        const char *pattern;
    } forms[] = {
        {TRACE_KERNEL_DETAILS,
         "DP4_TP1_PP2_EP4/rank_@/h_1_2_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"},
        {TRACE_MINDSPORE, "DP4_TP1_PP2_EP4/profile/rank_@_x_ascend_ms/ASCEND_PROFILER_OUTPUT/"
                          "kernel_details.csv"},
        {TRACE_VIEW,
         "DP4_TP1_PP2_EP4/rank-@_1_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json"},
        {TRACE_BARE, "DP4_TP1_PP2_EP4/rank_@/ASCEND_PROFILER_OUTPUT/trace_view.json"},
        {TRACE_FLASH, "DP4_TP1_PP2_EP4/profile_trace/iteration_10/rank@_trace.json"},
        {TRACE_CUDNN, "DP4_TP1_PP2_EP4/tb/host@.123.456.pt.trace.json"}, // rank in the file
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct profile_request request = {.skip_steps = 1};
        struct run_files files;
        struct profile_run run;
        write_run(&moe_plan, forms[i].form, forms[i].pattern);
        read_run("DP4_TP1_PP2_EP4", &request, &files, &run);
        cr_assert(run.notes.n == 0, "%zu: %s", i, run.notes.text);
        cr_assert_eq(run.n_ranks, 2);
        for (int s = 0; s < 2; s++) {
            cr_assert_eq(run.ranks[s].stage, s, "%zu", i);
            cr_assert_eq(run.ranks[s].rank, 4 * s, "%zu", i);
            cr_assert(run.ranks[s].is_cut && run.ranks[s].shape.steps == 3, "%zu", i);
        }
        check_list(&run, PROFILE_DENSE_FW, 1000);
        check_list(&run, PROFILE_MOE_FW, 3000);
        check_list(&run, PROFILE_DENSE_BW, 1900);
        check_list(&run, PROFILE_RECOMP_DENSE_BW, 2900);
        check_list(&run, PROFILE_MOE_BW, 5700);
        check_list(&run, PROFILE_RECOMP_MOE_BW, 8700);
        cr_assert_eq(run.lists[PROFILE_TOTAL].n, 14); // 7 in each of two steps
        cr_assert(run.last_layers == 5 && run.last_recomputed == 2 && run.has_experts);
        check_ratios(&run, "DP4_TP1_PP2_EP4", (struct nd_ratios){1.0 / 3, 1.9, 1.0, 3.0, 3.0},
                     1e-3);
        profile_run_free(&run);
        run_files_free(&files);
        cr_assert_eq(system("rm -rf DP4_TP1_PP2_EP4"), 0);
    }
}

// Layers and micro-batches of a configuration that the profiled model does not have are not used; given
// by the user, they count.
Test(profile_run, wrong_guesses, .init = enter, .fini = leave)
{
    static const int32_t layers[] = {9, 9};
    struct profile_request request = {.micro_batches = 64,
                                      .layers = layers,
                                      .n_layers = 2,
                                      .is_guess = true};
    for (int guess = 1; guess >= 0; guess--) {
        struct run_files files;
        struct profile_run run;
        write_run(&dense_plan, TRACE_FLASH, "DP4_TP1_PP2/rank@_trace.json");
        request.is_guess = guess == 1;
        read_run("DP4_TP1_PP2", &request, &files, &run);
        check_list(&run, PROFILE_DENSE_FW, guess == 1 ? 1000 : 0);
        cr_assert_eq(run.notes.n == 0, guess == 1, "%s", run.notes.text);
        profile_run_free(&run);
        run_files_free(&files);
    }
}

// A dense model has dense times only; its layer is the unit.
Test(profile_run, dense_model, .init = enter, .fini = leave)
{
    struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    write_run(&dense_plan, TRACE_FLASH, "DP4_TP1_PP2/rank@_trace.json");
    read_run("DP4_TP1_PP2", &request, &files, &run);
    cr_assert_not(run.has_experts);
    check_list(&run, PROFILE_DENSE_FW, 1000);
    check_list(&run, PROFILE_MOE_FW, 0);
    check_ratios(&run, "DP4_TP1_PP2", (struct nd_ratios){1, 1.9, 1.0, 9.0, 1.0}, 1e-3);
    profile_run_free(&run);
    run_files_free(&files);
}

// One stage, nothing recomputed, compressed: the ratio of recompute is unknown.
Test(profile_run, one_stage_compressed, .init = enter, .fini = leave)
{
    struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    write_run(&flat_plan, TRACE_CUDNN, "DP4_TP1_PP1_EP1_CP1_FSDP4/rank@_trace.json");
    cr_assert_eq(system("gzip DP4_TP1_PP1_EP1_CP1_FSDP4/rank0_trace.json"), 0);
    read_run("DP4_TP1_PP1_EP1_CP1_FSDP4", &request, &files, &run);
    cr_assert_eq(run.n_ranks, 1);
    cr_assert_float_eq(run.ranks[0].memory.used_mb, 1024, 1e-9);
    cr_assert_float_eq(run.ranks[0].memory.held_mb, 2048, 1e-9);
    check_ratios(&run, "DP4_TP1_PP1_EP1_CP1_FSDP4",
                 (struct nd_ratios){1, 1.9, (double)NAN, 9.0, 1.0}, 1e-3);
    profile_run_free(&run);
    run_files_free(&files);
}

// A model whose only stage holds its dense layers too: they do not count for the head.
Test(profile_run, dense_layers_on_the_last_stage, .init = enter, .fini = leave)
{
    const struct trace_plan plan = {1,    4, 2, {8}, {0x11}, .dense = 3, .has_experts = true,
                                    TIMES};
    struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    write_run(&plan, TRACE_KERNEL_DETAILS,
              "DP4_TP1_PP1_EP4/rank_@/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    read_run("DP4_TP1_PP1_EP4", &request, &files, &run);
    cr_assert(run.last_layers == 5 && run.last_recomputed == 1, "%d %d", run.last_layers,
              run.last_recomputed);
    check_ratios(&run, "DP4_TP1_PP1_EP4", (struct nd_ratios){1.0 / 3, 1.9, 1.0, 3.0, 3.0},
                 1e-3);
    profile_run_free(&run);
    run_files_free(&files);
}

// A truncated trace gives the times before its end, and a note with the place.
Test(profile_run, truncated_trace, .init = enter, .fini = leave)
{
    struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    static const char path[] = "DP4_TP1_PP2_EP4/rank_0/ASCEND_PROFILER_OUTPUT/trace_view.json";
    struct stat info;
    write_run(&moe_plan, TRACE_VIEW,
              "DP4_TP1_PP2_EP4/rank_@/ASCEND_PROFILER_OUTPUT/trace_view.json");
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(truncate(path, info.st_size / 2), 0);
    read_run("DP4_TP1_PP2_EP4", &request, &files, &run);
    cr_assert(run.ranks[0].is_cut && run.ranks[1].is_cut);
    cr_assert(run.ranks[0].shape.passes > 0 && run.ranks[0].shape.passes < 24);
    check_list(&run, PROFILE_DENSE_FW, 1000);
    cr_assert_not_null(strstr(run.notes.text, "trace_view.json: line "));
    cr_assert_not_null(strstr(run.notes.text, "the file ends within the document; it may be "
                                              "truncated; the kernels before are used"));
    profile_run_free(&run);
    run_files_free(&files);
}

// Kernels with unknown names: the note lists them; named by the user, they are used.
Test(profile_run, unknown_names, .init = enter, .fini = leave)
{
    struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    write_run(&dense_plan, TRACE_FLASH, "DP4_TP1_PP2/rank@_trace.json");
    system(
        "sed -i 's/[Ff]lash_fwd_kernel/my_forward/g; s/flash_bwd_dq_dk_dv[a-z_]*/my_backward/' "
        "DP4_TP1_PP2/*.json");
    read_run("DP4_TP1_PP2", &request, &files, &run);
    cr_assert_eq(run.lists[PROFILE_DENSE_FW].n, 0);
    cr_assert_not_null(
        strstr(run.notes.text, "0 forward and 0 backward attention kernels among "));
    cr_assert_not_null(strstr(run.notes.text, "pytorch_flash::my_forward "));
    profile_run_free(&run);
    run_files_free(&files);
    request.names = (struct kernel_names){"my_forward", "my_backward"};
    read_run("DP4_TP1_PP2", &request, &files, &run);
    check_list(&run, PROFILE_DENSE_FW, 1000);
    profile_run_free(&run);
    run_files_free(&files);
}

// Tables of Ascend beside the kernels: memory and steps; ranks in profiler_info.
Test(profile_run, tables, .init = enter, .fini = leave)
{
    struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    make_folders("DP4_TP1_PP2/a_ascend_pt/ASCEND_PROFILER_OUTPUT/");
    spill("DP4_TP1_PP2/a_ascend_pt/profiler_info_5.json", "{}");
    spill("DP4_TP1_PP2/a_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv",
          "Name,Size(KB),Allocation Time(us),Release Time(us),Allocation Total "
          "Allocated(MB),Allocation Total Reserved(MB),Release Total Allocated(MB)\n"
          "aten::empty,2048,1.5,2.5,1002.0,3000.0,1000.0\n"
          "aten::empty,,1.5,,1502.5,3500.5,\n"
          "aten::empty,1,1.5,");
    spill(
        "DP4_TP1_PP2/a_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv",
        "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"
        "0,5,10000.0,2000.0,100.0,2100.0,500.0\n0,6,10000.0,2000.0,100.0,2100.0,2500.0\n");
    read_run("DP4_TP1_PP2", &request, &files, &run);
    cr_assert_eq(run.n_ranks, 1);
    cr_assert(run.ranks[0].rank == 5 && run.ranks[0].stage == 1);
    cr_assert_float_eq(run.ranks[0].memory.used_mb, 1502.5, 1e-9);
    cr_assert_float_eq(run.ranks[0].memory.held_mb, 3500.5, 1e-9);
    cr_assert_float_eq(run.ranks[0].memory.static_mb, 1000, 1e-9);
    cr_assert_float_eq(run.ranks[0].step_ms, 13.5, 1e-9);
    profile_run_free(&run);
    run_files_free(&files);
}
