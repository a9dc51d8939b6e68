// SPDX-License-Identifier: Apache-2.0
// Reads cost tables from CSV: the nodes of the axes are the sizes and lengths that occur.
#include "base/document/fault.h"
#include "base/table/csv_line.h"
#include "base/text/decimal_read.h"
#include "base/text/grow_list.h"
#include "base/text/nearest.h"
#include "kernels/dynapipe/documents/cost_tables_private.h"
#include "kernels/dynapipe/documents/cost_tables_read.h"
#include "kernels/dynapipe/split/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column {
    COLUMN_DEGREE,
    COLUMN_RECOMPUTE,
    COLUMN_QUANTITY,
    COLUMN_ROWS,
    COLUMN_INPUT,
    COLUMN_TARGET,
    COLUMN_VALUE,
    COLUMNS,
};

static const char *const column_names[COLUMNS] = {
    "tensor_parallel", "recompute",     "quantity", "micro_batch_size",
    "length",          "target_length", "value"};

// The quantities of layers, then the parameters.
enum { PARAMETERS = 3, QUANTITIES = COST_QUANTITIES + PARAMETERS };

static const char *const parameter_names[PARAMETERS] = {
    "embedding_params_mb", "encoder_params_mb", "decoder_params_mb"};

struct measured {
    int type, quantity; // from COST_QUANTITIES on: parameters
    double at[COST_AXES], value;
    int line;
};

struct csv {
    const char *text;
    size_t n;
    int line;
    int column[COLUMNS]; // cell of a column; -1: none
    struct measured *rows;
    size_t n_rows, room;
    char *cells; // room for a line
    struct cost_degrees degrees;
    int32_t wanted;
    struct pps_fault *fault;
};

// Fills a fault at a line: "name: what". Returns false.
static bool refuse(const struct csv *c, int line, const char *name, const char *what)
{
    pps_fault_set(c->fault, NULL, false, "%s: %s", name, what);
    c->fault->line = line;
    return false;
}

static const char *quantity_name(int quantity)
{
    return quantity < COST_QUANTITIES ? cost_quantity_names[quantity]
                                      : parameter_names[quantity - COST_QUANTITIES];
}

// Returns the index of a name; -1 with a fault.
static int find(const struct csv *c, const char *what, const char *word,
                const char *(*name)(int), int n)
{
    struct pps_nearest nearest = pps_nearest_to(word);
    for (int k = 0; k < n; k++) {
        if (strcmp(word, name(k)) == 0)
            return k;
        pps_nearest_consider(&nearest, name(k));
    }
    pps_fault_set(c->fault, NULL, false, "%s: there is no \"%.40s\"%s%s%s", what, word,
                  nearest.name != NULL ? "; did you mean " : "",
                  nearest.name != NULL ? nearest.name : "", nearest.name != NULL ? "?" : "");
    c->fault->line = c->line;
    return -1;
}

static const char *column_name(int k)
{
    return column_names[k];
}

static const char *type_name(int k)
{
    return cost_recompute_names[k];
}

static bool read_header(struct csv *c, const struct pps_csv_row *row)
{
    for (int k = 0; k < COLUMNS; k++)
        c->column[k] = -1;
    for (int cell = 0; cell < row->n; cell++) {
        const int k = find(c, "columns", row->text[cell], column_name, COLUMNS);
        if (k < 0)
            return false;
        if (c->column[k] >= 0)
            return refuse(c, c->line, column_names[k], "the column appears twice");
        c->column[k] = cell;
    }
    for (int k = COLUMN_QUANTITY; k < COLUMNS; k++)
        if (c->column[k] < 0 && k != COLUMN_TARGET)
            return refuse(c, c->line, column_names[k], "the column is missing");
    return true;
}

static const char *cell_of(const struct csv *c, const struct pps_csv_row *row,
                           enum column column)
{
    const int cell = c->column[column];
    return cell < 0 || cell >= row->n ? "" : row->text[cell];
}

// Reads a number from 0 up; `fallback` for an empty cell, NAN: a number is needed.
static bool read_number(const struct csv *c, const struct pps_csv_row *row, enum column column,
                        double fallback, bool whole, double *value)
{
    const char *cell = cell_of(c, row, column);
    *value = fallback;
    if (*cell == '\0' && !isnan(fallback))
        return true;
    if (!pps_decimal_read(cell, strlen(cell), value) || !(*value >= 0) || *value > 1e15 ||
        (whole && (*value != floor(*value) || *value > SPLIT_LENGTH_MAX)))
        return refuse(c, c->line, column_names[column],
                      whole ? "expected a whole number from 0 up"
                            : "expected a number from 0 up");
    return true;
}

