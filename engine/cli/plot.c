// SPDX-License-Identifier: Apache-2.0
// ppsweep plot: draws a result.

#include "engine/cli/options/experiment_options.h"
#include "engine/cli/options/picture_options.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/options/style_options.h"
#include "engine/cli/report/next_commands.h"
#include "engine/cli/report/progress.h"
#include "engine/cli/verbs.h"

#include <string.h>

static const struct pps_opt options[] = {
    {"x", 'x', "COLUMN", "x axis (default of the kernel)"},
    {"y", 'y', "COLUMN", "y axis (default of the kernel)"},
    {"value", 0, "COLUMN", "colour (first result of the kernel)"},
    {"by", 0, "COLUMNS", "one map per group (default of the kernel; one with --reduce)"},
    {"reduce", 0, "HOW", "combine the rows of a cell: min, max, mean, first or last"},
    {"lines", 0, NULL, "draw lines instead of maps: the value over x, one line per y"},
    {"allow-partial", 0, NULL, "allow --reduce mean if cells cover different combinations"},
    PPS_LET_OPTION,
    PPS_BASELINE_OPTION,
    PPS_SCALE_OPTIONS,
    PPS_KIND_OPTIONS,
    {"rows", 0, "COLUMN", "one figure of several maps: a row for each value"},
    {"columns", 0, "COLUMN", "the same: a column for each value"},
    {"no-notes", 0, NULL, "leave out the lines of text below maps and lines"},
    {"triangle", 0, NULL, "draw weights that add up to 1 as a triangle instead of a square"},
    PPS_STYLE_OPTIONS,
    PPS_FILE_OPTIONS,
    {"max-maps", 0, "N", "draw the first N maps; 0 draws all maps (24)"},
    {"threads", 'j', "N", "number of gnuplot processes at a time (all CPUs)"},
    {"force", 0, NULL, "overwrite pictures even if others drew or edited them"},
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "print errors only"},
    {"no-show", 0, NULL, NULL}, // published: opens no window, as plot never does
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, .csv, .parquet or - (stdin). Filters such as n=8,16 gpus=4 keep\n"
    "only rows with these values. plot prints the paths of the pictures. A name consists of\n"
    "the name of the result and the values that distinguish the map from the other maps.\n"
    "From a large result, plot reads only the blocks that can match the filters.\n"
    "\n"
    "plot needs gnuplot. `ppsweep slice` writes the drawn data; the scripts in plot_scripts/\n"
    "draw the output of slice.\n"
    "\n"
    "--reduce min shows the minimum over all parameters except those of --x, --y and --by.\n"
    "Without --reduce and --by, every combination of the other parameters has its own map,\n"
    "unless the kernel declares that a cell shows the best of its rows.\n"
    "\n"
    "--baseline KEY=VALUE,... draws, instead of --value, by how many percent it is better than\n"
    "the value of the same point with these parameters (default: what the kernel states).\n"
    "\n"
    "A cell is hatched if its rows cover other combinations of the remaining parameters than\n"
    "the rows of most cells. plot refuses a mean over these cells unless --allow-partial is\n"
    "given.\n"
    "\n"
    "--rows and --columns draw one figure of several maps with common axes and one scale.\n"
    "Weights that add up to 1 are drawn as a square of two of them; --triangle draws a triangle,\n"
    "in which every cell shows all three.\n"
    "\n"
    "--lines draws a line picture instead of each map: the value over --x, one line for each\n"
    "value of --y. Of more than twelve names, the twelve lines with the best values are drawn.\n"
    "Lines are the default where one or two parameters vary and a map would be one row or one\n"
    "column.\n"
    "\n"
    "--pareto A,B draws all rows (a selection if there are very many) and their Pareto front:\n"
    "the rows that no other row beats in both columns. The numbers at the front are row\n"
    "numbers of the result. --by draws one front per group. max:A means that larger values\n"
    "of A are better.\n"
    "\n"
    "--scatter draws one panel per parameter: the value over the parameter, one point per\n"
    "row. Scatters are the default for samples and lists of points, unless --x, --y, --by or\n"
    "--reduce is given.\n"
    "\n"
    "--stack A,B,C draws one stacked bar for each of the best rows. Labels show the\n"
    "parameters that vary. The columns should add up to a total that has a meaning.\n"
    "`ppsweep kernels KERNEL` lists the named stacks of a kernel.\n"
    "\n"
    "  ppsweep plot outputs/data/first.csv.gz n=8 --format png\n"
    "  ppsweep plot result.csv --x n --y sync_freq --by bwd_len --reduce min\n"
    "  ppsweep plot result.csv --rows sync_freq --columns bwd_len n=8 -o figure.pdf --width 84\n"
    "  ppsweep plot result.csv --lines --x sync_freq --y gpus --reduce min\n"
    "  ppsweep plot result.csv --pareto total_time,peak_in_flight --by gpus\n"
    "  ppsweep plot result.csv --stack time -k 20\n";

