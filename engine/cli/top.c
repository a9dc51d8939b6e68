// SPDX-License-Identifier: Apache-2.0
// ppsweep top: prints the best rows of a result.
#include "engine/read/top.h"
#include "base/text/human.h"
#include "base/text/say.h"

#include "base/write/new_file.h"
#include "engine/cli/options/picture_options.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/report/progress.h"
#include "engine/cli/verbs.h"
#include "engine/picture/pareto.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct pps_opt options[] = {
    {"count", 'k', "N", "number of rows, per group (10)"},
    {"objective", 0, "COLUMN", "column to rank by (main result of the kernel)"},
    {"goal", 0, "lower|higher", "which values are better (default of the column, else lower)"},
    {"by", 0, "COLUMNS",
     "rank per group of equal COLUMNS, or none (parameters that change the work)"},
    {"ties", 0, NULL, "also write all rows equal to the last of the N"},
    {"pareto", 0, "A,B", "Pareto front of two columns"},
    {"all", 0, NULL, "sort all rows; rows without a result come last"},
    {"output", 'o', "FILE", "write to FILE, NAME.csv or NAME.csv.gz (stdout)"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    PPS_LET_OPTION,
    PPS_BASELINE_OPTION,
    PPS_READ_AHEAD_OPTION,
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, .csv, .parquet or - (stdin). A filter keeps only some rows: n=8,\n"
    "sync_freq=1,2, n=8..16, or a rule such as 'n <= 16'.\n"
    "\n"
    "Rows with equal values keep the order of the result. Groups are written in the order in\n"
    "which they first appear. On a terminal, top aligns the columns; otherwise it writes CSV\n"
    "with the header of the result.\n"
    "\n"
    "On stderr, top reports how many rows are equal to the best row, and which parameter\n"
    "values all of them share. It compares values as written in the result (see ppsweep run\n"
    "--digits).\n"
    "\n"
    "--let NAME=EXPR adds a column that is computed from the columns before it, with the\n"
    "operators and functions of rules. Filters, --objective, --by and later --let may use it.\n"
    "Its cell is empty where the expression has no finite value.\n"
    "\n"
    "--baseline p_fwd_prop=1,p_grad_sync=1 adds two columns: the value of the same point with\n"
    "these parameters, which the kernel computes, and by how many percent the row is better.\n"
    "--baseline default takes what the kernel states (ppsweep kernels KERNEL).\n"
    "\n"
    "--pareto A,B writes the Pareto front of two columns, sorted by A: the rows that no other\n"
    "row beats in both columns. Smaller values are better, unless the kernel declares the\n"
    "opposite or the command contains max:A or max:B. Rows without a value in A or B are\n"
    "skipped. If rows are equal in both columns, only the first row is written.\n"
    "\n"
    "  ppsweep top outputs/data/first.csv.gz -k 3 --by n\n"
    "  ppsweep top outputs/data/first.csv.gz --pareto total_time,max:port_utilization --by n\n"
    "  ppsweep top outputs/data/first.csv.gz --let 'per_n=total_time/n' --objective per_n\n"
    "  ppsweep top outputs/data/first.csv.gz -k 1 --by n --baseline default\n"
    "  ppsweep top outputs/data/first.csv.gz --all -o sorted.csv.gz\n";

static enum pps_status check_output(const char *path, struct pps_error *err)
{
    const size_t n = path == NULL ? 0 : strlen(path);
    if (path == NULL || strcmp(path, "-") == 0)
        return PPS_OK;
    if ((n > 4 && strcmp(path + n - 4, ".csv") == 0) ||
        (n > 7 && strcmp(path + n - 7, ".csv.gz") == 0))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "-o %s: end the name in .csv or .csv.gz", path);
}

static enum pps_status fill_ask(const struct pps_args *args, struct pps_top_ask *ask,
                                struct pps_error *err)
{
    ask->objective = pps_arg(args, "objective");
    ask->by = pps_arg(args, "by");
    ask->ties = pps_arg(args, "ties") != NULL;
    ask->talk = pps_arg(args, "quiet") != NULL ? NULL : stderr;
    ask->all = pps_arg(args, "all") != NULL;
    if (ask->all && (ask->by != NULL || pps_arg(args, "count") != NULL || ask->ties))
        return pps_fail(err, PPS_E_INPUT, "--all sorts every row; remove %s",
                        ask->by != NULL ? "--by"
                        : ask->ties     ? "--ties"
                                        : "-k");
    enum pps_status status = pps_arg_count(args, "count", 1, UINT32_MAX, &ask->k, err);
    if (status == PPS_OK)
        status = pps_goal_option(args, &ask->goal, err);
    if (status == PPS_OK)
        status = check_output(pps_arg(args, "output"), err);
    return status;
}