static bool read_row(struct csv *c, const struct pps_csv_row *row)
{
    struct measured m = {.line = c->line};
    double degree;
    const char *type = cell_of(c, row, COLUMN_RECOMPUTE);
    m.quantity =
        find(c, "quantity", cell_of(c, row, COLUMN_QUANTITY), quantity_name, QUANTITIES);
    if (m.quantity < 0)
        return false;
    const bool parameter = m.quantity >= COST_QUANTITIES;
    m.type = parameter && *type == '\0'
                 ? 0
                 : find(c, "recompute", type, type_name, DYNAPIPE_RECOMPUTE_TYPES);
    if (m.type < 0 || !read_number(c, row, COLUMN_DEGREE, 1, true, &degree) ||
        !read_number(c, row, COLUMN_ROWS, parameter ? 0 : (double)NAN, true,
                     &m.at[COST_ROWS]) ||
        !read_number(c, row, COLUMN_INPUT, parameter ? 0 : (double)NAN, true,
                     &m.at[COST_INPUT]) ||
        !read_number(c, row, COLUMN_TARGET, 0, true, &m.at[COST_TARGET]) ||
        !read_number(c, row, COLUMN_VALUE, (double)NAN, false, &m.value))
        return false;
    cost_degrees_add(&c->degrees, (int32_t)degree);
    if ((int32_t)degree != c->wanted)
        return true;
    struct measured *rows = pps_grow(c->rows, &c->room, c->n_rows + 1, sizeof *rows);
    if (rows == NULL)
        return pps_fault_memory(c->fault);
    c->rows = rows;
    c->rows[c->n_rows++] = m;
    return true;
}

static bool read_lines(struct csv *c)
{
    bool has_header = false;
    for (size_t at = 0; at < c->n;) {
        const char *end = memchr(c->text + at, '\n', c->n - at);
        const size_t length = end != NULL ? (size_t)(end - c->text) - at + 1 : c->n - at;
        struct pps_csv_row row;
        c->line++;
        const char *line = c->text + at;
        at += length;
        if (line[0] == '#' || line[0] == '\n' || line[0] == '\r')
            continue;
        if (!pps_csv_line_split(line, length, c->cells, &row)) {
            if (memchr(line, '"', length) != NULL)
                return refuse(c, c->line, "cells", "expected plain cells without quotes");
            continue;
        }
        if (!(has_header ? read_row(c, &row) : read_header(c, &row)))
            return false;
        has_header = true;
    }
    return has_header || refuse(c, 1, "the table is empty; expected the columns",
                                "tensor_parallel,recompute,quantity,micro_batch_size,length,"
                                "target_length,value");
}

// ---- tables ---------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Which axis a measured value has a node on.
static bool has_node(const struct cost_tables *t, const struct measured *m, enum cost_axis axis)
{
    enum cost_axis axes[COST_AXES];
    int n;
    if (m->quantity >= COST_QUANTITIES)
        return false;
    cost_axes_of(t, (enum cost_quantity)m->quantity, axes, &n);
    for (int k = 0; k < n; k++)
        if (axes[k] == axis)
            return true;
    return false;
}

// Collects the nodes of an axis. Returns false with a fault if there are too many.
static bool collect(const struct csv *c, const struct cost_tables *t, enum cost_axis axis,
                    double *nodes, int32_t *n)
{
    size_t all = 0;
    *n = 0;
    double *values = malloc((c->n_rows + 1) * sizeof *values);
    if (values == NULL)
        return pps_fault_memory(c->fault);
    for (size_t k = 0; k < c->n_rows; k++)
        if (has_node(t, &c->rows[k], axis))
            values[all++] = c->rows[k].at[axis];
    qsort(values, all, sizeof *values, ascending);
    bool fits = true;
    for (size_t k = 0; k < all && fits; k++)
        if (*n == 0 || values[k] > nodes[*n - 1]) {
            fits = *n < COST_NODES_MAX;
            if (fits)
                nodes[(*n)++] = values[k];
        }
    free(values);
    return fits ||
           refuse(c, 1, column_names[COLUMN_ROWS + (int)axis], "too many different values");
}

static bool add_parameters(const struct csv *c, struct cost_tables *t)
{
    struct cost_parameters sum = {{0, 0, 0}, {0, 0, 0}};
    for (size_t k = 0; k < c->n_rows; k++) {
        const struct measured *m = &c->rows[k];
        const int p = m->quantity - COST_QUANTITIES;
        t->has[m->type] = t->has[m->type] || p < 0;
        if (p >= 0) {
            sum.of[p] += m->value;
            sum.n[p]++;
        }
    }
    if (!cost_parameters_set(&sum, t))
        return refuse(c, 1, "quantity",
                      "rows of embedding_params_mb and encoder_params_mb are missing");
    return t->has[DYNAPIPE_KEEP] ||
           refuse(c, 1, "recompute", "rows of type none are missing; they are always needed");
}

