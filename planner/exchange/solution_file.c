// SPDX-License-Identifier: Apache-2.0
// Reads the values of a solution, converts them to a choice, and checks its start times.
#include "planner/exchange/solution_file.h"

#include "base/text/number.h"
#include "planner/exchange/mps_variables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Solvers keep to whole numbers and sequences up to this.
static const double SLACK = 1e-5;

struct reading {
    const struct nd_program *program;
    struct nd_mps_layout layout;
    double *values; // of every variable; NAN: no line yet
    int64_t line;
    bool any; // a line that names a variable
    struct pps_fault *fault;
};

static bool fail(const struct reading *reading, const char *text)
{
    *reading->fault = (struct pps_fault){.line = (int)reading->line};
    return pps_fault_set(reading->fault, NULL, false, "%s", text);
}

// ---- lines --------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static size_t word_length(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && !is_blank(text[i]))
        i++;
    return i;
}

static bool read_line(struct reading *reading, const char *line, size_t n)
{
    char quoted[64], text[160];
    const size_t word = word_length(line, n);
    const int32_t variable = nd_mps_find(&reading->layout, line, word);
    if (variable < 0)
        return true;
    reading->any = true;
    number_text_quote(quoted, sizeof quoted, line, word);
    if (!isnan(reading->values[variable])) {
        snprintf(text, sizeof text, "%s: appears twice", quoted);
        return fail(reading, text);
    }
    if (!number_text_read(line + word, n - word, &reading->values[variable])) {
        snprintf(text, sizeof text, "%s: must be followed by one number", quoted);
        return fail(reading, text);
    }
    return true;
}

static bool read_lines(struct reading *reading, const char *text, size_t n)
{
    static const char DUAL[] = "# Dual";
    size_t at = 0;
    while (at < n) {
        const char *newline = memchr(text + at, '\n', n - at);
        const size_t end = newline != NULL ? (size_t)(newline - text) : n;
        reading->line++;
        while (at < end && is_blank(text[at]))
            at++;
        if (end - at >= sizeof DUAL - 1 && memcmp(text + at, DUAL, sizeof DUAL - 1) == 0)
            break;
        if (at < end && !read_line(reading, text + at, end - at))
            return false;
        at = end + 1;
    }
    reading->line = 0;
    return reading->any ||
           fail(reading, "no variable of this program found; a solution has lines like "
                         "x_type1_0_0 3");
}

// ---- what they mean -----------------------------------------------------------------------------

static double value_of(const struct reading *reading, int32_t variable)
{
    const double value = reading->values[variable];
    return isnan(value) ? 0.0 : value;
}

static bool take_whole(const struct reading *reading, int kind, int32_t chunk, int32_t *to)
{
    char name[ND_MPS_NAME_CAP], text[200];
    const int32_t variable = kind * reading->layout.chunks + chunk;
    const double value = value_of(reading, variable);
    if (fabs(value) < 1e6 && fabs(value - nearbyint(value)) <= SLACK) {
        *to = (int32_t)nearbyint(value);
        return true;
    }
    snprintf(text, sizeof text, "%s: must be a whole number (got %g)",
             nd_mps_name(&reading->layout, variable, name), value);
    return fail(reading, text);
}

static bool take_choice(struct nd_sol *sol, const struct reading *reading)
{
    static const int KINDS[] = {ND_MPS_LAYERS, ND_MPS_FULL, ND_MPS_PART};
    const int32_t chunks = reading->layout.chunks;
    int32_t *arrays[3][2];
    char text[300];
    int32_t *next = sol->room;
    for (int kind = 0; kind < 3; kind++)
        for (int type = 0; type < 2; type++) {
            arrays[kind][type] = next;
            next += chunks;
            for (int32_t c = 0; c < chunks; c++)
                if (!take_whole(reading, KINDS[kind] + type, c, &arrays[kind][type][c]))
                    return false;
        }
    sol->choice = (struct nd_choice){.layers = {arrays[0][0], arrays[0][1]},
                                     .full = {arrays[1][0], arrays[1][1]},
                                     .part = {arrays[2][0], arrays[2][1]}};
    return nd_choice_check(reading->program, &sol->choice, text, sizeof text) ||
           fail(reading, text);
}

