// SPDX-License-Identifier: Apache-2.0
// Chooses the columns of a comparison, joins the rows and counts the changes.
#include "engine/compare/compare.h"

#include "base/text/grow_list.h"
#include "engine/space/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// ---- columns ----------------------------------------------------------------------------------

static void add_key(struct pps_compare *compare, int a, int b)
{
    compare->keys[compare->n_keys++] = (struct pps_compare_key){.a = a, .b = b};
}

// Joins on every parameter that both results show.
static enum pps_status common_keys(struct pps_compare *compare, struct pps_error *err)
{
    const struct pps_view *a = &compare->a.view, *b = &compare->b.view;
    if (!a->roles_known || !b->roles_known)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: cannot tell which columns are parameters; name the columns that "
                        "identify a row: --on",
                        a->roles_known ? b->path : a->path);
    for (int c = 0; c < a->n_columns; c++) {
        const int other = pps_result_find(b->result, a->columns[c].name);
        if (a->columns[c].role == PPS_ROLE_PARAM && other >= 0)
            add_key(compare, c, other);
    }
    if (compare->n_keys == 0)
        return pps_fail(err, PPS_E_INPUT, "%s and %s show no common parameter", a->path,
                        b->path);
    return PPS_OK;
}

static enum pps_status named_keys(struct pps_compare *compare, const char *list,
                                  struct pps_error *err)
{
    int *columns = NULL, n = 0, other;
    enum pps_status status = pps_view_list(&compare->a.view, "--on", list, &columns, &n, err);
    for (int i = 0; i < n && status == PPS_OK; i++) {
        const char *name = compare->a.view.columns[columns[i]].name;
        status = pps_view_column(&compare->b.view, "--on", name, &other, err);
        if (status == PPS_OK)
            add_key(compare, columns[i], other);
    }
    free(columns);
    return status;
}

static enum pps_status add_value(struct pps_compare *compare, const char *name,
                                 enum pps_goal goal, struct pps_error *err)
{
    struct pps_compare_value value = {.name = name};
    enum pps_status status =
        pps_view_objective(&compare->a.view, "--value", name, &value.a, err);
    if (status != PPS_OK)
        return status;
    const struct pps_view_column *column = &compare->a.view.columns[value.a];
    status = pps_view_objective(&compare->b.view, "--value", column->name, &value.b, err);
    value.name = column->name;
    value.unit = column->unit;
    value.higher = (goal != PPS_NEUTRAL ? goal : column->goal) == PPS_HIGHER;
    value.least = value.most = value.mean = (double)NAN;
    compare->values[compare->n_values++] = value;
    return status;
}

static enum pps_status choose_values(struct pps_compare *compare,
                                     const struct pps_compare_ask *ask, struct pps_error *err)
{
    int *columns = NULL, n = 0;
    if (ask->values == NULL)
        return add_value(compare, NULL, ask->goal, err);
    enum pps_status status =
        pps_view_list(&compare->a.view, "--value", ask->values, &columns, &n, err);
    for (int i = 0; i < n && status == PPS_OK; i++)
        status = add_value(compare, compare->a.view.columns[columns[i]].name, ask->goal, err);
    free(columns);
    if (status == PPS_OK && n == 0)
        status = pps_fail(err, PPS_E_INPUT, "--value names no column");
    return status;
}

// Describes a column of the first result. Both sides write its numbers alike.
static bool is_real(const struct pps_view *view, int column)
{
    const char *name = view->columns[column].name;
    const int p = view->kernel != NULL ? pps_param_find(view->kernel, name, strlen(name)) : -1;
    return p >= 0 && view->kernel->params[p].kind == PPS_REAL;
}

// Gives both sides the numbers of their columns.
static enum pps_status share_columns(struct pps_compare *compare, struct pps_error *err)
{
    const int n_keys = compare->n_keys, n_values = compare->n_values;
    struct pps_compare_column *columns =
        calloc((size_t)(2 * (n_keys + n_values)) + 1, sizeof *columns);
    if (columns == NULL)
        return pps_fail_memory(err, "the columns");
    compare->columns = columns;
    compare->a.n_keys = compare->b.n_keys = n_keys;
    compare->a.n_values = compare->b.n_values = n_values;
    compare->a.keys = columns;
    compare->b.keys = columns + n_keys;
    compare->a.values = columns + 2 * n_keys;
    compare->b.values = columns + 2 * n_keys + n_values;
    for (int k = 0; k < n_keys; k++) {
        const bool real = is_real(&compare->a.view, compare->keys[k].a);
        columns[k] = (struct pps_compare_column){compare->keys[k].a, real};
        columns[n_keys + k] = (struct pps_compare_column){compare->keys[k].b, real};
    }
    for (int v = 0; v < n_values; v++) {
        columns[2 * n_keys + v].column = compare->values[v].a;
        columns[2 * n_keys + n_values + v].column = compare->values[v].b;
    }
    return PPS_OK;
}

