// SPDX-License-Identifier: Apache-2.0
// Turns a file of points into a table axis. Equal values of a column are stored once.
#include "engine/axes/point_file.h"

#include "base/text/grow_list.h"
#include "base/text/hash_slots.h"
#include "base/text/nearest.h"
#include "engine/space/typed_columns.h"

#include <stdlib.h>
#include <string.h>

// Finds the number of a value among the values of its column.
struct dictionary {
    struct pps_hash_slots slots;
    size_t values_room, cells_room;
};

struct loader {
    const struct pps_kernel *kernel;
    struct pps_axis *axis;
    struct dictionary *dictionaries; // one per member
    uint64_t rows_cap;
    int n_columns;               // in the file
    int member[PPS_CSV_COLUMNS]; // of each column
    uint64_t numbers, tiers;     // parameters with a column of numbers, of names
    struct pps_csv *csv;
    struct pps_error *err;
};

static uint32_t hash(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)__builtin_bswap64(bits * 0x9E3779B97F4A7C15u);
}

static bool find(const struct dictionary *d, const double *values, double value,
                 uint32_t *number)
{
    const uint32_t h = hash(value);
    for (size_t at = pps_hash_first(&d->slots, h); at != PPS_HASH_NONE;
         at = pps_hash_next(&d->slots, h, at)) {
        *number = (uint32_t)pps_hash_index(&d->slots, at);
        if (values[*number] == value)
            return true;
    }
    return false;
}

static bool add(struct dictionary *d, struct pps_axis_member *member, double value,
                const struct pps_axis_cell *cell)
{
    const size_t n = member->n_values;
    double *values = pps_grow(member->values, &d->values_room, n + 1, sizeof *values);
    if (values != NULL)
        member->values = values;
    struct pps_axis_cell *cells = pps_grow(member->cells, &d->cells_room, n + 1, sizeof *cells);
    if (cells != NULL)
        member->cells = cells;
    if (values == NULL || cells == NULL || !pps_hash_add(&d->slots, hash(value), n))
        return false;
    values[n] = value;
    cells[n] = *cell;
    member->n_values++;
    return true;
}

static bool number_of(struct dictionary *d, struct pps_axis_member *member,
                      const struct pps_param *param, double value, uint32_t *number)
{
    struct pps_axis_cell cell;
    if (find(d, member->values, value, number))
        return true;
    const double meant = pps_value_cell(param, value, &cell);
    if (meant != value && find(d, member->values, meant, number))
        return true;
    *number = (uint32_t)member->n_values;
    return add(d, member, meant, &cell);
}

static int member_of(const struct pps_axis *axis, int p)
{
    int m = 0;
    while (axis->members[m].param != p)
        m++;
    return m;
}

static enum pps_status add_member(struct loader *l, const struct pps_csv_row *row, int c)
{
    const char *name = row->text[c];
    const int numbers = pps_param_find(l->kernel, name, row->length[c]);
    const bool is_tier = numbers < 0;
    const int p = is_tier ? pps_typed_find(l->kernel, name, row->length[c]) : numbers;
    if (p < 0) {
        const char *names[PPS_MAX_PARAMS];
        size_t n = 0;
        for (int i = 0; i < l->kernel->n_params; i++)
            if (!pps_csv_has(row, l->kernel->params[i].name))
                names[n++] = l->kernel->params[i].name;
        return pps_csv_fail(l->csv, c, l->err, "\"%.60s\" is not a parameter of %s%s", name,
                            l->kernel->name, pps_did_you_mean(name, names, n).text);
    }
    if (l->kernel->params[p].fixed)
        return pps_csv_fail(l->csv, c, l->err, "%s is set by a document; remove it", name);
    const bool known = (l->axis->sets >> p & 1) != 0;
    if (((is_tier ? l->tiers : l->numbers) >> p & 1) != 0)
        return pps_csv_fail(l->csv, c, l->err, "%s appears twice in the header", name);
    *(is_tier ? &l->tiers : &l->numbers) |= (uint64_t)1 << p;
    l->axis->sets |= (uint64_t)1 << p;
    l->member[c] = known ? member_of(l->axis, p) : l->axis->n_members++;
    l->axis->members[l->member[c]].param = p;
    return PPS_OK;
}

static enum pps_status read_header(struct loader *l)
{
    const struct pps_csv_row *row;
    enum pps_status status = pps_csv_next(l->csv, &row, l->err);
    if (status != PPS_OK)
        return status;
    if (row == NULL)
        return pps_csv_fail(l->csv, -1, l->err,
                            "the file is empty; its first line names the parameters");
    l->axis->members = calloc((size_t)row->n, sizeof *l->axis->members);
    l->dictionaries = calloc((size_t)row->n, sizeof *l->dictionaries);
    if (l->axis->members == NULL || l->dictionaries == NULL)
        return pps_fail_memory(l->err, "the points");
    l->n_columns = row->n;
    for (int c = 0; c < row->n && status == PPS_OK; c++)
        status = add_member(l, row, c);
    return status;
}

