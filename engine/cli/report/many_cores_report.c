// SPDX-License-Identifier: Apache-2.0
// Prints the utilisation of many cores, and what limits it.
#include "engine/cli/report/many_cores_report.h"

#include "base/document/json.h"
#include "base/system/machine.h"
#include "base/text/human.h"

#include <cjson/cJSON.h>
#include <stdio.h>

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

void pps_corereport_print(const struct pps_bench_cores *b)
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

void pps_corereport_json(const struct pps_bench_cores *b)
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
    char *text = pps_json_print_line(root);
    if (text != NULL)
        printf("%s\n", text);
    cJSON_free(text);
    cJSON_Delete(root);
}
