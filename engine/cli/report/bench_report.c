// SPDX-License-Identifier: Apache-2.0
// Writes the figures of a benchmark as tables, JSON and plot data.
#include "engine/cli/report/bench_report.h"

#include "base/document/json.h"
#include "base/system/disk.h"
#include "base/system/machine.h"
#include "base/text/human.h"
#include "base/write/new_file.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const data_names[] = {"kernel.dat", "threads.dat"};

// ---- for people -------------------------------------------------------------------------------

static void print_count(double n, int width)
{
    char text[48];
    pps_human_count(n, text, sizeof text);
    printf("%*s", width, text);
}

static void print_time(double seconds, int width)
{
    const double ns = seconds * 1e9;
    char text[40];
    if (ns < 1e4)
        snprintf(text, sizeof text, "%s ns", pps_count_text(ns).text);
    else if (ns < 1e7)
        snprintf(text, sizeof text, "%s us", pps_decimals_text(ns / 1e3, 1).text);
    else
        snprintf(text, sizeof text, "%s ms", pps_decimals_text(ns / 1e6, 1).text);
    printf("%*s", width, text);
}

static void cache_text(int name, char *out, size_t cap)
{
    const long bytes = sysconf(name);
    if (bytes > 0)
        pps_human_bytes((double)bytes, out, cap);
    else
        snprintf(out, cap, "unknown");
}

// Compares the minimum and maximum working memory with the caches.
static void print_memory(const struct pps_benchmark *b)
{
    double least = HUGE_VAL, most = 0;
    char from[32], to[32], first[32], second[32];
    for (int i = 0; i < b->n_cells; i++) {
        least = fmin(least, (double)b->cells[i].scratch_bytes);
        most = fmax(most, (double)b->cells[i].scratch_bytes);
    }
    pps_human_bytes(least, from, sizeof from);
    pps_human_bytes(most, to, sizeof to);
#ifdef _SC_LEVEL1_DCACHE_SIZE
    cache_text(_SC_LEVEL1_DCACHE_SIZE, first, sizeof first);
    cache_text(_SC_LEVEL2_CACHE_SIZE, second, sizeof second);
#else // musl does not know the caches
    cache_text(-1, first, sizeof first);
    cache_text(-1, second, sizeof second);
#endif
    printf("  bound by  the core, while the working memory of a point (%s%s%s per thread)\n"
           "            fits in the caches (L1 %s, L2 %s)\n",
           from, strcmp(from, to) != 0 ? " to " : "", strcmp(from, to) != 0 ? to : "", first,
           second);
}

static void print_cells(const struct pps_benchmark *b)
{
    const struct pps_bench_axis *axes = b->kernel->bench_axes;
    printf("kernel alone, one thread, CPU time, the same points repeatedly\n  ");
    for (int a = 0; a < b->n_axes; a++)
        printf("%8s", axes[a].param);
    printf("%14s%14s", "time/point", "points/s");
    printf(b->cells[0].events > 0 ? "%12s%12s\n" : "\n", "events", "ns/event");
    for (int i = 0; i < b->n_cells; i++) {
        const struct pps_bench_cell *cell = &b->cells[i];
        printf("  ");
        for (int a = 0; a < b->n_axes; a++)
            printf("%8.0f", cell->value[a]);
        print_time(cell->point_s, 14);
        print_count(1 / cell->point_s, 14);
        if (cell->events > 0) {
            print_count(cell->events, 12);
            printf("%12.1f", 1e9 * cell->point_s / cell->events);
        }
        printf("\n");
    }
    if (b->reference_s > 0) {
        printf("  reference ");
        print_time(b->reference_s, 0);
        printf(" per point of the first line, %.0f times the kernel; largest difference %.1g\n",
               b->reference_ratio, b->reference_difference);
    }
    print_memory(b);
}

static const struct pps_bench_codec *codec_named(const struct pps_benchmark *b,
                                                 const char *name)
{
    for (int c = 0; c < b->n_codecs; c++)
        if (strcmp(b->codecs[c].name, name) == 0)
            return &b->codecs[c];
    return NULL;
}