static enum pps_status choose_columns(struct pps_compare *compare,
                                      const struct pps_compare_ask *ask, struct pps_error *err)
{
    const size_t most = (size_t)compare->a.view.n_columns + 1;
    compare->keys = calloc(most, sizeof *compare->keys);
    compare->values = calloc(most, sizeof *compare->values);
    if (compare->keys == NULL || compare->values == NULL)
        return pps_fail_memory(err, "the columns");
    enum pps_status status =
        ask->on != NULL ? named_keys(compare, ask->on, err) : common_keys(compare, err);
    if (status == PPS_OK)
        status = choose_values(compare, ask, err);
    return status == PPS_OK ? share_columns(compare, err) : status;
}

// ---- rows -------------------------------------------------------------------------------------

static enum pps_status read_rows(struct pps_compare *compare, struct pps_error *err)
{
    const enum pps_status status = pps_compare_side_read(&compare->a, &compare->texts, err);
    return status == PPS_OK ? pps_compare_side_read(&compare->b, &compare->texts, err) : status;
}

// Returns whether column k has one cell in all rows of a side, and that cell.
static bool is_constant(const struct pps_compare_side *side, int k, uint64_t *cell)
{
    const size_t n_keys = (size_t)side->n_keys;
    for (size_t i = 0; i < side->rows; i++)
        if (side->cells[i * n_keys + (size_t)k] != side->cells[k])
            return false;
    if (side->rows > 0)
        *cell = side->cells[k];
    return side->rows > 0;
}

static void forget_column(struct pps_compare_side *side, int k)
{
    for (size_t i = 0; i < side->rows; i++)
        side->cells[i * (size_t)side->n_keys + (size_t)k] = 0;
}

// Sets columns apart in which each side has one value, another one than the other side. Rows are not
// joined on them, so their cells become equal.
static void find_apart(struct pps_compare *compare)
{
    for (int k = 0; k < compare->n_keys; k++) {
        struct pps_compare_key *key = &compare->keys[k];
        key->apart = is_constant(&compare->a, k, &key->apart_a) &&
                     is_constant(&compare->b, k, &key->apart_b) && key->apart_a != key->apart_b;
        if (!key->apart)
            continue;
        forget_column(&compare->a, k);
        forget_column(&compare->b, k);
    }
}

static bool make_room(struct pps_compare *compare)
{
    struct pps_compare_rows *joined =
        pps_grow(compare->joined, &compare->room, compare->n_pairs + 1, sizeof *joined);
    if (joined != NULL)
        compare->joined = joined;
    return joined != NULL;
}

static size_t key_bytes(const struct pps_compare *compare)
{
    return (size_t)compare->n_keys * sizeof *compare->a.cells;
}

static const uint64_t *key_of(const struct pps_compare_side *side, size_t row)
{
    return side->cells + row * (size_t)side->n_keys;
}

// Returns whether row i of b has the key of pair `id`, which a row of a has.
static bool is_next(const struct pps_compare *compare, size_t i, size_t id)
{
    return id < compare->n_pairs && compare->joined[id].a != PPS_COMPARE_NONE &&
           memcmp(key_of(&compare->a, compare->joined[id].a), key_of(&compare->b, i),
                  key_bytes(compare)) == 0;
}

// The pair of the previous row, and whether the rows are in the order of the pairs.
struct place {
    size_t id;
    bool in_order;
};

// Finds the pair of row i of a side, or adds it. While the rows of b are in the order of a, the next
// pair is looked at first.
static enum pps_status find_pair(struct pps_compare *compare,
                                 const struct pps_compare_side *side, size_t i,
                                 struct place *place, struct pps_error *err)
{
    const size_t next = place->id + 1;
    if (side == &compare->b && place->in_order && is_next(compare, i, next)) {
        place->id = next;
        return PPS_OK;
    }
    const XXH128_hash_t hash = XXH3_128bits(key_of(side, i), key_bytes(compare));
    const struct pps_key key = {hash.low64, hash.high64};
    const uint64_t number = pps_key_map_find(&compare->pairs, key);
    place->id = number > 0 ? (size_t)number - 1 : compare->n_pairs;
    place->in_order = place->id == next;
    if (number > 0)
        return PPS_OK;
    if (!make_room(compare) || !pps_key_map_add(&compare->pairs, key, compare->n_pairs + 1))
        return pps_fail_memory(err, "the join");
    compare->joined[place->id] = (struct pps_compare_rows){PPS_COMPARE_NONE, PPS_COMPARE_NONE};
    compare->n_pairs++;
    return PPS_OK;
}

// Returns whether the first compared value of row i is better than that of row j of a side.
static bool is_better(const struct pps_compare *compare, const struct pps_compare_side *side,
                      size_t i, size_t j)
{
    const double x = pps_compare_number(side, i, 0), y = pps_compare_number(side, j, 0);
    if (isnan(x) || isnan(y))
        return isnan(y) && !isnan(x);
    return compare->values[0].higher ? x > y : x < y;
}

static enum pps_status refuse_equal(const struct pps_compare_side *side, size_t i, size_t j,
                                    struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "%s: rows %" PRIu64 " and %" PRIu64
                    " agree in all columns of the join; name more columns with --on, select "
                    "rows with filters, or compare the best of them with --best",
                    side->view.path, side->at[j], side->at[i]);
}

