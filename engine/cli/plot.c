// SPDX-License-Identifier: Apache-2.0
// ppsweep plot: pictures of a result.
#include "engine/plot.h"

#include "command.h"
#include "kinds.h"
#include "words.h"

#include <string.h>

static const struct pps_opt options[] = {
    {"x", 'x', "COLUMN", "x axis (default of the kernel)"},
    {"y", 'y', "COLUMN", "y axis (default of the kernel)"},
    {"value", 0, "COLUMN", "colour (first result of the kernel)"},
    {"by", 0, "COLUMNS", "a map for each group (default of the kernel; --reduce: one)"},
    {"reduce", 0, "HOW", "combine rows of a cell: min, max, mean, first or last"},
    {"lines", 0, NULL, "lines instead of maps: the value over x, one for each y"},
    {"allow-partial", 0, NULL, "--reduce mean: even if rows differ from cell to cell"},
    PPS_SCALE_OPTIONS,
    PPS_KIND_OPTIONS,
    {"format", 0, "LIST", "png, svg or both separated by a comma (png,svg)"},
    {"max-maps", 0, "N", "draw the first N maps; 0 draws all maps (24)"},
    {"output", 'o', "FOLDER", "where pictures go (outputs/plots)"},
    {"force", 0, NULL, "replace pictures that plot did not draw, or that were edited"},
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, NAME.csv or - (standard input). Words after it keep only rows "
    "with\n"
    "these values: n=8 sync_freq=1,2. A picture is named after the result and what tells its\n"
    "map from the others; their paths are printed. Needs gnuplot. `ppsweep slice` writes what\n"
    "is drawn; the scripts in plot_scripts/ draw that by hand.\n"
    "\n"
    "--reduce min shows the best over all parameters but --x, --y and those of --by. Without\n"
    "both, every combination of the other parameters has its map, unless the kernel says that\n"
    "a cell is the best of its rows.\n"
    "\n"
    "Cells whose rows cover other combinations of the remaining parameters than most cells "
    "are\n"
    "hatched; a mean over them is refused unless --allow-partial is given.\n"
    "\n"
    "--lines draws the value over --x, a line for each value of --y, in place of each map.\n"
    "\n"
    "--pareto A,B draws one picture of all rows (thinned out where they are very many) and "
    "the\n"
    "front of those that no other beats in both columns; numbers are rows of the result. With\n"
    "--by every group has its front. max:A says that larger values of A are better.\n"
    "\n"
    "--scatter draws every row as a point, the value over each parameter in a panel of its\n"
    "own; samples and lists of points are drawn so unless --x, --y, --by or --reduce is "
    "given.\n"
    "\n"
    "--stack A,B,C draws a bar for each of the best rows, of parts that add up; it is "
    "labelled\n"
    "by the parameters that vary among them. `ppsweep kernels KERNEL` lists stacks that have "
    "a\n"
    "name.\n"
    "\n"
    "  ppsweep plot outputs/data/first.csv.gz n=8 --format png\n"
    "  ppsweep plot result.csv --x n --y sync_freq --by bwd_len --reduce min\n"
    "  ppsweep plot result.csv --lines --x sync_freq --y gpus --reduce min\n"
    "  ppsweep plot result.csv --pareto total_time,peak_in_flight --by gpus\n"
    "  ppsweep plot result.csv --stack time -k 20\n";

static enum pps_status read_formats(const char *list,
                                    struct pps_plot_ask *ask,
                                    struct pps_error *err)
{
    if (list == NULL)
        list = "png,svg";
    for (const char *word = list;; word++) {
        const size_t n = strcspn(word, ",");
        if (n == 3 && strncmp(word, "png", 3) == 0)
            ask->pictures.png = true;
        else if (n == 3 && strncmp(word, "svg", 3) == 0)
            ask->pictures.svg = true;
        else
            return pps_fail(err, PPS_E_INPUT, "--format %s: write png, svg or png,svg", list);
        word += n;
        if (*word == '\0')
            return PPS_OK;
    }
}

static enum pps_status fill_ask(const struct pps_args *args,
                                struct pps_plot_ask *ask,
                                struct pps_error *err)
{
    uint64_t limit = PPS_PLOT_LIMIT;
    ask->cut.x = pps_arg(args, "x");
    ask->cut.y = pps_arg(args, "y");
    ask->cut.value = pps_arg(args, "value");
    ask->cut.by = pps_arg(args, "by");
    ask->pictures.folder = pps_arg(args, "output");
    ask->pictures.force = pps_arg(args, "force") != NULL;
    ask->lines = pps_arg(args, "lines") != NULL;
    ask->cut.allow_partial = pps_arg(args, "allow-partial") != NULL;
    ask->pictures.paths = pps_arg(args, "quiet") == NULL ? stdout : NULL;
    enum pps_status status = pps_kind_check(args, err);
    if (status == PPS_OK && ask->lines && pps_kind_asked(args))
        status = pps_fail(
            err, PPS_E_INPUT,
            "--lines draws what else is a map; remove --pareto, --stack and --scatter");
    if (status == PPS_OK)
        status = pps_reduce_parse(pps_arg(args, "reduce"), &ask->cut.reduce, err);
    if (status == PPS_OK)
        status = pps_scale_options(args, &ask->cut.scale, err);
    if (status == PPS_OK)
        status = read_formats(pps_arg(args, "format"), ask, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "max-maps", 0, UINT32_MAX, &limit, err);
    ask->limit = (size_t)limit;
    return status;
}

static void report(const struct pps_plot_count *count)
{
    if (count->left_out > 0)
        fprintf(stderr,
                "ppsweep: maps drawn: %zu, skipped: %zu%s; --max-maps 0 draws all maps, and "
                "n=8 after the result's name keeps only some rows\n",
                count->maps, count->left_out, count->at_least ? " or more" : "");
}

static enum pps_status plot_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_plot_ask ask = {0};
    struct pps_plot_count count = {0};
    enum pps_status status = pps_words_view(args, &ask.cut.view, err);
    if (status == PPS_OK)
        status = fill_ask(args, &ask, err);
    if (status == PPS_OK)
        pps_words_say_partial(args, &ask.cut.view);
    if (status == PPS_OK && pps_kind_asked(args))
        status = pps_kind_plot(args, &ask.cut.view, &ask.pictures, err);
    else if (status == PPS_OK)
        status = pps_plot(&ask, &count, err);
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        report(&count);
    pps_words_free(&ask.cut.view);
    return status;
}

const struct pps_command pps_command_plot = {
    .name = "plot",
    .summary = "pictures of a result: heatmaps, lines, scatters, Pareto fronts, stacked bars",
    .usage = "[options] RESULT [column=value...]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .main = plot_main,
};