static void print_codec_bound(const struct pps_benchmark *b)
{
    const struct pps_bench_codec *none = codec_named(b, "none");
    const struct pps_bench_codec *zlib = codec_named(b, "zlib:1");
    const double share = 1 - none->row_s / zlib->row_s;
    printf("  bound by  %s: zlib:1 takes %.0f %% of the time per row (%s of %s ns)\n",
           share > 0.5 ? "compression" : "formatting rows", 100 * fmax(share, 0),
           pps_count_text(1e9 * (zlib->row_s - none->row_s)).text,
           pps_count_text(1e9 * zlib->row_s).text);
}

static void print_codecs(const struct pps_benchmark *b)
{
    printf("\n"
           "output cost: rows without the kernel, one thread, %.1f bytes per row\n"
           "  %-8s%12s%12s%12s%8s   to a file, wall time:\n"
           "  %-8s%12s%12s%12s%8s%12s%12s\n",
           b->codecs[0].text_bytes, "", "CPU time:", "", "", "", "codec", "rows/s", "text MB/s",
           "file MB/s", "ratio", "rows/s", "file MB/s");
    for (int c = 0; c < b->n_codecs; c++) {
        const struct pps_bench_codec *codec = &b->codecs[c];
        printf("  %-8s", codec->name);
        print_count(1 / codec->row_s, 12);
        printf("%12.0f%12.0f%8.1f", 1e-6 * codec->text_bytes / codec->row_s,
               1e-6 * codec->data_bytes / codec->row_s, codec->text_bytes / codec->data_bytes);
        print_count(1 / codec->file_row_s, 12);
        printf("%12.0f\n", 1e-6 * codec->data_bytes / codec->file_row_s);
    }
    print_codec_bound(b);
}

// Mean number of CPUs that the threads had. Capped at the number of threads: CPU time may
// include threads of the previous run that end late.
static double processors(const struct pps_bench_scale *scale)
{
    return fmin(scale->cpu_s / fmax(scale->wall_s, 1e-9), scale->threads);
}

// Warns if the threads did not have a CPU each: the speed then does not show the scaling. Idle
// threads at the end of a run account for a few percent only.
static void print_disturbed(const struct pps_benchmark *b)
{
    const double enough = 0.85;
    const struct pps_bench_scale *most = &b->scales[b->n_scales - 1];
    if (processors(most) < enough * most->threads)
        printf("  machine busy: had %.2f of %d CPU%s; other work or a quota used the rest\n",
               processors(most), most->threads, most->threads == 1 ? "" : "s");
}

// Prints what limits a run of one thread, of which the kernel takes `share`.
static void print_run_bound(const struct pps_benchmark *b, double share)
{
    const double row_s = codec_named(b, "zlib:1")->row_s;
    const double rest_s = b->run_point_s - b->kernel_point_s - row_s;
    if (b->run_left_out > 1 && rest_s > fmax(row_s, b->kernel_point_s))
        printf("  bound by  skipping points: %.1f skipped points per row\n", b->run_left_out);
    else
        printf("  bound by  %s\n",
               share > 0.7   ? "the kernel; another codec or a faster disk changes little"
               : share > 0.4 ? "the kernel and output cost equally; --compress isal:1 or none "
                               "may help"
                             : "output cost; --compress isal:1 or none helps");
}

static void print_run(const struct pps_benchmark *b)
{
    const double share = fmin(b->kernel_point_s / b->run_point_s, 1);
    printf("  per point ");
    print_time(b->run_point_s, 0);
    printf(" in a run of one thread; the kernel takes ");
    print_time(b->kernel_point_s, 0);
    printf(" (%.0f %%)\n", 100 * share);
    print_run_bound(b, share);
}

static void print_scales(const struct pps_benchmark *b)
{
    printf("\nwhole runs, distinct points, zlib:1 to /dev/null, wall time\n  "
           "%8s%14s%16s%12s%s\n",
           "threads", "points/s", "speed-up", "CPUs", b->run_events > 0 ? "    ns/event" : "");
    for (int s = 0; s < b->n_scales; s++) {
        printf("  %8d", b->scales[s].threads);
        print_count(b->scales[s].points_s, 14);
        printf("%14.2f x%12.2f", b->scales[s].gain, processors(&b->scales[s]));
        if (b->run_events > 0)
            printf("%12.1f", 1e9 / (b->scales[s].points_s * b->run_events));
        printf("\n");
    }
    print_disturbed(b);
    print_run(b);
}

