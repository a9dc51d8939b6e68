// SPDX-License-Identifier: Apache-2.0
// ppsweep nd dryrun and nd profile: options, and the two commands.
#include "planner/nd/runs/commands.h"

#include "base/text/say.h"
#include "engine/command/duration.h"
#include "engine/command/shard_option.h"
#include "engine/command/signals.h"
#include "planner/nd/runs/launchers.h"
#include "planner/nd/runs/runs.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PORT = 8118, PORT_MAX = 65535, NAME_ROOM = 128 };

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
    RUN_OPTIONS{"ranks", 0, "LIST", "ranks to simulate: stages, or as in 0,8 (by framework)"},
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

static const char dryrun_details[] = RUN_DETAILS
    " and {rank}. With {rank} it runs once for\n"
    "the first rank of each stage, with the variables that simulate this rank\n"
    "(MS_SIMULATION_LEVEL=1, RANK_ID and RANK_SIZE, or RANK and WORLD_SIZE).\n"
    "\n"
    "  ppsweep nd dryrun out/dryrun --mindformers-dir ~/mindformers --parallel-num 4\n"
    "  ppsweep nd dryrun out/dryrun --command 'bash {file} {rank}' --time-limit 1h\n";

static const char profile_details[] = RUN_DETAILS
    ".\n"
    "\n"
    "  ppsweep nd profile out/profile_yaml --mindformers-dir ~/mindformers --devices 8\n"
    "  ppsweep nd profile out/profile_yaml --command 'bash {file}' --devices 16 --rank-num 8\n";

// Everything that a call owns.
struct call {
    struct nd_runs runs;
    struct nd_configurations configurations;
    char *output;
    char *folders[N_FRAMEWORKS];
    bool list;
};

// ---- options ------------------------------------------------------------------------------------

static char *absolute(const char *path)
{
    char here[4096], *text = NULL;
    if (path[0] == '/')
        return strdup(path);
    if (getcwd(here, sizeof here) == NULL || asprintf(&text, "%s/%s", here, path) < 0)
        return NULL;
    return text;
}

static enum pps_status read_folders(struct call *call,
                                    const struct pps_args *args,
                                    struct pps_error *err)
{
    for (int f = FRAMEWORK_NONE + 1; f < N_FRAMEWORKS; f++) {
        const char *folder = pps_arg(args, nd_launcher((enum framework)f, false)->option);
        if (folder == NULL)
            continue;
        call->folders[f] = realpath(folder, NULL);
        if (call->folders[f] == NULL)
            call->folders[f] = absolute(folder);
        if (call->folders[f] == NULL)
            return pps_fail_memory(err, "the folders");
        call->runs.recipe.folders[f] = call->folders[f];
    }
    return PPS_OK;
}

static int first_port(void)
{
    const char *text = getenv("MASTER_PORT");
    const long port = text != NULL ? strtol(text, NULL, 10) : 0;
    return port > 0 && port <= PORT_MAX - ND_SLOTS_MAX ? (int)port : PORT;
}

static enum pps_status read_options(struct call *call,
                                    const struct pps_args *args,
                                    struct pps_error *err)
{
    struct nd_runs *runs = &call->runs;
    runs->recipe.command = pps_arg(args, "command");
    runs->recipe.ranks = runs->recipe.dry_run ? pps_arg(args, "ranks") : NULL;
    runs->force = pps_arg(args, "force") != NULL;
    runs->retry_failed = pps_arg(args, "retry-failed") != NULL;
    runs->grace_s = 10;
    runs->port = first_port();
    call->list = pps_arg(args, "list") != NULL;
    enum pps_status status = read_folders(call, args, err);
    if (status == PPS_OK)
        status = pps_arg_duration(args, "time-limit", &runs->limit_s, err);
    if (status == PPS_OK)
        status = pps_arg_duration(args, "grace", &runs->grace_s, err);
    return status;
}

