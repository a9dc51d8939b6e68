// SPDX-License-Identifier: Apache-2.0
// ppsweep slice: writes the data of pictures as text.
#include "engine/slice/slice.h"
#include "base/system/disk.h"
#include "base/text/say.h"

#include "base/write/new_file.h"
#include "engine/cli/options/picture_options.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/report/progress.h"
#include "engine/cli/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct pps_opt options[] = {
    {"x", 'x', "COLUMN", "columns of the matrix (default of the kernel)"},
    {"y", 'y', "COLUMN", "rows of the matrix (default of the kernel)"},
    {"value", 0, "COLUMN", "values of the cells (first result of the kernel)"},
    {"by", 0, "COLUMNS", "one matrix per group (default of the kernel; one with --reduce)"},
    {"reduce", 0, "HOW", "combine the rows of a cell: min, max, mean, first or last"},
    {"allow-partial", 0, NULL, "allow --reduce mean if cells cover different combinations"},
    PPS_SCALE_OPTIONS,
    PPS_KIND_OPTIONS,
    {"output", 'o', "PATH", "a file, or a folder for one file per matrix (stdout)"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    PPS_LET_OPTION,
    PPS_BASELINE_OPTION,
    PPS_READ_AHEAD_OPTION,
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, .csv, .parquet or - (stdin). Filters such as n=8,16 gpus=4 keep\n"
    "only rows with these values. Rows and columns of a matrix are sorted in ascending order,\n"
    "numbers before names.\n"
    "\n"
    "gnuplot reads a matrix with `plot 'x.dat' matrix rowheaders columnheaders with image`.\n"
    "If a file contains several matrices, add `index 0`, `index 1` and so on.\n"
    "\n"
    "--baseline KEY=VALUE,... writes, instead of --value, by how many percent it is better than\n"
    "the value of the same point with these parameters (default: what the kernel states).\n"
    "\n"
    "--pareto, --stack and --scatter write the data for plot_scripts/pareto.gp, bars.gp and\n"
    "scatter.gp.\n"
    "\n"
    "  ppsweep slice outputs/data/first.csv.gz n=8 -o slices/\n";

static bool is_folder(const char *path)
{
    struct stat info;
    const size_t n = strlen(path);
    return (n > 0 && path[n - 1] == '/') || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static enum pps_status write_all(const struct pps_slices *cut, const char *path,
                                 const struct pps_gate *gate, struct pps_error *err)
{
    struct pps_new_file file;
    enum pps_status status = pps_new_file_open(&file, path, gate, err);
    if (status != PPS_OK)
        return status;
    for (size_t i = 0; i < pps_slices_maps(cut) && status == PPS_OK; i++) {
        struct pps_slice slice;
        status = pps_slices_get(cut, i, &slice, err);
        if (status == PPS_OK) {
            // For gnuplot, two empty lines separate matrices.
            fputs(i > 0 ? "\n\n" : "", file.out);
            pps_slice_write(&slice, file.out);
        }
        pps_slice_free(&slice);
    }
    return pps_new_file_end(&file, status, err);
}

static enum pps_status write_slice(const struct pps_slice *slice, const char *path,
                                   const struct pps_args *args, struct pps_error *err)
{
    struct pps_new_file file;
    enum pps_status status = pps_new_file_open(&file, path, pps_arg_gate(args), err);
    if (status != PPS_OK)
        return status;
    pps_slice_write(slice, file.out);
    status = pps_new_file_close(&file, err);
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        pps_say(stdout, "%s", path);
    return status;
}

static enum pps_status write_one(const struct pps_slices *cut, size_t i, const char *folder,
                                 const struct pps_args *args, struct pps_error *err)
{
    struct pps_slice slice;
    char name[512] = "", *path = NULL;
    enum pps_status status = pps_slices_get(cut, i, &slice, err);
    if (status == PPS_OK) {
        const size_t n = strlen(folder);
        if (!pps_slices_name(cut, i, name, sizeof name) ||
            asprintf(&path, "%s%s%s.dat", folder, folder[n - 1] == '/' ? "" : "/", name) < 0) {
            path = NULL;
            status = pps_fail_memory(err, "%s", name);
        }
    }
    if (status == PPS_OK)
        status = write_slice(&slice, path, args, err);
    pps_slice_free(&slice);
    free(path);
    return status;
}

static enum pps_status write_folder(const struct pps_slices *cut, const char *folder,
                                    const struct pps_args *args, struct pps_error *err)
{
    enum pps_status status = pps_disk_make_folder(folder, err);
    for (size_t i = 0; i < pps_slices_maps(cut) && status == PPS_OK; i++)
        status = write_one(cut, i, folder, args, err);
    return status;
}

// A folder is checked file by file.
static enum pps_status check_output(const char *path, const struct pps_gate *gate,
                                    struct pps_error *err)
{
    return path == NULL || strcmp(path, "-") == 0 || is_folder(path)
               ? PPS_OK
               : pps_gate_check(gate, path, err);
}

// Writes a Pareto front, bars or a scatter to a file or to stdout.
static enum pps_status write_kind(const struct pps_args *args, const struct pps_view_ask *view,
                                  struct pps_error *err)
{
    struct pps_new_file file;
    enum pps_status status =
        pps_new_file_open(&file, pps_arg(args, "output"), pps_arg_gate(args), err);
    if (status != PPS_OK)
        return status;
    status = pps_kind_plot(args, view, &(struct pps_picture_ask){.data = file.out}, err);
    return pps_new_file_end(&file, status, err);
}

static enum pps_status slice_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_slice_ask ask = {
        .x = pps_arg(args, "x"),
        .y = pps_arg(args, "y"),
        .value = pps_arg(args, "value"),
        .by = pps_arg(args, "by"),
        .allow_partial = pps_arg(args, "allow-partial") != NULL,
    };
    const char *path = pps_arg(args, "output");
    const struct pps_gate *gate = pps_arg_gate(args);
    struct pps_slices *cut = NULL;
    struct pps_baseline *baseline = NULL;
    struct pps_read_progress progress;
    enum pps_status status = pps_result_arguments_view(args, &ask.view, err);
    if (status == PPS_OK)
        status = pps_read_progress_begin(&progress, args, &ask.view.watch, false, err);
    if (status == PPS_OK)
        status = pps_read_ahead_option(args, &ask.view.watch, err);
    if (status == PPS_OK)
        status = pps_kind_check(args, err);
    if (status == PPS_OK)
        status = check_output(path, gate, err);
    if (status == PPS_OK)
        pps_result_arguments_say_partial(args, &ask.view);
    if (status == PPS_OK)
        status = pps_baseline_option(args, ask.value, &ask.view, &baseline, err);
    if (baseline != NULL)
        ask.value = PPS_BASELINE_GAIN;
    if (status == PPS_OK && pps_kind_asked(args)) {
        status = write_kind(args, &ask.view, err);
        pps_read_progress_end(&progress);
        pps_baseline_close(baseline);
        pps_result_arguments_free(&ask.view);
        return status;
    }
    if (status == PPS_OK)
        status = pps_reduce_parse(pps_arg(args, "reduce"), &ask.reduce, err);
    if (status == PPS_OK)
        status = pps_scale_options(args, &ask.scale, err);
    if (status == PPS_OK) {
        status = pps_slices_open(&cut, &ask, err);
        pps_read_progress_end(&progress);
    }
    if (status == PPS_OK && path != NULL && is_folder(path))
        status = write_folder(cut, path, args, err);
    else if (status == PPS_OK)
        status = write_all(cut, path, gate, err);
    if (status == PPS_OK && path != NULL && pps_arg(args, "quiet") == NULL)
        fprintf(stderr, "ppsweep: %zu matri%s\n", pps_slices_maps(cut),
                pps_slices_maps(cut) == 1 ? "x" : "ces");
    pps_slices_close(cut);
    if (status == PPS_OK)
        pps_baseline_option_say(args, baseline);
    pps_baseline_close(baseline);
    pps_result_arguments_free(&ask.view);
    return status;
}

const struct pps_command pps_command_slice = {
    .name = "slice",
    .summary =
        "write the data of plot as text: matrices, scatters, Pareto fronts, stacked bars",
    .usage = "[options] RESULT [column=value...]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .kernels = true,
    .main = slice_main,
};
