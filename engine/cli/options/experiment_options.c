// SPDX-License-Identifier: Apache-2.0
// Fills a request from the options of the command line.
#include "engine/cli/options/experiment_options.h"

#include "base/system/machine.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- format option ------------------------------------------------------------------------------

static enum pps_status check_name(const char *format, struct pps_error *err)
{
    static const char *const names[] = {"csv", "parquet"};
    if (pps_has_word("csv parquet", format))
        return PPS_OK;
    if (pps_has_word("arrow npz npy", format))
        return pps_fail(err, PPS_E_INPUT,
                        "--format %s: a run writes csv or parquet; then ppsweep convert "
                        "RESULT -o NAME.%s",
                        format, strcmp(format, "arrow") == 0 ? "arrow" : "npz");
    const struct pps_hint hint = pps_did_you_mean(format, names, 2);
    return pps_fail(err, PPS_E_INPUT, "--format %.40s: expected csv or parquet%s", format,
                    hint.text);
}

// Whether a name has an ending of one of the two formats, and which.
static bool has_format(const char *output, bool *parquet)
{
    *parquet = output != NULL && pps_ends_with(output, ".parquet");
    return *parquet ||
           (output != NULL && (strcmp(output, "-") == 0 || pps_ends_with(output, ".csv") ||
                               pps_ends_with(output, ".csv.gz")));
}

enum pps_status pps_format_option(const struct pps_args *args, const char *output,
                                  const char **codec, struct pps_error *err)
{
    const char *format = pps_arg(args, "format");
    bool parquet;
    *codec = pps_arg(args, "compress");
    if (format == NULL)
        return PPS_OK;
    const enum pps_status status = check_name(format, err);
    if (status != PPS_OK)
        return status;
    const bool wanted = strcmp(format, "parquet") == 0;
    if (has_format(output, &parquet) && parquet != wanted)
        return pps_fail(
            err, PPS_E_INPUT, "-o %s does not match --format %s: %s", output, format,
            wanted ? "end the name in .parquet" : "end the name in .csv.gz or .csv");
    if (*codec != NULL && (strncmp(*codec, "parquet", 7) == 0) != wanted)
        return pps_fail(err, PPS_E_INPUT, "--compress %s does not match --format %s", *codec,
                        format);
    if (wanted && *codec == NULL)
        *codec = "parquet";
    return PPS_OK;
}

// ---- best options -------------------------------------------------------------------------------

enum { TOP = 3, MOST_TOP = 1000000 };

enum pps_status pps_top_options(const struct pps_args *args, struct pps_job *job,
                                struct pps_error *err)
{
    job->top = TOP;
    job->by = pps_arg(args, "by");
    job->only_best = pps_arg(args, "only-top") != NULL;
    job->ties = pps_arg(args, "ties") != NULL;
    return pps_arg_count(args, "top", 0, MOST_TOP, &job->top, err);
}

// ---- experiment options -------------------------------------------------------------------------

const struct pps_opt_alias pps_request_aliases[] = {{"step", "priority-step"},
                                                    {"output-dir", "output"},
                                                    {NULL, NULL}};

static enum pps_status add_override(struct pps_request_words *o, const char *key, size_t n,
                                    const char *text, bool is_option)
{
    o->keys[o->n] = strndup(key, n);
    if (o->keys[o->n] == NULL)
        return PPS_E_MACHINE;
    o->list[o->n] = (struct pps_override){o->keys[o->n], text, is_option};
    o->n++;
    return PPS_OK;
}

static enum pps_status read_sets(const struct pps_args *args, struct pps_request_words *o,
                                 struct pps_error *err)
{
    const char *set;
    for (int i = 0; (set = pps_arg_nth(args, "set", i)) != NULL; i++) {
        const char *equals = strchr(set, '=');
        if (equals == NULL || equals == set || equals[1] == '\0')
            return pps_fail(err, PPS_E_INPUT, "-s %s: expected KEY=VALUES, as in -s n=8,16",
                            set);
        if (o->n == PPS_MAX_OVERRIDES)
            return pps_fail(err, PPS_E_INPUT, "too many -s options (at most %d)",
                            PPS_MAX_OVERRIDES);
        for (int before = 0; before < o->n; before++)
            if (strncmp(o->keys[before], set, (size_t)(equals - set)) == 0 &&
                o->keys[before][equals - set] == '\0')
                return pps_fail(err, PPS_E_INPUT,
                                "-s %s: %s is set twice; write all values in one option: -s "
                                "%s=%s,%s",
                                set, o->keys[before], o->keys[before], o->list[before].text,
                                equals + 1);
        if (add_override(o, set, (size_t)(equals - set), equals + 1, false) != PPS_OK)
            return pps_fail_memory(err, "the command line");
    }
    return PPS_OK;
}