static bool grow_rows(struct loader *l)
{
    l->rows_cap = l->rows_cap == 0 ? 256 : 2 * l->rows_cap;
    for (int m = 0; m < l->axis->n_members; m++) {
        uint32_t *entries = realloc(l->axis->members[m].entries, l->rows_cap * sizeof *entries);
        if (entries == NULL)
            return false;
        l->axis->members[m].entries = entries;
    }
    return true;
}

// Returns whether another column may hold the value of column c as well (typed_columns.h).
static bool is_paired(const struct loader *l, int c)
{
    return (l->numbers & l->tiers) >> l->axis->members[l->member[c]].param & 1;
}

static enum pps_status read_cell(struct loader *l, const struct pps_csv_row *row, int c,
                                 uint64_t *given, double *point)
{
    const int m = l->member[c];
    const struct pps_axis_member *member = &l->axis->members[m];
    const struct dictionary *d = &l->dictionaries[m];
    const struct pps_param *param = &l->kernel->params[member->param];
    char why[PPS_WHY];
    if ((*given >> member->param & 1) != 0)
        return pps_csv_fail(l->csv, c, l->err, "%s: a number and a name; one must be empty",
                            param->name);
    if (!pps_value_parse(param, row->text[c], row->length[c], &point[m], why))
        return pps_csv_fail(l->csv, c, l->err, "%s: %s", param->name, why);
    *given |= (uint64_t)1 << member->param;
    if (d->slots.n > 0) // prefetch the slots of all columns of the row
        __builtin_prefetch(&d->slots.slots[hash(point[m]) & (d->slots.n_slots - 1)]);
    return PPS_OK;
}

static bool number_row(struct loader *l, const double *point)
{
    struct pps_axis *axis = l->axis;
    for (int m = 0; m < axis->n_members; m++) {
        struct pps_axis_member *member = &axis->members[m];
        if (!number_of(&l->dictionaries[m], member, &l->kernel->params[member->param], point[m],
                       &member->entries[axis->count]))
            return false;
    }
    axis->count++;
    return true;
}

static enum pps_status read_row(struct loader *l, const struct pps_csv_row *row)
{
    enum pps_status status = PPS_OK;
    uint64_t given = 0;
    double point[PPS_MAX_PARAMS];
    if (row->n != l->n_columns)
        return pps_csv_fail(l->csv, -1, l->err, "%d cell%s, but the header has %d", row->n,
                            row->n == 1 ? "" : "s", l->n_columns);
    if (l->axis->count >= l->rows_cap && !grow_rows(l))
        return pps_fail_memory(l->err, "the points");
    for (int c = 0; c < row->n && status == PPS_OK; c++)
        if (row->length[c] > 0 || !is_paired(l, c))
            status = read_cell(l, row, c, &given, point);
    for (int c = 0; c < row->n && status == PPS_OK && given != l->axis->sets; c++)
        if ((given >> l->axis->members[l->member[c]].param & 1) == 0)
            status = read_cell(l, row, c, &given, point); // reports the accepted values
    if (status == PPS_OK && !number_row(l, point))
        status = pps_fail_memory(l->err, "the points");
    return status;
}

static enum pps_status read_rows(struct loader *l)
{
    for (;;) {
        const struct pps_csv_row *row;
        enum pps_status status = pps_csv_next(l->csv, &row, l->err);
        if (status == PPS_OK && row != NULL)
            status = read_row(l, row);
        if (status != PPS_OK || row == NULL)
            return status;
    }
}

enum pps_status pps_points_load(struct pps_axis *axis, const struct pps_kernel *kernel,
                                const char *path, uint64_t *digest, struct pps_error *err)
{
    struct loader l = {.kernel = kernel, .axis = axis, .err = err};
    *axis = (struct pps_axis){.kind = PPS_AXIS_TABLE};
    enum pps_status status = pps_csv_open(&l.csv, path, err);
    if (status == PPS_OK)
        status = read_header(&l);
    if (status == PPS_OK)
        status = read_rows(&l);
    if (status == PPS_OK && axis->count == 0)
        status = pps_csv_fail(l.csv, -1, err, "no points below the header line");
    if (status == PPS_OK)
        *digest = pps_csv_digest(l.csv);
    for (int m = 0; l.dictionaries != NULL && m < axis->n_members; m++)
        pps_hash_free(&l.dictionaries[m].slots);
    free(l.dictionaries);
    pps_csv_close(l.csv);
    if (status != PPS_OK)
        pps_axis_free(axis);
    return status;
}
