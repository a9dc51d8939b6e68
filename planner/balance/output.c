// SPDX-License-Identifier: Apache-2.0
// Writes the files of a balance report.
#include "planner/balance/output.h"

#include "planner/balance/report/result_files.h"
#include "planner/balance/report/timeline_file.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <math.h>
#include <stdio.h>

enum { HEADING = 256 };

enum pps_status balance_read_output(struct balance_output *output,
                                    const struct pps_args *args,
                                    struct pps_error *err)
{
    const char *folder = pps_arg(args, "output-folder");
    *output = (struct balance_output){.folder = folder != NULL ? folder : "output",
                                      .trace = pps_arg(args, "trace")};
    enum pps_status status = plan_arg_bool(args, "simulate-naive", &output->naive, err);
    if (status == PPS_OK)
        status = plan_check_folder(output->folder, err);
    if (status == PPS_OK && output->trace != NULL)
        status = plan_check_file(output->trace, true, err);
    if (status == PPS_OK && output->trace != NULL)
        status = pps_arg_apart(args, "trace", err);
    return status;
}

// A picture of a row. heading: room of the caller.
static struct balance_picture picture_of(const struct balance_solution *solution,
                                         const struct balance_row *row,
                                         char heading[HEADING])
{
    balance_picture_heading(row->label, solution->task.layers, &row->shape,
                            solution->task.limit_mb, row->result.makespan, heading, HEADING);
    return (struct balance_picture){.heading = heading,
                                    .layers = solution->task.layers,
                                    .shape = &row->shape,
                                    .strategy = &row->strategy,
                                    .replay = row->replay,
                                    .limit_mb = solution->task.limit_mb};
}

static enum pps_status write_row(const struct balance_files *files,
                                 const struct balance_output *output,
                                 const struct balance_solution *solution,
                                 const struct balance_row *row,
                                 struct pps_error *err)
{
    char heading[HEADING], best_heading[HEADING];
    const struct balance_picture picture = picture_of(solution, row, heading),
                                 best = picture_of(solution, &solution->rows[0], best_heading);
    const bool is_first = row == &solution->rows[0];
    if (row->kind == BALANCE_ROW_MANUAL)
        return balance_files_manual(files, row->entry->file_name, is_first ? NULL : &best,
                                    &picture, err);
    if (row->kind == BALANCE_ROW_NAIVE_NONE && output->naive)
        return balance_files_picture(files, BALANCE_NAIVE_NO_PICTURE, &picture, err);
    if (row->kind == BALANCE_ROW_NAIVE_ALL && output->naive)
        return balance_files_picture(files, BALANCE_NAIVE_ALL_PICTURE, &picture, err);
    return PPS_OK;
}

static enum pps_status write_json(const struct balance_files *files,
                                  const struct balance_solution *solution,
                                  struct pps_error *err)
{
    struct balance_reported reported[BALANCE_ROWS_MAX];
    for (int i = 0; i < solution->n; i++) {
        const struct balance_row *row = &solution->rows[i];
        reported[i] =
            (struct balance_reported){row->label, &row->shape, &row->strategy, &row->result};
    }
    return balance_files_json(files, solution->task.layers, solution->task.limit_mb, reported,
                              solution->n, err);
}

enum pps_status balance_write_output(const struct balance_output *output,
                                     const struct balance_solution *solution,
                                     double seconds,
                                     struct pps_error *err)
{
    const struct balance_files files = {.folder = output->folder, .force = true, .log = stdout};
    char heading[HEADING];
    const struct balance_picture best = picture_of(solution, &solution->rows[0], heading);
    const double bound = solution->answer.bound;
    enum pps_status status =
        balance_files_found(&files, &best, seconds, bound > 0 ? bound : (double)NAN, err);
    for (int i = 0; i < solution->n && status == PPS_OK; i++)
        status = write_row(&files, output, solution, &solution->rows[i], err);
    if (status == PPS_OK)
        status = write_json(&files, solution, err);
    if (status == PPS_OK && output->trace != NULL)
        status = balance_timeline_write(&best, output->trace, true, err);
    if (status == PPS_OK && output->trace != NULL)
        printf("wrote     %s\n", output->trace);
    return status;
}
