// SPDX-License-Identifier: Apache-2.0
// Reads the kernels of an Ascend profile from kernel_details.csv (torch_npu and MindSpore):
//   Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,...,Start Time(us),Duration(us),...
#include "base/table/csv.h"
#include "planner/profiles/kernels/kernel_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, TYPE, START, STEP, N_COLUMNS };

struct columns {
    int at[N_COLUMNS]; // -1: not in the table
};

static int find_column(const struct pps_csv_row *row, const char *name, const char *other)
{
    for (int c = 0; c < row->n; c++)
        if (strcmp(row->text[c], name) == 0 ||
            (other != NULL && strcmp(row->text[c], other) == 0))
            return c;
    return -1;
}

static bool read_header(const struct pps_csv_row *row, struct columns *columns)
{
    columns->at[NAME] = find_column(row, "Name", "Op Name");
    columns->at[TYPE] = find_column(row, "Type", "OP Type");
    columns->at[START] = find_column(row, "Start Time(us)", "Task Start Time(us)");
    columns->at[STEP] = find_column(row, "Step Id", "Step ID");
    return columns->at[NAME] >= 0 && columns->at[START] >= 0;
}

// Returns whether the column Type holds a type. Some versions write N/A.
static bool has_type(const struct pps_csv_row *row, int column)
{
    return column >= 0 && row->length[column] > 0 && strcmp(row->text[column], "N/A") != 0;
}

static enum pps_status take_row(struct kernel_events *events, const struct kernel_names *names,
                                const struct pps_csv_row *row, const struct columns *columns,
                                const char *path, struct pps_error *err)
{
    const int *at = columns->at;
    for (int k = 0; k < N_COLUMNS; k++)
        if (at[k] >= row->n)
            return PPS_OK; // a truncated line
    struct kernel_row kernel = {.name = row->text[at[NAME]],
                                .n = row->length[at[NAME]],
                                .kind_name = row->text[at[NAME]],
                                .kind_n = row->length[at[NAME]],
                                .step = -1};
    if (!kernel_events_read_us(row->text[at[START]], row->length[at[START]], &kernel.ns))
        return PPS_OK; // N/A
    // The name of a kernel holds the names of its scopes; its type is exact.
    const bool is_named = names->forward != NULL || names->backward != NULL;
    if (has_type(row, at[TYPE]) && !is_named) {
        kernel.kind_name = row->text[at[TYPE]];
        kernel.kind_n = row->length[at[TYPE]];
    }
    if (at[STEP] >= 0 && row->length[at[STEP]] > 0)
        kernel.step = (int32_t)strtol(row->text[at[STEP]], NULL, 10);
    return kernel_events_add(events, names, &kernel, path, err);
}

static enum pps_status read_rows(struct kernel_events *events, const struct kernel_names *names,
                                 struct pps_csv *csv, const char *path, struct pps_error *err)
{
    const struct pps_csv_row *row;
    struct columns columns = {{-1, -1, -1, -1}};
    enum pps_status status = pps_csv_next(csv, &row, err);
    if (status == PPS_OK && row != NULL)
        events->is_profile = read_header(row, &columns);
    while (status == PPS_OK && row != NULL && events->is_profile) {
        status = pps_csv_next(csv, &row, err);
        if (status == PPS_E_INPUT) { // the table up to here is good
            snprintf(events->damage, sizeof events->damage, "line %d: %.400s", err->line,
                     err->text);
            return PPS_OK;
        }
        if (status == PPS_OK && row != NULL)
            status = take_row(events, names, row, &columns, path, err);
    }
    return status;
}

static int by_number(const void *a, const void *b)
{
    const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return (p > q) - (p < q);
}

// Counts the different steps of the kernels. false: out of memory.
static bool count_steps(struct kernel_events *events)
{
    int32_t *steps = malloc((events->n + 1) * sizeof *steps);
    if (steps == NULL)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < events->n; i++)
        if (events->rows[i].step >= 0)
            steps[n++] = events->rows[i].step;
    qsort(steps, n, sizeof *steps, by_number);
    for (size_t i = 0; i < n; i++)
        events->n_steps += i == 0 || steps[i] != steps[i - 1];
    free(steps);
    return true;
}

enum pps_status kernel_events_of_table(struct kernel_events *events,
                                       const struct kernel_names *names, const char *path,
                                       struct pps_error *err)
{
    struct pps_csv *csv;
    *events = (struct kernel_events){.rank = -1};
    enum pps_status status = pps_csv_open(&csv, path, err);
    if (status != PPS_OK)
        return status;
    status = read_rows(events, names, csv, path, err);
    pps_csv_close(csv);
    if (status == PPS_OK && !count_steps(events))
        status = pps_fail_memory(err, "%s", path);
    if (status != PPS_OK)
        kernel_events_free(events);
    else
        kernel_events_sort(events);
    return status;
}
