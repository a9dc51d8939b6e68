// SPDX-License-Identifier: Apache-2.0
// Names, checks and writes the files of `ppsweep nd pipeline`.
#include "base/system/disk.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/gate.h"
#include "planner/nd/commands/pipeline_report.h"

#include "kernels/common/split/chunk.h"
#include "planner/exchange/mps.h"
#include "planner/nd/input/choice_price.h"
#include "planner/nd/launch/configuration.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_baseline.h"

#include "base/math/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum kind { CONFIGURATION, FIGURES, SOLUTION, PROGRAM, N_KINDS };

enum { PATH = PLAN_PATH + 2 * ND_NAME_CAP };

static const char *const FOLDERS[N_KINDS] = {"configuration", "memory_info", "sol_output",
                                             "model_mps"};
static const char *const ENDINGS[N_KINDS] = {".yaml", ".txt", ".sol", ".mps"};

static bool is_wanted(const struct nd_pipe_files *files, enum kind kind)
{
    if (files->folder == NULL)
        return false;
    return kind == CONFIGURATION ? files->configuration
           : kind == PROGRAM     ? files->program
                                 : files->solution;
}

static void folder_path(const struct nd_pipe_files *files, enum kind kind, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", files->folder, FOLDERS[kind]);
}

static const char *ending_of(const struct nd_pipe *pipe, enum kind kind)
{
    const struct plan_document *file = plan_run_configuration(&pipe->input->job.run);
    return kind == CONFIGURATION && file != NULL ? nd_configuration_ending(file)
                                                 : ENDINGS[kind];
}

// Memory figures are equal for any number of chunks.
static void file_path(const struct nd_pipe *pipe, const struct nd_pipe_files *files,
                      enum kind kind, char path[PATH])
{
    char name[ND_NAME_CAP];
    struct nd_figures_key key = pipe->key;
    if (kind == FIGURES)
        key.vp = 1;
    snprintf(path, PATH, "%s/%s/%s%s", files->folder, FOLDERS[kind],
             nd_figures_name(name, &key), ending_of(pipe, kind));
}

enum pps_status nd_pipe_check_files(const struct nd_pipe *pipe,
                                    const struct nd_pipe_files *files, struct pps_error *err)
{
    char path[PATH];
    if (files->folder == NULL)
        return PPS_OK;
    enum pps_status status = plan_check_folder(files->folder, err);
    for (int kind = 0; kind < N_KINDS && status == PPS_OK; kind++)
        if (is_wanted(files, (enum kind)kind)) {
            folder_path(files, (enum kind)kind, path);
            status = plan_check_folder(path, err);
            file_path(pipe, files, (enum kind)kind, path);
            if (status == PPS_OK)
                status = pps_gate_check(pipe->input->gate, path, err);
        }
    return status;
}

// ---- folders that will be there -----------------------------------------------------------------

// Finds the next name in a path and sets *n to its length, or to 0 if none follows before `end`.
static const char *next_name(const char *at, const char *end, size_t *n)
{
    for (*n = 0; at < end; at += *n) {
        while (at < end && *at == '/')
            at++;
        *n = 0;
        while (at + *n < end && at[*n] != '/')
            ++*n;
        if (*n != 1 || *at != '.')
            break;
    }
    return at;
}

// Returns whether the first path equals the second or is one of its parent folders.
static bool leads_to(const char *path, size_t length, const char *folder)
{
    const char *const end = path + length, *const folder_end = folder + strlen(folder);
    if ((length > 0 && *path == '/') != (*folder == '/'))
        return false;
    for (;;) {
        size_t n, m;
        path = next_name(path, end, &n);
        folder = next_name(folder, folder_end, &m);
        if (n == 0)
            return true;
        if (n != m || memcmp(path, folder, n) != 0)
            return false;
        path += n;
        folder += m;
    }
}

bool nd_pipe_makes_folder(const struct nd_pipe_files *files, const char *path)
{
    char folder[PATH];
    for (int kind = 0; kind < N_KINDS; kind++)
        if (is_wanted(files, (enum kind)kind)) {
            folder_path(files, (enum kind)kind, folder);
            if (leads_to(path, strlen(path), folder))
                return true;
        }
    return false;
}

// ---- writing ------------------------------------------------------------------------------------

static enum pps_status write_file(const struct nd_pipe *pipe, const struct nd_pipe_files *files,
                                  enum kind kind, struct text_buffer *text,
                                  struct pps_error *err)
{
    char path[PATH];
    folder_path(files, kind, path);
    enum pps_status status = pps_disk_make_folder(path, err);
    file_path(pipe, files, kind, path);
    if (status == PPS_OK)
        status = plan_write_text(path, text, pipe->input->gate, err);
    text_buffer_free(text);
    if (status == PPS_OK)
        pps_say(stdout, "wrote %s", path);
    return status;
}

