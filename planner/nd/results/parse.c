// SPDX-License-Identifier: Apache-2.0
// ppsweep nd parse: reads logs and profiles of runs and writes the tables that nd, nd rank and nd
// pipeline read.
#include "planner/nd/results/parse.h"

#include "planner/nd/results/results.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_MOST = 4096, LAYERS_MOST = 100000 };

static const struct pps_opt options[] = {
    {"output", 'o', "DIR", "write tables and layer times to this folder (only the report)"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {"quiet", 'q', NULL, "print no table"},
    {"verbose", 'v', NULL,
     "print what each rank of a profile shows: layers, micro-batches, steps"},
    {"skip-steps", 0, "N", "ignore the first N steps of each profile (0)"},
    {"micro-batches", 0, "N", "micro-batches per step of the profiled runs (from the profile)"},
    {"layers", 0, "LIST",
     "layers of each stage of the profiled runs, as in 6,5 (from the profile)"},
    {"dense", 0, "N", "leading layers without experts (by their kernels, else 3)"},
    {"attention-forward", 0, "TEXT", "part of the name of the attention kernel (known names)"},
    {"attention-backward", 0, "TEXT", "part of the name of its backward kernel (known names)"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FOLDER holds a folder for each run, named by its degrees: DP8_TP2_PP4_EP16. In it or below\n"
    "are logs (MindSpore, Megatron-LM, MindSpeed, torchtitan) or profiles (Ascend's\n"
    "kernel_details.csv or trace_view.json, traces of PyTorch's profiler, also .gz).\n"
    "\n"
    "  ppsweep nd parse out/logs -o parsed\n"
    "  ppsweep nd MODEL.json CLUSTER.json --dryrun-data parsed/dry_run_peaks.csv\n"
    "  ppsweep nd rank MODEL.json CLUSTER.json --parser-result parsed/profile_ratios.csv\n";

// ---- options ------------------------------------------------------------------------------------

static enum pps_status fail_layers(const char *list, struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "--layers %s: expected a list of whole numbers from 1, one per stage",
                    list);
}

// Reads --layers. The caller frees *layers.
static enum pps_status read_layers(const struct pps_args *args, int32_t **layers, int32_t *n,
                                   struct pps_error *err)
{
    size_t length;
    const char *list = pps_arg(args, "layers"), *rest = list;
    if (list == NULL)
        return PPS_OK;
    *layers = calloc(STAGES_MOST, sizeof **layers);
    if (*layers == NULL)
        return pps_fail_memory(err, "--layers");
    for (const char *word; (word = plan_next_word(&rest, &length)) != NULL;) {
        char *end;
        const long value = isdigit((unsigned char)*word) ? strtol(word, &end, 10) : 0;
        if (value < 1 || value > LAYERS_MOST || end != word + length || *n == STAGES_MOST)
            return fail_layers(list, err);
        (*layers)[(*n)++] = (int32_t)value;
    }
    return *n > 0 ? PPS_OK : fail_layers(list, err);
}

static enum pps_status read_names(const struct pps_args *args, struct kernel_names *names,
                                  struct pps_error *err)
{
    names->forward = pps_arg(args, "attention-forward");
    names->backward = pps_arg(args, "attention-backward");
    if ((names->forward == NULL) != (names->backward == NULL))
        return pps_fail(err, PPS_E_INPUT,
                        "give both --attention-forward and --attention-backward");
    if (names->forward != NULL && (names->forward[0] == '\0' || names->backward[0] == '\0'))
        return pps_fail(err, PPS_E_INPUT,
                        "--attention-forward, --attention-backward: expected a part of a name");
    return PPS_OK;
}

static enum pps_status read_request(const struct pps_args *args,
                                    struct profile_request *request, int32_t **layers,
                                    struct pps_error *err)
{
    uint64_t skip = 0, micro_batches = 0, dense = 0;
    enum pps_status status = pps_arg_count(args, "skip-steps", 0, 1000000, &skip, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "micro-batches", 1, 1000000, &micro_batches, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "dense", 0, LAYERS_MOST, &dense, err);
    if (status == PPS_OK)
        status = read_layers(args, layers, &request->n_layers, err);
    if (status == PPS_OK)
        status = read_names(args, &request->names, err);
    request->skip_steps = (int32_t)skip;
    request->micro_batches = (int32_t)micro_batches;
    request->has_dense = pps_arg(args, "dense") != NULL;
    request->dense = (int32_t)dense;
    request->layers = *layers;
    return status;
}

// ---- the command --------------------------------------------------------------------------------

static bool has_any(const struct nd_results *results)
{
    for (size_t i = 0; i < results->n; i++)
        if (results->rows[i].why.n == 0)
            return true;
    return false;
}

static enum pps_status read_all(struct nd_results *results, const struct pps_args *args,
                                const struct profile_request *request, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (int k = 0; status == PPS_OK && k < pps_arg_words(args); k++)
        status = nd_results_add(results, pps_arg_word(args, k), request, err);
    nd_results_mark_repeated(results);
    return status;
}

static enum pps_status parse_main(const struct pps_args *args, struct pps_error *err)
{
    const char *folder = pps_arg(args, "output");
    const struct pps_gate *gate = pps_arg_gate(args);
    struct profile_request request = {.skip_steps = 0};
    struct nd_results results = {.n = 0};
    int32_t *layers = NULL;
    enum pps_status status = read_request(args, &request, &layers, err);
    if (status == PPS_OK && folder != NULL && folder[0] == '\0')
        status = pps_fail(err, PPS_E_INPUT, "-o: expected the name of a folder");
    if (status == PPS_OK && folder != NULL)
        status = plan_check_folder(folder, err);
    if (status == PPS_OK)
        status = read_all(&results, args, &request, err);
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        nd_results_print(&results, pps_arg(args, "verbose") != NULL);
    if (status == PPS_OK && !has_any(&results))
        status = pps_fail(err, PPS_E_INFEASIBLE, "no run gives a peak or layer times");
    if (status == PPS_OK && folder != NULL)
        status = nd_results_write(&results, folder, gate, err);
    nd_results_free(&results);
    free(layers);
    return status;
}

const struct pps_command nd_parse_command = {
    .name = "nd parse",
    .summary = "read logs and profiles of training runs",
    .usage = "[options] FOLDER...",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .main = parse_main,
};
