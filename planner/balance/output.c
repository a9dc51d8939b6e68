// SPDX-License-Identifier: Apache-2.0
// Writes the files of a balance report.
#include "planner/balance/output.h"

#include "base/text/grow_list.h"
#include "planner/balance/report/result_files.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEADING = 256 };

// ---- options ------------------------------------------------------------------------------------

// Names of files, which the list owns.
struct paths {
    char **list;
    size_t n, room;
    bool failed;
};

static void add_path(struct paths *paths, const char *folder, const char *before,
                     const char *name)
{
    char **grown = pps_grow(paths->list, &paths->room, paths->n + 1, sizeof *grown);
    paths->failed = paths->failed || grown == NULL;
    if (grown == NULL)
        return;
    paths->list = grown;
    if (asprintf(&grown[paths->n], "%s%s%s%s", folder, *folder != '\0' ? "/" : "", before,
                 name) < 0)
        paths->failed = true;
    else
        paths->n++;
}

static void add_pictures(struct paths *paths, const struct balance_output *output,
                         const struct balance_manual *manual)
{
    static const char *const prefixes[] = {"", BALANCE_AUTO_PREFIX, BALANCE_COMPARISON_PREFIX};
    for (int k = 0; k < 2 && output->naive; k++)
        add_path(paths, output->folder, "",
                 k == 0 ? BALANCE_NAIVE_NO_PICTURE : BALANCE_NAIVE_ALL_PICTURE);
    for (int32_t i = 0; i < manual->n; i++)
        for (size_t p = 0; p < 3 && manual->entries[i].fault.text[0] == '\0'; p++)
            add_path(paths, output->folder, prefixes[p], manual->entries[i].file_name);
}

// Checks before the search that all files can be written after it.
static enum pps_status check_files(const struct balance_output *output,
                                   const struct balance_manual *manual, const char *layers,
                                   struct pps_error *err)
{
    static const char *const names[] = {BALANCE_RESULT_PICTURE, BALANCE_RESULT_YAML,
                                        BALANCE_RESULT_JSON, BALANCE_RESULT_PLAN,
                                        BALANCE_RESULT_MEGATRON};
    struct paths paths = {.list = NULL};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        add_path(&paths, output->folder, "", names[k]);
    add_pictures(&paths, output, manual);
    if (output->trace != NULL)
        add_path(&paths, "", "", output->trace);
    enum pps_status status =
        paths.failed
            ? pps_fail_memory(err, "the names of the files")
            : pps_gate_check_all(&output->gate, (const char *const *)paths.list, paths.n, err);
    for (size_t i = 0; i < paths.n && status == PPS_OK; i++)
        status = pps_gate_apart(paths.list[i], layers, err);
    for (size_t i = 0; i < paths.n; i++)
        free(paths.list[i]);
    free(paths.list);
    return status;
}

enum pps_status balance_read_output(struct balance_output *output, const struct pps_args *args,
                                    const struct balance_manual *manual, const char *layers,
                                    struct pps_error *err)
{
    const char *folder = pps_arg(args, "output-folder");
    *output = (struct balance_output){.folder = folder != NULL ? folder : "output",
                                      .trace = pps_arg(args, "trace"),
                                      .gate = *pps_arg_gate(args)};
    output->gate.maker.name = "balance";
    enum pps_status status = plan_arg_bool(args, "simulate-naive", &output->naive, err);
    if (status == PPS_OK)
        status = plan_check_folder(output->folder, err);
    return status == PPS_OK ? check_files(output, manual, layers, err) : status;
}

// ---- files ----------------------------------------------------------------------------------

// A picture of a row. heading: room of the caller.
static struct balance_picture picture_of(const struct balance_solution *solution,
                                         const struct balance_row *row, char heading[HEADING])
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
                                 const struct balance_row *row, struct pps_error *err)
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
                                     const struct balance_solution *solution, double seconds,
                                     struct pps_error *err)
{
    const struct balance_files files = {.folder = output->folder,
                                        .gate = &output->gate,
                                        .log = stdout};
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
        status = balance_timeline_write(&best, output->trace, &output->gate, err);
    return status;
}
