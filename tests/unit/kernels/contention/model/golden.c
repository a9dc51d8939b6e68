// SPDX-License-Identifier: Apache-2.0
// Compares the contention model with known figures: single points, metrics, a whole sweep and
// traces, each with the reference and with the fast path.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contention/model/model.h"
#include "kernels/contention/reference/reference.h"

#define CELLS 32

// ---- the two simulators behind one face -----------------------------------------------------

struct simulator {
    const char *name;
    enum contention_status (*run)(const struct contention_point *point, bool want_metrics,
                                  const struct contention_sink *sink,
                                  struct contention_result *result);
};

static enum contention_status fast(const struct contention_point *point, bool want_metrics,
                                   const struct contention_sink *sink,
                                   struct contention_result *result)
{
    size_t bytes = (contention_scratch_bytes(point) + 63) / 64 * 64;
    void *scratch = aligned_alloc(64, bytes);
    memset(scratch, 0xa5, bytes);
    enum contention_status status =
        sink != NULL ? contention_trace(point, scratch, NULL, sink, result)
                     : contention_simulate(point, want_metrics, true, scratch, NULL, result);
    free(scratch);
    return status;
}

static enum contention_status reference(const struct contention_point *point, bool want_metrics,
                                        const struct contention_sink *sink,
                                        struct contention_result *result)
{
    return contention_reference(point, want_metrics, sink, NULL, result);
}

static const struct simulator simulators[] = {
    {"reference", reference},
    {"fast", fast},
};
#define N_SIMULATORS (sizeof simulators / sizeof *simulators)

// ---- reading tables -------------------------------------------------------------------------

struct table {
    FILE *file;
    char header[1024], row[1024]; // cells ended by NUL
    char *names[CELLS], *cells[CELLS];
    int n_cells, line;
};

static int split(char *text, char **cells)
{
    int count = 0;
    text[strcspn(text, "\r\n")] = '\0';
    for (char *cell = text; cell != NULL && count < CELLS; count++) {
        cells[count] = cell;
        cell = strchr(cell, ',');
        if (cell != NULL)
            *cell++ = '\0';
    }
    return count;
}

static void open_table(struct table *t, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/contention/%s", PPS_GOLDEN, name);
    t->file = fopen(path, "r");
    cr_assert_not_null(t->file, "no %s", path);
    cr_assert_not_null(fgets(t->header, sizeof t->header, t->file));
    t->n_cells = split(t->header, t->names);
    t->line = 1;
}

static bool next_row(struct table *t)
{
    if (fgets(t->row, sizeof t->row, t->file) == NULL) {
        fclose(t->file);
        return false;
    }
    t->line++;
    cr_assert_eq(split(t->row, t->cells), t->n_cells, "line %d", t->line);
    return true;
}

// NULL where the table has no such column.
static const char *cell(const struct table *t, const char *name)
{
    for (int k = 0; k < t->n_cells; k++)
        if (strcmp(t->names[k], name) == 0)
            return t->cells[k];
    return NULL;
}

static double number(const struct table *t, const char *name, double fallback)
{
    const char *text = cell(t, name);
    return text == NULL ? fallback : strtod(text, NULL);
}

static double priority(const struct table *t, const char *name)
{
    const char *text = cell(t, name);
    return text[0] >= 'a' && text[0] <= 'z' ? -1.0 - (text[0] - 'a') : strtod(text, NULL);
}

static enum contention_channels channels(const char *text)
{
    if (text == NULL || strcmp(text, "shared") == 0)
        return CONTENTION_SHARED;
    return strcmp(text, "duplex") == 0 ? CONTENTION_DUPLEX : CONTENTION_IDEAL;
}

static struct contention_point read_point(const struct table *t)
{
    const char *pipeline = cell(t, "pipeline"), *congestion = cell(t, "congestion");
    return (struct contention_point){
        .n = (int32_t)number(t, "n", 8),
        .gpus = (int32_t)number(t, "gpus", 4),
        .sync_freq = (int32_t)number(t, "sync_freq", 1),
        .fwd_len = number(t, "fwd_len", 1),
        .bwd_len = number(t, "bwd_len", 2),
        .prop_len = number(t, "prop_len", 1),
        .sync_base_len = number(t, "sync_base_len", 2),
        .fwd_impact = number(t, "fwd_impact", 0.2),
        .bwd_impact = number(t, "bwd_impact", 0.2),
        .pipeline = pipeline != NULL && strcmp(pipeline, "gpipe") == 0 ? CONTENTION_GPIPE
                                                                       : CONTENTION_1F1B,
        .channels = channels(cell(t, "channels")),
        .congestion = congestion == NULL || strcmp(congestion, "true") == 0,
        .priority = {priority(t, "p_fwd_prop"), priority(t, "p_grad_prop"),
                     priority(t, "p_grad_sync")},
    };
}

