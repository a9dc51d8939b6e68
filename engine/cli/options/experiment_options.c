// SPDX-License-Identifier: Apache-2.0
// Builds an experiment from the options of the command line.
#include "engine/cli/options/experiment_options.h"

#include "base/system/machine.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"
#include "engine/cli/options/best_options.h"
#include "engine/space/value.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OVERRIDES = 256 };

struct overrides {
    struct pps_override list[MAX_OVERRIDES];
    char *keys[MAX_OVERRIDES];
    int n;
};

static enum pps_status add_override(struct overrides *o,
                                    const char *key,
                                    size_t n,
                                    const char *text,
                                    bool is_option)
{
    o->keys[o->n] = strndup(key, n);
    if (o->keys[o->n] == NULL)
        return PPS_E_MACHINE;
    o->list[o->n] = (struct pps_override){o->keys[o->n], text, is_option};
    o->n++;
    return PPS_OK;
}

static enum pps_status read_sets(const struct pps_args *args,
                                 struct overrides *o,
                                 struct pps_error *err)
{
    const char *set;
    for (int i = 0; (set = pps_arg_nth(args, "set", i)) != NULL; i++) {
        const char *equals = strchr(set, '=');
        if (equals == NULL || equals == set || equals[1] == '\0')
            return pps_fail(err, PPS_E_INPUT, "-s %s: expected KEY=VALUES, as in -s n=8,16",
                            set);
        if (o->n == MAX_OVERRIDES)
            return pps_fail(err, PPS_E_INPUT, "too many -s options (at most %d)",
                            MAX_OVERRIDES);
        for (int before = 0; before < o->n; before++)
            if (strncmp(o->keys[before], set, (size_t)(equals - set)) == 0 &&
                o->keys[before][equals - set] == '\0')
                return pps_fail(err, PPS_E_INPUT,
                                "-s %s: %s is set twice; write all values in one option: -s "
                                "%s=%s,%s",
                                set, o->keys[before], o->keys[before], o->list[before].text,
                                equals + 1);
        if (add_override(o, set, (size_t)(equals - set), equals + 1, false) != PPS_OK)
            return pps_fail(err, PPS_E_MACHINE, "out of memory for the command line");
    }
    return PPS_OK;
}

static enum pps_status read_kernel_options(const struct pps_args *args,
                                           struct overrides *o,
                                           struct pps_error *err)
{
    for (int k = 0; pps_kernels[k] != NULL; k++) {
        const struct pps_composite *composite = pps_kernels[k]->composite;
        for (int i = 0; composite != NULL && i < composite->n_options; i++) {
            const char *name = composite->options[i].name;
            char hyphened[48];
            snprintf(hyphened, sizeof hyphened, "%s", name);
            pps_hyphenate(hyphened, '\0');
            const char *text = pps_arg(args, hyphened);
            if (text == NULL || o->n == MAX_OVERRIDES)
                continue;
            if (add_override(o, name, strlen(name), text, true) != PPS_OK)
                return pps_fail(err, PPS_E_MACHINE, "out of memory for the command line");
        }
    }
    return PPS_OK;
}

enum pps_status pps_request_inputs(const struct pps_args *args,
                                   const char *words[PPS_MAX_INPUT_WORDS],
                                   struct pps_input_words *inputs,
                                   struct pps_error *err)
{
    *inputs = (struct pps_input_words){words, 0};
    for (const char *word; (word = pps_arg_nth(args, "input", inputs->n)) != NULL;) {
        if (inputs->n == PPS_MAX_INPUT_WORDS)
            return pps_fail(err, PPS_E_INPUT, "too many --input options (at most %d)",
                            PPS_MAX_INPUT_WORDS);
        words[inputs->n++] = word;
    }
    return PPS_OK;
}

static enum pps_status load(const struct pps_args *args,
                            struct overrides *overrides,
                            const char *selection,
                            struct pps_experiment **experiment,
                            struct pps_error *err)
{
    struct pps_request request = {.kernels = pps_kernels, .digits = PPS_DEFAULT_DIGITS};
    const char *words[PPS_MAX_INPUT_WORDS];
    enum pps_status status = read_sets(args, overrides, err);
    if (status == PPS_OK)
        status = pps_request_inputs(args, words, &request.inputs, err);
    if (status == PPS_OK)
        status = read_kernel_options(args, overrides, err);
    if (status == PPS_OK)
        status = pps_arg_digits(args, &request.digits, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "limit", 1, (uint64_t)1 << 62, &request.limit, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "point-limit", 1, PPS_POINT_LIMIT_MAX,
                               &request.point_limit, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seed", 0, ((uint64_t)1 << 53) - 1, &request.seed, err);
    if (status != PPS_OK)
        return status;
    request.path = pps_arg(args, "config");
    request.points = pps_arg(args, "points");
    request.metrics = pps_arg(args, "metrics");
    request.objective = pps_arg(args, "objective");
    request.seed_given = pps_arg(args, "seed") != NULL;
    request.exact = pps_arg(args, "exact") != NULL;
    request.status = pps_arg(args, "status") != NULL;
    request.typed = pps_arg(args, "typed") != NULL;
    request.only = selection;
    request.overrides = overrides->list;
    request.n_overrides = overrides->n;
    if (request.path == NULL && request.points == NULL && overrides->n == 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "name an experiment: -c FILE, as in ppsweep -c "
            "sweep_configs/01-quickstart.json (or -s KEY=VALUES, or --points FILE)");
    return pps_experiment_load(experiment, &request, err);
}

enum pps_status pps_request_load(const struct pps_args *args,
                                 struct pps_experiment **experiment,
                                 struct pps_error *err)
{
    struct overrides *overrides = calloc(1, sizeof *overrides);
    *experiment = NULL;
    if (overrides == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for the command line");
    char *selection = NULL;
    enum pps_status status = pps_top_selection(args, &selection, err);
    if (status == PPS_OK)
        status = load(args, overrides, selection, experiment, err);
    free(selection);
    for (int i = 0; i < overrides->n; i++)
        free(overrides->keys[i]);
    free(overrides);
    return status;
}

enum pps_status pps_request_threads(const struct pps_args *args,
                                    int *threads,
                                    struct pps_error *err)
{
    uint64_t n = (uint64_t)pps_machine_cpus();
    enum pps_status status = pps_arg_count(args, "threads", 1, 4096, &n, err);
    *threads = (int)n;
    return status;
}

enum pps_status pps_request_objective(const struct pps_args *args,
                                      const struct pps_kernel *kernel,
                                      int *column,
                                      struct pps_error *err)
{
    const char *name = pps_arg(args, "objective");
    *column = name == NULL ? 0 : pps_column_find(kernel, name, strlen(name));
    if (*column >= 0 && kernel->columns[*column].kind == PPS_COLUMN_TEXT)
        return pps_fail(err, PPS_E_INPUT,
                        "--objective %s: its results are text; expected a column of numbers",
                        name);
    if (*column >= 0)
        return PPS_OK;
    const char *names[PPS_MAX_COLUMNS];
    for (int c = 0; c < kernel->n_columns; c++)
        names[c] = kernel->columns[c].name;
    const char *near = pps_suggest(name, names, (size_t)kernel->n_columns);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT, "--objective %s: unknown result; did you mean %s?",
                        name, near);
    return pps_fail(err, PPS_E_INPUT,
                    "--objective %s: unknown result; ppsweep kernels %s lists them", name,
                    kernel->name);
}
