// SPDX-License-Identifier: Apache-2.0
// ppsweep nd auto: the whole workflow from a framework's configuration to the best configurations.
#include "planner/nd/workflow/auto.h"

#include "base/system/disk.h"
#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "engine/command/arguments.h"
#include "planner/nd/workflow/stages.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const struct pps_opt options[] = {
    PLAN_RUN_OPTIONS,
    {"output", 'o', "DIR", "folder of the workflow"},
    {"until", 0, "STAGE", "stop after search, dryrun, fit, profile, parse or rank (rank)"},
    {"skip", 0, "STAGE",
     "dryrun: use modelled memory; profile: use modelled times; may be repeated"},
    {"list", 0, NULL, "print the command of each stage and exit"},
    {"force", 0, NULL, "overwrite files in DIR even if others wrote or edited them"},
    {"rank-num", 0, "N", "devices for profiling (64)"},
    {"profile-max", 0, "N", "maximum number of configurations to profile (20)"},
    {"command", 0, "TEXT", "start the framework with TEXT, as in 'bash {file}'"},
    {"mindformers-dir", 0, "DIR", "folder of MindFormers"},
    {"mindspeed-path", 0, "DIR", "folder in which Megatron or MindSpeed scripts run"},
    {"torchtitan-path", 0, "DIR", "folder in which torchtitan runs"},
    {"parallel-num", 0, "N", "runs at a time"},
    {"time-limit", 0, "TIME", "end a run after TIME, as in 90s, 5m, 1h30m (none)"},
    {"grace", 0, "TIME", "time from SIGTERM to SIGKILL (10s)"},
    {"retry-failed", 0, NULL, "run failed configurations again"},
    {"skip-steps", 0, "N", "ignore the first N steps of each profile (0)"},
    {"micro-batches", 0, "N", "micro-batches per step of the profiled runs (from the profile)"},
    {"attention-forward", 0, "TEXT", "part of the name of the attention kernel (known names)"},
    {"attention-backward", 0, "TEXT", "part of the name of its backward kernel (known names)"},
    {"preset", 0, "NAME", "search space and filters: classic, zero, fsdp or megatron (zero)"},
    {"strategy", 0, "WORDS", "degrees to vary: dp tp pp ep cp fsdp =on or =off (all but cp)"},
    {"filters", 0, "NAMES", "use these filters, in this order"},
    {"add-filter", 0, "NAME", "add a filter at the end of the list; may be repeated"},
    {"drop-filter", 0, "NAME", "remove a filter from the list; may be repeated"},
    {"rule", 0, "NAME=off", "turn a legality rule off or on; may be repeated"},
    {"tp-max", 0, "N", "largest tp"},
    {"ep-max", 0, "N", "largest ep"},
    {"pp-max", 0, "N", "largest pp"},
    {"vp-max", 0, "N", "largest vp"},
    {"large", 0, "N", "number of devices from which filter sp_large requires sp"},
    {"test-ep", 0, "A,B", "the two expert-parallel degrees of the dry runs (8,16)"},
    {"top", 'k', "N", "best configurations to show and write (10)"},
    {"max-vpp", 0, "N", "try up to N chunks per stage (3)"},
    {"select", 0, "y|n", "allow selective recompute (y)"},
    {"full", 0, "y|n", "allow full recompute (y)"},
    {"low-mem", 0, "y|n", "interleaved: use the shorter warm-up"},
    {"time", 't', "SECONDS", "time limit per pipeline program (none)"},
    {"threads", 'j', "N", "worker threads of the ranking"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is the configuration of a framework: MindFormers YAML, a Megatron or MindSpeed launch\n"
    "script, or torchtitan TOML. The stages are:\n"
    "\n"
    "  search   candidates by the models, and configurations of dry runs: DIR/dryrun_yaml\n"
    "  dryrun   the dry runs, which measure memory: DIR/dryrun\n"
    "  fit      candidates that fit in memory, and configurations to profile: DIR/profile_yaml\n"
    "  profile  the profiles: DIR/profile\n"
    "  parse    layer times of the profiles: DIR/profile_ratios.csv\n"
    "  rank     layers per stage, ranking, and the best configurations: DIR/result\n"
    "\n"
    "Every stage is a command of its own, which auto prints. The same auto command skips stages\n"
    "that are complete, so it resumes after an interruption. A stage is repeated if FILE or the\n"
    "command of the stage changes.\n"
    "\n"
    "Without --command or the folder of a framework, auto stops before dryrun and profile and\n"
    "prints the commands to run where the framework is installed. Copy their logs back to\n"
    "DIR/dryrun/logs and DIR/profile/logs, and repeat the auto command.\n"
    "\n"
    "  ppsweep nd auto pretrain.yaml -n 1024 --rank-num 64 -o out --mindformers-dir ~/mindformers\n"
    "  ppsweep nd auto pretrain.yaml -n 1024 --skip dryrun --skip profile -o out\n";

struct workflow {
    const struct pps_args *args;
    const char *folder;
    bool skipped[ND_N_STAGES];
    bool launcher; // a framework can be started
    enum nd_stage last;
    struct nd_workflow_state state;
};

// ---- options ------------------------------------------------------------------------------------

static enum pps_status read_skips(struct workflow *w, struct pps_error *err)
{
    const char *name;
    for (int i = 0; (name = pps_arg_nth(w->args, "skip", i)) != NULL; i++) {
        const enum nd_stage stage = nd_stage_find(name);
        if (stage != ND_STAGE_DRYRUN && stage != ND_STAGE_PROFILE)
            return pps_fail(err, PPS_E_INPUT, "--skip %s: expected dryrun or profile", name);
        w->skipped[stage] = true;
    }
    w->skipped[ND_STAGE_PARSE] = w->skipped[ND_STAGE_PROFILE];
    return PPS_OK;
}

static enum pps_status read_options(struct workflow *w, struct pps_error *err)
{
    static const char *const launchers[] = {"command", "mindformers-dir", "mindspeed-path",
                                            "torchtitan-path"};
    const char *until = pps_arg(w->args, "until");
    w->folder = pps_arg(w->args, "output");
    w->last = until != NULL ? nd_stage_find(until) : ND_STAGE_RANK;
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++)
        w->launcher = w->launcher || pps_arg(w->args, launchers[k]) != NULL;
    if (w->folder == NULL || strlen(w->folder) > 3000)
        return pps_fail(err, PPS_E_INPUT, "--output: missing; write -o DIR");
    if (w->last == ND_N_STAGES)
        return pps_fail(err, PPS_E_INPUT,
                        "--until %s: expected search, dryrun, fit, profile, parse or rank",
                        until);
    return read_skips(w, err);
}

