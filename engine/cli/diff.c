// SPDX-License-Identifier: Apache-2.0
// ppsweep diff: compares two results.
#include "engine/cli/verbs.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/new_file.h"
#include "engine/cli/options/picture_options.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/report/progress.h"
#include "engine/compare/compare_text.h"

#include <string.h>
#include <unistd.h>

static const struct pps_opt options[] = {
    {"value", 0, "COLUMNS", "columns to compare (main result of the kernel)"},
    {"goal", 0, "lower|higher", "which values are better (default of the column, else lower)"},
    {"on", 0, "COLUMNS", "columns that identify a row (parameters that both results show)"},
    {"best", 0, NULL, "of several rows with equal columns, compare the best"},
    {"a", 0, "FILTER", "use only these rows of A; may be repeated"},
    {"b", 0, "FILTER", "use only these rows of B; may be repeated"},
    {"count", 'k', "N", "number of rows to print: the greatest changes (10)"},
    {"output", 'o', "FILE", "write all compared rows to FILE, NAME.csv or NAME.csv.gz"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    PPS_LET_OPTION,
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "do not print the summary"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "A and B are results: NAME.csv.gz, .csv or .parquet; one may be - (stdin). Rows are joined\n"
    "on the parameters that both results show. A parameter that has one value in A and another\n"
    "value in B is set apart: it is what the comparison is about. Filters after B keep rows of\n"
    "both results.\n"
    "\n"
    "The summary on stderr counts the rows that B makes better or worse, and gives the range of\n"
    "b/a and its geometric mean. diff prints the rows that changed most; -o writes all of them\n"
    "with the columns NAME_a, NAME_b, NAME_diff (b - a) and NAME_ratio (b / a), which top, slice\n"
    "and plot read.\n"
    "\n"
    "A comparison of values of one parameter in one result names the result twice. With --on\n"
    "and --best, diff compares the best rows of both results over all other parameters.\n"
    "\n"
    "  ppsweep diff before.csv.gz after.csv.gz\n"
    "  ppsweep diff r.csv.gz r.csv.gz --a sync_freq=1 --b sync_freq=2 -o change.csv\n"
    "  ppsweep diff one.csv.gz two.csv.gz --on n,gpus --best\n"
    "  ppsweep plot change.csv --value total_time_ratio --reduce min\n";

struct diff {
    const struct pps_args *args;
    struct pps_compare_ask ask;
    struct pps_compare compare;
    uint64_t k;
};

static enum pps_status fill_ask(struct diff *diff, struct pps_error *err)
{
    const struct pps_args *args = diff->args;
    diff->ask.on = pps_arg(args, "on");
    diff->ask.values = pps_arg(args, "value");
    diff->ask.best = pps_arg(args, "best") != NULL;
    enum pps_status status = pps_result_arguments_side(args, 0, 2, "a", &diff->ask.a, err);
    if (status == PPS_OK)
        status = pps_result_arguments_side(args, 1, 2, "b", &diff->ask.b, err);
    if (status == PPS_OK)
        status = pps_goal_option(args, &diff->ask.goal, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "count", 0, UINT32_MAX, &diff->k, err);
    if (status == PPS_OK && strcmp(diff->ask.a.path, "-") == 0 &&
        strcmp(diff->ask.b.path, "-") == 0)
        status = pps_fail(err, PPS_E_INPUT, "only one of the results can be stdin (-)");
    return status;
}

static enum pps_status write_file(const struct diff *diff, struct pps_error *err)
{
    struct pps_new_file file;
    const char *path = pps_arg(diff->args, "output");
    enum pps_status status = pps_new_file_open(&file, path, pps_arg_gate(diff->args), err);
    if (status != PPS_OK)
        return status;
    status = pps_compare_write(&diff->compare, file.out, err);
    return pps_new_file_end(&file, status, err);
}

static enum pps_status print_top(const struct diff *diff, struct pps_error *err)
{
    uint64_t left = 0;
    const enum pps_status status =
        pps_compare_top(&diff->compare, diff->k, stdout, isatty(STDOUT_FILENO), &left, err);
    if (status == PPS_OK && left > 0 && pps_arg(diff->args, "quiet") == NULL)
        pps_say(stderr, "changes   %s more rows changed less (-k N, -o FILE)",
                pps_count_text((double)left).text);
    return status;
}

static void say_result(const struct diff *diff, const char *path)
{
    pps_say(stderr, "result    %s", path);
    pps_say_part(stderr, "next      ppsweep plot ");
    pps_say_word(stderr, path, SIZE_MAX);
    pps_say(stderr, " --value %s_ratio", diff->compare.values[0].name);
}

static enum pps_status run(struct diff *diff, struct pps_error *err)
{
    const char *path = pps_arg(diff->args, "output");
    const bool rows_only = path != NULL && strcmp(path, "-") == 0;
    if (pps_arg(diff->args, "quiet") == NULL)
        pps_compare_summary(&diff->compare, stderr);
    enum pps_status status = path != NULL ? write_file(diff, err) : PPS_OK;
    if (status == PPS_OK && !rows_only)
        status = print_top(diff, err);
    if (status == PPS_OK && path != NULL && !rows_only && pps_arg(diff->args, "quiet") == NULL)
        say_result(diff, path);
    return status;
}

static enum pps_status check_output(const struct diff *diff, struct pps_error *err)
{
    const char *path = pps_arg(diff->args, "output");
    return path != NULL && strcmp(path, "-") != 0
               ? pps_gate_check(pps_arg_gate(diff->args), path, err)
               : PPS_OK;
}

static enum pps_status diff_main(const struct pps_args *args, struct pps_error *err)
{
    struct diff diff = {.args = args, .k = 10};
    struct pps_read_progress progress = {.kind = PPS_PROGRESS_NEVER};
    enum pps_status status = fill_ask(&diff, err);
    if (status == PPS_OK)
        status = check_output(&diff, err);
    if (status == PPS_OK)
        status = pps_read_progress_begin(&progress, args, &diff.ask.a.watch, false, err);
    diff.ask.b.watch = diff.ask.a.watch;
    if (status == PPS_OK)
        status = pps_compare_open(&diff.compare, &diff.ask, err);
    pps_read_progress_end(&progress);
    if (status == PPS_OK)
        status = run(&diff, err);
    pps_compare_close(&diff.compare);
    pps_result_arguments_free(&diff.ask.a);
    pps_result_arguments_free(&diff.ask.b);
    return status;
}

const struct pps_command pps_command_diff = {
    .name = "diff",
    .summary = "compare two results row by row: what changed, where, and how much",
    .usage = "[options] A B [column=value...]",
    .details = details,
    .options = options,
    .min_words = 2,
    .max_words = -1,
    .kernels = true,
    .main = diff_main,
};
