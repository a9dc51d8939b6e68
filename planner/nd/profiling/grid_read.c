// SPDX-License-Identifier: Apache-2.0
// Reads the lines that device_grid.py writes.
#include "planner/nd/profiling/grid.h"

#include "base/document/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const struct pps_json *json;
    struct pps_error *err;
    enum pps_status status;
};

static const char *word(const struct line *line, const char *key)
{
    const cJSON *item = pps_json_member(line->json->root, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool is(const struct line *line, const char *key, const char *value)
{
    return strcmp(word(line, key), value) == 0;
}

static bool has_flag(const struct line *line, const char *key)
{
    return cJSON_IsTrue(pps_json_member(line->json->root, key));
}

// A number above 0 that the section must have.
static double number(struct line *line, const char *key)
{
    const cJSON *item = pps_json_member(line->json->root, key);
    if (cJSON_IsNumber(item) && item->valuedouble > 0)
        return item->valuedouble;
    if (line->status == PPS_OK)
        line->status = pps_json_fail(line->json, item != NULL ? item : line->json->root,
                                     line->err, "%s: expected a number above 0 in section %s",
                                     key, word(line, "section"));
    return 0;
}

// ---- rows ---------------------------------------------------------------------------------------

static bool same_shape(const struct nd_grid_row *a, const struct nd_grid_row *b)
{
    const double x[] = {a->m, a->n, a->k, a->experts, a->length, a->size, a->flops, a->bytes};
    const double y[] = {b->m, b->n, b->k, b->experts, b->length, b->size, b->flops, b->bytes};
    return a->kind == b->kind && memcmp(x, y, sizeof x) == 0;
}

// Of several libraries that compute one attention the quickest counts, as in a training.
static enum pps_status add_row(struct nd_grid *grid, const struct nd_grid_row *row,
                               struct pps_error *err)
{
    const bool attention =
        row->kind == ND_GRID_ATTENTION || row->kind == ND_GRID_ATTENTION_BACKWARD;
    for (size_t i = 0; i < grid->n && attention; i++)
        if (same_shape(&grid->rows[i], row)) {
            if (row->seconds < grid->rows[i].seconds)
                grid->rows[i].seconds = row->seconds;
            return PPS_OK;
        }
    if (grid->n == grid->room) {
        const size_t room = grid->room > 0 ? 2 * grid->room : 256;
        struct nd_grid_row *rows = realloc(grid->rows, room * sizeof *rows);
        if (rows == NULL)
            return pps_fail_memory(err, "the grid");
        grid->rows = rows;
        grid->room = room;
    }
    grid->rows[grid->n++] = *row;
    return PPS_OK;
}

// The gradients of a product y[m, n] = x[m, k] w[n, k] are products of the same three sizes.
static struct nd_grid_row product(struct line *line, enum nd_grid_kind kind)
{
    const double m = number(line, "m"), n = number(line, "n"), k = number(line, "k");
    struct nd_grid_row row = {.kind = kind, .m = m, .n = n, .k = k};
    if (is(line, "what", "input"))
        row = (struct nd_grid_row){.kind = kind, .m = m, .n = k, .k = n};
    if (is(line, "what", "weight"))
        row = (struct nd_grid_row){.kind = kind, .m = n, .n = k, .k = m};
    return row;
}

static struct nd_grid_row experts(struct line *line)
{
    return (struct nd_grid_row){.kind = ND_GRID_EXPERTS,
                                .m = number(line, "tokens"),
                                .n = number(line, "n"),
                                .k = number(line, "k"),
                                .experts = number(line, "experts")};
}

static struct nd_grid_row attention(struct line *line)
{
    const bool backward = is(line, "what", "backward");
    return (struct nd_grid_row){.kind =
                                    backward ? ND_GRID_ATTENTION_BACKWARD : ND_GRID_ATTENTION,
                                .length = number(line, "length"),
                                .size = (number(line, "size") + number(line, "value_size")) / 2,
                                .flops = number(line, "flops")};
}

// Whether the operation is one kernel, whose traffic is known.
static bool is_one_kernel(const struct line *line)
{
    static const char *const names[] = {
        "rms norm",          "layer norm",      "gelu",         "add", "to fp32",
        "rms norm compiled", "swiglu compiled", "rope compiled"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(line, "what", names[i]))
            return true;
    return false;
}

// Returns whether the line has a row of the grid.
static bool take_row(struct line *line, struct nd_grid_row *row)
{
    if (is(line, "section", "gemm") || is(line, "section", "waves"))
        *row = product(line, ND_GRID_PRODUCT);
    else if (is(line, "section", "gemm8") && is(line, "what", "tensor"))
        *row = product(line, ND_GRID_PRODUCT8);
    else if (is(line, "section", "grouped") && is(line, "what", "grouped") &&
             has_flag(line, "even"))
        *row = experts(line);
    else if (is(line, "section", "attention") && has_flag(line, "causal"))
        *row = attention(line);
    else if ((is(line, "section", "pointwise") && is_one_kernel(line)) ||
             (is(line, "section", "copy") && is(line, "what", "device")))
        *row = (struct nd_grid_row){.kind = ND_GRID_MEMORY, .bytes = number(line, "bytes")};
    else
        return false;
    row->seconds = number(line, "seconds");
    return true;
}

// ---- lines --------------------------------------------------------------------------------------

static void take_machine(struct nd_grid *grid, const struct line *line)
{
    const cJSON *processors = pps_json_member(line->json->root, "processors");
    snprintf(grid->device, sizeof grid->device, "%s", word(line, "device"));
    if (cJSON_IsNumber(processors) && processors->valuedouble >= 1)
        grid->processors = processors->valuedouble;
}

static enum pps_status take_line(struct nd_grid *grid, const struct pps_json *json,
                                 struct pps_error *err)
{
    struct line line = {.json = json, .err = err, .status = PPS_OK};
    struct nd_grid_row row;
    if (!cJSON_IsObject(json->root) || *word(&line, "section") == '\0')
        return pps_json_fail(
            json, json->root, err,
            "expected an object with \"section\", as device_grid.py writes it");
    if (pps_json_member(json->root, "error") != NULL || has_flag(&line, "summary"))
        return PPS_OK;
    if (is(&line, "section", "info"))
        take_machine(grid, &line);
    else if (is(&line, "section", "launch") && is(&line, "what", "4 small operators"))
        grid->launch = number(&line, "issue_seconds") / 4;
    else if (take_row(&line, &row) && line.status == PPS_OK)
        return add_row(grid, &row, err);
    return line.status;
}

// Every fourth row of a kind; device_grid.py measures in a random order.
static void hold_out(struct nd_grid *grid)
{
    size_t seen[ND_GRID_KINDS] = {0};
    for (size_t i = 0; i < grid->n; i++)
        grid->rows[i].held = seen[grid->rows[i].kind]++ % 4 == 3;
}

enum pps_status nd_grid_read(struct nd_grid *grid, const char *name, const char *text,
                             struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    *grid = (struct nd_grid){.rows = NULL};
    int count = 1;
    for (const char *at = text; *at != '\0' && status == PPS_OK; count++) {
        const size_t n = strcspn(at, "\n");
        struct pps_json json;
        if (strspn(at, " \t\r") < n) {
            status = pps_json_parse(&json, name, at, n, err);
            if (status == PPS_OK) {
                status = take_line(grid, &json, err);
                pps_json_free(&json);
            }
        }
        if (status == PPS_E_INPUT) // a line is a document
            err->line = count;
        at += n + (at[n] == '\n');
    }
    hold_out(grid);
    return status;
}

void nd_grid_free(struct nd_grid *grid)
{
    free(grid->rows);
    *grid = (struct nd_grid){.rows = NULL};
}