// Returns a digest of the files that the words name, or of the words.
static enum pps_status digest_input(const struct pps_args *args, uint64_t *digest,
                                    struct pps_error *err)
{
    *digest = 0;
    for (int k = 0; k < pps_arg_words(args); k++) {
        const char *word = pps_arg_word(args, k);
        char *text = NULL;
        size_t n = 0;
        *digest = XXH64(word, strlen(word), *digest);
        if (strpbrk(word, "./") == NULL)
            continue;
        const enum pps_status status =
            pps_whole_file_read(word, PLAN_DOCUMENT_MAX, &text, &n, err);
        if (status != PPS_OK)
            return status;
        *digest = XXH64(text, n, *digest);
        free(text);
    }
    return PPS_OK;
}

// ---- stages -------------------------------------------------------------------------------------

static bool has_files(const char *path)
{
    bool any = false;
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder != NULL && !any && (e = readdir(folder)) != NULL;)
        any = e->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return any;
}

// Refuses to start runs if no configurations were written.
static enum pps_status check_configurations(const struct workflow *w, enum nd_stage stage,
                                            struct pps_error *err)
{
    char folder[PLAN_PATH];
    const bool dry_runs = stage == ND_STAGE_DRYRUN;
    snprintf(folder, sizeof folder, "%s/%s", w->folder,
             dry_runs ? "dryrun_yaml" : "profile_yaml");
    if (has_files(folder))
        return PPS_OK;
    if (dry_runs)
        return pps_fail(err, PPS_E_INPUT,
                        "dry runs need the configuration of a framework (MindFormers YAML, a "
                        "Megatron or MindSpeed launch script, torchtitan TOML); name one, or "
                        "write --skip dryrun --skip profile");
    return pps_fail(err, PPS_E_INFEASIBLE,
                    "no configuration to profile fits on --rank-num devices; raise --rank-num, "
                    "or write --skip profile");
}

// Without a framework: takes the logs that were copied to the folder, or stops with the command to
// run elsewhere.
static enum pps_status run_elsewhere(const struct workflow *w, enum nd_stage stage,
                                     const char *text, struct pps_error *err)
{
    char logs[PLAN_PATH];
    snprintf(logs, sizeof logs, "%s/%s/logs", w->folder, nd_stage_name(stage));
    if (has_files(logs)) {
        pps_say(stdout, "          reads the logs in %s", logs);
        return PPS_OK;
    }
    fflush(stdout);
    return pps_fail(err, PPS_E_STOPPED,
                    "no framework is named (--command 'bash {file}', --mindformers-dir, "
                    "--mindspeed-path or --torchtitan-path). Where it is installed, run: %s "
                    "--command 'bash {file}'; copy its logs to %s and repeat this command",
                    text, logs);
}