void pps_benchreport_print(const struct pps_benchmark *b)
{
    char machine[256];
    pps_machine_name(machine, sizeof machine);
    printf("kernel %s %s on %s\n\n", b->kernel->name, b->kernel->version, machine);
    print_cells(b);
    print_codecs(b);
    print_scales(b);
}

// ---- for programs -----------------------------------------------------------------------------

static cJSON *cell_json(const struct pps_benchmark *b, const struct pps_bench_cell *cell)
{
    cJSON *object = cJSON_CreateObject();
    for (int a = 0; a < b->n_axes; a++)
        cJSON_AddNumberToObject(object, b->kernel->bench_axes[a].param, cell->value[a]);
    cJSON_AddNumberToObject(object, "points", (double)cell->points);
    cJSON_AddNumberToObject(object, "ns_per_point", 1e9 * cell->point_s);
    cJSON_AddNumberToObject(object, "points_per_s", 1 / cell->point_s);
    if (cell->events > 0) {
        cJSON_AddNumberToObject(object, "events_per_point", cell->events);
        cJSON_AddNumberToObject(object, "ns_per_event", 1e9 * cell->point_s / cell->events);
    }
    cJSON_AddNumberToObject(object, "scratch_bytes", (double)cell->scratch_bytes);
    return object;
}

static cJSON *codec_json(const struct pps_bench_codec *codec)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "codec", codec->name);
    cJSON_AddNumberToObject(object, "rows", (double)codec->rows);
    cJSON_AddNumberToObject(object, "text_bytes_per_row", codec->text_bytes);
    cJSON_AddNumberToObject(object, "data_bytes_per_row", codec->data_bytes);
    cJSON_AddNumberToObject(object, "ns_per_row", 1e9 * codec->row_s);
    cJSON_AddNumberToObject(object, "rows_per_s", 1 / codec->row_s);
    cJSON_AddNumberToObject(object, "file_rows_per_s", 1 / codec->file_row_s);
    return object;
}

static cJSON *scale_json(const struct pps_benchmark *b, const struct pps_bench_scale *scale)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "threads", scale->threads);
    cJSON_AddNumberToObject(object, "points", (double)scale->points);
    cJSON_AddNumberToObject(object, "points_per_s", scale->points_s);
    cJSON_AddNumberToObject(object, "speedup", scale->gain);
    cJSON_AddNumberToObject(object, "cpu_per_real", processors(scale));
    if (b->run_events > 0)
        cJSON_AddNumberToObject(object, "ns_per_event",
                                1e9 / (scale->points_s * b->run_events));
    return object;
}

static void add_reference(cJSON *root, const struct pps_benchmark *b)
{
    if (b->reference_s <= 0)
        return;
    cJSON *reference = cJSON_AddObjectToObject(root, "reference");
    cJSON_AddNumberToObject(reference, "ns_per_point", 1e9 * b->reference_s);
    cJSON_AddNumberToObject(reference, "ratio", b->reference_ratio);
    cJSON_AddNumberToObject(reference, "largest_difference", b->reference_difference);
}

void pps_benchreport_json(const struct pps_benchmark *b)
{
    char machine[256];
    cJSON *root = cJSON_CreateObject();
    pps_machine_name(machine, sizeof machine);
    cJSON_AddStringToObject(root, "ppsweep", PPS_VERSION);
    cJSON_AddStringToObject(root, "kernel", b->kernel->name);
    cJSON_AddStringToObject(root, "kernel_version", b->kernel->version);
    cJSON_AddStringToObject(root, "machine", machine);
    cJSON *cells = cJSON_AddArrayToObject(root, "points");
    for (int i = 0; i < b->n_cells; i++)
        cJSON_AddItemToArray(cells, cell_json(b, &b->cells[i]));
    add_reference(root, b);
    cJSON *codecs = cJSON_AddArrayToObject(root, "rows");
    for (int c = 0; c < b->n_codecs; c++)
        cJSON_AddItemToArray(codecs, codec_json(&b->codecs[c]));
    cJSON *scales = cJSON_AddArrayToObject(root, "threads");
    for (int s = 0; s < b->n_scales; s++)
        cJSON_AddItemToArray(scales, scale_json(b, &b->scales[s]));
    cJSON *run = cJSON_AddObjectToObject(root, "run");
    cJSON_AddNumberToObject(run, "ns_per_point", 1e9 * b->run_point_s);
    cJSON_AddNumberToObject(run, "kernel_ns_per_point", 1e9 * b->kernel_point_s);
    cJSON_AddNumberToObject(run, "skipped_per_point", b->run_left_out);
    cJSON_AddNumberToObject(run, "kernel_share", b->kernel_point_s / b->run_point_s);
    pps_json_put_line(stdout, root);
}

