// SPDX-License-Identifier: Apache-2.0
// Measures the engine's own cost per row: walking the space, writing rows, compressing, the file.
// The kernel computes nothing. Prints one JSON line per measurement.
//
//   bench_engine [ROWS [THREADS]]
#include "base/system/machine.h"
#include "engine/experiment/experiment.h"
#include "engine/run/sweep.h"
#include "engine/store/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- a kernel that costs nothing --------------------------------------------------------------

static const struct pps_param params[] = {
    {.name = "n",
     .unit = "",
     .summary = "a count",
     .kind = PPS_INTEGER,
     .fallback = 8,
     .min = 1,
     .max = 1e6},
    {.name = "gpus",
     .unit = "",
     .summary = "a count",
     .kind = PPS_INTEGER,
     .fallback = 4,
     .min = 1,
     .max = 4096},
    {.name = "fwd_len",
     .unit = "",
     .summary = "a length",
     .kind = PPS_REAL,
     .fallback = 1,
     .min = 0,
     .max = HUGE_VAL},
    {.name = "bwd_len",
     .unit = "",
     .summary = "a length",
     .kind = PPS_REAL,
     .fallback = 2,
     .min = 0,
     .max = HUGE_VAL},
    {.name = "prop_len",
     .unit = "",
     .summary = "a length",
     .kind = PPS_REAL,
     .fallback = 1,
     .min = 0,
     .max = HUGE_VAL},
    {.name = "p_a",
     .unit = "",
     .summary = "a weight",
     .kind = PPS_REAL,
     .fallback = 0,
     .min = 0,
     .max = 1},
    {.name = "p_b",
     .unit = "",
     .summary = "a weight",
     .kind = PPS_REAL,
     .fallback = 0,
     .min = 0,
     .max = 1},
    {.name = "p_c",
     .unit = "",
     .summary = "a weight",
     .kind = PPS_REAL,
     .fallback = 0,
     .min = 0,
     .max = 1},
};
enum { N_PARAMS = sizeof params / sizeof *params };

static const struct pps_column columns[] = {
    {.name = "total_time",
     .unit = "time",
     .summary = "some number",
     .decimals = 4,
     .goal = PPS_LOWER},
};

static const char *const reasons[] = {"", NULL};

static size_t scratch_bytes(const double *highest, const void *shared)
{
    (void)shared;
    (void)highest;
    return 64;
}

static int check(const double *point, const void *shared)
{
    (void)shared;
    (void)point;
    return 0;
}

static double cost(const double *point, const void *shared)
{
    (void)shared;
    (void)point;
    return 10;
}

// Arithmetic with digits that do not repeat, like the digits of a simulation.
static void run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    (void)worker;
    for (size_t i = 0; i < batch->n_points; i++) {
        double sum = 40;
        for (int p = 0; p < N_PARAMS; p++)
            sum += batch->param[p][i] / (p + 3.7);
        batch->column[0][i] = sum;
        batch->outcome[i] = PPS_DONE;
    }
}

static const struct pps_kernel null_kernel = {
    .name = "null",
    .summary = "computes next to nothing",
    .source = "",
    .version = "1",
    .params = params,
    .n_params = N_PARAMS,
    .columns = columns,
    .n_columns = 1,
    .reasons = reasons,
    .scratch_bytes = scratch_bytes,
    .check = check,
    .cost = cost,
    .run = run,
};

// ---- measuring --------------------------------------------------------------------------------

struct target {
    struct pps_output *output;
};

static enum pps_status to_file(void *self, const struct pps_block *block, struct pps_error *err)
{
    struct target *target = self;
    return pps_output_append(target->output, block, err);
}

static enum pps_status nowhere(void *self, const struct pps_block *block, struct pps_error *err)
{
    (void)self;
    (void)block;
    (void)err;
    return PPS_OK;
}

static enum pps_status open_target(struct target *target, const struct pps_experiment *e,
                                   const struct pps_sweep *sweep, const char *path,
                                   struct pps_error *err)
{
    const struct pps_output_plan plan = {.path = path,
                                         .codec = sweep->codec,
                                         .header = "header\n",
                                         .n_points = e->n_points,
                                         .block_points = sweep->block_points,
                                         .force = true};
    return pps_output_open(&target->output, &plan, err);
}

