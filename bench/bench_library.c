// SPDX-License-Identifier: Apache-2.0
// The cost of ppsweep_evaluate on top of the kernel, on one thread: for a batch of points, and for
// one point per call. Both ways compute the same points in the same order, alternately, from empty
// memory, and must return the same bits. Prints one JSON line per experiment.
//
//   bench_library [POINTS]
#include "base/system/machine.h"
#include "engine/run/row_maker.h"
#include "kernels/registry.h"
#include "ppsweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, MOST_CALLS = 2000 };

static const struct {
    const char *experiment, *inputs;
} trials[] = {
    {"{\"n\": [8], \"bwd_len\": {\"start\": 1, \"stop\": 3, \"step\": 0.0001}, "
     "\"priority_step\": 0.25}",
     NULL},
    {"{\"n\": [64], \"gpus\": [16], \"bwd_len\": {\"start\": 1, \"stop\": 3, \"step\": 0.5}, "
     "\"priority_step\": 0.25, \"congestion\": [true, false]}",
     NULL},
    {"{\"kernel\": \"ndsearch\", \"inputs\": {\"model\": \"llama3-70b\", \"cluster\": "
     "\"h100\"}, "
     "\"preset\": \"megatron\", \"world_size\": [512, 1024, 2048, 4096, 8192, 16384, 32768, "
     "65536]}",
     "{\"model\": \"llama3-70b\", \"cluster\": \"h100\"}"},
};

struct points {
    const struct pps_kernel *kernel;
    size_t n;
    double *param[PPS_MAX_PARAMS];
    double *expected, *got; // the first column
    size_t scratch_bytes;
    void *scratch;
};

static void fail(const char *text)
{
    fprintf(stderr, "bench_library: %s\n", text);
    exit(1);
}

static void *take(size_t bytes)
{
    void *memory = pps_scratch_take(bytes);
    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static void read_points(struct points *points, const struct pps_experiment *e, size_t most)
{
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    struct pps_cursor *cursor = take(sizeof *cursor);
    *points = (struct points){.kernel = e->kernel};
    for (int p = 0; p < e->kernel->n_params; p++)
        points->param[p] = take(most * sizeof(double));
    points->expected = take(most * sizeof(double));
    points->got = take(most * sizeof(double));
    pps_cursor_seek(cursor, &e->space, 0);
    while (points->n < most && pps_cursor_next(cursor, e->n_points, left_out)) {
        for (int p = 0; p < e->kernel->n_params; p++)
            points->param[p][points->n] = cursor->point[p];
        points->n++;
        pps_cursor_step(cursor);
    }
    free(cursor);
}

// ---- the two ways -----------------------------------------------------------------------------

// CPU seconds of the kernel alone for the first n points, `size` points per batch.
static double time_kernel(const struct points *points, size_t n, size_t size)
{
    static const atomic_bool never = false;
    static uint8_t outcome[PPS_BATCH];
    const struct pps_worker worker = {points->scratch, &never, false, points->kernel->shared,
                                      0};
    memset(points->scratch, 0, points->scratch_bytes);
    const double start = pps_cpu_seconds();
    for (size_t first = 0; first < n; first += size) {
        const double *param[PPS_MAX_PARAMS];
        double *column[PPS_MAX_COLUMNS] = {points->expected + first};
        char *text[PPS_MAX_COLUMNS] = {NULL};
        for (int p = 0; p < points->kernel->n_params; p++)
            param[p] = points->param[p] + first;
        const struct pps_batch batch = {.n_points = n - first < size ? n - first : size,
                                        .param = param,
                                        .column = column,
                                        .text = text,
                                        .outcome = outcome};
        points->kernel->run(&batch, &worker);
    }
    return pps_cpu_seconds() - start;
}

// CPU seconds of the library for the same points, `size` points per call.
static double time_library(const struct points *points, const char *inputs, size_t n,
                           size_t size)
{
    const struct ppsweep_model_options options = {.size = sizeof options, .inputs = inputs};
    struct ppsweep_model *model;
    struct ppsweep_error error;
    if (ppsweep_model_open(&model, points->kernel->name, &options, &error) != PPSWEEP_OK)
        fail(error.text);
    struct ppsweep_points call = {.size = sizeof call, .n = 1, .threads = 1};
    ppsweep_evaluate(model, &call, NULL); // takes the memory
    const double start = pps_cpu_seconds();
    for (size_t first = 0; first < n; first += size) {
        const double *param[PPS_MAX_PARAMS];
        double *column[PPS_MAX_COLUMNS] = {points->got + first};
        for (int p = 0; p < points->kernel->n_params; p++)
            param[p] = points->kernel->params[p].fixed ? NULL : points->param[p] + first;
        call.n = n - first < size ? n - first : size;
        call.param = param;
        call.column = column;
        if (ppsweep_evaluate(model, &call, &error) != PPSWEEP_OK)
            fail(error.text);
    }
    const double took = pps_cpu_seconds() - start;
    ppsweep_model_close(model);
    return took;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct times {
    double kernel_s, ratio; // medians
};

static struct times compare(const struct points *points, const char *inputs, size_t n,
                            size_t kernel_size, size_t library_size)
{
    double kernel[ROUNDS], ratio[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        kernel[r] = time_kernel(points, n, kernel_size);
        ratio[r] = time_library(points, inputs, n, library_size) / kernel[r];
    }
    if (memcmp(points->expected, points->got, n * sizeof(double)) != 0)
        fail("the library and the kernel differ");
    qsort(kernel, ROUNDS, sizeof *kernel, by_value);
    qsort(ratio, ROUNDS, sizeof *ratio, by_value);
    return (struct times){kernel[ROUNDS / 2], ratio[ROUNDS / 2]};
}

// ---- the whole --------------------------------------------------------------------------------

static void measure(const char *experiment, const char *inputs, size_t most)
{
    const struct pps_request request = {.kernels = pps_kernels,
                                        .text = experiment,
                                        .digits = PPS_DEFAULT_DIGITS};
    struct pps_experiment *e;
    struct pps_error err;
    struct points points;
    if (pps_experiment_load(&e, &request, &err) != PPS_OK)
        fail(err.text);
    read_points(&points, e, most);
    if (pps_scratch_bytes(e, 1, &points.scratch_bytes, &err) != PPS_OK)
        fail(err.text);
    points.scratch = take(points.scratch_bytes);
    const struct times batch = compare(&points, inputs, points.n, PPS_BATCH, points.n);
    const size_t calls = points.n < MOST_CALLS ? points.n : MOST_CALLS;
    const struct times single = compare(&points, inputs, calls, 1, 1);
    printf("{\"bench\":\"library\",\"kernel\":\"%s\",\"points\":%zu,\"kernel_ns\":%.1f,"
           "\"batch_ratio\":%.4f,\"single_kernel_us\":%.3f,\"single_more_us\":%.3f}\n",
           e->kernel->name, points.n, batch.kernel_s / (double)points.n * 1e9, batch.ratio,
           single.kernel_s / (double)calls * 1e6,
           single.kernel_s * (single.ratio - 1) / (double)calls * 1e6);
    for (int p = 0; p < e->kernel->n_params; p++)
        free(points.param[p]);
    free(points.expected);
    free(points.got);
    free(points.scratch);
    pps_experiment_free(e);
}

int main(int argc, char **argv)
{
    const size_t most = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 100000;
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
        measure(trials[t].experiment, trials[t].inputs, most);
    return 0;
}
