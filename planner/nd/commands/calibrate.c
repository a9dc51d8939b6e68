// SPDX-License-Identifier: Apache-2.0
// ppsweep nd calibrate: fits a device's efficiencies to measured steps and prints them as a
// hardware record for a cluster file.
#include "base/document/json.h"
#include "base/text/say.h"
#include "planner/nd/commands/commands.h"

#include "planner/nd/profiling/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, FEWEST = 3 };

static const struct pps_opt options[] = {
    {"set", 's', "NAME", "use only measurements of this set; may be repeated (all sets)"},
    {"hardware", 0, "NAME", "use only measurements on this device (all; they must share one)"},
    {"fit", 0, "LIST", "efficiencies to fit: eg, ea, em, el (eg,em,el)"},
    {"quiet", 'q', NULL, "print only the hardware record"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is JSON with models and sets of measured steps (strategy, and seconds, TFLOP/s or "
    "MFU\n"
    "per step), like docs/ndsearch-measurements.json. Efficiencies are fractions of the "
    "device's\n"
    "peak: eg matrix products, ea attention kernel, em memory traffic, el links. The table "
    "shows\n"
    "the error of the model for each step before and after the fit. The last figure is the "
    "mean\n"
    "error for steps that the fit did not see: the error to expect for other steps.\n"
    "\n"
    "  ppsweep nd calibrate docs/ndsearch-measurements.json --set korthikanti\n";

struct calibration {
    struct pps_json json;
    struct nd_measurement *all;
    int n;
    const struct nd_measurement **chosen;
    int n_chosen;
    unsigned which;
    struct nd_cache *cache;
};

// ---- options ------------------------------------------------------------------------------------

static const char *const names[ND_EFFICIENCIES] = {
    [ND_GEMM] = "eg",
    [ND_ATTENTION] = "ea",
    [ND_MEMORY] = "em",
    [ND_LINK] = "el",
};

static enum pps_status read_which(struct calibration *c,
                                  const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *list = pps_arg(args, "fit");
    c->which = 1U << ND_GEMM | 1U << ND_MEMORY | 1U << ND_LINK;
    if (list == NULL)
        return PPS_OK;
    c->which = 0;
    for (const char *at = list; at != NULL;) {
        const size_t n = strcspn(at, ",");
        unsigned found = 0;
        for (int e = 0; e < ND_EFFICIENCIES; e++)
            if (strlen(names[e]) == n && memcmp(names[e], at, n) == 0)
                found = 1U << e;
        if (found == 0)
            return pps_fail(err, PPS_E_INPUT, "--fit %s: expected some of eg, ea, em, el",
                            list);
        c->which |= found;
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return PPS_OK;
}

static bool is_asked(const struct pps_args *args, const struct nd_measurement *m)
{
    const char *set, *hardware = pps_arg(args, "hardware");
    if (hardware != NULL && strcmp(hardware, m->hardware.name) != 0)
        return false;
    if (pps_arg_nth(args, "set", 0) == NULL)
        return true;
    for (int i = 0; (set = pps_arg_nth(args, "set", i)) != NULL; i++)
        if (strcmp(set, m->set) == 0)
            return true;
    return false;
}

static enum pps_status choose(struct calibration *c,
                              const struct pps_args *args,
                              struct pps_error *err)
{
    for (int i = 0; i < c->n; i++)
        if (is_asked(args, &c->all[i]))
            c->chosen[c->n_chosen++] = &c->all[i];
    if (c->n_chosen < FEWEST)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: a fit needs at least %d measured steps, and this selects %d",
                        pps_arg_word(args, 0), FEWEST, c->n_chosen);
    for (int i = 1; i < c->n_chosen; i++)
        if (strcmp(c->chosen[i]->hardware.name, c->chosen[0]->hardware.name) != 0)
            return pps_fail(err, PPS_E_INPUT,
                            "%s: measured on %s and %s; select one with --hardware or --set",
                            pps_arg_word(args, 0), c->chosen[0]->hardware.name,
                            c->chosen[i]->hardware.name);
    return PPS_OK;
}

static enum pps_status load(struct calibration *c, const char *path, struct pps_error *err)
{
    const size_t bytes = (nd_cache_bytes() + 63) / 64 * 64;
    struct pps_fault fault = {.item = NULL};
    enum pps_status status = pps_json_load(&c->json, path, err);
    if (status != PPS_OK)
        return status;
    c->all = calloc(MOST, sizeof *c->all);
    c->chosen = calloc(MOST, sizeof *c->chosen);
    c->cache = aligned_alloc(64, bytes);
    if (c->all == NULL || c->chosen == NULL || c->cache == NULL)
        return pps_fail_memory(err, "the measurements");
    memset(c->cache, 0, bytes);
    if (nd_measurements_read(c->all, MOST, &c->n, c->json.root, &fault))
        return PPS_OK;
    const cJSON *item = fault.item != NULL ? fault.item : c->json.root;
    return fault.at_key ? pps_json_fail_key(&c->json, item, err, "%s", fault.text)
                        : pps_json_fail(&c->json, item, err, "%s", fault.text);
}

// ---- output -------------------------------------------------------------------------------------

static void print_steps(const struct calibration *c, const struct nd_fit *fit)
{
    double before = 0;
    printf("%-24s %-22s %5s %4s %4s %4s %10s %8s %8s\n", "set", "model", "dp", "tp", "cp", "pp",
           "seconds", "before", "fitted");
    for (int i = 0; i < c->n_chosen; i++) {
        const struct nd_measurement *m = c->chosen[i];
        const struct nd_strategy *s = &m->point.strategy;
        const double old = nd_predict(m, &m->hardware, c->cache) / m->seconds - 1;
        const double new = nd_predict(m, &fit->hardware, c->cache) / m->seconds - 1;
        pps_say(stdout, "%-24s %-22s %5d %4d %4d %4d %10.4f %+7.1f%% %+7.1f%%", m->set,
                m->model_name, s->dp, s->tp, s->cp, s->pp, m->seconds, 100 * old, 100 * new);
        before += fabs(old) / c->n_chosen;
    }
    const double left_out =
        nd_left_out_error(c->chosen, c->n_chosen, c->which, &c->chosen[0]->hardware, c->cache);
    printf(
        "\nmean error: %.2f %% before, %.2f %% fitted (worst %.2f %%), %.2f %% for steps not "
        "in the fit\n\n",
        100 * before, 100 * fit->mean_error, 100 * fit->worst_error, 100 * left_out);
}

// Prints the record in the form that a cluster file accepts.
static void print_record(const struct nd_fit *fit)
{
    const struct hardware *h = &fit->hardware;
    cJSON *name = cJSON_CreateString(h->name);
    char *text = cJSON_PrintUnformatted(name);
    printf("{\"hardware\": {\"name\": %s, \"base\": %s", text, text);
    for (int e = 0; e < ND_EFFICIENCIES; e++)
        printf(", \"%s\": %.4f", names[e], nd_efficiency_of(h, (enum nd_efficiency)e));
    printf(", \"calibrated\": true}}\n");
    cJSON_free(text);
    cJSON_Delete(name);
}

static enum pps_status calibrate_main(const struct pps_args *args, struct pps_error *err)
{
    struct calibration c = {.n = 0};
    struct nd_fit fit;
    enum pps_status status = read_which(&c, args, err);
    if (status == PPS_OK)
        status = load(&c, pps_arg_word(args, 0), err);
    if (status == PPS_OK)
        status = choose(&c, args, err);
    if (status == PPS_OK) {
        nd_calibrate(c.chosen, c.n_chosen, c.which, &c.chosen[0]->hardware, c.cache, &fit);
        if (pps_arg(args, "quiet") == NULL)
            print_steps(&c, &fit);
        print_record(&fit);
    }
    pps_json_free(&c.json);
    free(c.all);
    free(c.chosen);
    free(c.cache);
    return status;
}

const struct pps_command nd_calibrate_command = {
    .name = "nd calibrate",
    .summary = "fit a device's efficiencies to measured steps",
    .usage = "[options] FILE",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .main = calibrate_main,
};
