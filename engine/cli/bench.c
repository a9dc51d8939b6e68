// SPDX-License-Identifier: Apache-2.0
// ppsweep bench: measures the speed of a kernel and of the engine on this machine.
#include "base/document/json.h"
#include "base/system/machine.h"
#include "base/text/human.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/cli/report/bench_report.h"
#include "engine/cli/verbs.h"
#include "engine/command/signals.h"
#include "engine/experiment/experiment.h"
#include "engine/measure/many_cores.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

static const struct pps_opt options[] = {
    {"input", 'i', "SLOT=FILE", "input document of the kernel, such as model=FILE"},
    {"quick", 0, NULL, "measure for about 5 s instead of 25 s; figures are less precise"},
    {"threads", 'j', "N", "maximum number of threads (all CPUs this process may use)"},
    {"cores", 0, "N,N...", "only predict the utilisation of N cores with a model"},
    {"json", 0, NULL, "print one JSON object"},
    {"data", 0, "DIR", "also write DIR/kernel.dat and DIR/threads.dat, for throughput.gp"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "bench measures four things and prints what limits the speed of each:\n"
    "  - the kernel alone, for points of several sizes\n"
    "  - the reference simulator of the kernel\n"
    "  - output cost for every codec, to a file in $TMPDIR (/tmp)\n"
    "  - whole runs, for several numbers of threads\n"
    "\n"
    "Figures are medians. Measurements are interleaved, so that other work on the machine\n"
    "affects all of them equally. Figures of one thread are CPU time. Figures of whole runs\n"
    "are wall time; the column CPUs shows how many CPUs the threads had on average.\n"
    "\n"
    "--data creates the folder DIR if it does not exist.\n"
    "\n"
    "--cores measures blocks of the default sweep. It then simulates N workers that are\n"
    "directed by the scheduler of real runs. It also simulates a sweep in which one point\n"
    "in a thousand takes 1.3 s.\n"
    "\n"
    "  ppsweep bench --cores 64,128,256\n"
    "  ppsweep bench --data . && gnuplot -e \"folder='.'; out='throughput.png'\" \\\n"
    "      plot_scripts/throughput.gp\n";

// ---- for people -------------------------------------------------------------------------------

static void print_sweep(const struct pps_bench_cores *b, const struct pps_bench_core_sweep *s)
{
    char count[48];
    pps_human_count((double)s->n_blocks, count, sizeof count);
    printf("  %-26s%10s%9.1f ms", s->name, count, 1e3 * s->block_s);
    for (int c = 0; c < b->n_cores; c++)
        printf("%8.1f %%", 100 * s->model[c].utilisation);
    printf("\n  %-26s%22s", "  time spent writing", "");
    for (int c = 0; c < b->n_cores; c++)
        printf("%8.1f %%", 100 * s->model[c].write_share);
    printf("\n  %-26s%22s", "  waiting blocks, maximum", "");
    for (int c = 0; c < b->n_cores; c++) {
        char bytes[32];
        pps_human_bytes((double)s->model[c].most_bytes, bytes, sizeof bytes);
        printf("%10s", bytes);
    }
    printf("\n");
}

static void corereport_print(const struct pps_bench_cores *b)
{
    char machine[256];
    pps_machine_name(machine, sizeof machine);
    printf("kernel %s %s, blocks measured on %s\n\n"
           "utilisation of N cores, predicted by a model with the scheduler of real runs\n"
           "  %-26s%10s%12s",
           b->kernel->name, b->kernel->version, machine, "sweep", "blocks", "time/block");
    for (int c = 0; c < b->n_cores; c++)
        printf("%5d cores", b->cores[c]);
    printf("\n");
    for (int s = 0; s < PPS_BENCH_CORE_SWEEPS; s++)
        print_sweep(b, &b->sweeps[s]);
    printf("  ordered section: %.1f ns per row of the default sweep, one worker at a time\n"
           "  heavy tail: one point in a thousand takes 1.3 s, the others take 0.4 ms\n",
           1e9 * b->write_row_s);
}

// ---- for programs -----------------------------------------------------------------------------

static cJSON *model_json(int cores, const struct pps_coremodel *model)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "cores", cores);
    cJSON_AddNumberToObject(object, "utilisation", model->utilisation);
    cJSON_AddNumberToObject(object, "write_share", model->write_share);
    cJSON_AddNumberToObject(object, "most_waiting_bytes", (double)model->most_bytes);
    cJSON_AddNumberToObject(object, "wall_s", model->wall_s);
    return object;
}

