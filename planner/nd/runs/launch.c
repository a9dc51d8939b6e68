// SPDX-License-Identifier: Apache-2.0
// Lists the runs of a launch, checks them, runs them and reports.
#include "planner/nd/runs/launch.h"

#include "base/text/say.h"
#include "planner/nd/runs/runs.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- launchers ----------------------------------------------------------------------------------

static const struct nd_launcher profiles[] = {
    [FRAMEWORK_MINDFORMERS] = {.command = "bash {folder}/scripts/msrun_launcher.sh "
                                          "\"{folder}/run_mindformer.py --config {file} "
                                          "--output_dir {log}/output\" {world} {port} "
                                          "{log}/msrun_log True 7200",
                               .option = "mindformers-dir",
                               .needs = "scripts/msrun_launcher.sh"},
    [FRAMEWORK_MEGATRON] = {.command = "bash {file}", .option = "mindspeed-path"},
    [FRAMEWORK_TORCHTITAN] = {.command =
                                  "torchrun --nproc_per_node={world} --rdzv_backend c10d "
                                  "--rdzv_endpoint=localhost:0 --role rank --tee 3 "
                                  "--log-dir {log}/torchrun -m torchtitan.train "
                                  "--job.config_file {file} "
                                  "--job.dump_folder {log}/outputs",
                              .option = "torchtitan-path"},
};

static const struct nd_launcher dry_runs[] = {
    [FRAMEWORK_MINDFORMERS] = {.command = "python3 {folder}/run_mindformer.py --config {file} "
                                          "--output_dir {log}/output_{rank}",
                               .option = "mindformers-dir",
                               .needs = "run_mindformer.py",
                               .ranks = "stages"},
    [FRAMEWORK_MEGATRON] = {.command = "bash {file}", .option = "mindspeed-path"},
    [FRAMEWORK_TORCHTITAN] = {.command = "python3 -m torchtitan.train --job.config_file {file} "
                                         "--job.dump_folder {log}/outputs_{rank} "
                                         "--comm.mode=fake_backend --training.steps=1",
                              .option = "torchtitan-path",
                              .ranks = "0"},
};

const struct nd_launcher *nd_launcher(enum framework framework, bool dry_run)
{
    // Launch scripts start themselves.
    if (framework == FRAMEWORK_NONE || framework > FRAMEWORK_TORCHTITAN)
        framework = FRAMEWORK_MEGATRON;
    return dry_run ? &dry_runs[framework] : &profiles[framework];
}

static void simulate_mindspore(struct text_buffer *out, int64_t rank, int i_rank, int64_t world)
{
    text_buffer_add(out, "unset RANK_TABLE_FILE\nexport MS_SIMULATION_LEVEL=1");
    if (rank >= 0)
        text_buffer_add(out, " RANK_SIZE=%lld RANK_ID=%lld DEVICE_ID=%d", (long long)world,
                        (long long)rank, i_rank);
    text_buffer_add(out,
                    "\nexport MS_MEMORY_STATISTIC=${MS_MEMORY_STATISTIC:-1} "
                    "MS_DEV_RUNTIME_CONF=${MS_DEV_RUNTIME_CONF:-memory_statistics:True}\n");
}

void nd_launcher_simulate(struct text_buffer *out, enum framework framework, int64_t rank,
                          int i_rank, int64_t world)
{
    if (framework == FRAMEWORK_MINDFORMERS)
        simulate_mindspore(out, rank, i_rank, world);
    else if (rank >= 0)
        text_buffer_add(out, "export WORLD_SIZE=%lld RANK=%lld LOCAL_RANK=0 NGPU=%lld\n",
                        (long long)world, (long long)rank, (long long)world);
}

// ---- launch -------------------------------------------------------------------------------------

enum { PORT = 8118, PORT_MAX = 65535 };

// Everything that a launch owns.
struct call {
    const struct nd_launch *launch;
    struct nd_runs runs;
    struct nd_configurations configurations;
    char *output;
    char *folders[N_FRAMEWORKS];
};

// ---- input --------------------------------------------------------------------------------------

