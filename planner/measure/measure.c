// SPDX-License-Identifier: Apache-2.0
// ppsweep measure: runs trainings or reads what was measured of them, and makes a stack that explains it.
#include "planner/measure/measure.h"

#include "base/math/units.h"
#include "engine/command/signals.h"
#include "planner/measure/measured.h"
#include "planner/measure/report.h"
#include "planner/measure/stages.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct pps_opt options[] = {
    {"cluster", 0, "NAME|FILE", "devices (those that the files name, else h100)"},
    {"devices", 'n', "N", "number of devices (from the files)"},
    {"log", 0, "FILE|DIR", "log of a training; in the order of the files"},
    {"seconds", 0, "S", "measured time of a step; in the order of the files"},
    {"peak", 0, "GIB", "measured memory of the fullest device; in the order of the files"},
    {"ran-out", 0, "FILE", "this training ran out of memory; may be repeated"},
    {"command", 0, "TEXT", "run the files first, by TEXT, as in 'bash {file}'"},
    {"dry-command", 0, "TEXT",
     "make memory dry runs before, by TEXT, as in 'bash {file} {rank}'"},
    {"time-limit", 0, "TIME", "end a run after TIME, as in 90s, 5m, 1h30m (none)"},
    {"output", 'o', "DIR", "folder of runs, and of the record stack.json (only the report)"},
    {"force", 0, NULL, "overwrite files in DIR even if others wrote or edited them"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is a training as ppsweep check reads it. What was measured of it comes from a log (--log:\n"
    "Megatron-LM, MindFormers, torchtitan, DeepSpeed), from --seconds, --peak and --ran-out, or from runs\n"
    "that the command makes itself: with --command it chains nd dryrun (if --dry-command says how),\n"
    "nd profile and nd parse in DIR, and reads their logs. Several trainings of one software tell more than\n"
    "one.\n"
    "\n"
    "The report says what was learned: one factor of all times, and what the allocator adds to activations;\n"
    "how large the errors were before and are now; and the error of every training by what the others\n"
    "taught, which is the one to expect for other strategies. The record goes to DIR/stack.json:\n"
    "\n"
    "  ppsweep measure train.sh --cluster h100 --log train.log -o measured\n"
    "  ppsweep measure a.sh b.sh --cluster h100 --seconds 12.3 --seconds 10.8 --ran-out c.sh c.sh\n"
    "  ppsweep measure train.sh --cluster h100 --command 'bash {file}' -o measured\n"
    "  ppsweep tune train.sh h100 --stack measured/stack.json\n";

struct measuring {
    const struct pps_args *args;
    const char *folder; // NULL: none
    struct measured list[MEASURED_MOST];
    int n;
};

// ---- figures of the command line ----------------------------------------------------------------

static enum pps_status read_number(const char *option, const char *text, double *value,
                                   struct pps_error *err)
{
    char *end;
    *value = strtod(text, &end);
    if (*end == '\0' && *value > 0 && *value < 1e9)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--%s %s: expected a number above 0", option, text);
}

// More values than files have no training.
static enum pps_status check_count(const struct measuring *m, const char *option,
                                   struct pps_error *err)
{
    const char *more = pps_arg_nth(m->args, option, m->n);
    if (more == NULL)
        return PPS_OK;
    return pps_fail(
        err, PPS_E_INPUT,
        "--%s %s: there are fewer files than values; give at most one --%s for each", option,
        more, option);
}

static enum pps_status take_ends(struct measuring *m, struct pps_error *err)
{
    const char *name;
    for (int i = 0; (name = pps_arg_nth(m->args, "ran-out", i)) != NULL; i++) {
        int k = 0;
        while (k < m->n && strcmp(m->list[k].path, name) != 0)
            k++;
        if (k == m->n)
            return pps_fail(err, PPS_E_INPUT, "--ran-out %s: expected one of the files", name);
        if (pps_arg_nth(m->args, "peak", k) != NULL ||
            pps_arg_nth(m->args, "seconds", k) != NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "--ran-out %s: this training has a --seconds or --peak, too; leave "
                            "them out, and write files that have some first",
                            name);
        m->list[k].end = MEASURED_RAN_OUT;
    }
    return PPS_OK;
}

static enum pps_status take_figures(struct measuring *m, struct pps_error *err)
{
    static const char *const names[] = {"log", "seconds", "peak"};
    enum pps_status status = PPS_OK;
    for (int k = 0; k < 3 && status == PPS_OK; k++)
        status = check_count(m, names[k], err);
    for (int i = 0; i < m->n && status == PPS_OK; i++) {
        struct measured *at = &m->list[i];
        double gib = 0;
        const char *seconds = pps_arg_nth(m->args, "seconds", i);
        const char *peak = pps_arg_nth(m->args, "peak", i);
        const char *log = pps_arg_nth(m->args, "log", i);
        if (seconds != NULL)
            status = read_number("seconds", seconds, &at->seconds, err);
        if (status == PPS_OK && peak != NULL)
            status = read_number("peak", peak, &gib, err);
        if (gib > 0)
            at->peak = gib * UNITS_GIB;
        if (at->seconds > 0 || at->peak > 0)
            at->end = MEASURED_RAN;
        if (status == PPS_OK && log != NULL)
            status = measured_take_log(at, log, err);
    }
    return status == PPS_OK ? take_ends(m, err) : status;
}

static enum pps_status take_runs(struct measuring *m, struct pps_error *err)
{
    enum pps_status status = measure_stages_run(m->args, m->folder, err);
    for (int i = 0; i < m->n && status == PPS_OK; i++) {
        char logs[PLAN_PATH];
        measure_stages_logs(m->folder, m->list[i].path, logs, sizeof logs);
        status = measured_take_log(&m->list[i], logs, err);
    }
    return status;
}

// ---- the command --------------------------------------------------------------------------------

static enum pps_status open_trainings(struct measuring *m, struct pps_error *err)
{
    struct poll poll = {.over = poll_flag, .self = pps_signals_install()};
    const char *cluster = pps_arg(m->args, "cluster");
    enum pps_status status = PPS_OK;
    for (int i = 0; i < m->n && status == PPS_OK; i++) {
        m->list[i].path = pps_arg_word(m->args, i);
        status = training_case_open(&m->list[i].training, m->list[i].path, cluster, m->args,
                                    &poll, err);
    }
    const struct stack *first =
        training_stack(&m->list[0].training.mine.plan.configuration.training);
    for (int i = 1; i < m->n && status == PPS_OK; i++) {
        const struct stack *stack =
            training_stack(&m->list[i].training.mine.plan.configuration.training);
        if (strcmp(stack->name, first->name) != 0)
            status =
                pps_fail(err, PPS_E_INPUT,
                         "%s is a training of stack %s, and %s of %s; measure one software "
                         "at a time",
                         m->list[i].path, stack->name, m->list[0].path, first->name);
    }
    return status;
}

static enum pps_status learn(struct measuring *m, struct pps_error *err)
{
    struct learned learned;
    bool any = false;
    for (int i = 0; i < m->n; i++)
        any = any || measured_any(&m->list[i]);
    if (!any)
        return pps_fail(err, PPS_E_INPUT,
                        "nothing is measured; write --log FILE, --seconds S, --peak GIB or "
                        "--ran-out FILE, or --command TEXT to run the files");
    measured_learn(&learned, m->list, m->n);
    if (learned.scale < 0.01 || learned.scale > 100)
        return pps_fail(
            err, PPS_E_INPUT,
            "measured times are %.3g of the predicted ones, and a scale is 0.01 to 100; "
            "check the unit (write seconds per step)",
            learned.scale);
    return measured_report(&learned, m->list, m->n, m->folder, pps_arg_gate(m->args), err);
}

static enum pps_status run(struct measuring *m, struct pps_error *err)
{
    enum pps_status status = open_trainings(m, err);
    if (status == PPS_OK && m->folder != NULL)
        status = plan_check_folder(m->folder, err);
    if (status == PPS_OK && pps_arg(m->args, "command") != NULL)
        status = take_runs(m, err);
    if (status == PPS_OK)
        status = take_figures(m, err);
    return status == PPS_OK ? learn(m, err) : status;
}

static enum pps_status measure_main(const struct pps_args *args, struct pps_error *err)
{
    struct measuring *m = calloc(1, sizeof *m);
    if (m == NULL)
        return pps_fail_memory(err, "the trainings");
    m->args = args;
    m->n = pps_arg_words(args);
    m->folder = pps_arg(args, "output");
    enum pps_status status =
        pps_arg(args, "command") != NULL && m->folder == NULL
            ? pps_fail(err, PPS_E_INPUT, "--command: runs need a folder; write -o DIR")
            : run(m, err);
    for (int i = 0; i < m->n; i++)
        training_case_close(&m->list[i].training);
    free(m);
    return status;
}

const struct pps_command measure_command = {
    .name = "measure",
    .summary = "learn from measured steps, peaks and failures of trainings; run them first",
    .usage = "[options] FILE...",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = MEASURED_MOST,
    .main = measure_main,
};
