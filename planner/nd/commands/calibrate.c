// SPDX-License-Identifier: Apache-2.0
// ppsweep nd calibrate: fits named factors of a device and a software stack to measured steps and
// prints them as records for a cluster and a training file.
#include "base/document/json.h"
#include "base/text/say.h"
#include "planner/nd/commands/calibrate_grid.h"
#include "planner/nd/commands/commands.h"

#include "planner/nd/profiling/calibrate.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 3 };

static const struct pps_opt options[] = {
    {"set", 0, "NAME", "use only measurements of this set; may be repeated (all sets)"},
    {"hardware", 0, "NAME", "use only measurements on this device (all; they must share one)"},
    {"stack", 0, "NAME", "assume this software stack (that of the sets)"},
    {"fit", 0, "LIST", "factors to fit: eg, ea, em, el, eg8, tp_exposed ... (eg,em,el)"},
    {"scale", 0, NULL, "find one factor of all times; one measured step is enough"},
    {"grid", 0, "FILE", "make the record of a device from kernels measured on it"},
    {"quiet", 'q', NULL, "print only the records"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is JSON with models and sets of measured steps (strategy, and seconds, TFLOP/s or MFU\n"
    "per step), like docs/ndsearch-measurements.json. Efficiencies are fractions of the device's\n"
    "peak: eg matrix products, eg8 8-bit products, ea attention kernel, em memory traffic, el\n"
    "links. Other factors are those of the software stack (sweep_configs/stacks). The fit pulls each\n"
    "factor towards its recorded value, so a factor that no measurement depends on does not change.\n"
    "The table shows the error of the model for each step before and after the fit. The last figure\n"
    "is the mean error for steps that the fit did not see: the error to expect for other steps.\n"
    "\n"
    "--scale: a single measurement is trusted half, because it says as much about its own strategy as about\n"
    "the machine: it moves all predicted times half of the way to the measured one, two move them two\n"
    "thirds, and so on; an error of more than 30 % counts in full beyond 15 %\n"
    "(docs/ndsearch-measurements.md).\n"
    "\n"
    "--grid: what the program of `ppsweep measure device` wrote. The record has efficiencies by shape of\n"
    "matrix products, attention and memory traffic, and the time of a launch. --hardware names the known\n"
    "device with its peaks and links if the grid's own name does not.\n"
    "\n"
    "  ppsweep nd calibrate --grid grid.jsonl\n"
    "  ppsweep nd calibrate docs/ndsearch-measurements.json --set korthikanti\n"
    "  ppsweep nd calibrate my-step.json --scale\n";

struct calibration {
    struct pps_json json;
    struct nd_measurement *all;
    int n;
    const struct nd_measurement **chosen;
    int n_chosen;
    struct nd_unknown unknowns[ND_UNKNOWNS];
    int n_unknowns;
    bool scale;
    struct nd_cache *cache;
};

// ---- options ------------------------------------------------------------------------------------

static bool is_fitted(const struct calibration *c, enum nd_factor factor)
{
    for (int k = 0; k < c->n_unknowns; k++)
        if (c->unknowns[k].factor == factor)
            return true;
    return false;
}

// A rate of a stack multiplies an efficiency of the device: a step tells their product only.
static enum pps_status check_pairs(const struct calibration *c, struct pps_error *err)
{
    static const enum nd_factor pairs[][2] = {{ND_GEMM, ND_RATE_GEMM},
                                              {ND_ATTENTION, ND_RATE_ATTENTION},
                                              {ND_MEMORY, ND_RATE_MEMORY},
                                              {ND_LINK, ND_RATE_LINK}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (is_fitted(c, pairs[i][0]) && is_fitted(c, pairs[i][1]))
            return pps_fail(err, PPS_E_INPUT,
                            "--fit %s,%s: steps depend on the product of the two only; fit one "
                            "of them",
                            nd_factor_name(pairs[i][0]), nd_factor_name(pairs[i][1]));
    return PPS_OK;
}

static enum pps_status read_factors(struct calibration *c, const struct pps_args *args,
                                    struct pps_error *err)
{
    const char *list = pps_arg(args, "fit");
    c->scale = pps_arg(args, "scale") != NULL;
    if (c->scale && list != NULL)
        return pps_fail(err, PPS_E_INPUT, "--scale fits one factor; leave out --fit");
    for (const char *at = list != NULL ? list : "eg,em,el"; at != NULL;) {
        const size_t n = strcspn(at, ",");
        const enum nd_factor factor = nd_factor_find(at, n);
        if (factor == ND_FACTORS)
            return pps_fail(
                err, PPS_E_INPUT,
                "--fit %.*s: expected eg, ea, em, el, eg8 or a factor of a stack, such "
                "as tp_exposed",
                (int)n, at);
        if (is_fitted(c, factor))
            return pps_fail(err, PPS_E_INPUT, "--fit %.*s: given twice", (int)n, at);
        c->unknowns[c->n_unknowns++].factor = factor;
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return check_pairs(c, err);
}

static enum pps_status take_stack(struct calibration *c, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *name = pps_arg(args, "stack");
    const struct stack *stack = name != NULL ? stack_find(name) : NULL;
    char names[256];
    if (name == NULL)
        return PPS_OK;
    if (stack == NULL)
        return pps_fail(err, PPS_E_INPUT, "--stack %s: expected one of %s", name,
                        stack_names(names, sizeof names));
    for (int i = 0; i < c->n; i++)
        c->all[i].training.stack = *stack;
    return PPS_OK;
}

static bool is_asked(const struct pps_args *args, const struct nd_measurement *m)
{
    const char *set, *hardware = pps_arg(args, "hardware");
    if (m->seconds <= 0) // of which only is known whether it fits
        return false;
    if (hardware != NULL && strcmp(hardware, m->hardware.name) != 0)
        return false;
    if (pps_arg_nth(args, "set", 0) == NULL)
        return true;
    for (int i = 0; (set = pps_arg_nth(args, "set", i)) != NULL; i++)
        if (strcmp(set, m->set) == 0)
            return true;
    return false;
}

static enum pps_status choose(struct calibration *c, const struct pps_args *args,
                              struct pps_error *err)
{
    for (int i = 0; i < c->n; i++)
        if (is_asked(args, &c->all[i]))
            c->chosen[c->n_chosen++] = &c->all[i];
    const int fewest = c->scale ? 1 : FEWEST;
    if (c->n_chosen < fewest)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: a fit needs at least %d measured step%s, and this selects %d",
                        pps_arg_word(args, 0), fewest, fewest > 1 ? "s" : "", c->n_chosen);
    for (int i = 1; i < c->n_chosen; i++)
        if (strcmp(c->chosen[i]->hardware.name, c->chosen[0]->hardware.name) != 0)
            return pps_fail(err, PPS_E_INPUT,
                            "%s: measured on %s and %s; select one with --hardware or --set",
                            pps_arg_word(args, 0), c->chosen[0]->hardware.name,
                            c->chosen[i]->hardware.name);
        else if (strcmp(stack_base(&c->chosen[i]->training.stack),
                        stack_base(&c->chosen[0]->training.stack)) != 0)
            return pps_fail(err, PPS_E_INPUT,
                            "%s: measured with the stacks %s and %s; select one with --set",
                            pps_arg_word(args, 0), stack_base(&c->chosen[0]->training.stack),
                            stack_base(&c->chosen[i]->training.stack));
    return PPS_OK;
}

static enum pps_status load(struct calibration *c, const char *path, struct pps_error *err)
{
    const size_t bytes = (nd_cache_bytes() + 63) / 64 * 64;
    struct pps_fault fault = {.item = NULL};
    enum pps_status status = pps_json_load(&c->json, path, err);
    if (status != PPS_OK)
        return status;
    c->all = calloc(ND_MEASURED, sizeof *c->all);
    c->chosen = calloc(ND_MEASURED, sizeof *c->chosen);
    c->cache = aligned_alloc(64, bytes);
    if (c->all == NULL || c->chosen == NULL || c->cache == NULL)
        return pps_fail_memory(err, "the measurements");
    memset(c->cache, 0, bytes);
    if (nd_measurements_read(c->all, ND_MEASURED, &c->n, c->json.root, &fault))
        return PPS_OK;
    fault.item = fault.item != NULL ? fault.item : c->json.root;
    return plan_fail_document(&c->json, &fault, err);
}

// ---- the fit ------------------------------------------------------------------------------------

static double fitted_scale(const struct calibration *c)
{
    return nd_fit_scale(c->chosen, c->n_chosen, c->cache);
}

// The geometric mean of measured over predicted time.
static double measured_ratio(const struct calibration *c)
{
    double sum = 0;
    for (int i = 0; i < c->n_chosen; i++)
        sum += log(c->chosen[i]->seconds / nd_predict(c->chosen[i], c->cache));
    return exp(sum / c->n_chosen);
}

// A scale that no document may have comes from seconds in another unit.
static enum pps_status check_scale(const struct calibration *c, double scale, const char *path,
                                   struct pps_error *err)
{
    const double all = scale * c->chosen[0]->training.stack.scale;
    if (all >= 0.01 && all <= 100)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "%s: measured times are %.3g of the predicted ones, and a scale is 0.01 to "
                    "100; check the unit (write seconds per step)",
                    path, measured_ratio(c));
}

static void fit(struct calibration *c)
{
    struct nd_measurement first = *c->chosen[0];
    nd_take_unknowns(&first, NULL, 0);
    if (c->scale)
        return;
    for (int k = 0; k < c->n_unknowns; k++)
        c->unknowns[k].start = c->unknowns[k].value =
            *nd_factor_at(c->unknowns[k].factor, &first.hardware, &first.training.stack);
    nd_fit(c->chosen, c->n_chosen, NULL, c->unknowns, c->n_unknowns, &ND_ONE_TABLE, c->cache);
}

// ---- output -------------------------------------------------------------------------------------

static double error_after(const struct calibration *c, int i, double scale)
{
    return c->scale ? nd_predict(c->chosen[i], c->cache) * scale / c->chosen[i]->seconds - 1
                    : nd_error_of(c->chosen[i], c->unknowns, c->n_unknowns, c->cache);
}

// Of each step, scaled by the other steps alone; NAN for one step.
static double scaled_left_out(const struct calibration *c)
{
    double sum = 0;
    struct calibration others = *c;
    const struct nd_measurement *list[ND_MEASURED];
    if (c->n_chosen < 2)
        return (double)NAN;
    others.chosen = list;
    for (int i = 0; i < c->n_chosen; i++) {
        others.n_chosen = 0;
        for (int j = 0; j < c->n_chosen; j++)
            if (j != i)
                list[others.n_chosen++] = c->chosen[j];
        sum += fabs(error_after(c, i, fitted_scale(&others)));
    }
    return sum / c->n_chosen;
}

// The two branches of nd_fit_scale.
static void print_scale(const struct calibration *c, double scale)
{
    const double ratio = measured_ratio(c), left = ND_STEP_SPREAD / c->n_chosen;
    const bool far = fabs(log(ratio)) > ND_STEP_SPREAD + left;
    printf("Measured times are %.4f of the predicted ones. ", ratio);
    if (far)
        printf("Strategies explain a factor of %.4f at most, so the scale is %.4f.\n\n",
               exp(copysign(left, log(ratio))), scale);
    else
        printf("The record counts as one more step, so the scale is %.4f.\n\n", scale);
}

static void note_ends(const struct calibration *c)
{
    if (c->chosen[0]->hardware.within.n > 0 && !c->scale && is_fitted(c, ND_LINK))
        fprintf(stderr,
                "note      el is fitted for links across nodes: within a node the device "
                "has a table of efficiencies, which stays\n");
    for (int k = 0; k < c->n_unknowns && !c->scale; k++) {
        const struct nd_unknown *u = &c->unknowns[k];
        if (nd_factor_at_end(u->factor, u->start, u->value))
            fprintf(
                stderr,
                "note      %s ends at %.4g, the end of its range: something else explains these steps\n",
                nd_factor_name(u->factor), u->value);
    }
}

static void print_steps(const struct calibration *c, double scale)
{
    double before = 0, after = 0, worst = 0;
    printf("%-24s %-22s %5s %4s %4s %4s %10s %8s %8s\n", "set", "model", "dp", "tp", "cp", "pp",
           "seconds", "before", "fitted");
    for (int i = 0; i < c->n_chosen; i++) {
        const struct nd_measurement *m = c->chosen[i];
        const struct nd_strategy *s = &m->point.strategy;
        const double old = nd_predict(m, c->cache) / m->seconds - 1;
        const double new = error_after(c, i, scale);
        pps_say(stdout, "%-24s %-22s %5d %4d %4d %4d %10.4f %+7.1f%% %+7.1f%%", m->set,
                m->model_name, s->dp, s->tp, s->cp, s->pp, m->seconds, 100 * old, 100 * new);
        before += fabs(old) / c->n_chosen;
        after += fabs(new) / c->n_chosen;
        worst = fmax(worst, fabs(new));
    }
    const double left_out = c->scale ? scaled_left_out(c)
                                     : nd_left_out_error(c->chosen, c->n_chosen, c->unknowns,
                                                         c->n_unknowns, c->cache);
    printf("\nmean error: %.2f %% before, %.2f %% fitted (worst %.2f %%)", 100 * before,
           100 * after, 100 * worst);
    if (isnan(left_out))
        printf("; one step says nothing about the error of others\n\n");
    else
        printf(", %.2f %% for steps not in the fit\n\n", 100 * left_out);
    if (c->scale)
        print_scale(c, scale);
}

// Returns whether a factor of the stack, or of the device, was fitted.
static bool fits(const struct calibration *c, bool of_stack)
{
    for (int k = 0; k < c->n_unknowns && !c->scale; k++)
        if (nd_factor_of_stack(c->unknowns[k].factor) == of_stack)
            return true;
    return c->scale && of_stack;
}

static enum pps_status print(const struct calibration *c, double scale, bool quiet,
                             struct pps_error *err)
{
    struct text_buffer text = {0};
    const int n = c->scale ? 0 : c->n_unknowns;
    if (!quiet) {
        print_steps(c, scale);
        note_ends(c);
    }
    if (fits(c, false))
        nd_add_hardware_record(&text, c->chosen[0], c->unknowns, n);
    if (fits(c, true))
        nd_add_stack_record(&text, c->chosen[0], c->unknowns, n, scale);
    if (!text.failed)
        printf("%s", text.text);
    const bool failed = text.failed;
    text_buffer_free(&text);
    return failed ? pps_fail_memory(err, "the records") : PPS_OK;
}

static enum pps_status calibrate_main(const struct pps_args *args, struct pps_error *err)
{
    struct calibration c = {.n = 0};
    const char *grid = pps_arg(args, "grid");
    if (grid != NULL && pps_arg_words(args) > 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--grid %s: leave out %s; kernels and steps are "
                        "calibrated one after the other",
                        grid, pps_arg_word(args, 0));
    if (grid != NULL)
        return nd_calibrate_grid(grid, pps_arg(args, "hardware"),
                                 pps_arg(args, "quiet") != NULL, err);
    if (pps_arg_words(args) == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "a file of measured steps is missing; write "
                        "ppsweep nd calibrate FILE, or --grid FILE");
    enum pps_status status = read_factors(&c, args, err);
    if (status == PPS_OK)
        status = load(&c, pps_arg_word(args, 0), err);
    if (status == PPS_OK)
        status = take_stack(&c, args, err);
    if (status == PPS_OK)
        status = choose(&c, args, err);
    if (status == PPS_OK) {
        fit(&c);
        const double scale = c.scale ? fitted_scale(&c) : 1;
        status = check_scale(&c, scale, pps_arg_word(args, 0), err);
        if (status == PPS_OK)
            status = print(&c, scale, pps_arg(args, "quiet") != NULL, err);
    }
    pps_json_free(&c.json);
    free(c.all);
    free(c.chosen);
    free(c.cache);
    return status;
}

const struct pps_command nd_calibrate_command = {
    .name = "nd calibrate",
    .summary = "fit a device or a software stack to measured steps",
    .usage = "[options] FILE | --grid FILE",
    .details = details,
    .options = options,
    .max_words = 1,
    .main = calibrate_main,
};