static enum pps_status read_configurations(struct call *call,
                                           const struct pps_args *args,
                                           struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    const char *part = call->runs.recipe.dry_run ? "dryrun" : "profile_yaml";
    for (int w = 0; w < pps_arg_words(args) && status == PPS_OK; w++)
        status = nd_configurations_add(&call->configurations, pps_arg_word(args, w), part, err);
    return status;
}

static enum pps_status read_output(struct call *call,
                                   const struct pps_args *args,
                                   struct pps_error *err)
{
    const char *folder = pps_arg(args, "output");
    if (folder == NULL)
        folder = pps_arg(args, "output-path");
    if (folder == NULL)
        folder = call->configurations.folder;
    if (folder[0] == '\0' || strlen(folder) > 3000)
        return pps_fail(err, PPS_E_INPUT, "-o: expected the name of a folder");
    call->output = absolute(folder);
    call->runs.output = call->output;
    if (call->output == NULL)
        return pps_fail_memory(err, "the folders");
    return call->list ? PPS_OK : plan_check_folder(call->output, err);
}

// ---- runs ---------------------------------------------------------------------------------------

// Runs at the same time need own devices, unless they are simulated or the user's command provides
// for them.
static enum pps_status check_devices(const struct call *call, struct pps_error *err)
{
    const struct nd_runs *runs = &call->runs;
    for (size_t k = 0; k < runs->n; k++) {
        const struct nd_order *order = &runs->list[k].order;
        const int64_t world = nd_configuration_world(order->configuration);
        if (order->rank >= 0)
            continue;
        if (runs->slots.per_run > 0 && world > (int64_t)runs->slots.per_run)
            return pps_fail(err, PPS_E_INPUT,
                            "%s needs %lld devices, and a run has %llu: see --devices, "
                            "--rank-num and --parallel-num",
                            order->configuration->path, (long long)world,
                            (unsigned long long)runs->slots.per_run);
        if (runs->slots.n > 1 && runs->slots.n_devices == 0 && runs->recipe.command == NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "--parallel-num: runs at the same time need different devices: "
                            "write --devices and --rank-num");
    }
    return PPS_OK;
}

// MindSpore simulates ranks without a device.
static bool need_devices(const struct nd_runs *runs)
{
    for (size_t k = 0; k < runs->n; k++)
        if (runs->list[k].order.rank < 0 ||
            runs->list[k].order.configuration->framework != FRAMEWORK_MINDFORMERS)
            return true;
    return false;
}

static enum pps_status read_slots(struct call *call,
                                  const struct pps_args *args,
                                  struct pps_error *err)
{
    uint64_t per_run = 0, parallel = 0;
    enum pps_status status =
        pps_arg_count(args, "rank-num", 1, ND_DEVICE_NAMES_MAX, &per_run, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "parallel-num", 1, ND_SLOTS_MAX, &parallel, err);
    if (status == PPS_OK)
        status = nd_slots_open(&call->runs.slots, pps_arg(args, "devices"),
                               need_devices(&call->runs), per_run, parallel, err);
    return status;
}

// Adds the runs of a configuration that belong to the shard. *i counts the runs of all shards.
static enum pps_status add_runs(struct call *call,
                                const struct nd_order *orders,
                                int n,
                                struct pps_shard shard,
                                uint64_t *i,
                                struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    struct nd_runs *runs = &call->runs;
    struct nd_run *list = realloc(runs->list, (runs->n + (size_t)n) * sizeof *list);
    if (list == NULL)
        return pps_fail_memory(err, "the runs");
    runs->list = list;
    for (int k = 0; k < n && status == PPS_OK; k++, ++*i)
        if (shard.count == 0 || *i % shard.count == shard.index)
            status = nd_run_open(&list[runs->n++], &orders[k], call->output, err);
    return status;
}