static int32_t node_of(const struct cost_tables *t, enum cost_axis axis, double value)
{
    const double *found =
        bsearch(&value, t->axis[axis], (size_t)t->nodes[axis], sizeof value, ascending);
    return found == NULL ? 0 : (int32_t)(found - t->axis[axis]);
}

static int64_t index_of(const struct cost_tables *t, const struct measured *m)
{
    enum cost_axis axes[COST_AXES];
    int n;
    int64_t at = 0;
    cost_axes_of(t, (enum cost_quantity)m->quantity, axes, &n);
    for (int k = 0; k < n; k++)
        at = at * t->nodes[axes[k]] + node_of(t, axes[k], m->at[axes[k]]);
    return at;
}

// Fills the values; of repeated ones the average.
static bool fill(const struct csv *c, struct cost_tables *t)
{
    int64_t most = 1;
    for (int q = 0; q < COST_QUANTITIES; q++) {
        const int64_t n = cost_values_of(t, (enum cost_quantity)q);
        most = n > most ? n : most;
    }
    int32_t *times = malloc((size_t)most * sizeof *times);
    if (times == NULL)
        return pps_fault_memory(c->fault);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int q = 0; q < COST_QUANTITIES; q++) {
            double *values = t->values[type][q];
            memset(times, 0, (size_t)most * sizeof *times);
            for (size_t k = 0; k < c->n_rows && values != NULL; k++) {
                const struct measured *m = &c->rows[k];
                if (m->type != type || m->quantity != q)
                    continue;
                const int64_t at = index_of(t, m);
                values[at] = times[at] == 0 ? m->value : values[at] + m->value;
                times[at]++;
            }
            for (int64_t at = 0;
                 values != NULL && at < cost_values_of(t, (enum cost_quantity)q); at++)
                values[at] = times[at] > 1 ? values[at] / times[at] : values[at];
        }
    free(times);
    return true;
}

static bool is_of_decoder(const struct cost_tables *t, int quantity)
{
    enum cost_axis axes[COST_AXES];
    int n = 0;
    if (quantity < COST_QUANTITIES)
        cost_axes_of(t, (enum cost_quantity)quantity, axes, &n);
    return n == COST_AXES;
}

static bool check_decoder(const struct csv *c, const struct cost_tables *t)
{
    for (size_t k = 0; k < c->n_rows && !t->has_decoder; k++)
        if (is_of_decoder(t, c->rows[k].quantity))
            return refuse(c, c->rows[k].line, quantity_name(c->rows[k].quantity),
                          "there are no parameters of a decoder; add a row of "
                          "decoder_params_mb");
    return true;
}

static bool make(const struct csv *c, struct cost_tables *t)
{
    double nodes[COST_AXES][COST_NODES_MAX];
    if (c->n_rows == 0)
        return cost_degrees_refuse(&c->degrees, c->wanted, NULL, c->fault);
    if (!add_parameters(c, t) || !check_decoder(c, t))
        return false;
    for (int a = 0; a < COST_AXES; a++)
        if (!collect(c, t, (enum cost_axis)a, nodes[a], &t->nodes[a]))
            return false;
    if (!cost_tables_allocate(t))
        return pps_fault_memory(c->fault);
    for (int a = 0; a < COST_AXES; a++)
        memcpy(t->axis[a], nodes[a], (size_t)t->nodes[a] * sizeof *nodes[a]);
    if (fill(c, t))
        return true;
    cost_tables_free(t);
    return false;
}

bool cost_tables_read_csv(const char *text, size_t n, int32_t tensor_parallel,
                          struct cost_tables *tables, struct pps_fault *fault)
{
    struct csv c = {.text = text, .n = n, .wanted = tensor_parallel, .fault = fault};
    *fault = (struct pps_fault){.document = 0};
    *tables = (struct cost_tables){.tensor_parallel = tensor_parallel};
    c.cells = malloc(n + PPS_CSV_LINE_ROOM);
    const bool done = c.cells != NULL && read_lines(&c) && make(&c, tables);
    free(c.cells);
    free(c.rows);
    return done;
}

int cost_tables_degrees_csv(const char *text, size_t n, int32_t *degrees, int most)
{
    struct pps_fault fault = {.document = 0};
    struct csv c = {.text = text, .n = n, .wanted = -1, .fault = &fault};
    c.cells = malloc(n + PPS_CSV_LINE_ROOM);
    const bool done = c.cells != NULL && read_lines(&c);
    const int found = !done ? 0 : c.degrees.n < most ? c.degrees.n : most;
    memcpy(degrees, c.degrees.degree, (size_t)found * sizeof *degrees);
    free(c.cells);
    return found;
}
