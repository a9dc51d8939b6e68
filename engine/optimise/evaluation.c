// SPDX-License-Identifier: Apache-2.0
// Runs batches of points and remembers their rows.
#include "engine/optimise/evaluation.h"

#include "base/document/json.h"
#include "base/table/cell.h"
#include "base/text/grow_list.h"
#include "base/text/text_buffer.h"
#include "engine/run/sweep.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- search batch -------------------------------------------------------------------------------

bool pps_search_batch_reserve(struct pps_search_batch *b, size_t n)
{
    if (n <= b->room)
        return true;
    const size_t room = 2 * n;
    struct pps_search_batch more = {
        .x = realloc(b->x, room * PPS_MOST_COORDINATES * sizeof *b->x)};
    b->x = more.x != NULL ? more.x : b->x;
    more.points = realloc(b->points, room * PPS_MAX_PARAMS * sizeof *b->points);
    b->points = more.points != NULL ? more.points : b->points;
    more.values = realloc(b->values, room * sizeof *b->values);
    b->values = more.values != NULL ? more.values : b->values;
    more.number = realloc(b->number, room * sizeof *b->number);
    b->number = more.number != NULL ? more.number : b->number;
    more.arm = realloc(b->arm, room * sizeof *b->arm);
    b->arm = more.arm != NULL ? more.arm : b->arm;
    if (more.x == NULL || more.points == NULL || more.values == NULL || more.number == NULL ||
        more.arm == NULL)
        return false;
    b->room = room;
    return true;
}

void pps_search_batch_free(struct pps_search_batch *b)
{
    free(b->x);
    free(b->points);
    free(b->values);
    free(b->number);
    free(b->arm);
    *b = (struct pps_search_batch){.n = 0};
}

bool pps_search_batch_add(struct pps_search_batch *b, const struct pps_search_space *space,
                          size_t arm, const double *x)
{
    if (!pps_search_batch_reserve(b, b->n + 1))
        return false;
    double *kept = b->x + b->n * PPS_MOST_COORDINATES;
    memset(kept, 0, PPS_MOST_COORDINATES * sizeof *kept);
    memcpy(kept, x, (size_t)pps_domain_size(&space->arms[arm].domain) * sizeof *kept);
    pps_search_space_point(space, &space->arms[arm], kept, b->points + b->n * PPS_MAX_PARAMS);
    b->arm[b->n++] = arm;
    return true;
}

// ---- experiments of listed points -----------------------------------------------------------------

static cJSON *value_item(const struct pps_param *param, double value)
{
    char text[PPS_CELL_TEXT];
    pps_value_text(param, value, text);
    const bool is_name = param->kind == PPS_CHOICE || (param->names != NULL && value < 0);
    return is_name ? cJSON_CreateString(text) : cJSON_CreateRaw(text);
}

static cJSON *value_list(const struct pps_evaluation *ev, int p, size_t first, size_t n)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, value_item(&ev->space->experiment->kernel->params[p],
                                              ev->points[first + i].point[p]));
    return list;
}

static void add_varied(const struct pps_evaluation *ev, cJSON *params, cJSON *zip, int p,
                       size_t first, size_t n)
{
    const char *name = ev->space->experiment->kernel->params[p].name;
    cJSON_AddItemToObject(params, name, value_list(ev, p, first, n));
    cJSON_AddItemToArray(zip, cJSON_CreateString(name));
}

