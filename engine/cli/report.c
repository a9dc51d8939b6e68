// SPDX-License-Identifier: Apache-2.0
// ppsweep report: writes a result as one page to explore.
#include "engine/cli/verbs.h"

#include "base/text/characters.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/new_file.h"
#include "engine/cli/options/picture_options.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/report/progress.h"
#include "engine/picture/pictures.h"
#include "engine/read/coverage.h"
#include "engine/report/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct pps_opt options[] = {
    {"output", 'o', "FILE", "NAME.html, or - for stdout (in the folder of ppsweep plot)"},
    {"objective", 0, "COLUMN", "column to rank by (main result of the kernel)"},
    {"goal", 0, "lower|higher", "which values are better (default of the column, else lower)"},
    {"max-rows", 0, "N", "rows that the page holds; of more rows it holds the best (4000000)"},
    {"timelines", 0, "BYTES", "timelines of other rows, before compression; k, M allowed (1M)"},
    {"follow", 0, "TIME",
     "write the page of an unfinished run every TIME, as 10s, up to its end"},
    PPS_LET_OPTION,
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    PPS_READ_AHEAD_OPTION,
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, .csv, .parquet or - (stdin). A filter keeps only some rows: n=8,\n"
    "sync_freq=1,2, n=8..16, or a rule such as 'n <= 16'.\n"
    "\n"
    "The page opens in any browser and needs no network. It has a heatmap of any three\n"
    "columns with a slider for every other parameter, the best rows, parallel coordinates,\n"
    "Pareto fronts, the effect of every parameter, the manifest, and timelines. A click on a\n"
    "cell shows its best row, the row's timeline, and the command that traces it.\n"
    "\n"
    "The page holds the timelines of the best row of every amount of work and of the same\n"
    "points at the baseline. The timelines of the best rows of the map's cells follow, the\n"
    "best first, up to --timelines BYTES and about half a second of computation.\n"
    "\n"
    "--follow writes the page of RESULT.part again and again until the run is finished. The page\n"
    "reloads itself as often and keeps its view.\n"
    "\n"
    "If there are more rows than --max-rows, the page keeps the best row of every combination\n"
    "of some parameters. It says so, and shows of how many rows each is the best.\n"
    "\n"
    "  ppsweep report outputs/data/first.csv.gz\n"
    "  ppsweep report outputs/data/first.csv.gz n=8 --let 'gain=1-total_time/ideal_time'\n"
    "  ppsweep report outputs/data/first.csv.gz --follow 10s\n";

static enum pps_status choose_path(const struct pps_args *args, const char *result, char **path,
                                   struct pps_error *err)
{
    const char *asked = pps_arg(args, "output");
    char stem[256], folder[4096];
    pps_view_stem(result, stem, sizeof stem);
    pps_picture_folder(result, folder, sizeof folder);
    if (asked != NULL && strcmp(asked, "-") != 0 && !pps_ends_with(asked, ".html") &&
        !pps_ends_with(asked, ".htm"))
        return pps_fail(err, PPS_E_INPUT, "-o %s: end the name in .html", asked);
    if (asked != NULL)
        *path = strdup(asked);
    else if (asprintf(path, "%s/%s.html", folder, stem) < 0)
        *path = NULL;
    return *path == NULL ? pps_fail_memory(err, "the name of the page")
                         : pps_gate_check(pps_arg_gate(args), *path, err);
}

static void say_written(const char *path, const struct pps_page_count *count)
{
    struct stat info;
    char rows[48], total[48], bytes[32] = "";
    pps_human_count((double)count->rows, rows, sizeof rows);
    pps_human_count((double)count->total, total, sizeof total);
    if (stat(path, &info) == 0)
        pps_human_bytes((double)info.st_size, bytes, sizeof bytes);
    if (count->rows < count->total)
        pps_say(stderr, "ppsweep: the page holds the %s best of %s rows", rows, total);
    pps_say(stdout, "%s", path);
    pps_say(stderr, "ppsweep: %s row%s, %d timeline%s, %s", rows, count->rows == 1 ? "" : "s",
            count->timelines, count->timelines == 1 ? "" : "s", bytes);
}