// ---- for plots --------------------------------------------------------------------------------

static void write_head(FILE *out, const struct pps_benchmark *b)
{
    char machine[256];
    pps_machine_name(machine, sizeof machine);
    fprintf(out, "# kernel %s %s\n# machine %s\n", b->kernel->name, b->kernel->version,
            machine);
}

// Returns whether the cells differ in an axis other than the first axis.
static bool same_series(const struct pps_benchmark *b, const double *one, const double *other)
{
    for (int a = 1; a < b->n_axes; a++)
        if (fabs(one[a] - other[a]) > 0)
            return false;
    return true;
}

static bool begins_series(const struct pps_benchmark *b, int i)
{
    for (int k = 0; k < i; k++)
        if (same_series(b, b->cells[k].value, b->cells[i].value))
            return false;
    return true;
}

// Writes one block per series: the first axis varies, the others are constant. The first line
// of a block is its name.
static void write_cells(FILE *out, const struct pps_benchmark *b)
{
    const struct pps_bench_axis *axes = b->kernel->bench_axes;
    write_head(out, b);
    fprintf(out, "# %s points_per_s ns_per_point events_per_point\n",
            b->n_axes > 0 ? axes[0].param : "-");
    for (int i = 0; i < b->n_cells; i++) {
        if (!begins_series(b, i))
            continue;
        fprintf(out, "%s\"", i > 0 ? "\n\n" : "");
        for (int a = 1; a < b->n_axes; a++)
            fprintf(out, "%s%s = %.0f", a > 1 ? ", " : "", axes[a].param, b->cells[i].value[a]);
        fprintf(out, "\"\n");
        for (int k = i; k < b->n_cells; k++)
            if (same_series(b, b->cells[i].value, b->cells[k].value))
                fprintf(out, "%.0f %.6g %.6g %.6g\n", b->cells[k].value[0],
                        1 / b->cells[k].point_s, 1e9 * b->cells[k].point_s, b->cells[k].events);
    }
}

static void write_scales(FILE *out, const struct pps_benchmark *b)
{
    write_head(out, b);
    fprintf(out, "# threads points_per_s\n");
    for (int s = 0; s < b->n_scales; s++)
        fprintf(out, "%d %.6g\n", b->scales[s].threads, b->scales[s].points_s);
}

enum pps_status pps_benchreport_data_check(const char *folder, const struct pps_gate *gate,
                                           struct pps_error *err)
{
    enum pps_status status = pps_disk_make_folder(folder, err);
    if (status == PPS_OK && access(folder, W_OK | X_OK) != 0)
        return pps_fail(err, PPS_E_INPUT, "--data %s: the folder is not writable", folder);
    for (int f = 0; f < 2 && status == PPS_OK; f++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, data_names[f]);
        status = pps_gate_check(gate, path, err);
    }
    return status;
}

enum pps_status pps_benchreport_data(const struct pps_benchmark *b, const char *folder,
                                     const struct pps_gate *gate, struct pps_error *err)
{
    static void (*const write[])(FILE *, const struct pps_benchmark *) = {write_cells,
                                                                          write_scales};
    enum pps_status status = PPS_OK;
    for (int f = 0; f < 2 && status == PPS_OK; f++) {
        struct pps_new_file file;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, data_names[f]);
        status = pps_new_file_open(&file, path, gate, err);
        if (status != PPS_OK)
            return status;
        write[f](file.out, b);
        status = pps_new_file_close(&file, err);
    }
    return status;
}