static enum pps_status run_line(struct nd_stage_line *line, struct pps_error *err)
{
    struct pps_args *args = NULL;
    bool done = false;
    enum pps_status status =
        pps_args_parse(&args, line->command, NULL, "ppsweep", line->n, line->words, &done, err);
    if (status == PPS_OK)
        status = line->command->main(args, err);
    fflush(stdout);
    pps_args_free(args);
    return status;
}

// Some of many runs may fail; the others are used.
static enum pps_status run_here(struct nd_stage_line *line, enum nd_stage stage, bool forced,
                                struct pps_error *err)
{
    if (forced &&
        !nd_stage_runs(stage)) // --force of a stage that runs a framework runs all again
        nd_stage_line_force(line);
    const enum pps_status status =
        line->failed ? pps_fail_memory(err, "the command line") : run_line(line, err);
    if (status != PPS_E_POINTS || !nd_stage_runs(stage))
        return status;
    pps_say(stderr, "note      %s; the workflow continues with the others", err->text);
    return PPS_OK;
}

static enum pps_status run_stage(struct workflow *w, enum nd_stage stage,
                                 struct nd_stage_line *line, const char *text,
                                 struct pps_error *err)
{
    printf("%sstage %d/%d %s: ", stage > 0 ? "\n" : "", (int)stage + 1, ND_N_STAGES,
           nd_stage_name(stage));
    if (nd_workflow_state_has(&w->state, stage, text)) {
        printf("complete\n");
        return PPS_OK;
    }
    pps_say(stdout, "%s", text);
    fflush(stdout);
    enum pps_status status =
        nd_stage_runs(stage) ? check_configurations(w, stage, err) : PPS_OK;
    if (status == PPS_OK)
        status = nd_stage_runs(stage) && !w->launcher
                     ? run_elsewhere(w, stage, text, err)
                     : run_here(line, stage, pps_arg(w->args, "force") != NULL, err);
    if (status == PPS_OK)
        status = nd_workflow_state_set(&w->state, w->folder, stage, text, err);
    return status;
}

static enum pps_status do_stage(struct workflow *w, enum nd_stage stage, struct pps_error *err)
{
    struct nd_stage_line line;
    nd_stage_line_build(&line, stage, w->args, w->folder, !w->skipped[ND_STAGE_DRYRUN],
                        !w->skipped[ND_STAGE_PROFILE]);
    char *text = line.failed ? NULL : nd_stage_line_text(&line);
    enum pps_status status = PPS_OK;
    if (text == NULL)
        status = pps_fail_memory(err, "the command line");
    else if (pps_arg(w->args, "list") != NULL)
        pps_say(stdout, "%s", text);
    else
        status = run_stage(w, stage, &line, text, err);
    free(text);
    nd_stage_line_free(&line);
    return status;
}

static bool any_strategy(void *self, const cJSON *strategy, struct pps_fault *fault)
{
    (void)self;
    (void)strategy;
    (void)fault;
    return true;
}

// What the ranking refuses is refused before runs of hours.
static enum pps_status check_schedule(const struct workflow *w, struct pps_error *err)
{
    const struct plan_strategy_reader strategy = {any_strategy, NULL};
    struct plan_run opened;
    if (w->last < ND_STAGE_RANK)
        return PPS_OK;
    enum pps_status status = plan_run_open(&opened, w->args, &strategy, err);
    if (status != PPS_OK)
        return status;
    status = plan_run_check_schedule(&opened, err);
    plan_run_close(&opened);
    return status;
}

static enum pps_status run(struct workflow *w, struct pps_error *err)
{
    uint64_t input = 0;
    const bool list = pps_arg(w->args, "list") != NULL;
    enum pps_status status = digest_input(w->args, &input, err);
    if (status == PPS_OK)
        status = check_schedule(w, err);
    if (status == PPS_OK && !list)
        status = pps_disk_make_folder(w->folder, err);
    if (status == PPS_OK)
        status = nd_workflow_state_open(&w->state, w->folder, input,
                                        pps_arg(w->args, "force") != NULL, err);
    if (status != PPS_OK)
        return status;
    for (int s = 0; s <= (int)w->last && status == PPS_OK; s++)
        if (!w->skipped[s])
            status = do_stage(w, (enum nd_stage)s, err);
    nd_workflow_state_close(&w->state);
    return status;
}

static enum pps_status auto_main(const struct pps_args *args, struct pps_error *err)
{
    struct workflow w = {.args = args};
    const enum pps_status status = read_options(&w, err);
    return status == PPS_OK ? run(&w, err) : status;
}

const struct pps_command nd_auto_command = {
    .name = "nd auto",
    .summary = "the whole workflow: search, dry runs, profiles, ranking, best configurations",
    .usage = "[options] -o DIR FILE [CLUSTER]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .main = auto_main,
};
