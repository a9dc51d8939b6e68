// SPDX-License-Identifier: Apache-2.0
// Measures output cost, with a kernel that computes nothing.
#include "engine/measure/benchmark_private.h"

#include "engine/measure/points_in_memory.h"

#include <math.h>
#include <stdio.h>

// A number without repeating digits, as in a simulation. The first parameter is the long axis.
static void hollow_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    (void)worker;
    for (size_t i = 0; i < batch->n_points; i++) {
        const double x =
            0.7548776662466927 * batch->param[0][i] + 0.6180339887498949 * (double)(i * i + i);
        batch->column[0][i] = 40 + 30 * (x - floor(x));
        batch->outcome[i] = PPS_DONE;
    }
}

static size_t hollow_scratch(const double *highest, const void *shared)
{
    (void)shared;
    (void)highest;
    return 64;
}

static int hollow_check(const double *point, const void *shared)
{
    (void)point;
    (void)shared;
    return 0;
}

static double hollow_cost(const double *point, const void *shared)
{
    (void)shared;
    (void)point;
    return 10;
}

// A kernel with the rows of the given kernel, but without its computation and with its first
// result only.
static struct pps_kernel hollow_kernel(const struct pps_kernel *kernel)
{
    struct pps_kernel hollow = *kernel;
    hollow.n_columns = 1;
    hollow.n_slots = 0;
    hollow.check = hollow_check;
    hollow.run = hollow_run;
    hollow.scratch_bytes = hollow_scratch;
    hollow.cost = hollow_cost;
    return hollow;
}

static enum pps_status time_codec(const struct pps_bench *b, const struct pps_experiment *e,
                                  struct pps_codec_choice choice, const char *path,
                                  struct pps_bench_codec *codec)
{
    double bytes = 0;
    struct pps_sweep sweep = pps_bench_sweep(b, e, 1, &bytes);
    sweep.codec = choice;
    double cpu_s[PPS_BENCH_REPEATS], file_s[PPS_BENCH_REPEATS];
    struct pps_totals totals;
    const double rows = (double)e->n_points;
    for (int r = 0; r < b->effort.repeats; r++) {
        enum pps_status status = pps_bench_sweep_once(b, &sweep, &totals);
        cpu_s[r] = totals.cpu_s;
        if (status == PPS_OK)
            status = pps_bench_sweep_to_file(b, sweep, path, NULL, &file_s[r]);
        if (status != PPS_OK)
            return status;
    }
    codec->rows = totals.counts.rows;
    codec->text_bytes = (double)totals.text_bytes / rows;
    codec->data_bytes = bytes / b->effort.repeats / rows;
    codec->row_s = pps_bench_median(cpu_s, b->effort.repeats) / rows;
    codec->file_row_s = pps_bench_median(file_s, b->effort.repeats) / rows;
    pps_codec_name(choice, codec->name, sizeof codec->name);
    return PPS_OK;
}

static bool codec_exists(struct pps_codec_choice choice)
{
    struct pps_codec *codec = NULL;
    struct pps_error unused;
    const bool exists = pps_codec_open(&codec, choice, &unused) == PPS_OK;
    pps_codec_close(codec);
    return exists;
}

static enum pps_status time_codecs_in(const struct pps_bench *b, const char *folder,
                                      void *experiment)
{
    static const struct pps_codec_choice choices[PPS_BENCH_CODECS] = {{PPS_CODEC_NONE, 0},
                                                                      {PPS_CODEC_ZLIB, 1},
                                                                      {PPS_CODEC_ISAL, 1}};
    enum pps_status status = PPS_OK;
    for (int c = 0; c < PPS_BENCH_CODECS && status == PPS_OK; c++) {
        struct pps_bench_codec *codec = &b->out->codecs[b->out->n_codecs];
        char path[4096];
        if (!codec_exists(choices[c]))
            continue;
        snprintf(path, sizeof path, "%s/rows.csv%s", folder, c > 0 ? ".gz" : "");
        status = time_codec(b, experiment, choices[c], path, codec);
        b->out->n_codecs += status == PPS_OK;
        pps_bench_remove(path);
    }
    return status;
}

enum pps_status pps_bench_time_rows(const struct pps_bench *b)
{
    const struct pps_kernel hollow = hollow_kernel(b->kernel);
    struct pps_experiment *e = NULL;
    enum pps_status status = pps_bench_load_long(b, &hollow, true, b->effort.rows, &e);
    if (status == PPS_OK)
        status = pps_bench_in_folder(b, time_codecs_in, e);
    pps_experiment_free(e);
    return status;
}