static void corereport_json(const struct pps_bench_cores *b)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "ppsweep", PPS_VERSION);
    cJSON_AddStringToObject(root, "kernel", b->kernel->name);
    cJSON_AddNumberToObject(root, "write_ns_per_row", 1e9 * b->write_row_s);
    cJSON *sweeps = cJSON_AddArrayToObject(root, "sweeps");
    for (int s = 0; s < PPS_BENCH_CORE_SWEEPS; s++) {
        cJSON *sweep = cJSON_CreateObject();
        cJSON_AddStringToObject(sweep, "sweep", b->sweeps[s].name);
        cJSON_AddNumberToObject(sweep, "blocks", (double)b->sweeps[s].n_blocks);
        cJSON_AddNumberToObject(sweep, "block_s", b->sweeps[s].block_s);
        cJSON *models = cJSON_AddArrayToObject(sweep, "models");
        for (int c = 0; c < b->n_cores; c++)
            cJSON_AddItemToArray(models, model_json(b->cores[c], &b->sweeps[s].model[c]));
        cJSON_AddItemToArray(sweeps, sweep);
    }
    pps_json_put_line(stdout, root);
}

// ---- bench --------------------------------------------------------------------------------------

static enum pps_status read_cores(const char *text, struct pps_bench_cores *cores,
                                  struct pps_error *err)
{
    const char *at = text;
    do {
        char *end;
        const unsigned long n = strtoul(at, &end, 10);
        if (*at < '1' || *at > '9' || n > 4096 || (*end != ',' && *end != '\0') ||
            cores->n_cores == PPS_BENCH_CORES)
            return pps_fail(
                err, PPS_E_INPUT,
                "--cores %s: expected up to %d numbers from 1 to 4096, as in 64,256", text,
                PPS_BENCH_CORES);
        cores->cores[cores->n_cores++] = (int)n;
        at = end + 1;
    } while (at[-1] == ',');
    return PPS_OK;
}

static enum pps_status cores_main(const struct pps_args *args, const struct pps_bench_ask *ask,
                                  struct pps_error *err)
{
    struct pps_bench_cores cores = {.n_cores = 0};
    enum pps_status status = read_cores(pps_arg(args, "cores"), &cores, err);
    if (status == PPS_OK && pps_arg(args, "data") != NULL)
        status = pps_fail(err, PPS_E_INPUT, "--cores writes no files: remove --data");
    if (status == PPS_OK)
        status = pps_benchcores_run(ask, &cores, err);
    if (status != PPS_OK)
        return status;
    if (pps_arg(args, "json") != NULL)
        corereport_json(&cores);
    else
        corereport_print(&cores);
    return PPS_OK;
}

static enum pps_status bench_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_bench_ask ask = {.quick = pps_arg(args, "quick") != NULL};
    struct pps_benchmark benchmark;
    const char *folder = pps_arg(args, "data");
    const struct pps_gate *gate = pps_arg_gate(args);
    enum pps_status status =
        pps_kernel_choose(pps_arg_kernels(args), pps_arg_word(args, 0), &ask.kernel, err);
    const char *words[PPS_MAX_INPUT_WORDS];
    if (status == PPS_OK)
        status = pps_request_inputs(args, words, &ask.inputs, err);
    if (status == PPS_OK && ask.inputs.n > 0 && ask.kernel->n_slots == 0)
        status = pps_fail(err, PPS_E_INPUT, "--input %s: the kernel %s takes no inputs",
                          words[0], ask.kernel->name);
    if (status == PPS_OK)
        status = pps_request_threads(args, &ask.threads, err);
    if (status == PPS_OK && pps_arg(args, "cores") != NULL) {
        ask.stop = pps_signals_install();
        return cores_main(args, &ask, err);
    }
    if (status == PPS_OK && folder != NULL)
        status = pps_benchreport_data_check(folder, gate, err);
    if (status != PPS_OK)
        return status;
    ask.stop = pps_signals_install();
    status = pps_benchmark_run(&ask, &benchmark, err);
    if (status != PPS_OK)
        return status;
    if (pps_arg(args, "json") != NULL)
        pps_benchreport_json(&benchmark);
    else
        pps_benchreport_print(&benchmark);
    return folder != NULL ? pps_benchreport_data(&benchmark, folder, gate, err) : PPS_OK;
}

const struct pps_command pps_command_bench = {
    .name = "bench",
    .summary = "measure the speed of a kernel and of the engine, and what limits it",
    .usage = "[options] [KERNEL]",
    .details = details,
    .options = options,
    .max_words = 1,
    .kernels = true,
    .main = bench_main,
};