// Adds the parameters in the order of the experiment's columns, behind those that only --over names. Those
// that vary are paired lists.
static void add_params(const struct pps_evaluation *ev, cJSON *root, size_t first, size_t n)
{
    const struct pps_experiment *e = ev->space->experiment;
    const cJSON *known = pps_json_member(e->resolved, "params");
    cJSON *params = cJSON_AddObjectToObject(root, "params");
    cJSON *zip = cJSON_CreateArray();
    uint64_t left = ev->space->varied;
    for (int c = 0; c < e->space.n_columns; c++)
        left &= ~((uint64_t)1 << e->space.columns[c]);
    for (int p = 0; p < e->kernel->n_params; p++)
        if ((left >> p & 1) != 0)
            add_varied(ev, params, zip, p, first, n);
    for (int c = 0; c < e->space.n_columns; c++) {
        const int p = e->space.columns[c];
        const cJSON *item = pps_json_member(known, e->kernel->params[p].name);
        if ((ev->space->varied >> p & 1) != 0)
            add_varied(ev, params, zip, p, first, n);
        else if (item != NULL)
            cJSON_AddItemToObject(params, e->kernel->params[p].name,
                                  cJSON_Duplicate(item, true));
    }
    if (cJSON_GetArraySize(zip) > 1)
        cJSON_AddItemToObject(root, "zip", zip);
    else
        cJSON_Delete(zip);
}

static cJSON *experiment_tree(const struct pps_evaluation *ev, size_t first, size_t n)
{
    static const char *const kept[] = {"kernel", "command", "inputs", "seed"};
    const cJSON *resolved = ev->space->experiment->resolved;
    cJSON *root = cJSON_CreateObject();
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if (pps_json_member(resolved, kept[k]) != NULL)
            cJSON_AddItemToObject(root, kept[k],
                                  cJSON_Duplicate(pps_json_member(resolved, kept[k]), true));
    add_params(ev, root, first, n);
    return root;
}

char *pps_evaluation_experiment(const struct pps_evaluation *ev, size_t first, size_t n)
{
    cJSON *root = experiment_tree(ev, first, n);
    char *text = pps_json_print_line(root);
    cJSON_Delete(root);
    return text;
}

// ---- running --------------------------------------------------------------------------------------

static enum pps_status keep_text(void *self, const struct pps_block *block,
                                 struct pps_error *err)
{
    struct text_buffer *text = self;
    text_buffer_add_bytes(text, block->data, block->data_bytes);
    return text->failed ? pps_fail_memory(err, "the rows of a batch") : PPS_OK;
}

// Returns how many threads are worth starting for the experiment: one for each 0.2 ms of work.
static int threads_for(const struct pps_evaluation *ev, size_t first)
{
    const struct pps_kernel *kernel = ev->space->experiment->kernel;
    double cost_ns = 0;
    for (size_t i = first; i < ev->n; i++)
        cost_ns += kernel->cost(ev->points[i].point, kernel->shared);
    const double worth = 1 + cost_ns / 2e5;
    return worth < ev->threads ? (int)worth : ev->threads;
}

static enum pps_status sweep(const struct pps_evaluation *ev, const struct pps_experiment *e,
                             int threads, struct text_buffer *text, struct pps_error *err)
{
    struct pps_totals totals;
    const uint64_t parts = 4 * (uint64_t)threads;
    const struct pps_sweep sweep = {
        .experiment = e,
        .block_points = (e->n_points + parts - 1) / parts,
        .threads = threads,
        .ring = {parts + 1, PPS_RING_THREAD_BYTES}, // a small one opens fast
        .codec = {PPS_CODEC_NONE, 0},
        .sink = {text, keep_text},
        .stop = ev->stop,
        .reuse = ev->known,
        .objective = ev->space->objective};
    enum pps_status status = pps_sweep_run(&sweep, &totals, err);
    if (status == PPS_OK && !totals.complete)
        status = pps_fail(err, PPS_E_STOPPED, "stopped");
    pps_totals_free(&totals);
    return status;
}

// Runs points first ... n - 1 and appends their rows to text.
static enum pps_status run_points(const struct pps_evaluation *ev, size_t first, size_t n,
                                  struct pps_experiment **experiment, struct text_buffer *text,
                                  struct pps_error *err)
{
    struct pps_request request = *ev->request;
    cJSON *tree = experiment_tree(ev, first, n);
    request.path = NULL;
    request.overrides = NULL;
    request.n_overrides = 0;
    request.sample = NULL;
    request.limit = 0;
    request.again = true;
    enum pps_status status =
        pps_experiment_load_tree(experiment, &request, "the search", tree, err);
    cJSON_Delete(tree);
    return status == PPS_OK ? sweep(ev, *experiment, threads_for(ev, first), text, err)
                            : status;
}