// Every row's total_time; catches any error of the model that changes a completion time.
static void check_times(const char *name, int n_rows, double tolerance)
{
    for (size_t k = 0; k < N_SIMULATORS; k++) {
        struct table t;
        int rows = 0;
        for (open_table(&t, name); next_row(&t); rows++) {
            struct contention_point point = read_point(&t);
            struct contention_result result;
            double expected = number(&t, "total_time", NAN);
            cr_assert_eq(simulators[k].run(&point, false, NULL, &result), CONTENTION_DONE,
                         "%s, %s line %d: not done", simulators[k].name, name, t.line);
            cr_assert(fabs(result.total_time - expected) <= tolerance,
                      "%s, %s line %d: %.10f instead of %.10f", simulators[k].name, name,
                      t.line, result.total_time, expected);
        }
        cr_assert_eq(rows, n_rows);
    }
}

Test(contention, points)
{
    check_times("points.csv", 600, 1e-6);
}

Test(contention, sweep)
{
    check_times("sweep_example.csv", 1584, 1.5e-4);
}

static void check_metric(const struct table *t, const char *who, const char *name,
                         double actual)
{
    double expected = number(t, name, NAN);
    cr_assert(fabs(actual - expected) <= 1e-6, "%s, metrics.csv line %d: %s %.10f, not %.10f",
              who, t->line, name, actual, expected);
}

// Catches a metric that is off while total_time is right.
Test(contention, metrics)
{
    for (size_t k = 0; k < N_SIMULATORS; k++) {
        const char *who = simulators[k].name;
        struct table t;
        int rows = 0;
        for (open_table(&t, "metrics.csv"); next_row(&t); rows++) {
            struct contention_point point = read_point(&t);
            struct contention_result r;
            cr_assert_eq(simulators[k].run(&point, true, NULL, &r), CONTENTION_DONE,
                         "%s, metrics.csv line %d: not done", who, t.line);
            check_metric(&t, who, "total_time", r.total_time);
            check_metric(&t, who, "bubble_ratio", r.bubble_ratio);
            check_metric(&t, who, "compute_slowdown", r.compute_slowdown);
            check_metric(&t, who, "port_utilization", r.port_utilization);
            check_metric(&t, who, "exposed_comm", r.exposed_comm);
            check_metric(&t, who, "fwd_prop_latency", r.latency[CONTENTION_FWD_PROP]);
            check_metric(&t, who, "grad_prop_latency", r.latency[CONTENTION_GRAD_PROP]);
            check_metric(&t, who, "grad_sync_latency", r.latency[CONTENTION_GRAD_SYNC]);
            check_metric(&t, who, "throttled_tasks", (double)r.throttled_tasks);
            check_metric(&t, who, "peak_in_flight", r.peak_in_flight);
        }
        cr_assert_eq(rows, 240);
    }
}

// ---- traces ---------------------------------------------------------------------------------

#define PIECES 1024
#define CLOSE  2e-6 // of times and rates in the trace files, which carry 10 digits

struct pieces {
    struct contention_piece piece[PIECES];
    int count;
};

static void collect(void *self, const struct contention_piece *piece)
{
    struct pieces *all = self;
    cr_assert_lt(all->count, PIECES);
    cr_assert(all->count == 0 || all->piece[all->count - 1].start <= piece->start,
              "piece %d starts before the one before it", all->count);
    all->piece[all->count++] = *piece;
}

static bool same_task(const struct contention_piece *a, const struct contention_piece *b)
{
    return a->kind == b->kind && a->gpu == b->gpu && a->micro_batch == b->micro_batch;
}

// Joins a task's consecutive pieces of equal rate, so that tracers that cut at different
// events compare equal.
static void join(struct pieces *all)
{
    int kept = 0;
    for (int k = 0; k < all->count; k++) {
        const struct contention_piece *next = &all->piece[k];
        int before = kept - 1;
        while (before >= 0 && !same_task(&all->piece[before], next))
            before--;
        struct contention_piece *last = before >= 0 ? &all->piece[before] : NULL;
        if (last != NULL && fabs(last->end - next->start) <= CLOSE &&
            fabs(last->rate - next->rate) <= CLOSE && last->throttled == next->throttled)
            last->end = next->end;
        else
            all->piece[kept++] = *next;
    }
    all->count = kept;
}