// Writes a page. `turn` differs each time when a page is written several times.
static enum pps_status write_page(const struct pps_args *args, const struct pps_page_ask *ask,
                                  const char *path, uint64_t turn, struct pps_error *err)
{
    struct pps_new_file file;
    struct pps_page_count count;
    struct pps_gate gate = *pps_arg_gate(args);
    gate.maker.run += turn;
    enum pps_status status = pps_new_file_open(&file, path, &gate, err);
    if (status != PPS_OK)
        return status;
    status = pps_page_write(ask, file.out, &count, err);
    status = pps_new_file_end(&file, status, err);
    if (status == PPS_OK && ask->reload == 0 && strcmp(path, "-") != 0 &&
        pps_arg(args, "quiet") == NULL)
        say_written(path, &count);
    return status;
}

// Waits for this number of seconds, or until the command is stopped.
static enum pps_status wait_for(double seconds, const atomic_bool *stop, struct pps_error *err)
{
    const double step = 0.05;
    for (; seconds > 0 && !atomic_load(stop); seconds -= step)
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * step)}, NULL);
    return atomic_load(stop)
               ? pps_fail(err, PPS_E_STOPPED, "stopped; the page is of the unfinished run")
               : PPS_OK;
}

// Writes pages of the rows so far of an unfinished run, until it is finished. Adds their number to *turn.
static enum pps_status follow(const struct pps_args *args, struct pps_page_ask *ask,
                              const char *path, uint64_t *turn, struct pps_error *err)
{
    struct pps_view_ask *view = &ask->rows.view;
    const char *whole = view->path;
    char *part;
    enum pps_status status = PPS_OK;
    if (asprintf(&part, "%s.part", whole) < 0)
        return pps_fail_memory(err, "the name of the result");
    view->path = part;
    while (status == PPS_OK && access(part, F_OK) == 0) {
        struct pps_coverage coverage;
        pps_coverage_read(part, &coverage);
        if (coverage.points > 0)
            status = write_page(args, ask, path, (*turn)++, err);
        if (status == PPS_OK)
            status = wait_for(ask->reload, ask->stop, err);
        else if (status == PPS_E_INPUT && access(part, F_OK) != 0)
            status = PPS_OK; // the run ended while the page was written
    }
    view->path = whole;
    ask->reload = 0;
    free(part);
    return status;
}

static enum pps_status report_main(const struct pps_args *args, struct pps_error *err)
{
    uint64_t most = PPS_PAGE_ROWS, bytes = PPS_PAGE_TIMELINE_BYTES, turn = 0;
    char *path = NULL;
    struct pps_page_ask ask = {.command = pps_arg_line(args)};
    struct pps_read_progress progress = {.kind = PPS_PROGRESS_NEVER};
    struct pps_view_ask *view = &ask.rows.view;
    enum pps_status status = pps_result_arguments_view(args, view, err);
    if (status == PPS_OK)
        status = choose_path(args, view->path, &path, err);
    if (status == PPS_OK)
        status = pps_goal_option(args, &ask.rows.goal, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "max-rows", 1, PPS_PAGE_ROWS, &most, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "timelines", 0, 100000000, &bytes, err);
    if (status == PPS_OK)
        status = pps_read_progress_begin(&progress, args, &view->watch, false, err);
    if (status == PPS_OK)
        status = pps_read_ahead_option(args, &view->watch, err);
    ask.rows.objective = pps_arg(args, "objective");
    ask.rows.most = (size_t)most;
    ask.timeline_bytes = (size_t)bytes;
    ask.stop = view->watch.stop;
    if (status == PPS_OK)
        status = pps_arg_duration(args, "follow", &ask.reload, err);
    if (status == PPS_OK && ask.reload > 0 && pps_ends_with(view->path, ".part"))
        status = pps_fail(err, PPS_E_INPUT, "--follow: name the result without .part");
    if (status == PPS_OK && ask.reload > 0)
        status = follow(args, &ask, path, &turn, err);
    if (status == PPS_OK)
        pps_result_arguments_say_partial(args, view);
    if (status == PPS_OK)
        status = write_page(args, &ask, path, turn, err);
    pps_read_progress_end(&progress);
    pps_result_arguments_free(view);
    free(path);
    return status;
}

const struct pps_command pps_command_report = {
    .name = "report",
    .summary = "write a result as one HTML page to explore, without network",
    .usage = "[options] RESULT [column=value...]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .kernels = true,
    .main = report_main,
};