// ---- rows -----------------------------------------------------------------------------------------

// Returns the place of the objective among the result cells.
static int objective_cell(const struct pps_experiment *e, int objective)
{
    int cell = 0;
    for (int c = 0; c < objective; c++)
        cell += e->wanted[c];
    return cell;
}

static void read_value(const struct pps_evaluation *ev, struct pps_evaluated_point *point)
{
    const struct pps_experiment *e = ev->space->experiment;
    const char *end = point->results + strcspn(point->results, "\n");
    double first = 0, value = 0;
    const bool done = pps_cell_number(pps_cell_at(point->results, end, 0), &first);
    const struct pps_cell cell =
        pps_cell_at(point->results, end, objective_cell(e, ev->space->objective));
    point->infeasible = !done;
    point->value = (double)INFINITY;
    if (done && pps_cell_number(cell, &value))
        point->value = ev->higher ? -value : value;
}

// Takes the results of a row: what is behind its parameters.
static enum pps_status keep_results(struct pps_evaluated_point *point, const char *row,
                                    const char *end, int n_cells, struct pps_error *err)
{
    struct pps_cell cell;
    for (int c = 0; c < n_cells && row != NULL; c++)
        row = pps_cell_next(row, end, &cell);
    if (row == NULL)
        return pps_fail(err, PPS_E_MACHINE, "a row of the search has too few cells");
    point->results = strndup(row, (size_t)(end - row) + 1);
    return point->results != NULL ? PPS_OK : pps_fail_memory(err, "a row");
}

static enum pps_status write_journal(struct pps_evaluation *ev, size_t first,
                                     struct pps_error *err)
{
    struct text_buffer record = {.n = 0};
    for (size_t i = first; i < ev->n; i++) {
        text_buffer_clear(&record);
        text_buffer_add(&record, "%s\t%s", pps_string_pool_text(&ev->keys, (uint32_t)i),
                        ev->points[i].results);
        if (record.failed)
            break;
        pps_record_log_add(&ev->journal, record.text, record.n);
    }
    const enum pps_status status = record.failed ? pps_fail_memory(err, "the journal")
                                                 : pps_record_log_flush(&ev->journal, err);
    text_buffer_free(&record);
    return status;
}

static enum pps_status compute(struct pps_evaluation *ev, size_t first, struct pps_error *err)
{
    struct text_buffer text = {.n = 0};
    struct pps_experiment *e = NULL;
    enum pps_status status = run_points(ev, first, ev->n - first, &e, &text, err);
    const char *row = text.text;
    for (size_t i = first; i < ev->n && status == PPS_OK; i++) {
        const char *end = row == NULL ? NULL : strchr(row, '\n');
        if (end == NULL)
            status = pps_fail(err, PPS_E_MACHINE, "a point of the search has no row");
        else
            status = keep_results(&ev->points[i], row, end, pps_space_cells(&e->space), err);
        row = end == NULL ? NULL : end + 1;
    }
    text_buffer_free(&text);
    pps_experiment_free(e);
    return status;
}

// ---- batches --------------------------------------------------------------------------------------

static bool write_key(const struct pps_evaluation *ev, const double *point,
                      struct text_buffer *key)
{
    const struct pps_kernel *kernel = ev->space->experiment->kernel;
    text_buffer_clear(key);
    for (int p = 0; p < kernel->n_params; p++) {
        char text[PPS_CELL_TEXT];
        if ((ev->space->varied >> p & 1) == 0)
            continue;
        pps_value_text(&kernel->params[p], point[p], text);
        text_buffer_add(key, "%s%s", key->n > 0 ? "," : "", text);
    }
    return !key->failed;
}