enum pps_status nd_pipe_write_program(const struct nd_pipe *pipe,
                                      const struct nd_pipe_files *files,
                                      const struct nd_program *program, struct pps_error *err)
{
    char name[ND_NAME_CAP], why[200];
    struct text_buffer text = {0};
    struct nd_mps_size size;
    enum pps_status status;
    if (!is_wanted(files, PROGRAM))
        return PPS_OK;
    if (!nd_mps_write(&text, program, nd_figures_name(name, &pipe->key), &size, why,
                      sizeof why)) {
        text_buffer_free(&text);
        return pps_fail(err, PPS_E_MACHINE, "%s", why);
    }
    status = write_file(pipe, files, PROGRAM, &text, err);
    if (status == PPS_OK)
        printf("          %s variables, %s constraints, %s numbers\n",
               pps_count_text(size.variables).text, pps_count_text(size.constraints).text,
               pps_count_text((double)size.numbers).text);
    return status;
}

// A figures file excludes the reserve, because the reader subtracts the reserve from the limit.
// Nor does it count the layer that is made again where no stage makes one again.
static struct nd_figures figures_to_write(const struct nd_pipe *pipe,
                                          const struct nd_program *program,
                                          const struct nd_choice *choice)
{
    const struct nd_input *input = pipe->input;
    struct nd_figures figures = program->memory;
    double less = program->working;
    for (int32_t i = 0; i < program->stages; i++)
        less = fmin(less, nd_choice_spare(program, choice, i));
    if (!input->has_figures && input->compat == ND_CORRECTED)
        less += units_to_mib(input->job.run.cluster.reserve);
    figures.static_mem0 -= less;
    figures.static_mem -= less;
    figures.lm_head_mem -= less;
    return figures;
}

// The user's configuration with the split; without one, its sections that hold the split.
static enum pps_status make_configuration(const struct nd_pipe *pipe,
                                          const struct nd_program *program,
                                          const struct nd_choice *choice,
                                          struct text_buffer *text, struct pps_error *err)
{
    const struct plan_run *run = &pipe->input->job.run;
    const struct plan_document *file = plan_run_configuration(run);
    struct configuration c;
    if (file == NULL) {
        nd_pipe_add_configuration(text, program, choice);
        return PPS_OK;
    }
    const enum pps_status status =
        nd_choice_configuration(&c, run, &pipe->strategy, program, choice)
            ? nd_configuration_of(text, file, &c, err)
            : pps_fail_memory(err, "a copy of %s", file->json.name);
    configuration_free(&c);
    return status;
}

enum pps_status nd_pipe_read_text(const struct nd_pipe *pipe, const struct text_buffer *text,
                                  struct pps_error *err)
{
    const struct plan_run *run = &pipe->input->job.run;
    const struct plan_document *file = plan_run_configuration(run);
    const struct plan_text instead = {file->json.name, file->form, text->text, text->n};
    struct plan_written written;
    configuration_free(pipe->written);
    enum pps_status status = plan_written_open(&written, pipe->args, run, &instead, NULL, err);
    if (status != PPS_OK)
        return status;
    if (!written.can_run && !pipe->input->quiet)
        pps_say(stderr, "note      the configuration, %s", written.why);
    if (written.can_run && !configuration_copy(pipe->written, &written.mine.plan.configuration))
        status = pps_fail_memory(err, "the configuration");
    plan_written_close(&written);
    return status;
}

// A configuration that cannot be written is reported when it is written.
enum pps_status nd_pipe_read_back(const struct nd_pipe *pipe, const struct nd_pipe_files *files,
                                  const struct nd_program *program,
                                  const struct nd_choice *choice, struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    if (!pipe->priced || !is_wanted(files, CONFIGURATION) ||
        plan_run_configuration(&pipe->input->job.run) == NULL)
        return PPS_OK;
    enum pps_status status = make_configuration(pipe, program, choice, &text, err);
    if (status == PPS_OK)
        status = nd_pipe_read_text(pipe, &text, err);
    text_buffer_free(&text);
    if (status != PPS_E_INPUT)
        return status;
    *err = (struct pps_error){.code = PPS_OK};
    return PPS_OK;
}

enum pps_status nd_pipe_write_text(const struct nd_pipe *pipe,
                                   const struct nd_pipe_files *files, struct text_buffer *text,
                                   struct pps_error *err)
{
    return write_file(pipe, files, CONFIGURATION, text, err);
}

enum pps_status nd_pipe_write_solution(const struct nd_pipe *pipe,
                                       const struct nd_pipe_files *files,
                                       const struct nd_program *program,
                                       const struct nd_choice *choice, struct pps_error *err)
{
    struct text_buffer text = {0};
    char why[200];
    enum pps_status status = PPS_OK;
    if (is_wanted(files, CONFIGURATION)) {
        status = make_configuration(pipe, program, choice, &text, err);
        if (status == PPS_OK)
            status = write_file(pipe, files, CONFIGURATION, &text, err);
        text_buffer_free(&text);
    }
    if (status == PPS_OK && is_wanted(files, FIGURES)) {
        const struct nd_figures figures = figures_to_write(pipe, program, choice);
        nd_figures_write(&text, &figures);
        status = write_file(pipe, files, FIGURES, &text, err);
    }
    if (status != PPS_OK || !is_wanted(files, SOLUTION))
        return status;
    if (nd_sol_write(&text, program, choice, why, sizeof why))
        return write_file(pipe, files, SOLUTION, &text, err);
    text_buffer_free(&text);
    return pps_fail(err, PPS_E_MACHINE, "%s", why);
}