static enum pps_status list_runs(struct call *call,
                                 const struct pps_args *args,
                                 struct pps_error *err)
{
    char source[PPS_SHARD_SOURCE];
    struct pps_shard shard;
    uint64_t i = 0;
    struct nd_order *orders = calloc(ND_RANKS_MAX, sizeof *orders);
    enum pps_status status = orders != NULL ? pps_shard_choose(args, &shard, source, err)
                                            : pps_fail_memory(err, "the runs");
    for (size_t k = 0; k < call->configurations.n && status == PPS_OK; k++) {
        int n = 0;
        status = nd_recipe_orders(&call->runs.recipe, &call->configurations.list[k], orders, &n,
                                  err);
        if (status == PPS_OK)
            status = add_runs(call, orders, n, shard, &i, err);
    }
    free(orders);
    return status;
}

static void print_commands(const struct nd_runs *runs)
{
    for (size_t k = 0; k < runs->n; k++) {
        struct text_buffer text = {.text = NULL};
        const struct nd_run *run = &runs->list[k];
        const struct nd_place place = nd_runs_place(runs, run, 0);
        nd_recipe_command(&text, &runs->recipe, &run->order, &place);
        printf("%s", k > 0 ? "\n" : "");
        pps_say(stdout, "# %s", run->name);
        printf("%s\n", text.failed ? "" : text.text);
        text_buffer_free(&text);
    }
}

// ---- end ----------------------------------------------------------------------------------------

static enum pps_status conclude(const struct nd_runs *runs, struct pps_error *err)
{
    size_t failed = 0, done = 0, used = 0;
    for (size_t k = 0; k < runs->n; k++) {
        failed += nd_run_failed(&runs->list[k]);
        done += runs->list[k].state == ND_RUN_DONE;
        used += runs->list[k].state == ND_RUN_IN_USE;
    }
    if (done + failed + used < runs->n)
        return pps_fail(err, PPS_E_STOPPED,
                        "stopped: %zu of %zu runs finished; the same command continues",
                        done + failed, runs->n);
    if (used > 0)
        return pps_fail(err, PPS_E_POINTS, "%zu of %zu runs are in use by another ppsweep",
                        used, runs->n);
    if (failed > 0)
        return pps_fail(err, PPS_E_POINTS,
                        "%zu of %zu runs failed; --retry-failed runs them again", failed,
                        runs->n);
    return PPS_OK;
}

static enum pps_status run_all(struct call *call, struct pps_error *err)
{
    if (call->list) {
        print_commands(&call->runs);
        return PPS_OK;
    }
    call->runs.stop = pps_signals_install(false);
    const enum pps_status status = nd_runs_run(&call->runs, err);
    if (call->runs.n > 0)
        nd_runs_print(&call->runs);
    return status == PPS_OK ? conclude(&call->runs, err) : status;
}

static void free_call(struct call *call)
{
    for (size_t k = 0; k < call->runs.n; k++)
        nd_run_free(&call->runs.list[k]);
    free(call->runs.list);
    nd_slots_free(&call->runs.slots);
    nd_configurations_free(&call->configurations);
    for (int f = 0; f < N_FRAMEWORKS; f++)
        free(call->folders[f]);
    free(call->output);
}

static enum pps_status main_of(const struct pps_args *args, bool dry_run, struct pps_error *err)
{
    struct call call = {.runs.recipe.dry_run = dry_run};
    enum pps_status status = read_options(&call, args, err);
    if (status == PPS_OK)
        status = read_configurations(&call, args, err);
    if (status == PPS_OK)
        status = read_output(&call, args, err);
    if (status == PPS_OK)
        status = list_runs(&call, args, err);
    if (status == PPS_OK)
        status = read_slots(&call, args, err);
    if (status == PPS_OK)
        status = nd_recipe_check(&call.runs.recipe, &call.configurations,
                                 call.runs.slots.n_devices > 0, err);
    if (status == PPS_OK)
        status = check_devices(&call, err);
    if (status == PPS_OK)
        status = run_all(&call, err);
    free_call(&call);
    return status;
}

static enum pps_status dryrun_main(const struct pps_args *args, struct pps_error *err)
{
    return main_of(args, true, err);
}

static enum pps_status profile_main(const struct pps_args *args, struct pps_error *err)
{
    return main_of(args, false, err);
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