static enum pps_status measure(const struct pps_experiment *e, const char *codec,
                               const char *path, int threads, struct pps_error *err)
{
    const atomic_bool never = false;
    struct target target = {NULL};
    struct pps_totals totals;
    struct pps_sweep sweep = {
        .experiment = e,
        .block_points = pps_block_points(e),
        .threads = threads,
        .stop = &never,
        .sink = {&target, path != NULL ? to_file : nowhere},
    };
    enum pps_status status = pps_codec_parse(codec, &sweep.codec, err);
    if (status == PPS_OK && path != NULL)
        status = open_target(&target, e, &sweep, path, err);
    if (status == PPS_OK)
        status = pps_sweep_run(&sweep, &totals, err);
    if (status == PPS_OK && path != NULL)
        status = pps_output_finish(target.output, "{}\n", err);
    if (status != PPS_OK)
        return status;
    const double rows = (double)totals.counts.rows;
    printf("{\"bench\":\"engine\",\"codec\":\"%s\",\"file\":%s,\"threads\":%d,\"rows\":%.0f,"
           "\"cpu_us_a_row\":%.4f,\"rows_a_second\":%.0f,\"text_bytes_a_row\":%.1f,"
           "\"peak_mib\":%.1f}\n",
           codec, path != NULL ? "true" : "false", threads, rows, totals.cpu_s / rows * 1e6,
           rows / totals.wall_s, (double)totals.text_bytes / rows, pps_peak_memory() / 0x1p20);
    pps_totals_free(&totals);
    return PPS_OK;
}

static enum pps_status load(const char *folder, uint64_t rows, struct pps_experiment **e,
                            struct pps_error *err)
{
    static const struct pps_kernel *const kernels[] = {&null_kernel, NULL};
    char path[256];
    snprintf(path, sizeof path, "%s/experiment.json", folder);
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return pps_fail_errno(err, "cannot write", path);
    fprintf(out, "{\"n\": \"1..1000\", \"gpus\": [4, 8], \"fwd_len\": \"1..5 step 0.5\","
                 "\"bwd_len\": \"1..50 step 0.5\", \"prop_len\": [0.5, 1, 1.5],"
                 "\"p_a\": \"0..1 step 0.1\", \"p_b\": \"0..1 step 0.1\", \"p_c\": 0.2}");
    fclose(out);
    const struct pps_request request = {.kernels = kernels,
                                        .path = path,
                                        .digits = PPS_DEFAULT_DIGITS,
                                        .limit = rows};
    enum pps_status status = pps_experiment_load(e, &request, err);
    unlink(path);
    return status;
}

int main(int argc, char **argv)
{
    const uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000000;
    const int threads = argc > 2 ? atoi(argv[2]) : 1;
    static const char *const codecs[] = {"none", "zlib:1", "isal:1"};
    char folder[] = "/tmp/bench-engine-XXXXXX", path[64];
    struct pps_error err = {.code = PPS_OK};
    struct pps_experiment *e = NULL;
    if (mkdtemp(folder) == NULL)
        return 1;
    enum pps_status status = load(folder, rows, &e, &err);
    if (status == PPS_OK)
        status = measure(e, "none", NULL, threads, &err);
    for (int c = 0; c < 3 && status == PPS_OK; c++) {
        snprintf(path, sizeof path, "%s/%d.csv%s", folder, c, c > 0 ? ".gz" : "");
        status = measure(e, codecs[c], path, threads, &err);
        char other[80];
        for (int i = 0; i < 3; i++) {
            static const char *const endings[] = {"", ".idx", ".json"};
            snprintf(other, sizeof other, "%s%s", path, endings[i]);
            unlink(other);
        }
    }
    rmdir(folder);
    pps_experiment_free(e);
    if (status != PPS_OK)
        pps_error_print(&err);
    return pps_exit_status(status);
}
