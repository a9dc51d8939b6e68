// SPDX-License-Identifier: Apache-2.0
// Computes the rows of a batch with the program.
#include "engine/program/program_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void point_of(const struct pps_program *program, const double *const *param, size_t i,
                     double *point)
{
    for (int p = 0; p < program->kernel.n_params; p++)
        point[p] = param[p][i];
}

// ---- rows -------------------------------------------------------------------------------------

static void put_row(const struct pps_batch *batch, const struct pps_answer *answer, size_t i)
{
    const struct pps_kernel *kernel = &answer->program->kernel;
    for (int c = 0; c < kernel->n_columns; c++) {
        if (batch->column[c] != NULL)
            batch->column[c][i] = answer->numbers[c];
        if (batch->text[c] != NULL)
            strcpy(batch->text[c] + i * (PPS_PROGRAM_TEXT + 1), answer->texts[c]);
    }
    batch->outcome[i] = PPS_DONE;
}

static void put_nothing(const struct pps_batch *batch, const struct pps_kernel *kernel,
                        size_t i, enum pps_outcome outcome)
{
    for (int c = 0; c < kernel->n_columns; c++) {
        if (batch->column[c] != NULL)
            batch->column[c][i] = (double)NAN;
        if (batch->text[c] != NULL)
            batch->text[c][i * (PPS_PROGRAM_TEXT + 1)] = '\0';
    }
    batch->outcome[i] = (uint8_t)outcome;
}

// ---- a program per point ----------------------------------------------------------------------

static enum pps_outcome run_point(struct pps_program *program, const double *point,
                                  const atomic_bool *stop, struct pps_launch *launch,
                                  struct pps_answer *answer)
{
    char why[PPS_PROGRAM_WHY] = "";
    for (int attempt = 0; attempt <= program->retries; attempt++) {
        pps_launch_run(launch, program, point, stop);
        if (launch->end == PPS_LAUNCH_STOPPED ||
            (launch->end == PPS_LAUNCH_UNABLE && pps_launch_lacks(launch->error)))
            return PPS_STOPPED;
        if (pps_launch_failed(launch, program, why))
            continue;
        pps_answer_begin(answer, program);
        (void)pps_answer_scan(launch->output.text, launch->output.n, pps_answer_take, answer);
        if (pps_answer_complete(answer, why))
            return PPS_DONE;
    }
    pps_launch_log(program, point, why, launch->output.text != NULL ? launch->output.text : "",
                   launch->errors.text != NULL ? launch->errors.text : "");
    return PPS_FAILED;
}

static void run_each(struct pps_program *program, const struct pps_batch *batch,
                     const struct pps_worker *worker, struct pps_answer *answer)
{
    struct pps_launch launch = {.end = PPS_LAUNCH_ENDED};
    enum pps_outcome outcome = PPS_DONE;
    for (size_t i = 0; i < batch->n_points; i++) {
        double point[PPS_MAX_PARAMS];
        point_of(program, batch->param, i, point);
        if (outcome != PPS_STOPPED)
            outcome = run_point(program, point, worker->stop, &launch, answer);
        if (outcome == PPS_DONE)
            put_row(batch, answer, i);
        else
            put_nothing(batch, &program->kernel, i, outcome);
    }
    pps_launch_free(&launch);
}

// ---- a program that keeps running ---------------------------------------------------------------

struct lines {
    const struct pps_batch *batch;
    struct pps_answer *answer;
};

static void fail_point(struct pps_program *program, const struct pps_batch *batch, size_t i,
                       const char *why, const char *output)
{
    double point[PPS_MAX_PARAMS];
    point_of(program, batch->param, i, point);
    pps_launch_log(program, point, why, output, "");
    put_nothing(batch, &program->kernel, i, PPS_FAILED);
}

static bool take_line(void *self, size_t i, const char *header, const char *line,
                      char why[PPS_PROGRAM_WHY])
{
    struct lines *l = self;
    pps_answer_begin(l->answer, l->answer->program);
    const bool read = header == NULL
                          ? pps_answer_scan_json(line, strlen(line), pps_answer_take, l->answer)
                          : pps_answer_scan_csv(header, line, pps_answer_take, l->answer);
    if (!read)
        snprintf(why, PPS_PROGRAM_WHY, "answered \"%.100s\", which is no line of %s", line,
                 header == NULL ? "JSON" : "CSV with the cells of its first line");
    if (read && pps_answer_complete(l->answer, why))
        put_row(l->batch, l->answer, i);
    else if (read) // an answer, although a useless one
        fail_point((struct pps_program *)(uintptr_t)l->answer->program, l->batch, i, why, line);
    return read;
}

// Marks the points of a batch from i on, of which the first one has a log.
static void fail_rest(struct pps_program *program, const struct pps_batch *batch, size_t i,
                      const char *why)
{
    fail_point(program, batch, i, why, "");
    while (++i < batch->n_points)
        put_nothing(batch, &program->kernel, i, PPS_FAILED);
}

static void run_lines(struct pps_program *program, const struct pps_batch *batch,
                      const struct pps_worker *worker, struct pps_answer *answer)
{
    struct lines l = {batch, answer};
    int attempts = 0;
    for (size_t i = 0; i < batch->n_points;) {
        char why[PPS_PROGRAM_WHY] = "";
        enum pps_ask_end end;
        const size_t next = pps_partner_ask(program, batch->param, i, batch->n_points,
                                            worker->stop, take_line, &l, &end, why);
        if (end == PPS_ASK_UNASKED) {
            fail_rest(program, batch, i, why);
            return;
        }
        attempts = next > i ? 1 : attempts + 1;
        i = next;
        for (; end == PPS_ASK_STOPPED && i < batch->n_points; i++)
            put_nothing(batch, &program->kernel, i, PPS_STOPPED);
        if (i == batch->n_points || attempts <= program->retries)
            continue;
        fail_point(program, batch, i++, why, "");
        attempts = 0;
    }
}

void pps_program_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    struct pps_program *program = (struct pps_program *)(uintptr_t)worker->shared;
    struct pps_answer *answer = malloc(sizeof *answer);
    if (answer == NULL) {
        for (size_t i = 0; i < batch->n_points; i++)
            put_nothing(batch, &program->kernel, i, PPS_NO_MEMORY);
        return;
    }
    answer->program = program;
    if (program->lines == PPS_LINES_NONE)
        run_each(program, batch, worker, answer);
    else
        run_lines(program, batch, worker, answer);
    free(answer);
}
