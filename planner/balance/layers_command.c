// SPDX-License-Identifier: Apache-2.0
// ppsweep balance layers: layers of a model on a cluster, by the models of `nd` or by a profile.
#include "base/text/characters.h"
#include "kernels/balance/documents/plan_layers_read.h"
#include "kernels/configuration/layers.h"
#include "planner/balance/init/fit_layers.h"
#include "planner/balance/show.h"
#include "planner/exchange/plan_file.h"
#include "planner/nd/input/baseline.h"
#include "planner/nd/input/program_input.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_configuration.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_opt options[] = {
    {"at", 0, "DEGREES",
     "the strategy: tp=8,pp=4,dp=8, also cp ep op vp mbs sp=on (changes that of a training)"},
    {"output", 'o', "FILE", "the layers, as JSON (layers/MODEL.json)"},
    ND_INPUT_OPTIONS(NULL, NULL),
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "MODEL and CLUSTER are names or files as in ppsweep nd pipeline; a training sets the\n"
    "strategy, too. Times are in ms, memory is MiB. They come from models of the hardware, as in\n"
    "ppsweep check, unless a profile (--parser-result, --profile-times) or memory figures\n"
    "(--memory-info, --calibration) say more. What every stage holds contains the reserve of\n"
    "framework and communication. A stage that makes layers again wholly also holds what one of\n"
    "them stores. Leading dense layers stay in the first chunk and are part of the head.\n"
    "\n"
    "  ppsweep balance layers llama3-70b h100 -n 64 --at tp=4,pp=8 -o llama3-70b-tp4.json\n"
    "  ppsweep balance llama3-70b-tp4.json --stages 8 -mb 32 --memory 76000\n"
    "  ppsweep balance layers my-training.sh h100\n";

// ---- layers of measured figures -----------------------------------------------------------------

static enum pps_status find_measured(const struct nd_input *input,
                                     const struct nd_strategy *strategy,
                                     struct plan_layers *found, struct pps_error *err)
{
    struct nd_maker maker;
    struct nd_rank_case prepared;
    char why[256];
    const struct modeldesc *model = &input->job.run.model;
    nd_maker_open(&maker, input);
    const bool made = nd_maker_prepare(&maker, strategy, &prepared, why, sizeof why);
    if (!made)
        return pps_fail(err, PPS_E_INPUT, "%s", why);
    if (isnan(prepared.layer_ms))
        return pps_fail(err, PPS_E_INPUT,
                        "the profile has no column moe_bw, the time of a layer");
    return nd_plan_layers_of(&prepared.program, prepared.layer_ms / 1e3, found)
               ? PPS_OK
               : pps_fail(err, PPS_E_INPUT,
                          "%s has %d leading dense layers, of which the measured figures say "
                          "nothing; leave out the profile and the memory figures",
                          model->name, prepared.program.layers[0]);
}

static bool is_measured(const struct nd_input *input)
{
    return input->profiles.n > 0 || input->has_figures || input->compat != ND_CORRECTED;
}

static enum pps_status read_measured(struct nd_input *input, const char *at,
                                     struct plan_layers *found, struct pps_error *err)
{
    struct nd_strategy strategy;
    const enum pps_status status =
        nd_strategy_read_whole(&input->job, "at", at, &strategy, err);
    return status == PPS_OK ? find_measured(input, &strategy, found, err) : status;
}

// ---- layers of the configuration ----------------------------------------------------------------

static enum pps_status take_layers(const struct configuration *c, bool quiet,
                                   struct plan_layers *found, struct pps_error *err)
{
    const char *misfit = configuration_layers_misfit(c);
    if (misfit == NULL && configuration_sends_more(c) && !quiet)
        fprintf(stderr,
                "note      modules that predict several tokens are part of the tail, so every "
                "split has them on the last stage\n");
    if (misfit != NULL)
        return pps_fail(err, PPS_E_INPUT, "the layers cannot be moved between stages: %s",
                        misfit);
    int32_t *split = calloc(PLAN_RECOMPUTES * (size_t)c->n_parts, sizeof *split);
    if (split == NULL)
        return pps_fail_memory(err, "the layers");
    configuration_layers(c, found, split);
    free(split);
    return PPS_OK;
}

