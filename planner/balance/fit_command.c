// SPDX-License-Identifier: Apache-2.0
// ppsweep balance fit: layers of a model from measured memory and times.
#include "planner/balance/init/fit_layers.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <string.h>

static const struct pps_opt options[] = {
    {"model-name", 0, "NAME", "name of the model (that of the init file)"},
    {"output", 'o', "FILE", "the layers, as JSON (layers/NAME.json)"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "INIT is a YAML file with measured peaks of the stages of one or several runs, their\n"
    "offsets and recomputation, and the forward times of head, body and tail. The command\n"
    "finds the memory of a layer by linear equations, prints how well they fit, and writes\n"
    "the layers for ppsweep balance. docs/balance.md shows the whole workflow.\n"
    "\n"
    "  ppsweep balance fit sweep_configs/layers/init_demo.yaml --model-name demo\n"
    "  ppsweep balance --model-name demo --stages 8 -mb 16\n";

// The name of a file without folder and ending.
static void name_of(const char *path, char name[64])
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    snprintf(name, 64, "%.*s", (int)strcspn(base, "."), base);
}

static enum pps_status write_layers(const struct init_file *file, const char *name,
                                    const char *path, const struct pps_gate *gate,
                                    struct pps_error *err)
{
    struct balance_layers layers;
    const enum pps_status status = init_file_layers(file, name, &layers, err);
    return status == PPS_OK ? init_file_write(&layers, path, gate, err) : status;
}

static enum pps_status fit_main(const struct pps_args *args, struct pps_error *err)
{
    struct init_file file;
    char name[64], path[PLAN_PATH];
    const char *output = pps_arg(args, "output"), *model = pps_arg(args, "model-name");
    const struct pps_gate *gate = pps_arg_gate(args);
    name_of(pps_arg_word(args, 0), name);
    if (model != NULL)
        snprintf(name, sizeof name, "%s", model);
    const int n = output != NULL ? snprintf(path, sizeof path, "%s", output)
                                 : snprintf(path, sizeof path, "layers/%s.json", name);
    enum pps_status status = n < 0 || (size_t)n >= sizeof path
                                 ? pps_fail(err, PPS_E_INPUT, "--output: the path is too long")
                                 : PPS_OK;
    if (status == PPS_OK)
        status = pps_gate_check(gate, path, err);
    if (status == PPS_OK)
        status = init_file_read(&file, pps_arg_word(args, 0), err);
    if (status != PPS_OK)
        return status;
    init_file_show(&file, stdout);
    status = write_layers(&file, name, path, gate, err);
    init_file_free(&file);
    return status;
}

const struct pps_command balance_fit_command = {
    .name = "balance fit",
    .summary = "find memory and times of layers from measurements",
    .usage = "[options] INIT",
    .details = details,
    .options = options,
    .config = true,
    .one_dash = true,
    .min_words = 1,
    .max_words = 1,
    .main = fit_main,
};
