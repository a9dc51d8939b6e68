// SPDX-License-Identifier: Apache-2.0
// Every fourth shape of a kind is held out of a first fit, which is judged on these shapes; the record is
// fitted to all of them.
#include "planner/nd/commands/calibrate_grid.h"

#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "base/text/text_buffer.h"
#include "planner/nd/profiling/calibrate.h"
#include "planner/nd/profiling/grid.h"
#include "planner/shared/document_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// PyTorch writes "NVIDIA H100 80GB HBM3": the whole name or one of its words is a known device.
static const struct hardware *device_named(const char *name)
{
    const struct hardware *found = hardware_find(name);
    char words[64];
    snprintf(words, sizeof words, "%s", name);
    for (char *rest = words, *word; found == NULL && (word = strtok_r(rest, " ", &rest));)
        found = hardware_find(word);
    return found;
}

static enum pps_status find_device(struct hardware *hardware, const struct nd_grid *grid,
                                   const char *path, const char *device, struct pps_error *err)
{
    const struct hardware *found =
        device != NULL ? hardware_find(device) : device_named(grid->device);
    if (found == NULL && device != NULL)
        return pps_fail(
            err, PPS_E_INPUT,
            "--hardware %s: no device of this name is known; ppsweep clusters lists "
            "them",
            device);
    if (found == NULL)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s: no device called \"%s\" is known; write --hardware NAME for the one "
            "with its peak and memory rates",
            path, grid->device);
    *hardware = *found;
    if (*grid->device != '\0')
        snprintf(hardware->name, sizeof hardware->name, "%.31s", grid->device);
    return PPS_OK;
}

// The words of a device's name do not tell all of its variants apart.
static void print_start(const struct hardware *before, const struct nd_grid *grid)
{
    pps_say(stdout, "%s: peaks and links of %s, %.0f TFLOP/s (--hardware NAME for another)",
            *grid->device != '\0' ? grid->device : "device", before->base, before->peak / 1e12);
}

static void print_errors(const struct nd_grid *grid, const struct hardware *before,
                         const struct hardware *judged)
{
    printf("%-20s %6s %8s %12s %12s %12s\n", "kernels", "rows", "held out", "record now",
           "fitted", "worst fitted");
    for (int kind = 0; kind < ND_GRID_KINDS; kind++) {
        const enum nd_grid_kind k = (enum nd_grid_kind)kind;
        const struct nd_grid_error old = nd_grid_error_of(grid, k, before);
        const struct nd_grid_error new = nd_grid_error_of(grid, k, judged);
        if (new.held > 0)
            pps_say(stdout, "%-20s %6zu %8zu %10.1f %% %10.1f %% %10.1f %%",
                    nd_grid_kind_name(k), new.rows, new.held, 100 * old.mean, 100 * new.mean,
                    100 * new.largest);
    }
    if (grid->launch > 0)
        printf("launching an operator takes %.1f us\n", 1e6 * grid->launch);
    printf(
        "\nErrors are mean absolute errors of shapes that the fit did not see; the record is "
        "fitted to all shapes.\n\n");
}

static void round_figures(struct hardware *h)
{
    struct hardware_shapes *s = &h->shapes;
    double *const figures[] = {&h->gemm_eff, &h->fp8_eff, &h->attention_eff, &h->memory_eff,
                               &s->wave,     &s->half_k,  &s->half_length,   &s->half_size,
                               &s->backward, &s->kernel,  &s->launch};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        *figures[i] = nd_rounded(*figures[i]);
}

static enum pps_status print_record(const struct hardware *hardware, struct pps_error *err)
{
    struct text_buffer text = {0};
    nd_add_record(&text, "hardware", hardware_document(hardware));
    const bool failed = text.failed;
    if (!failed)
        printf("%s", text.text);
    text_buffer_free(&text);
    return failed ? pps_fail_memory(err, "the record") : PPS_OK;
}

static enum pps_status fit_and_print(const struct nd_grid *grid, const char *path,
                                     const char *device, bool quiet, struct pps_error *err)
{
    struct hardware before;
    if (grid->n < ND_GRID_FEWEST)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s: has %zu measured kernels, and a fit needs at least %d of a kind; let "
            "device_grid.py run longer",
            path, grid->n, ND_GRID_FEWEST);
    const enum pps_status status = find_device(&before, grid, path, device, err);
    if (status != PPS_OK)
        return status;
    struct hardware judged = before, all = before;
    nd_grid_fit(grid, false, &judged);
    nd_grid_fit(grid, true, &all);
    round_figures(&all);
    all.calibrated = true;
    if (!quiet) {
        print_start(&before, grid);
        print_errors(grid, &before, &judged);
    }
    return print_record(&all, err);
}

enum pps_status nd_calibrate_grid(const char *path, const char *device, bool quiet,
                                  struct pps_error *err)
{
    struct nd_grid grid = {.rows = NULL};
    char *text = NULL;
    size_t n = 0;
    enum pps_status status = pps_whole_file_read(path, PLAN_DOCUMENT_MAX, &text, &n, err);
    if (status == PPS_OK)
        status = nd_grid_read(&grid, path, text, err);
    if (status == PPS_OK)
        status = fit_and_print(&grid, path, device, quiet, err);
    nd_grid_free(&grid);
    free(text);
    return status;
}
