// SPDX-License-Identifier: Apache-2.0
// Reads the options of Pareto fronts, stacked bars and scatters.
#include "engine/cli/options/picture_options.h"

#include "base/text/human.h"
#include "engine/baseline/baseline.h"
#include "engine/picture/bars.h"
#include "engine/picture/pareto.h"
#include "engine/picture/scatter.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static const char *const map_options[] = {
    "x",      "y",        "value",    "by",      "reduce",        "max-maps",
    "scale",  "relative", "rows",     "columns", "width",         "palette",
    "center", "contour",  "label",    "range",   "allow-partial", "log",
    "linear", "triangle", "no-notes", NULL};
static const char *const pareto_options[] = {"pareto", "by",    "log", "linear",
                                             "width",  "label", NULL};
static const char *const stack_options[] = {"stack",      "count", "objective", "goal",
                                            "limit-line", "width", "label",     NULL};

static const char *const scatter_options[] = {"scatter", "value", "log", "linear",
                                              "width",   "label", NULL};

static bool listed(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

// Rows of samples and lists have no grid: heatmaps of these rows need options.
static bool is_scatter(const struct pps_args *args)
{
    static const char *const others[] = {"pareto", "stack", "x", "y", "by", "reduce", "lines"};
    if (pps_arg(args, "scatter") != NULL)
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pps_arg(args, others[i]) != NULL)
            return false;
    return pps_scatter_suits(pps_arg_word(args, 0));
}

bool pps_kind_asked(const struct pps_args *args)
{
    return pps_arg(args, "pareto") != NULL || pps_arg(args, "stack") != NULL ||
           is_scatter(args);
}

// Returns PPS_E_INPUT if an option of `options` is given that is not in `allowed`.
static enum pps_status refuse(const struct pps_args *args, const char *const *options,
                              const char *const *allowed, const char *what,
                              struct pps_error *err)
{
    for (; *options != NULL; options++)
        if (!listed(*options, allowed) && pps_arg(args, *options) != NULL)
            return pps_fail(err, PPS_E_INPUT, "--%s cannot be used with %s; remove it",
                            *options, what);
    return PPS_OK;
}

enum pps_status pps_kind_check(const struct pps_args *args, struct pps_error *err)
{
    static const char *const *const all[] = {map_options, pareto_options, stack_options,
                                             scatter_options};
    const bool pareto = pps_arg(args, "pareto") != NULL;
    const bool stack = pps_arg(args, "stack") != NULL;
    const bool scatter = is_scatter(args);
    const char *const *allowed = pareto    ? pareto_options
                                 : stack   ? stack_options
                                 : scatter ? scatter_options
                                           : map_options;
    const char *what = pareto    ? "--pareto"
                       : stack   ? "--stack"
                       : scatter ? "--scatter"
                                 : "heatmaps";
    enum pps_status status = PPS_OK;
    for (int i = 0; i < 4 && status == PPS_OK; i++)
        status = refuse(args, all[i], allowed, what, err);
    if (status == PPS_OK && pps_arg(args, "log") != NULL && pps_arg(args, "linear") != NULL)
        status = pps_fail(err, PPS_E_INPUT, "write --log or --linear, not both");
    return status;
}

enum pps_status pps_goal_option(const struct pps_args *args, enum pps_goal *goal,
                                struct pps_error *err)
{
    const char *word = pps_arg(args, "goal");
    if (word == NULL)
        return PPS_OK;
    if (strcmp(word, "lower") == 0)
        *goal = PPS_LOWER;
    else if (strcmp(word, "higher") == 0)
        *goal = PPS_HIGHER;
    else
        return pps_fail(err, PPS_E_INPUT, "--goal %s: write lower or higher", word);
    return PPS_OK;
}

static enum pps_scale_kind scale_kind(const struct pps_args *args)
{
    if (pps_arg(args, "log") != NULL)
        return PPS_SCALE_LOG;
    return pps_arg(args, "linear") != NULL ? PPS_SCALE_LINEAR : PPS_SCALE_AUTO;
}