static int32_t start_of(const struct nd_mps_layout *layout, int32_t stage,
                        const struct operation *task)
{
    const struct orders_shape *shape = &layout->shape;
    const int kind = task->type == OPERATION_F ? ND_MPS_FORWARD : ND_MPS_BACKWARD;
    return nd_mps_of_task(layout, kind, orders_chunk(shape, task), stage,
                          orders_micro_batch(shape, task), orders_split(shape, task));
}

static bool check_stage(const struct reading *reading, int32_t stage, struct operation *tasks)
{
    const struct nd_mps_layout *layout = &reading->layout;
    char before[ND_MPS_NAME_CAP], after[ND_MPS_NAME_CAP], text[320];
    const int32_t n = orders_length(&layout->shape);
    orders_of_stage(&layout->shape, stage, tasks);
    for (int32_t k = 0; k + 1 < n; k++) {
        const int32_t p = start_of(layout, stage, &tasks[k]);
        const int32_t q = start_of(layout, stage, &tasks[k + 1]);
        if (value_of(reading, q) >= value_of(reading, p) - SLACK)
            continue;
        snprintf(text, sizeof text,
                 "time sequence error: stage %d does %s at %g after %s at %g", stage,
                 nd_mps_name(layout, q, after), value_of(reading, q),
                 nd_mps_name(layout, p, before), value_of(reading, p));
        return fail(reading, text);
    }
    return true;
}

static bool check_sequence(const struct reading *reading)
{
    const struct orders_shape *shape = &reading->layout.shape;
    struct operation *tasks = malloc((size_t)orders_length(shape) * sizeof *tasks);
    if (tasks == NULL)
        return fail(reading, "out of memory for the solution");
    bool right = true;
    for (int32_t i = 0; i < shape->stages && right; i++)
        right = check_stage(reading, i, tasks);
    free(tasks);
    return right;
}

// The start of the task that ends the step.
static int32_t last_start(const struct nd_mps_layout *layout)
{
    return nd_mps_of_task(layout, ND_MPS_BACKWARD, 0, 0, layout->shape.micro_batches - 1, 0);
}

static double objective_of(const struct reading *reading)
{
    const struct nd_mps_layout *layout = &reading->layout;
    return value_of(reading, last_start(layout)) +
           value_of(reading, nd_mps_of_chunk(layout, ND_MPS_BACKWARD_TIME, 0, 0)) /
               layout->shape.splits +
           layout->residue * value_of(reading, nd_mps_stable(layout));
}

bool nd_sol_read(struct nd_sol *sol, const struct nd_program *program, const char *text,
                 size_t n, struct pps_fault *fault)
{
    struct reading reading = {.program = program, .fault = fault};
    *sol = (struct nd_sol){0};
    if (!nd_mps_layout_of(&reading.layout, program))
        return fail(&reading, "the program has more than 20 million variables");
    reading.values = malloc((size_t)reading.layout.n_variables * sizeof *reading.values);
    sol->room = calloc(6 * (size_t)reading.layout.chunks, sizeof(int32_t));
    if (reading.values == NULL || sol->room == NULL) {
        free(reading.values);
        return fail(&reading, "out of memory for the solution");
    }
    for (int32_t i = 0; i < reading.layout.n_variables; i++)
        reading.values[i] = (double)NAN;
    const bool read =
        read_lines(&reading, text, n) && take_choice(sol, &reading) && check_sequence(&reading);
    if (read) {
        sol->timed = value_of(&reading, last_start(&reading.layout)) > 0;
        sol->objective = objective_of(&reading);
    }
    free(reading.values);
    return read;
}

void nd_sol_free(struct nd_sol *sol)
{
    free(sol->room);
    *sol = (struct nd_sol){0};
}
