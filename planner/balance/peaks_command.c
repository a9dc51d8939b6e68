// SPDX-License-Identifier: Apache-2.0
// ppsweep balance peaks: peak memory of dry runs, as a block of an init file.
#include "planner/profiles/log_file.h"
#include "planner/shared/configurations.h"
#include "planner/shared/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_MOST = 4096 };

static const struct pps_opt options[] = {
    {"peak", 0, "NAME", "actual (with fragments of the allocator) or used (without) (actual)"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FOLDER has a folder stage_S_rank_R for each stage, with mindformer.log of a dry run in it, as\n"
    "packaging/dryrun.sh makes them, or log/stageS_R, as the published script does. The command\n"
    "prints the block memory_usage of an init file.\n"
    "\n"
    "  packaging/dryrun.sh \"python run_mindformer.py --config a.yaml\" 32 4 runs\n"
    "  ppsweep balance peaks runs >>init.yaml\n";

struct peaks {
    const char *folder;
    char runs[PLAN_PATH]; // where the folders of the stages are
    bool used;
    double mb[STAGES_MOST]; // 0: the stage has no run
    int stages;             // from stage 0 on, without a gap
};

static enum pps_status read_log(struct peaks *peaks, const char *name, int stage, int rank,
                                struct pps_error *err)
{
    char path[PLAN_PATH];
    struct log_file log;
    const int n = snprintf(path, sizeof path, "%s/%s/mindformer.log", peaks->runs, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return pps_fail(err, PPS_E_INPUT, "%s: the path is too long", name);
    enum pps_status status = log_file_read(&log, path, rank, err);
    if (status != PPS_OK)
        return status;
    for (size_t i = 0; i < log.n_peaks; i++) {
        const double mb = peaks->used ? log.peaks[i].used_mb : log.peaks[i].held_mb;
        peaks->mb[stage] = mb > peaks->mb[stage] ? mb : peaks->mb[stage];
    }
    if (log.failure != LOG_NO_FAILURE)
        status = pps_fail(err, PPS_E_INPUT, "%s:%llu: the dry run failed: %s", path,
                          (unsigned long long)log.line, log.text);
    else if (!(peaks->mb[stage] > 0))
        status = pps_fail(err, PPS_E_INPUT,
                          "%s: no line \"%s peak memory usage\"; did the dry "
                          "run end?",
                          path, peaks->used ? "Used" : "Actual");
    log_file_free(&log);
    return status;
}

// Stages have runs from the first to the last.
static enum pps_status check_stages(struct peaks *peaks, struct pps_error *err)
{
    int found = 0;
    for (int s = 0; s < STAGES_MOST; s++)
        found += peaks->mb[s] > 0;
    while (peaks->stages < STAGES_MOST && peaks->mb[peaks->stages] > 0)
        peaks->stages++;
    if (found >= 3 && peaks->stages == found)
        return PPS_OK;
    return pps_fail(
        err, PPS_E_INPUT,
        "%s: expected folders stage_S_rank_R, or log/stageS_R, of at least 3 stages, "
        "from stage 0 on; found %d",
        peaks->folder, found);
}

// Reads the stage and the rank of a folder, of packaging/dryrun.sh or of the published script.
static bool is_stage(const char *name, int *stage, int *rank)
{
    int end = 0;
    bool is_named = sscanf(name, "stage_%d_rank_%d%n", stage, rank, &end) == 2;
    if (!is_named)
        is_named = sscanf(name, "stage%d_%d%n", stage, rank, &end) == 2;
    return is_named && name[end] == '\0' && *stage >= 0 && *stage < STAGES_MOST && *rank >= 0;
}

// Reads the runs in a folder; *any: there are some.
static enum pps_status read_runs(struct peaks *peaks, bool *any, struct pps_error *err)
{
    DIR *folder = opendir(peaks->runs);
    enum pps_status status = PPS_OK;
    *any = false;
    if (folder == NULL)
        return pps_fail(err, PPS_E_INPUT, "%s: the folder cannot be read", peaks->runs);
    for (struct dirent *entry; status == PPS_OK && (entry = readdir(folder)) != NULL;) {
        int stage, rank;
        if (!is_stage(entry->d_name, &stage, &rank))
            continue;
        *any = true;
        status = read_log(peaks, entry->d_name, stage, rank, err);
    }
    closedir(folder);
    return status;
}

static enum pps_status read_folder(struct peaks *peaks, struct pps_error *err)
{
    bool any;
    if (snprintf(peaks->runs, sizeof peaks->runs - 4, "%s", peaks->folder) >=
        (int)sizeof peaks->runs - 4)
        return pps_fail(err, PPS_E_INPUT, "FOLDER: the path is too long");
    enum pps_status status = read_runs(peaks, &any, err);
    strcat(peaks->runs, "/log");
    if (status == PPS_OK && !any && plan_is_folder(peaks->runs))
        status = read_runs(peaks, &any, err);
    return status == PPS_OK ? check_stages(peaks, err) : status;
}

static void show(const struct peaks *peaks)
{
    const int last = peaks->stages - 1;
    printf("memory_usage:\n  head_memory: %.10g\n  tail_memory: %.10g\n", peaks->mb[0],
           peaks->mb[last]);
    printf("  body_memories:\n    stage_id: [");
    for (int s = 1; s < last; s++)
        printf("%s%d", s == 1 ? "" : ", ", s);
    printf("]\n    memories: [");
    for (int s = 1; s < last; s++)
        printf("%s%.10g", s == 1 ? "" : ", ", peaks->mb[s]);
    printf("]\n");
}

static enum pps_status peaks_main(const struct pps_args *args, struct pps_error *err)
{
    const char *peak = pps_arg(args, "peak");
    struct peaks *peaks = calloc(1, sizeof *peaks);
    if (peaks == NULL)
        return pps_fail_memory(err, "the peaks");
    peaks->folder = pps_arg_word(args, 0);
    peaks->used = peak != NULL && strcmp(peak, "used") == 0;
    enum pps_status status = PPS_OK;
    if (peak != NULL && !peaks->used && strcmp(peak, "actual") != 0)
        status = pps_fail(err, PPS_E_INPUT, "--peak %s: expected actual or used", peak);
    if (status == PPS_OK)
        status = read_folder(peaks, err);
    if (status == PPS_OK)
        show(peaks);
    free(peaks);
    return status;
}

const struct pps_command balance_peaks_command = {
    .name = "balance peaks",
    .summary = "read the peak memory of dry runs for balance fit",
    .usage = "[options] FOLDER",
    .details = details,
    .options = options,
    .config = true,
    .one_dash = true,
    .min_words = 1,
    .max_words = 1,
    .main = peaks_main,
};