// Returns the folder of a path, for temporary files; the caller frees it.
static char *folder_of(const char *path)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    if (slash == NULL)
        return strdup(path == NULL || strcmp(path, "-") == 0 ? "/tmp" : ".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static void say_no_rows(const struct pps_args *args)
{
    fprintf(stderr, pps_arg_words(args) > 1 ? "ppsweep: no row passes the filters\n"
                                            : "ppsweep: the result has no rows\n");
}

static void report(const struct pps_args *args, const struct pps_top_count *count)
{
    if (pps_arg(args, "quiet") != NULL)
        return;
    if (count->rows == 0)
        say_no_rows(args);
    else if (count->valued == 0)
        pps_say(stderr, "ppsweep: none of %s rows has a value of %s",
                pps_count_text((double)count->rows).text, count->objective);
    else if (pps_arg(args, "output") != NULL)
        pps_say(stderr, "ppsweep: %s of %s rows, by %s (%s is better)",
                pps_count_text((double)count->written).text,
                pps_count_text((double)count->rows).text, count->objective,
                count->higher ? "higher" : "lower");
}

static enum pps_status write_top(const struct pps_args *args, struct pps_top_ask *ask,
                                 struct pps_error *err)
{
    struct pps_new_file file;
    struct pps_top_count count;
    const char *path = pps_arg(args, "output");
    enum pps_status status = pps_new_file_open(&file, path, pps_arg_gate(args), err);
    if (status != PPS_OK)
        return status;
    ask->out = file.out;
    ask->table = !ask->all && file.path == NULL && isatty(STDOUT_FILENO);
    status = pps_top(ask, &count, err);
    status = pps_new_file_end(&file, status, err);
    if (status == PPS_OK)
        report(args, &count);
    return status;
}

// ---- the Pareto front -------------------------------------------------------------------------

static enum pps_status check_pareto(const struct pps_args *args, struct pps_error *err)
{
    static const char *const others[] = {"all", "count", "objective", "ties"};
    if (pps_arg(args, "goal") != NULL)
        return pps_fail(err, PPS_E_INPUT, "--pareto takes goals as max:%s; remove --goal",
                        pps_arg(args, "pareto"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pps_arg(args, others[i]) != NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "--pareto writes the whole front of its two columns; remove --%s",
                            others[i]);
    return check_output(pps_arg(args, "output"), err);
}

static void report_pareto(const struct pps_args *args, const struct pps_pareto *pareto)
{
    if (pps_arg(args, "quiet") != NULL)
        return;
    const struct pps_view_column *columns = pareto->view.columns;
    if (pareto->rows == 0)
        say_no_rows(args);
    else if (pareto->valued == 0)
        pps_say(stderr, "ppsweep: none of %s rows has numbers in both %s and %s",
                pps_count_text((double)pareto->rows).text, columns[pareto->x.column].name,
                columns[pareto->y.column].name);
    else
        pps_say(stderr,
                "ppsweep: %s of %s rows, by %s and %s (%s and %s are better); %s more are "
                "equal to one of these rows",
                pps_count_text((double)pareto->kept).text,
                pps_count_text((double)pareto->rows).text, columns[pareto->x.column].name,
                columns[pareto->y.column].name, pareto->x.higher ? "higher" : "lower",
                pareto->y.higher ? "higher" : "lower",
                pps_count_text((double)pareto->equal).text);
}

static enum pps_status pareto_main(const struct pps_args *args, const struct pps_view_ask *view,
                                   struct pps_error *err)
{
    const struct pps_pareto_ask ask = {
        .view = *view,
        .columns = pps_arg(args, "pareto"),
        .by = pps_arg(args, "by"),
    };
    struct pps_new_file file = {.out = NULL};
    struct pps_pareto pareto = {.rows = 0};
    enum pps_status status = check_pareto(args, err);
    if (status == PPS_OK)
        status = pps_new_file_open(&file, pps_arg(args, "output"), pps_arg_gate(args), err);
    if (status == PPS_OK)
        status = pps_pareto_open(&pareto, &ask, err);
    if (status == PPS_OK)
        status = pps_pareto_write(&pareto, file.out, file.path == NULL && isatty(STDOUT_FILENO),
                                  err);
    status = pps_new_file_end(&file, status, err);
    if (status == PPS_OK)
        report_pareto(args, &pareto);
    pps_pareto_close(&pareto);
    return status;
}

// -----------------------------------------------------------------------------------------------

static enum pps_status top_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_top_ask ask = {.k = 10, .memory_bytes = PPS_TOP_MEMORY};
    char *folder = folder_of(pps_arg(args, "output"));
    struct pps_baseline *baseline = NULL;
    struct pps_read_progress progress = {.kind = PPS_PROGRESS_NEVER};
    enum pps_status status = pps_result_arguments_view(args, &ask.view, err);
    if (status == PPS_OK)
        status = pps_read_progress_begin(&progress, args, &ask.view.watch, false, err);
    if (status == PPS_OK)
        status = pps_read_ahead_option(args, &ask.view.watch, err);
    if (status == PPS_OK)
        pps_result_arguments_say_partial(args, &ask.view);
    const bool pareto = pps_arg(args, "pareto") != NULL;
    if (status == PPS_OK)
        status =
            pps_baseline_option(args, pps_arg(args, "objective"), &ask.view, &baseline, err);
    if (status == PPS_OK)
        status = pareto ? pareto_main(args, &ask.view, err) : fill_ask(args, &ask, err);
    ask.folder = folder == NULL ? "." : folder;
    if (status == PPS_OK && !pareto)
        status = write_top(args, &ask, err);
    pps_read_progress_end(&progress);
    if (status == PPS_OK)
        pps_baseline_option_say(args, baseline);
    pps_baseline_close(baseline);
    pps_result_arguments_free(&ask.view);
    free(folder);
    return status;
}

const struct pps_command pps_command_top = {
    .name = "top",
    .summary =
        "print the best rows of a result: overall, per group, Pareto front, or all sorted",
    .usage = "[options] RESULT [column=value...]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .kernels = true,
    .main = top_main,
};