static enum pps_status find_modelled(struct nd_input *input, const struct pps_args *args,
                                     struct plan_layers *found, struct pps_error *err)
{
    struct plan_configuration plan;
    enum pps_status status = plan_configuration_open(&plan, &input->job.run, args, err);
    if (status != PPS_OK)
        return status;
    status = plan.cannot_run.n > 0 ? pps_fail(err, PPS_E_INPUT, "the training cannot run: %s",
                                              plan.cannot_run.text)
                                   : take_layers(&plan.configuration, input->quiet, found, err);
    plan_configuration_close(&plan);
    found->has[PLAN_SELECT] = found->has[PLAN_SELECT] && input->allow_select;
    found->has[PLAN_FULL] = found->has[PLAN_FULL] && input->allow_full;
    return status;
}

// ---- the command --------------------------------------------------------------------------------

// Names the layers by the model, or by the file that describes it, in characters that names of documents have.
static void name_layers(struct balance_layers *layers, const char *model, const char *word)
{
    enum { LONGEST = 29 };
    const char *slash = strrchr(word, '/'), *from = slash != NULL ? slash + 1 : word;
    const char *dot = strrchr(from, '.');
    if (model[0] != '\0')
        snprintf(layers->name, LONGEST + 1, "%.*s", LONGEST, model);
    else
        snprintf(layers->name, LONGEST + 1, "%.*s",
                 (int)(dot != NULL && dot > from ? dot - from : LONGEST), from);
    for (char *c = layers->name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._+-", *c) == NULL)
            *c = '-';
}

static enum pps_status write_layers(const struct nd_input *input,
                                    const struct balance_layers *layers,
                                    const struct pps_args *args, struct pps_error *err)
{
    const char *output = pps_arg(args, "output");
    char path[PLAN_PATH], name[64];
    pps_file_name(layers->name, name, sizeof name);
    const int n = output != NULL ? snprintf(path, sizeof path, "%s", output)
                                 : snprintf(path, sizeof path, "layers/%s.json", name);
    if (n < 0 || (size_t)n >= sizeof path)
        return pps_fail(err, PPS_E_INPUT, "--output: the path is too long");
    return init_file_write(layers, path, input->gate, err);
}

static enum pps_status run(struct nd_input *input, const struct pps_args *args,
                           struct pps_error *err)
{
    struct plan_layers found = {.count = 0};
    struct balance_layers layers;
    const char *at = pps_arg(args, "at");
    enum pps_status status = nd_input_open(input, args, err);
    if (status == PPS_OK && at == NULL &&
        (is_measured(input) || input->job.run.baseline == NULL))
        status = pps_fail(err, PPS_E_INPUT,
                          "--at: missing; write the strategy, for example --at tp=8,pp=4");
    if (status == PPS_OK && pps_arg(args, "select") == NULL)
        input->allow_select = true; // what a layer may do; the search chooses
    if (status == PPS_OK)
        status = is_measured(input) ? read_measured(input, at, &found, err)
                                    : find_modelled(input, args, &found, err);
    if (status != PPS_OK)
        return status;
    balance_layers_of_plan(&found, &layers);
    const struct cluster *cluster = &input->job.run.cluster;
    name_layers(&layers, input->job.run.model.name, pps_arg_word(args, 0));
    if (cluster->hardware.name[0] != '\0')
        snprintf(layers.devices, sizeof layers.devices, "%lld %s",
                 (long long)cluster->world_size, cluster->hardware.name);
    balance_show_layers(&layers, stdout);
    return write_layers(input, &layers, args, err);
}

static enum pps_status layers_main(const struct pps_args *args, struct pps_error *err)
{
    struct nd_input input = {.quiet = false};
    const enum pps_status status = run(&input, args, err);
    nd_input_close(&input);
    return status;
}

const struct pps_command balance_layers_command = {
    .name = "balance layers",
    .summary = "find times and memory of layers by models of the hardware",
    .usage = "[options] MODEL|FILE [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .one_dash = true,
    .max_words = 4,
    .main = layers_main,
};
