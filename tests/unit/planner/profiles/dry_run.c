// SPDX-License-Identifier: Apache-2.0
// Tests of the logs of whole runs.
#include "planner/profiles/log_file.h"

#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sys/stat.h>

#define USED  "Used peak memory usage (without fragments): "
#define HELD  "Actual peak memory usage (with fragments): "
#define TRACE "Traceback (most recent call last):\n  File \"a.py\", line 1\n"

static void make(const char *path)
{
    cr_assert_eq(mkdir(path, 0777), 0, "%s", path);
}

static void read_all(const char *path, struct run_files *files, struct dry_run *run)
{
    struct pps_error err;
    cr_assert_eq(run_files_list(files, path, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(dry_run_read(run, files, &err), PPS_OK, "%s", err.text);
}

static void drop(struct run_files *files, struct dry_run *run)
{
    dry_run_free(run);
    run_files_free(files);
}

// Logs lie at any depth, one per rank; a stage has the greatest peak of its ranks.
Test(dry_run, stages, .init = enter, .fini = leave)
{
    static const char binary[] = "\0\0" USED "900000M\n";
    const struct run_degrees d = {.dp = 2, .tp = 1, .pp = 2};
    struct run_files files;
    struct dry_run run;
    make("DP2_TP1_PP2_EP2");
    make("DP2_TP1_PP2_EP2/msrun_log");
    spill("DP2_TP1_PP2_EP2/msrun_log/worker_0.log", USED "100M\n" HELD "120M\n");
    spill("DP2_TP1_PP2_EP2/msrun_log/worker_1.log", "x\n" USED "5M\n" USED "130M\n");
    spill("DP2_TP1_PP2_EP2/msrun_log/worker_2.log", USED "90M\n" HELD "95M");
    spill("DP2_TP1_PP2_EP2/msrun_log/scheduler.log", "started\n");
    spill("DP2_TP1_PP2_EP2/config.yaml", USED "900000M\n");
    spill_bytes("DP2_TP1_PP2_EP2/core", binary, sizeof binary);
    read_all("DP2_TP1_PP2_EP2", &files, &run);
    cr_assert_eq(run.n_logs, 4);
    cr_assert_eq(run.failure, LOG_NO_FAILURE);
    const struct log_peak first = dry_run_peak(&run, &d, 0), last = dry_run_peak(&run, &d, 1),
                          all = dry_run_peak(&run, &d, -1);
    cr_assert_float_eq(first.used_mb, 130, 0);
    cr_assert_float_eq(first.held_mb, 120, 0);
    cr_assert_eq(first.rank, 1);
    cr_assert_eq(first.line, 3);
    cr_assert_str_eq(files.paths[first.file], "DP2_TP1_PP2_EP2/msrun_log/worker_1.log");
    cr_assert_float_eq(last.used_mb, 90, 0);
    cr_assert_float_eq(last.held_mb, 95, 0);
    cr_assert_float_eq(log_peak_mb(&all), 130, 0);
    drop(&files, &run);
}

// One log of all ranks; ranks are in the lines.
Test(dry_run, one_log_of_all_ranks, .init = enter, .fini = leave)
{
    const struct run_degrees d = {.dp = 1, .tp = 1, .pp = 2};
    struct run_files files;
    struct dry_run run;
    spill("train.log",
          "Theoretical memory footprints: weight and optimizer=8.0 MB, activation=1.0 MB, "
          "total=9.0 MB\n"
          "[Rank 0] (after 2 iterations) memory (MB) | allocated: 10 | max allocated: 20 | "
          "reserved: 30 | max reserved: 40\n"
          "[Rank 1] (after 2 iterations) memory (MB) | allocated: 11 | max allocated: 21 | "
          "reserved: 31 | max reserved: 41\n");
    read_all("train.log", &files, &run);
    const struct log_peak first = dry_run_peak(&run, &d, 0), last = dry_run_peak(&run, &d, 1);
    cr_assert_float_eq(log_peak_mb(&first), 20, 0);
    cr_assert_float_eq(log_peak_mb(&last), 21, 0);
    cr_assert_float_eq(last.held_mb, 41, 0);
    drop(&files, &run);
}

struct failure {
    const char *log;
    enum log_failure failure;
    uint64_t line;
    const char *text;
};

// Out of memory counts more than the exceptions that follow it; an exception that the training
// survives is not a failure.
Test(dry_run, failures, .init = enter, .fini = leave)
{
    static const struct failure cases[] = {
        {"ok\n" TRACE "ValueError: bad\n" USED "1M\n", LOG_ERROR, 4, "ValueError: bad"},
        {TRACE "ValueError: bad\n" TRACE "torch.OutOfMemoryError: CUDA out of memory.\n" TRACE
               "ChildFailedError: x\n",
         LOG_NO_MEMORY, 6, "torch.OutOfMemoryError: CUDA out of memory."},
        {"[rank0]: "
         "Traceback (most recent call last):\n[rank0]:   File\n[rank0]: KeyError: 'k'\n",
         LOG_ERROR, 3, "KeyError: 'k'"},
        {TRACE "ImportError: optional\nstep: 1  memory:  1.00GiB(1.00%)\n", LOG_NO_FAILURE, 0,
         ""},
        {"x\n" TRACE, LOG_ERROR, 3, "the log ends within a traceback"},
        {"step: 1  memory:  1.00GiB(1.00%)\n", LOG_NO_FAILURE, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_files files;
        struct dry_run run;
        spill("a.log", cases[i].log);
        read_all("a.log", &files, &run);
        cr_assert_eq(run.failure, cases[i].failure, "case %zu", i);
        if (run.failure != LOG_NO_FAILURE) {
            cr_assert_eq(run.failed_line, cases[i].line, "case %zu: %d", i,
                         (int)run.failed_line);
            cr_assert_str_eq(run.failed_text, cases[i].text, "case %zu", i);
        }
        drop(&files, &run);
    }
}

// A rank in the path above the run is not the rank of its logs.
Test(dry_run, rank_above_the_run, .init = enter, .fini = leave)
{
    struct run_files files;
    struct dry_run run;
    make("rank_7");
    make("rank_7/DP2_TP1_PP2");
    spill("rank_7/DP2_TP1_PP2/a.log", USED "7M\n");
    read_all("rank_7/DP2_TP1_PP2", &files, &run);
    cr_assert_eq(run.n_peaks, 1);
    cr_assert_eq(run.peaks[0].rank, -1);
    drop(&files, &run);
}

// A line longer than the buffer does not hide the next line, and its number is right.
Test(dry_run, long_lines, .init = enter, .fini = leave)
{
    struct run_files files;
    struct dry_run run;
    FILE *out = fopen("a.log", "w");
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 150000; k++)
            fputc('x', out);
        fputs("\n", out);
    }
    fputs(USED "7M\n", out);
    fclose(out);
    read_all("a.log", &files, &run);
    cr_assert_eq(run.n_peaks, 1);
    cr_assert_eq(run.peaks[0].line, 4);
    drop(&files, &run);
}

// Runs are found below folders of other names; the folder itself may be a run.
Test(dry_run, finds_runs, .init = enter, .fini = leave)
{
    struct run_folders runs;
    struct pps_error err;
    make("all");
    make("all/DP2_TP1_PP1_EP2");
    make("all/more");
    make("all/more/DP1_TP2_PP1");
    make("all/more/DP1_TP2_PP1/DP1_TP1_PP2");
    spill("all/DP4_TP1_PP1.log", "");
    spill("all/DP4_TP1_PP1.yaml", "");
    cr_assert_eq(run_folders_find(&runs, "all", NULL, &err), PPS_OK);
    cr_assert_eq(runs.n, 3);
    cr_assert_str_eq(runs.rows[0].path, "all/DP2_TP1_PP1_EP2");
    cr_assert_str_eq(runs.rows[1].path, "all/DP4_TP1_PP1.log");
    cr_assert_str_eq(runs.rows[2].path, "all/more/DP1_TP2_PP1");
    run_folders_free(&runs);
    cr_assert_eq(run_folders_find(&runs, "all/more/DP1_TP2_PP1/", NULL, &err), PPS_OK);
    cr_assert_eq(runs.n, 1);
    run_folders_free(&runs);
    cr_assert_eq(run_folders_find(&runs, "none", NULL, &err), PPS_E_MACHINE);
}
