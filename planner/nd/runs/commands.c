// SPDX-License-Identifier: Apache-2.0
// ppsweep nd dryrun and nd profile: options, and the two commands.
#include "planner/nd/runs/commands.h"

#include "engine/command/shard_option.h"
#include "engine/command/signals.h"
#include "planner/nd/runs/devices.h"
#include "planner/nd/runs/launch.h"

#include <stdlib.h>

#define RUN_OPTIONS                                                                            \
    {"command", 0, "TEXT",                                                                     \
     "run TEXT by /bin/sh, as in 'bash {file}' (the framework's "                              \
     "launcher)"},                                                                             \
        {"mindformers-dir", 0, "DIR", "folder of MindFormers: run_mindformer.py, scripts"},    \
        {"mindspeed-path", 0, "DIR", "folder in which Megatron or MindSpeed scripts run"},     \
        {"torchtitan-path", 0, "DIR", "folder in which torchtitan runs"},                      \
        {"output", 'o', "DIR", "folder of logs and status (the folder of the files)"},         \
        {"devices", 0, "N|LIST",                                                               \
         "devices of this machine, as in 8 or 0-3,6 (the visible "                             \
         "devices)"},                                                                          \
        {"rank-num", 0, "N", "devices of a run (all, divided by --parallel-num)"},             \
        {"parallel-num", 0, "N", "runs at a time (as many as fit on the devices; else 1)"},    \
        {"time-limit", 0, "TIME", "end a run after TIME, as in 90s, 5m, 1h30m (none)"},        \
        {"grace", 0, "TIME", "time from SIGTERM to SIGKILL (10s)"},                            \
        {"retry-failed", 0, NULL, "run failed configurations again"},                          \
        {"force", 0, NULL, "run all configurations again"},                                    \
        {"resume", 0, NULL, "accepted as in run: finished runs are never repeated"},           \
        {"shard", 0, "K/N", "run part K of N; auto: from Slurm or MPI"},                       \
        {"list", 0, NULL, "print the commands and end"}, {"output-path", 0, "DIR", NULL},

static const struct pps_opt dryrun_options[] = {
    RUN_OPTIONS{"ranks", 0, "LIST",
                "ranks to simulate: stages, largest, none or 0,8,... (by framework)"},
    {NULL, 0, NULL, NULL},
};

static const struct pps_opt profile_options[] = {RUN_OPTIONS{NULL, 0, NULL, NULL}};

#define RUN_DETAILS                                                                            \
    "FILE is a configuration, or a folder of configurations (.yaml, .yml, .sh, .toml) as\n"    \
    "`ppsweep nd -o` writes them. Logs are in DIR/logs/NAME, and states in DIR/status. A "     \
    "run\n"                                                                                    \
    "that has finished is not repeated unless its file or its command changes.\n"              \
    "\n"                                                                                       \
    "TEXT may contain {file}, {name}, {log} (the folder of its logs), {devices}, {world} "     \
    "(the\n"                                                                                   \
    "number of ranks), {port}, {folder} (of the framework)"

static const char dryrun_details[] =
    RUN_DETAILS " and {rank}. With {rank} it runs once for\n"
                "the first rank of each stage, with the variables that simulate this rank\n"
                "(MS_SIMULATION_LEVEL=1, RANK_ID and RANK_SIZE, or RANK and WORLD_SIZE).\n"
                "\n"
                "  ppsweep nd dryrun out --mindformers-dir ~/mindformers --parallel-num 4\n"
                "  ppsweep nd dryrun out --command 'bash {file} {rank}' --time-limit 1h\n";

static const char profile_details[] =
    RUN_DETAILS ".\n"
                "\n"
                "  ppsweep nd profile out --mindformers-dir ~/mindformers --devices 8\n"
                "  ppsweep nd profile out --command 'bash {file}' --devices 16 --rank-num 8\n";

static void read_words(const struct pps_args *args, struct nd_launch *launch)
{
    launch->command = pps_arg(args, "command");
    launch->output = pps_arg(args, "output");
    if (launch->output == NULL)
        launch->output = pps_arg(args, "output-path");
    launch->devices = pps_arg(args, "devices");
    launch->list = pps_arg(args, "list") != NULL;
    launch->force = pps_arg(args, "force") != NULL;
    launch->retry_failed = pps_arg(args, "retry-failed") != NULL;
    for (int f = FRAMEWORK_NONE + 1; f < N_FRAMEWORKS; f++)
        launch->folders[f] = pps_arg(args, nd_launcher((enum framework)f, false)->option);
}

static enum pps_status read_numbers(const struct pps_args *args, struct nd_launch *launch,
                                    struct pps_error *err)
{
    char source[PPS_SHARD_SOURCE];
    enum pps_status status = pps_arg_duration(args, "time-limit", &launch->limit_s, err);
    if (status == PPS_OK)
        status = pps_arg_duration(args, "grace", &launch->grace_s, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "rank-num", 1, ND_DEVICE_NAMES_MAX, &launch->per_run, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "parallel-num", 1, ND_SLOTS_MAX, &launch->parallel, err);
    if (status == PPS_OK)
        status = pps_shard_choose(args, &launch->shard, source, err);
    return status;
}

static enum pps_status run(const struct pps_args *args, struct nd_launch *launch,
                           struct pps_error *err)
{
    const int n = pps_arg_words(args);
    const char **words = calloc((size_t)n, sizeof *words);
    if (words == NULL)
        return pps_fail_memory(err, "the configurations");
    for (int w = 0; w < n; w++)
        words[w] = pps_arg_word(args, w);
    launch->words = words;
    launch->n_words = n;
    launch->grace_s = 10;
    read_words(args, launch);
    enum pps_status status = read_numbers(args, launch, err);
    if (status == PPS_OK) {
        launch->stop = pps_signals_install();
        status = nd_launch_run(launch, err);
    }
    free(words);
    return status;
}

static enum pps_status dryrun_main(const struct pps_args *args, struct pps_error *err)
{
    struct nd_launch launch = {.dry_run = true, .ranks = pps_arg(args, "ranks")};
    return run(args, &launch, err);
}

static enum pps_status profile_main(const struct pps_args *args, struct pps_error *err)
{
    struct nd_launch launch = {.dry_run = false};
    return run(args, &launch, err);
}

const struct pps_command nd_dryrun_command = {
    .name = "nd dryrun",
    .summary = "run memory dry runs of configurations by their framework",
    .usage = "[options] FILE...",
    .details = dryrun_details,
    .options = dryrun_options,
    .min_words = 1,
    .max_words = -1,
    .main = dryrun_main,
};

const struct pps_command nd_profile_command = {
    .name = "nd profile",
    .summary = "run configurations by their framework to profile them",
    .usage = "[options] FILE...",
    .details = profile_details,
    .options = profile_options,
    .min_words = 1,
    .max_words = -1,
    .main = profile_main,
};