static enum pps_status read_kernel_options(const struct pps_args *args,
                                           struct pps_request_words *o, struct pps_error *err)
{
    const struct pps_kernel *const *kernels = pps_arg_kernels(args);
    for (int k = 0; kernels[k] != NULL; k++) {
        const struct pps_composite *composite = kernels[k]->composite;
        for (int i = 0; composite != NULL && i < composite->n_options; i++) {
            const char *name = composite->options[i].name;
            char hyphened[48];
            snprintf(hyphened, sizeof hyphened, "%s", name);
            pps_hyphenate(hyphened, '\0');
            const char *text = pps_arg(args, hyphened);
            if (text == NULL || o->n == PPS_MAX_OVERRIDES)
                continue;
            if (add_override(o, name, strlen(name), text, true) != PPS_OK)
                return pps_fail_memory(err, "the command line");
        }
    }
    return PPS_OK;
}

enum pps_status pps_request_inputs(const struct pps_args *args,
                                   const char *words[PPS_MAX_INPUT_WORDS],
                                   struct pps_input_words *inputs, struct pps_error *err)
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

enum pps_status pps_request_read(const struct pps_args *args, struct pps_request_words *room,
                                 struct pps_request *request, struct pps_error *err)
{
    *room = (struct pps_request_words){.n = 0};
    *request =
        (struct pps_request){.kernels = pps_arg_kernels(args), .digits = PPS_DEFAULT_DIGITS};
    enum pps_status status = read_sets(args, room, err);
    if (status == PPS_OK)
        status = pps_request_inputs(args, room->inputs, &request->inputs, err);
    if (status == PPS_OK)
        status = read_kernel_options(args, room, err);
    if (status == PPS_OK)
        status = pps_arg_digits(args, &request->digits, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "limit", 1, (uint64_t)1 << 62, &request->limit, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "point-limit", 1, PPS_POINT_LIMIT_MAX,
                               &request->point_limit, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seed", 0, ((uint64_t)1 << 53) - 1, &request->seed, err);
    while (request->n_lets <= PPS_LET_COLUMNS &&
           pps_arg_nth(args, "let", request->n_lets) != NULL) {
        room->lets[request->n_lets] = pps_arg_nth(args, "let", request->n_lets);
        request->n_lets++;
    }
    request->lets = room->lets;
    request->path = pps_arg(args, "config");
    request->points = pps_arg(args, "points");
    request->sample = pps_arg(args, "sample");
    request->metrics = pps_arg(args, "metrics");
    request->objective = pps_arg(args, "objective");
    request->seed_given = pps_arg(args, "seed") != NULL;
    request->exact = pps_arg(args, "exact") != NULL;
    request->status = pps_arg(args, "status") != NULL;
    request->typed = pps_arg(args, "typed") != NULL;
    request->overrides = room->list;
    request->n_overrides = room->n;
    if (status == PPS_OK && request->path == NULL && request->points == NULL && room->n == 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "name an experiment: -c FILE, as in ppsweep -c "
            "sweep_configs/01-quickstart.json (or -s KEY=VALUES, or --points FILE)");
    return status;
}

void pps_request_free(struct pps_request_words *room)
{
    for (int i = 0; i < room->n; i++)
        free(room->keys[i]);
    room->n = 0;
}

enum pps_status pps_request_threads(const struct pps_args *args, int *threads,
                                    struct pps_error *err)
{
    uint64_t n = (uint64_t)pps_machine_cpus();
    enum pps_status status = pps_arg_count(args, "threads", 1, 4096, &n, err);
    *threads = (int)n;
    return status;
}