// Finds the pair of row i of a side, and keeps the row, or the best of several.
static enum pps_status join_row(struct pps_compare *compare,
                                const struct pps_compare_side *side, size_t i, bool best,
                                struct place *place, struct pps_error *err)
{
    const enum pps_status status = find_pair(compare, side, i, place, err);
    if (status != PPS_OK)
        return status;
    size_t *row =
        side == &compare->a ? &compare->joined[place->id].a : &compare->joined[place->id].b;
    if (*row != PPS_COMPARE_NONE && !best)
        return refuse_equal(side, i, *row, err);
    compare->merged += *row != PPS_COMPARE_NONE;
    if (*row == PPS_COMPARE_NONE || is_better(compare, side, i, *row))
        *row = i;
    return PPS_OK;
}

enum { ROWS_PER_POLL = 1 << 16 };

static enum pps_status join_side(struct pps_compare *compare,
                                 const struct pps_compare_side *side,
                                 const struct pps_compare_ask *ask, struct pps_error *err)
{
    const atomic_bool *stop = ask->a.watch.stop;
    struct place place = {SIZE_MAX, true}; // before the first pair
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < side->rows && status == PPS_OK; i++) {
        status = join_row(compare, side, i, ask->best, &place, err);
        if (status == PPS_OK && i % ROWS_PER_POLL == 0 && stop != NULL && atomic_load(stop))
            status = pps_fail(err, PPS_E_STOPPED, "stopped while joining");
    }
    return status;
}

// ---- changes ----------------------------------------------------------------------------------

double pps_compare_number(const struct pps_compare_side *side, size_t row, int v)
{
    return row == PPS_COMPARE_NONE ? (double)NAN
                                   : side->numbers[row * (size_t)side->n_values + (size_t)v];
}

static void count_pair(struct pps_compare_value *value, double a, double b, double *logs)
{
    value->only_a += !isnan(a) && isnan(b);
    value->only_b += isnan(a) && !isnan(b);
    if (isnan(a) || isnan(b))
        return;
    value->pairs++;
    value->lower += b < a;
    value->equal += b == a;
    value->above += b > a;
    if (!(a > 0 && b > 0))
        return;
    value->ratios++;
    value->least = fmin(value->least, b / a);
    value->most = fmax(value->most, b / a);
    *logs += log(b / a);
}

static void count_value(struct pps_compare *compare, int v)
{
    struct pps_compare_value *value = &compare->values[v];
    double logs = 0;
    for (size_t i = 0; i < compare->n_pairs; i++)
        if (compare->joined[i].a != PPS_COMPARE_NONE &&
            compare->joined[i].b != PPS_COMPARE_NONE)
            count_pair(value, pps_compare_number(&compare->a, compare->joined[i].a, v),
                       pps_compare_number(&compare->b, compare->joined[i].b, v), &logs);
    if (value->ratios > 0)
        value->mean = exp(logs / (double)value->ratios);
}

static void count_all(struct pps_compare *compare)
{
    for (size_t i = 0; i < compare->n_pairs; i++) {
        compare->alone_a += compare->joined[i].b == PPS_COMPARE_NONE;
        compare->alone_b += compare->joined[i].a == PPS_COMPARE_NONE;
    }
    compare->matched = compare->n_pairs - compare->alone_a - compare->alone_b;
    for (int v = 0; v < compare->n_values; v++)
        count_value(compare, v);
}

// ---- opening ----------------------------------------------------------------------------------

static enum pps_status join(struct pps_compare *compare, const struct pps_compare_ask *ask,
                            struct pps_error *err)
{
    find_apart(compare);
    enum pps_status status = join_side(compare, &compare->a, ask, err);
    if (status == PPS_OK)
        status = join_side(compare, &compare->b, ask, err);
    if (status != PPS_OK)
        return status;
    count_all(compare);
    if (compare->matched == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "no row of %s agrees with a row of %s in all columns of the join; name "
                        "fewer columns with --on",
                        ask->a.path, ask->b.path);
    return PPS_OK;
}

enum pps_status pps_compare_open(struct pps_compare *compare, const struct pps_compare_ask *ask,
                                 struct pps_error *err)
{
    *compare = (struct pps_compare){.n_keys = 0};
    enum pps_status status = pps_view_open(&compare->a.view, &ask->a, err);
    if (status == PPS_OK)
        status = pps_view_open(&compare->b.view, &ask->b, err);
    if (status == PPS_OK)
        status = choose_columns(compare, ask, err);
    if (status == PPS_OK)
        status = read_rows(compare, err);
    if (status == PPS_OK)
        status = join(compare, ask, err);
    if (status != PPS_OK)
        pps_compare_close(compare);
    return status;
}

void pps_compare_close(struct pps_compare *compare)
{
    pps_string_pool_free(&compare->texts);
    pps_key_map_free(&compare->pairs);
    pps_compare_side_close(&compare->a);
    pps_compare_side_close(&compare->b);
    free(compare->keys);
    free(compare->values);
    free(compare->columns);
    free(compare->joined);
    *compare = (struct pps_compare){.n_keys = 0};
}