static enum pps_status fill_ask(const struct pps_args *args, struct pps_style_words *words,
                                struct pps_picture_gate *gate, struct pps_plot_ask *ask,
                                struct pps_error *err)
{
    uint64_t limit = PPS_PLOT_LIMIT;
    ask->cut.x = pps_arg(args, "x");
    ask->cut.y = pps_arg(args, "y");
    ask->cut.value = pps_arg(args, "value");
    ask->cut.by = pps_arg(args, "by");
    ask->cut.panel_rows = pps_arg(args, "rows");
    ask->cut.panel_columns = pps_arg(args, "columns");
    pps_picture_gate_make(gate, pps_arg_gate(args), ask->cut.view.path);
    ask->pictures.gate = &gate->gate;
    ask->lines = pps_arg(args, "lines") != NULL;
    ask->cut.allow_partial = pps_arg(args, "allow-partial") != NULL;
    ask->pictures.paths = pps_arg(args, "quiet") == NULL ? stdout : NULL;
    enum pps_status status = pps_kind_check(args, err);
    if (status == PPS_OK && ask->lines && pps_kind_asked(args))
        status = pps_fail(
            err, PPS_E_INPUT,
            "--lines cannot be used with --pareto, --stack or --scatter; remove one of them");
    if (status == PPS_OK)
        status = pps_reduce_parse(pps_arg(args, "reduce"), &ask->cut.reduce, err);
    if (status == PPS_OK)
        status = pps_scale_options(args, &ask->cut.scale, err);
    if (status == PPS_OK)
        status = pps_style_options(args, options, words, &ask->pictures, err);
    if (status == PPS_OK && ask->lines && (ask->cut.panel_rows || ask->cut.panel_columns))
        status =
            pps_fail(err, PPS_E_INPUT,
                     "--lines cannot be used with --rows or --columns; remove one of them");
    if (status == PPS_OK)
        status = pps_arg_count(args, "max-maps", 0, UINT32_MAX, &limit, err);
    ask->limit = (size_t)limit;
    return status;
}

static enum pps_status plot_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_plot_ask ask = {0};
    struct pps_plot_count count = {0};
    struct pps_picture_gate gate;
    struct pps_baseline *baseline = NULL;
    struct pps_style_words words = {.command = NULL};
    struct pps_read_progress progress = {.kind = PPS_PROGRESS_NEVER};
    enum pps_status status = pps_result_arguments_view(args, &ask.cut.view, err);
    if (status == PPS_OK)
        status = fill_ask(args, &words, &gate, &ask, err);
    if (status == PPS_OK)
        status = pps_read_progress_begin(&progress, args, &ask.cut.view.watch, false, err);
    if (status == PPS_OK)
        status = pps_request_threads(args, &ask.pictures.threads, err);
    ask.cut.view.watch.ahead = ask.pictures.threads > 1;
    ask.pictures.stop = ask.cut.view.watch.stop;
    if (status == PPS_OK)
        pps_result_arguments_say_partial(args, &ask.cut.view);
    if (status == PPS_OK)
        status = pps_baseline_option(args, ask.cut.value, &ask.cut.view, &baseline, err);
    if (baseline != NULL)
        ask.cut.value = PPS_BASELINE_GAIN;
    if (status == PPS_OK && pps_kind_asked(args))
        status = pps_kind_plot(args, &ask.cut.view, &ask.pictures, err);
    else if (status == PPS_OK)
        status = pps_plot(&ask, &count, err);
    pps_read_progress_end(&progress);
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        pps_plot_report(&count);
    if (status == PPS_OK)
        pps_baseline_option_say(args, baseline);
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        pps_next_report(ask.cut.view.path);
    pps_baseline_close(baseline);
    pps_result_arguments_free(&ask.cut.view);
    pps_style_free(&words);
    return status;
}

static const struct pps_opt_alias aliases[] = {{"output-dir", "output"}, {NULL, NULL}};

const struct pps_command pps_command_plot = {
    .name = "plot",
    .summary = "draw a result: heatmaps, lines, scatters, Pareto fronts, stacked bars",
    .usage = "[options] RESULT [column=value...]",
    .details = details,
    .options = options,
    .aliases = aliases,
    .min_words = 1,
    .max_words = -1,
    .kernels = true,
    .main = plot_main,
};