static char *absolute(const char *path)
{
    char here[4096], *text = NULL;
    if (path[0] == '/')
        return strdup(path);
    if (getcwd(here, sizeof here) == NULL || asprintf(&text, "%s/%s", here, path) < 0)
        return NULL;
    return text;
}

static enum pps_status take_folders(struct call *call, struct pps_error *err)
{
    for (int f = 0; f < N_FRAMEWORKS; f++) {
        const char *folder = call->launch->folders[f];
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

static enum pps_status take_configurations(struct call *call, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    const char *part = call->launch->dry_run ? "dryrun_yaml" : "profile_yaml";
    for (int w = 0; w < call->launch->n_words && status == PPS_OK; w++)
        status =
            nd_configurations_add(&call->configurations, call->launch->words[w], part, err);
    return status;
}

static enum pps_status take_output(struct call *call, struct pps_error *err)
{
    const char *folder = call->launch->output;
    if (folder == NULL)
        folder = call->configurations.folder;
    if (folder[0] == '\0' || strlen(folder) > 3000)
        return pps_fail(err, PPS_E_INPUT, "-o: expected the name of a folder");
    call->output = absolute(folder);
    call->runs.output = call->output;
    if (call->output == NULL)
        return pps_fail_memory(err, "the folders");
    return call->launch->list ? PPS_OK : plan_check_folder(call->output, err);
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

// Adds the runs of a configuration that belong to the shard. *i counts the runs of all shards.
static enum pps_status add_runs(struct call *call, const struct nd_order *orders, int n,
                                uint64_t *i, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    const struct pps_shard shard = call->launch->shard;
    struct nd_runs *runs = &call->runs;
    struct nd_run *list = realloc(runs->list, (runs->n + (size_t)n) * sizeof *list);
    if (list == NULL)
        return pps_fail_memory(err, "the runs");
    runs->list = list;
    for (int k = 0; k < n && status == PPS_OK; k++, ++*i) {
        if (shard.count > 0 && *i % shard.count != shard.index)
            continue;
        struct nd_run *run = &list[runs->n++];
        status = nd_run_open(run, &orders[k], call->output, err);
        if (status == PPS_OK && !runs->force)
            status = nd_run_check_status(run, err);
    }
    return status;
}

static enum pps_status list_runs(struct call *call, struct pps_error *err)
{
    uint64_t i = 0;
    struct nd_order *orders = calloc(ND_RANKS_MAX, sizeof *orders);
    enum pps_status status = orders != NULL ? PPS_OK : pps_fail_memory(err, "the runs");
    for (size_t k = 0; k < call->configurations.n && status == PPS_OK; k++) {
        int n = 0;
        status = nd_recipe_orders(&call->runs.recipe, &call->configurations.list[k], orders, &n,
                                  err);
        if (status == PPS_OK)
            status = add_runs(call, orders, n, &i, err);
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
    if (call->launch->list) {
        print_commands(&call->runs);
        return PPS_OK;
    }
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

static enum pps_status open_slots(struct call *call, struct pps_error *err)
{
    const struct nd_launch *launch = call->launch;
    return nd_slots_open(&call->runs.slots, launch->devices, need_devices(&call->runs),
                         launch->per_run, launch->parallel, err);
}

enum pps_status nd_launch_run(const struct nd_launch *launch, struct pps_error *err)
{
    struct call call = {.launch = launch,
                        .runs = {.recipe = {.dry_run = launch->dry_run,
                                            .command = launch->command,
                                            .ranks = launch->dry_run ? launch->ranks : NULL},
                                 .limit_s = launch->limit_s,
                                 .grace_s = launch->grace_s,
                                 .force = launch->force,
                                 .retry_failed = launch->retry_failed,
                                 .port = first_port(),
                                 .stop = launch->stop}};
    enum pps_status status = take_folders(&call, err);
    if (status == PPS_OK)
        status = take_configurations(&call, err);
    if (status == PPS_OK)
        status = take_output(&call, err);
    if (status == PPS_OK)
        status = list_runs(&call, err);
    if (status == PPS_OK)
        status = open_slots(&call, err);
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
