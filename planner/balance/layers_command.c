// SPDX-License-Identifier: Apache-2.0
// ppsweep balance layers: layers of a model on a cluster, by the models of `nd` or by a profile.
#include "base/text/characters.h"
#include "kernels/balance/documents/plan_layers_read.h"
#include "planner/balance/commands.h"
#include "planner/balance/init/fit_layers.h"
#include "planner/balance/show.h"
#include "planner/exchange/plan_file.h"
#include "planner/nd/input/program_input.h"
#include "planner/nd/input/strategy_option.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdio.h>

static const struct pps_opt options[] = {
    {"at", 0, "DEGREES", "the strategy: tp=8,pp=4,dp=8, also cp ep op mbs sp=on (needed)"},
    {"output", 'o', "FILE", "the layers, as JSON (layers/MODEL.json)"},
    ND_INPUT_OPTIONS(NULL),
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "MODEL and CLUSTER are names or files as in ppsweep nd pipeline. Times are in ms, memory\n"
    "is MiB. They come from models of the hardware, unless a profile (--parser-result,\n"
    "--profile-times) or memory figures (--memory-info, --calibration) say more. What every\n"
    "stage holds contains the reserve of framework and communication.\n"
    "\n"
    "  ppsweep balance layers llama3-70b h100 -n 64 --at tp=4,pp=8 -o llama3-70b-tp4.json\n"
    "  ppsweep balance llama3-70b-tp4.json -s 8 -mb 32 --memory 76000\n";

static enum pps_status find_layers(const struct nd_input *input,
                                   const struct nd_strategy *strategy,
                                   struct balance_layers *layers,
                                   struct pps_error *err)
{
    struct nd_maker maker;
    struct nd_rank_case prepared;
    struct plan_layers found;
    char why[256];
    const struct modeldesc *model = &input->job.run.model;
    if (!nd_maker_open(&maker, input))
        return pps_fail_memory(err, "the models");
    const bool made = nd_maker_prepare(&maker, strategy, &prepared, why, sizeof why);
    nd_maker_close(&maker);
    if (!made)
        return pps_fail(err, PPS_E_INPUT, "%s", why);
    if (isnan(prepared.layer_ms))
        return pps_fail(err, PPS_E_INPUT,
                        "the profile has no column moe_bw, the time of a layer");
    if (!nd_plan_layers_of(&prepared.program, prepared.layer_ms / 1e3, &found))
        return pps_fail(err, PPS_E_INPUT,
                        "%s has %d leading dense layers: all body layers must be equal; see "
                        "ppsweep nd pipeline",
                        model->name, prepared.program.layers[0]);
    balance_layers_of_plan(&found, layers);
    snprintf(layers->name, sizeof layers->name, "%s", model->name);
    return PPS_OK;
}

static enum pps_status write_layers(const struct nd_input *input,
                                    const struct balance_layers *layers,
                                    const struct pps_args *args,
                                    struct pps_error *err)
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

static enum pps_status run(struct nd_input *input,
                           const struct pps_args *args,
                           struct pps_error *err)
{
    struct nd_strategy strategy;
    struct balance_layers layers;
    const char *at = pps_arg(args, "at");
    enum pps_status status = nd_input_open(input, args, err);
    if (status == PPS_OK && at == NULL)
        status = pps_fail(err, PPS_E_INPUT,
                          "--at: missing; write the strategy, for example --at tp=8,pp=4");
    if (status == PPS_OK)
        status = nd_strategy_read_whole(&input->job, "at", at, &strategy, err);
    if (status == PPS_OK && pps_arg(args, "select") == NULL)
        input->allow_select = true; // what a layer may do; the search chooses
    if (status == PPS_OK)
        status = find_layers(input, &strategy, &layers, err);
    if (status != PPS_OK)
        return status;
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
    .usage = "[options] --at DEGREES MODEL [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .one_dash = true,
    .min_words = 0,
    .max_words = 4,
    .main = layers_main,
};