static int compare(const void *left, const void *right)
{
    const struct contention_piece *a = left, *b = right;
    if (a->gpu != b->gpu)
        return a->gpu - b->gpu;
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    if (a->micro_batch != b->micro_batch)
        return a->micro_batch - b->micro_batch;
    return (a->start > b->start) - (a->start < b->start);
}

static void normalise(struct pieces *all)
{
    join(all);
    qsort(all->piece, (size_t)all->count, sizeof *all->piece, compare);
}

static enum contention_kind kind_of(const char *text)
{
    static const char *const names[] = {"fwd_prop", "grad_prop", "grad_sync", "forward",
                                        "backward"};
    int kind = 0;
    while (strcmp(names[kind], text) != 0)
        kind++;
    return (enum contention_kind)kind;
}

static void read_pieces(int trace, struct pieces *all)
{
    char name[32];
    struct table t;
    snprintf(name, sizeof name, "trace_%d.csv", trace);
    for (open_table(&t, name); next_row(&t);)
        collect(all, &(struct contention_piece){
                         .kind = kind_of(cell(&t, "kind")),
                         .micro_batch = (int32_t)number(&t, "micro_batch", 0),
                         .gpu = (int32_t)number(&t, "gpu", 0),
                         .start = number(&t, "start", 0),
                         .end = number(&t, "end", 0),
                         .rate = number(&t, "rate", 0),
                         .throttled = number(&t, "throttled", 0) != 0,
                     });
    normalise(all);
}

static const struct contention_point traced[] = {
    {8,
     4,
     1,
     {{1, 2, 1, 2}},
     0.2,
     0.2,
     CONTENTION_1F1B,
     CONTENTION_SHARED,
     true,
     {-1, 0, 0.2},
     0},
    {8,
     4,
     2,
     {{1, 2, 1, 2}},
     0.2,
     0.2,
     CONTENTION_1F1B,
     CONTENTION_SHARED,
     true,
     {0.3, 0.3, 0.4},
     0},
    {6,
     4,
     1,
     {{0.5, 2.5, 3, 0.5}},
     0,
     0.4,
     CONTENTION_1F1B,
     CONTENTION_SHARED,
     true,
     {-1, -1, 0},
     0},
    {6,
     3,
     4,
     {{1, 2, 0.5, 1}},
     0.2,
     0.3,
     CONTENTION_GPIPE,
     CONTENTION_SHARED,
     true,
     {0, 0.5, 0.5},
     0},
};

static void check_pieces(const struct pieces *expected, const struct pieces *actual,
                         const char *who, int trace)
{
    for (int k = 0; k < expected->count && k < actual->count; k++) {
        const struct contention_piece *e = &expected->piece[k], *a = &actual->piece[k];
        cr_assert(same_task(e, a) && fabs(e->start - a->start) <= CLOSE &&
                      fabs(e->end - a->end) <= CLOSE && fabs(e->rate - a->rate) <= CLOSE &&
                      e->throttled == a->throttled,
                  "%s, trace %d: kind %d micro-batch %d gpu %d: %.9f-%.9f at %.9f (%d), not "
                  "kind %d micro-batch %d gpu %d: %.9f-%.9f at %.9f (%d)",
                  who, trace, a->kind, a->micro_batch, a->gpu, a->start, a->end, a->rate,
                  a->throttled, e->kind, e->micro_batch, e->gpu, e->start, e->end, e->rate,
                  e->throttled);
    }
    cr_assert_eq(actual->count, expected->count, "%s, trace %d: %d pieces, not %d", who, trace,
                 actual->count, expected->count);
}

// Catches pieces lost, doubled, mislabelled or with a wrong rate or flag.
Test(contention, traces)
{
    static struct pieces expected, actual;
    for (int trace = 1; trace <= 4; trace++) {
        expected.count = 0;
        read_pieces(trace, &expected);
        for (size_t k = 0; k < N_SIMULATORS; k++) {
            struct contention_result result;
            const struct contention_sink sink = {.self = &actual, .piece = collect};
            actual.count = 0;
            cr_assert_eq(simulators[k].run(&traced[trace - 1], false, &sink, &result),
                         CONTENTION_DONE);
            normalise(&actual);
            check_pieces(&expected, &actual, simulators[k].name, trace);
        }
    }
}