static enum pps_status read_range(const char *text, struct pps_scale *scale,
                                  struct pps_error *err)
{
    const char *colon = strchr(text, ':');
    const size_t n = colon == NULL ? 0 : (size_t)(colon - text);
    scale->has_range = true;
    if (colon == NULL || !pps_cell_number((struct pps_cell){text, n}, &scale->low) ||
        !pps_cell_number((struct pps_cell){colon + 1, strlen(colon + 1)}, &scale->high) ||
        !(scale->low < scale->high))
        return pps_fail(err, PPS_E_INPUT,
                        "--range %s: write two numbers, the lower first, as 50:200", text);
    if (scale->kind == PPS_SCALE_LOG && scale->low <= 0)
        return pps_fail(err, PPS_E_INPUT, "--range %s: --log needs numbers above 0", text);
    return PPS_OK;
}

enum pps_status pps_scale_options(const struct pps_args *args, struct pps_scale *scale,
                                  struct pps_error *err)
{
    const char *range = pps_arg(args, "range"), *word = pps_arg(args, "scale");
    const bool panels = pps_arg(args, "rows") != NULL || pps_arg(args, "columns") != NULL;
    if (word == NULL)
        word = panels && range == NULL ? "shared" : "own";
    *scale = (struct pps_scale){.shared = strcmp(word, "shared") == 0,
                                .relative = pps_arg(args, "relative") != NULL};
    scale->kind = scale_kind(args);
    if (!scale->shared && strcmp(word, "own") != 0)
        return pps_fail(err, PPS_E_INPUT, "--scale %s: write shared or own", word);
    if (range != NULL && scale->shared)
        return pps_fail(err, PPS_E_INPUT, "write --scale shared or --range, not both");
    return range == NULL ? PPS_OK : read_range(range, scale, err);
}

static struct pps_pareto_ask pareto_ask(const struct pps_args *args,
                                        const struct pps_view_ask *view)
{
    return (struct pps_pareto_ask){
        .view = *view,
        .columns = pps_arg(args, "pareto"),
        .by = pps_arg(args, "by"),
        .cloud = true,
        .scale = scale_kind(args),
    };
}

static enum pps_status bars_ask(const struct pps_args *args, const struct pps_view_ask *view,
                                struct pps_bars_ask *ask, struct pps_error *err)
{
    *ask = (struct pps_bars_ask){
        .view = *view,
        .stack = pps_arg(args, "stack"),
        .objective = pps_arg(args, "objective"),
        .k = PPS_BARS_USUAL,
        .has_limit = pps_arg(args, "limit-line") != NULL,
    };
    enum pps_status status = pps_goal_option(args, &ask->goal, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "count", 1, PPS_BARS_ROWS, &ask->k, err);
    if (status == PPS_OK)
        status = pps_arg_number(args, "limit-line", 0, DBL_MAX, &ask->limit, err);
    return status;
}

static struct pps_scatter_ask scatter_ask(const struct pps_args *args,
                                          const struct pps_view_ask *view)
{
    return (struct pps_scatter_ask){
        .view = *view,
        .value = pps_arg(args, "baseline") != NULL ? PPS_BASELINE_GAIN : pps_arg(args, "value"),
        .scale = scale_kind(args),
    };
}

enum pps_status pps_kind_plot(const struct pps_args *args, const struct pps_view_ask *view,
                              const struct pps_picture_ask *pictures, struct pps_error *err)
{
    const struct pps_pareto_ask pareto = pareto_ask(args, view);
    const struct pps_scatter_ask scatter = scatter_ask(args, view);
    struct pps_bars_ask bars;
    if (pareto.columns != NULL)
        return pps_pareto_plot(&pareto, pictures, err);
    if (pps_arg(args, "stack") == NULL)
        return pps_scatter_plot(&scatter, pictures, err);
    const enum pps_status status = bars_ask(args, view, &bars, err);
    return status == PPS_OK ? pps_bars_plot(&bars, pictures, err) : status;
}

void pps_plot_report(const struct pps_plot_count *count)
{
    if (count->left_out > 0)
        fprintf(stderr,
                "note      maps drawn: %s, skipped: %s%s; --max-maps 0 draws all maps, a "
                "filter such as n=8 draws some of them\n",
                pps_count_text((double)count->maps).text,
                pps_count_text((double)count->left_out).text,
                count->at_least ? " or more" : "");
}
