// SPDX-License-Identifier: Apache-2.0
// Reads and writes figures as lines of key = value, and makes them from the bytes of layers.
#include "planner/figures/memory_figures.h"

#include "base/text/characters.h"
#include "base/text/number.h"

#include <stdio.h>
#include <string.h>

enum { N_FIGURES = 14 };

// same: the index of the figure that may replace a missing figure; -1: no figure may.
static const struct figure {
    const char *name;
    size_t offset;
    int same;
} FIGURES[N_FIGURES] = {
    {"select_mem0", offsetof(struct nd_figures, select_mem0), 1},
    {"select_mem12", offsetof(struct nd_figures, select_mem12), 0},
    {"select_mem", offsetof(struct nd_figures, select_mem), -1},
    {"re_comp_mem0", offsetof(struct nd_figures, re_comp_mem0), 4},
    {"re_comp_mem12", offsetof(struct nd_figures, re_comp_mem12), 3},
    {"re_comp_mem", offsetof(struct nd_figures, re_comp_mem), -1},
    {"act_mem0", offsetof(struct nd_figures, act_mem0), 7},
    {"act_mem12", offsetof(struct nd_figures, act_mem12), 6},
    {"act_mem", offsetof(struct nd_figures, act_mem), -1},
    {"layer_mem012", offsetof(struct nd_figures, layer_mem012), -1},
    {"layer_mem", offsetof(struct nd_figures, layer_mem), -1},
    {"static_mem0", offsetof(struct nd_figures, static_mem0), -1},
    {"static_mem", offsetof(struct nd_figures, static_mem), -1},
    {"lm_head_mem", offsetof(struct nd_figures, lm_head_mem), -1},
};

static double get(const struct nd_figures *memory, int figure)
{
    double value;
    memcpy(&value, (const char *)memory + FIGURES[figure].offset, sizeof value);
    return value;
}

static void set(struct nd_figures *memory, int figure, double value)
{
    memcpy((char *)memory + FIGURES[figure].offset, &value, sizeof value);
}

// ---- text ---------------------------------------------------------------------------------------

struct reading {
    struct nd_figures *memory;
    bool given[N_FIGURES];
    int64_t line;
    struct pps_fault *fault;
};

static bool fail(const struct reading *reading, size_t column, const char *format,
                 const char *text, size_t n)
{
    char quoted[48];
    *reading->fault = (struct pps_fault){.line = (int)reading->line, .column = (int)column};
    snprintf(reading->fault->text, sizeof reading->fault->text, "%s: %s",
             number_text_quote(quoted, sizeof quoted, text, n), format);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int find_figure(const char *name, size_t n)
{
    for (int i = 0; i < N_FIGURES; i++)
        if (strlen(FIGURES[i].name) == n && memcmp(FIGURES[i].name, name, n) == 0)
            return i;
    return -1;
}

// Reads one line without its end: n >= 1 bytes, of which the first is not a blank.
static bool read_line(struct reading *reading, const char *line, size_t n, size_t column)
{
    const char *equals = memchr(line, '=', n);
    if (equals == NULL)
        return fail(reading, column, "must be key=value", line, n);
    size_t key = (size_t)(equals - line);
    while (key > 0 && is_blank(line[key - 1]))
        key--;
    const int figure = find_figure(line, key);
    if (figure < 0)
        return fail(reading, column, "is not a memory figure", line, key);
    if (reading->given[figure])
        return fail(reading, column, "appears twice", line, key);
    double value;
    const size_t at = (size_t)(equals + 1 - line);
    if (!number_text_read(equals + 1, n - at, &value) || value < 0.0)
        return fail(reading, column + at, "must be MiB, a number >= 0", line, key);
    reading->given[figure] = true;
    set(reading->memory, figure, value);
    return true;
}

static bool fill_missing(struct reading *reading)
{
    reading->line = 0;
    for (int i = 0; i < N_FIGURES; i++) {
        const int same = FIGURES[i].same;
        if (!reading->given[i] && (same < 0 || !reading->given[same]))
            return fail(reading, 0, "is missing", FIGURES[i].name, strlen(FIGURES[i].name));
        if (!reading->given[i])
            set(reading->memory, i, get(reading->memory, same));
    }
    return true;
}

bool nd_figures_read(struct nd_figures *memory, const char *text, size_t n,
                     struct pps_fault *fault)
{
    struct reading reading = {.memory = memory, .fault = fault};
    size_t at = pps_utf8_mark(text, n);
    while (at < n) {
        const char *newline = memchr(text + at, '\n', n - at);
        const size_t end = newline != NULL ? (size_t)(newline - text) : n;
        const size_t start = at;
        reading.line++;
        while (at < end && is_blank(text[at]))
            at++;
        if (at < end && text[at] != '#' &&
            !read_line(&reading, text + at, end - at, at - start + 1))
            return false;
        at = end + 1;
    }
    return fill_missing(&reading);
}

void nd_figures_write(struct text_buffer *text, const struct nd_figures *memory)
{
    for (int i = 0; i < N_FIGURES; i++) {
        text_buffer_add(text, "%s=", FIGURES[i].name);
        text_buffer_add_number(text, get(memory, i));
        text_buffer_add(text, "\n");
    }
}

const char *nd_figures_name(char *name, const struct nd_figures_key *key)
{
    snprintf(name, ND_NAME_CAP, "layers%d_%d_micro%d_dp%d_tp%d_pp%d_vp%d_ep%d", key->layers[0],
             key->layers[1], key->micro_batches, key->dp, key->tp, key->pp, key->vp, key->ep);
    return name;
}

void nd_figures_budgets(struct nd_program *program, double limit_mb)
{
    program->budget_first = limit_mb - program->memory.static_mem0;
    program->budget_middle = limit_mb - program->memory.static_mem;
    program->budget_last = limit_mb - program->memory.lm_head_mem;
}
