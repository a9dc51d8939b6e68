// SPDX-License-Identifier: Apache-2.0
// ppsweep sensitivity: says which parameters of a result matter, and how much.
#include "engine/sensitivity/sensitivity.h"

#include "base/text/characters.h"
#include "base/text/say.h"
#include "base/write/new_file.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/report/progress.h"
#include "engine/cli/verbs.h"
#include "engine/sensitivity/sensitivity_text.h"
#include "engine/sensitivity/tornado.h"

#include <string.h>

static const struct pps_opt options[] = {
    {"objective", 0, "COLUMN", "result to explain (main result of the kernel)"},
    {"by", 0, "COLUMNS",
     "one analysis per group of equal COLUMNS, or none (parameters that change the work)"},
    {"output", 'o', "FILE", "write a picture, NAME.svg or NAME.png, or the numbers, NAME.csv"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    {"json", 0, NULL, "print the numbers as JSON instead of tables"},
    {"resamples", 0, "N",
     "bootstrap resamples for the intervals of designs (saltelli, morris); 0: none (1000)"},
    {"seed", 0, "N", "seed of the bootstrap (0)"},
    {"input", 'i', "SLOT=FILE", "input document, if the manifest of a design does not hold it"},
    {"threads", 'j', "N", "number of worker threads (all CPUs this process may use)"},
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, .csv, .parquet or - (stdin). Filters such as n=8,16 gpus=4 keep\n"
    "only rows with these values. What can be said depends on the rows:\n"
    "\n"
    "  a full grid       exact shares of the variance: of each parameter alone (first) and\n"
    "                    with all of its interactions (total), and the means by value\n"
    "  --sample saltelli:N  the same shares, estimated (Saltelli 2010, Jansen 1999), with\n"
    "                    intervals; N (d + 2) draws for d axes\n"
    "  --sample morris:N  elementary effects (Morris 1991) with intervals; N (d + 1) draws\n"
    "  any other sample  first-order shares, estimated, with intervals; no total shares\n"
    "\n"
    "Parameters that vary together, such as weights that add up to 1, are one factor. Rows\n"
    "without a value are left out and counted. Parameters that change the amount of work (n of\n"
    "contention) divide the rows into groups, unless --by says otherwise.\n"
    "\n"
    "-o x.svg draws a tornado: the mean of the objective at the best and the worst value of\n"
    "each parameter, or the estimates with their intervals.\n"
    "\n"
    "  ppsweep -c sweep_configs/02-paper.json && ppsweep sensitivity outputs/data/02-paper-*.csv.gz\n"
    "  ppsweep -c e.json --sample saltelli:1000 -o s.csv.gz && ppsweep sensitivity s.csv.gz -o s.svg\n";

static enum pps_status fill_ask(const struct pps_args *args, struct pps_sensitivity_ask *ask,
                                const char **words, struct pps_error *err)
{
    uint64_t resamples = PPS_RESAMPLES;
    ask->objective = pps_arg(args, "objective");
    ask->by = pps_arg(args, "by");
    enum pps_status status = pps_arg_count(args, "resamples", 0, 1000000, &resamples, err);
    if (status == PPS_OK)
        status =
            pps_arg_count(args, "seed", 0, ((uint64_t)1 << 53) - 1, &ask->bootstrap.seed, err);
    if (status == PPS_OK)
        status = pps_request_inputs(args, words, &ask->inputs, err);
    if (status == PPS_OK)
        status = pps_request_threads(args, &ask->bootstrap.threads, err);
    ask->bootstrap.resamples = (uint32_t)resamples;
    ask->bootstrap.stop = ask->view.watch.stop;
    ask->view.watch.ahead = ask->bootstrap.threads > 1;
    return status;
}

enum output { TO_STDOUT, TO_CSV, TO_PICTURE };

static enum pps_status choose_output(const struct pps_args *args, enum output *output,
                                     struct pps_error *err)
{
    const char *path = pps_arg(args, "output");
    *output = TO_STDOUT;
    if (path == NULL)
        return PPS_OK;
    *output = pps_ends_with(path, ".csv") ? TO_CSV : TO_PICTURE;
    if (*output == TO_PICTURE && !pps_ends_with(path, ".svg") && !pps_ends_with(path, ".png"))
        return pps_fail(err, PPS_E_INPUT, "-o %s: end the name in .svg, .png or .csv", path);
    return pps_gate_check(pps_arg_gate(args), path, err);
}

static enum pps_status write_csv(const struct pps_args *args, const struct pps_sensitivity *s,
                                 struct pps_error *err)
{
    struct pps_new_file file;
    const enum pps_status status =
        pps_new_file_open(&file, pps_arg(args, "output"), pps_arg_gate(args), err);
    if (status != PPS_OK)
        return status;
    pps_sensitivity_csv(s, file.out);
    return pps_new_file_close(&file, err);
}

static enum pps_status print_table(const struct pps_args *args, const struct pps_sensitivity *s,
                                   struct pps_error *err)
{
    struct pps_new_file file;
    enum pps_status status = pps_new_file_open(&file, NULL, pps_arg_gate(args), err);
    if (status != PPS_OK)
        return status;
    status = pps_sensitivity_table(s, file.out, err);
    return pps_new_file_end(&file, status, err);
}

static enum pps_status report(const struct pps_args *args, const struct pps_sensitivity *s,
                              enum output output, const struct pps_sensitivity_ask *ask,
                              struct pps_error *err)
{
    const char *path = pps_arg(args, "output");
    enum pps_status status = PPS_OK;
    if (output == TO_CSV)
        status = write_csv(args, s, err);
    if (output == TO_PICTURE)
        status = pps_tornado_draw(s, path, ask->view.path, pps_arg_gate(args),
                                  ask->bootstrap.stop, err);
    if (status == PPS_OK && pps_arg(args, "json") != NULL)
        pps_sensitivity_json(s, stdout);
    else if (status == PPS_OK && output == TO_STDOUT)
        status = print_table(args, s, err);
    else if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        pps_say(stdout, "%s", path);
    return status;
}

static enum pps_status sensitivity_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_sensitivity_ask ask = {.objective = NULL};
    struct pps_sensitivity s = {.n_groups = 0};
    struct pps_read_progress progress = {.kind = PPS_PROGRESS_NEVER};
    const char *words[PPS_MAX_INPUT_WORDS];
    enum output output;
    enum pps_status status = pps_result_arguments_view(args, &ask.view, err);
    if (status == PPS_OK)
        status = choose_output(args, &output, err);
    if (status == PPS_OK)
        status = pps_read_progress_begin(&progress, args, &ask.view.watch, false, err);
    if (status == PPS_OK)
        status = fill_ask(args, &ask, words, err);
    if (status == PPS_OK)
        status = pps_sensitivity_open(&s, &ask, err);
    pps_read_progress_end(&progress);
    if (status == PPS_OK)
        status = report(args, &s, output, &ask, err);
    pps_sensitivity_free(&s);
    pps_result_arguments_free(&ask.view);
    return status;
}

const struct pps_command pps_command_sensitivity = {
    .name = "sensitivity",
    .summary = "say which parameters of a result matter: shares of variance, effects, tornado",
    .usage = "[options] RESULT [column=value...]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .kernels = true,
    .main = sensitivity_main,
};