// Finds or adds a point. *number is SIZE_MAX if there are enough points.
static enum pps_status add_point(struct pps_evaluation *ev, const double *point,
                                 struct text_buffer *key, size_t *number, struct pps_error *err)
{
    uint32_t id;
    if (!write_key(ev, point, key))
        return pps_fail_memory(err, "a point");
    if (ev->keys.n >= ev->most) {
        // The pool is full, so the key is only looked up. A key that this call adds has a number
        // beyond all points, which have results.
        const uint32_t before = ev->keys.n;
        enum pps_status status = pps_string_pool_add(&ev->keys, key->text, key->n, &id, err);
        *number = status == PPS_OK && id < ev->n && id < before ? id : SIZE_MAX;
        ev->full = ev->full || *number == SIZE_MAX;
        return status;
    }
    struct pps_evaluated_point *points =
        pps_grow(ev->points, &ev->room, ev->n + 1, sizeof *points);
    if (points == NULL)
        return pps_fail_memory(err, "the points");
    ev->points = points;
    const enum pps_status status = pps_string_pool_add(&ev->keys, key->text, key->n, &id, err);
    if (status == PPS_OK && id == ev->n) {
        ev->points[ev->n] = (struct pps_evaluated_point){.value = (double)INFINITY};
        memcpy(ev->points[ev->n++].point, point, sizeof points->point);
    }
    *number = id;
    return status;
}

// Takes results from the journal as long as it has them, and computes the others.
static enum pps_status fill(struct pps_evaluation *ev, size_t first, struct pps_error *err)
{
    size_t at = first;
    for (; at < ev->n && at < ev->n_old; at++) {
        const char *key = pps_string_pool_text(&ev->keys, (uint32_t)at);
        if (strcmp(key, pps_string_pool_text(&ev->old_keys, (uint32_t)at)) != 0)
            return pps_fail(
                err, PPS_E_INPUT,
                "the journal was written by another search (evaluation %zu differs); "
                "--force starts again",
                at + 1);
        ev->points[at].results = strdup(ev->old_results[at]);
        if (ev->points[at].results == NULL)
            return pps_fail_memory(err, "the rows");
        ev->remembered++;
    }
    enum pps_status status = at < ev->n ? compute(ev, at, err) : PPS_OK;
    for (size_t i = first; i < ev->n && status == PPS_OK; i++)
        read_value(ev, &ev->points[i]);
    if (status == PPS_OK)
        status = write_journal(ev, at, err);
    return status;
}

enum pps_status pps_evaluate_batch(struct pps_evaluation *ev, const double *points, size_t n,
                                   double *values, size_t *number, struct pps_error *err)
{
    struct text_buffer key = {.n = 0};
    const size_t first = ev->n;
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < n && status == PPS_OK; i++) {
        number[i] = SIZE_MAX;
        if (pps_search_space_allows(ev->space, points + i * PPS_MAX_PARAMS))
            status = add_point(ev, points + i * PPS_MAX_PARAMS, &key, &number[i], err);
        else
            ev->refused++;
    }
    text_buffer_free(&key);
    if (status == PPS_OK && ev->stop != NULL && atomic_load(ev->stop))
        status = pps_fail(err, PPS_E_STOPPED, "stopped");
    if (status == PPS_OK && ev->n > first)
        status = fill(ev, first, err);
    for (size_t i = 0; i < n && status == PPS_OK; i++)
        values[i] = number[i] == SIZE_MAX ? (double)INFINITY : ev->points[number[i]].value;
    if (status != PPS_OK) // the batch does not count
        for (; ev->n > first; ev->n--)
            free(ev->points[ev->n - 1].results);
    return status;
}

struct pps_known_rows *pps_evaluation_rows(const struct pps_evaluation *ev,
                                           const struct pps_experiment *e)
{
    struct pps_known_rows *rows = pps_known_rows_new(e->kernel->n_params, (double)ev->n);
    bool good = rows != NULL;
    for (size_t i = 0; i < ev->n && good; i++) {
        const struct pps_evaluated_point *point = &ev->points[i];
        const struct pps_reused row = {.results = point->results,
                                       .n = strlen(point->results),
                                       .infeasible = point->infeasible,
                                       .value = point->infeasible ? (double)NAN
                                                : ev->higher      ? -point->value
                                                                  : point->value};
        good = pps_known_rows_add(rows, point->point, &row);
    }
    if (!good) {
        pps_known_rows_close(rows);
        return NULL;
    }
    return rows;
}
