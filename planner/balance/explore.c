// SPDX-License-Identifier: Apache-2.0
// Explores numbers of chunks and micro-batches and orders.
#include "planner/balance/explore.h"

#include "base/system/threads.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "planner/shared/options.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNKS_MOST = 64, MICRO_BATCHES_MOST = 1 << 20 };

// ---- axes ---------------------------------------------------------------------------------------

static bool read_whole(const char *text, size_t n, int32_t most, int32_t *value)
{
    int64_t read = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || read > most)
            return false;
        read = 10 * read + (text[i] - '0');
    }
    *value = (int32_t)read;
    return n > 0 && read >= 1 && read <= most;
}

// Reads a number, or a range as in 1..4.
static bool read_numbers(const char *word, size_t n, int32_t most, int32_t *list, int *length)
{
    size_t dots = 0;
    int32_t first, last;
    while (dots + 1 < n && memcmp(word + dots, "..", 2) != 0)
        dots++;
    const bool is_range = dots + 1 < n;
    if (!read_whole(word, is_range ? dots : n, most, &first))
        return false;
    last = first;
    if (is_range && (!read_whole(word + dots + 2, n - dots - 2, most, &last) || last < first))
        return false;
    if (last - first >= EXPLORE_VALUES_MAX - *length)
        return false;
    for (int32_t k = first; k <= last; k++)
        list[(*length)++] = k;
    return true;
}

static bool read_order(const char *word, size_t n, struct balance_axes *axes)
{
    const bool less = plan_is_word(word, n, "less");
    if ((!less && !plan_is_word(word, n, "big")) || axes->n_orders == 2)
        return false;
    axes->orders[axes->n_orders++] = less ? BALANCE_LESS_MEMORY : BALANCE_BIG_MEMORY;
    return true;
}

static bool read_value(struct balance_axes *axes, char axis, const char *word, size_t n)
{
    if (axis == 'o')
        return read_order(word, n, axes);
    return axis == 'v' ? read_numbers(word, n, CHUNKS_MOST, axes->chunks, &axes->n_chunks)
                       : read_numbers(word, n, MICRO_BATCHES_MOST, axes->micro_batches,
                                      &axes->n_micro_batches);
}

// Returns v, m or o for the name of an axis; 0: unknown.
static char axis_of(const char *name, size_t n)
{
    static const char *const names[] = {"v", "chunks", "m", "micro_batches", "order"};
    for (int i = 0; i < 5; i++)
        if (plan_is_word(name, n, names[i]))
            return names[i < 2 ? 0 : i < 4 ? 2 : 4][0];
    return 0;
}

static enum pps_status read_axis(struct balance_axes *axes, const char *option,
                                 const char *text, size_t n, struct pps_error *err)
{
    char values[256];
    const char *equal = memchr(text, '=', n), *rest = values, *word;
    const char axis = equal != NULL ? axis_of(text, (size_t)(equal - text)) : 0;
    const size_t length = equal != NULL ? n - (size_t)(equal - text) - 1 : 0;
    size_t n_word;
    if (axis == 0 || length == 0 || length >= sizeof values)
        return pps_fail(err, PPS_E_INPUT,
                        "%s %.*s: expected axes as in v=1..4 order=big,less m=8,16,32", option,
                        (int)n, text);
    memcpy(values, equal + 1, length);
    values[length] = '\0';
    while ((word = plan_next_word(&rest, &n_word)) != NULL)
        if (!read_value(axes, axis, word, n_word))
            return pps_fail(err, PPS_E_INPUT, "%s %.*s: %.*s is not a value of this axis",
                            option, (int)n, text, (int)n_word, word);
    return PPS_OK;
}

enum pps_status balance_axes_read(struct balance_axes *axes, const char *option,
                                  const char *text, struct pps_error *err)
{
    for (const char *at = text; *at != '\0';) {
        const size_t n = strcspn(at, " ");
        const enum pps_status status = n > 0 ? read_axis(axes, option, at, n, err) : PPS_OK;
        if (status != PPS_OK)
            return status;
        at += n + (at[n] == ' ');
    }
    return PPS_OK;
}

// ---- points -------------------------------------------------------------------------------------

static const char *why_not(const struct balance_request *request)
{
    const struct balance_shape *shape = &request->shape;
    const char *misfit = balance_shape_misfit(shape);
    if (misfit == NULL && !request->allow_empty &&
        request->layers.layers < (int64_t)shape->stages * shape->chunks)
        misfit = "fewer layers than chunks";
    return misfit;
}

static void add_point(struct balance_exploration *exploration,
                      const struct balance_request *request, int32_t chunks,
                      int32_t micro_batches, enum balance_order order)
{
    struct balance_explored *point = &exploration->points[exploration->n];
    *point = (struct balance_explored){.request = *request};
    point->request.shape.chunks = chunks;
    point->request.shape.micro_batches = micro_batches;
    point->request.shape.order = order;
    point->why = why_not(&point->request);
    exploration->skipped += point->why != NULL;
    exploration->n += point->why == NULL;
}

static enum pps_status list_points(struct balance_exploration *exploration,
                                   const struct balance_request *request,
                                   struct balance_axes axes, struct pps_error *err)
{
    if (axes.n_chunks == 0)
        axes.chunks[axes.n_chunks++] = request->shape.chunks;
    if (axes.n_micro_batches == 0)
        axes.micro_batches[axes.n_micro_batches++] = request->shape.micro_batches;
    if (axes.n_orders == 0)
        axes.orders[axes.n_orders++] = request->shape.order;
    const int most = axes.n_chunks * axes.n_micro_batches * axes.n_orders;
    if (most > EXPLORE_POINTS_MAX)
        return pps_fail(err, PPS_E_INPUT, "--explore: more than %d combinations",
                        EXPLORE_POINTS_MAX);
    exploration->points = calloc((size_t)most + 1, sizeof *exploration->points);
    if (exploration->points == NULL)
        return pps_fail_memory(err, "the points");
    for (int v = 0; v < axes.n_chunks; v++)
        for (int o = 0; o < (axes.chunks[v] == 1 ? 1 : axes.n_orders); o++)
            for (int m = 0; m < axes.n_micro_batches; m++)
                add_point(exploration, request, axes.chunks[v], axes.micro_batches[m],
                          axes.orders[o]);
    return PPS_OK;
}

static enum pps_status explore_point(struct balance_explored *point, atomic_bool *stop)
{
    struct balance_solution *solution = calloc(1, sizeof *solution);
    const struct balance_manual none = {.n = 0};
    struct pps_error err;
    if (solution == NULL)
        return PPS_E_MACHINE;
    enum pps_status status = balance_solution_open(solution, &point->request, &err);
    if (status == PPS_OK)
        status = balance_solve(solution, &point->request, &none, stop, &err);
    if (status == PPS_OK)
        status = balance_add_found(solution, &err);
    if (status == PPS_OK) {
        const struct balance_answer *answer = &solution->answer;
        point->outcome = solution->outcome;
        point->is_known = solution->n > 0;
        point->lack_mb = answer->lack.least_limit_mb;
        point->bound = answer->bound;
        point->is_proven = answer->is_proven;
        if (point->is_known) {
            point->result = solution->rows[0].result;
            point->peak_mb = point->result.peak_mb[point->result.worst];
            point->result.peak_mb = NULL;
        }
    }
    balance_solution_free(solution);
    free(solution);
    return status;
}

struct work {
    struct balance_exploration *exploration;
    atomic_bool *stop;
    atomic_int next, failed;
};

static void work_on(void *self, int thread)
{
    struct work *work = self;
    (void)thread;
    for (;;) { // the longest points are last: they start first
        const int i = work->exploration->n - 1 - atomic_fetch_add(&work->next, 1);
        if (i < 0)
            return;
        if (explore_point(&work->exploration->points[i], work->stop) != PPS_OK)
            atomic_store(&work->failed, 1);
    }
}

// ---- the front ----------------------------------------------------------------------------------

static double time_of(const struct balance_explored *point)
{
    return point->result.makespan / point->request.shape.micro_batches;
}

// Points without a strategy are last.
static int by_time(const void *one, const void *two)
{
    const struct balance_explored *a = one, *b = two;
    if (a->is_known != b->is_known)
        return a->is_known ? -1 : 1;
    const double x = a->is_known ? time_of(a) : a->lack_mb,
                 y = b->is_known ? time_of(b) : b->lack_mb;
    if (x < y || x > y)
        return x < y ? -1 : 1;
    if (a->peak_mb < b->peak_mb || a->peak_mb > b->peak_mb)
        return a->peak_mb < b->peak_mb ? -1 : 1;
    return 0;
}

// Marks the front of points that are sorted.
static void mark_front(struct balance_exploration *exploration)
{
    double least = -1;
    for (int i = 0; i < exploration->n && exploration->points[i].is_known; i++) {
        struct balance_explored *point = &exploration->points[i];
        point->is_on_front = least < 0 || point->peak_mb < least;
        if (point->is_on_front)
            least = point->peak_mb;
    }
}

enum pps_status balance_explore(struct balance_exploration *exploration,
                                const struct balance_request *request,
                                const struct balance_axes *axes, int threads, atomic_bool *stop,
                                struct pps_error *err)
{
    struct work work = {.exploration = exploration, .stop = stop};
    *exploration = (struct balance_exploration){.n = 0};
    enum pps_status status = list_points(exploration, request, *axes, err);
    if (status == PPS_OK && exploration->n == 0)
        status = pps_fail(err, PPS_E_INPUT, "--explore: no combination has an order: %s",
                          exploration->points[0].why);
    atomic_init(&work.next, 0);
    atomic_init(&work.failed, 0);
    if (status == PPS_OK)
        status = pps_parallel(threads < exploration->n ? threads : exploration->n, work_on,
                              &work, err);
    if (status == PPS_OK && atomic_load(&work.failed))
        status = pps_fail_memory(err, "a search");
    if (status != PPS_OK)
        return status;
    qsort(exploration->points, (size_t)exploration->n, sizeof *exploration->points, by_time);
    mark_front(exploration);
    return PPS_OK;
}

void balance_exploration_free(struct balance_exploration *exploration)
{
    free(exploration->points);
    *exploration = (struct balance_exploration){.n = 0};
}

// ---- report -------------------------------------------------------------------------------------

static void show_point(const struct balance_explored *point, FILE *out)
{
    const struct balance_shape *shape = &point->request.shape;
    const char *order = shape->chunks == 1                    ? "1f1b"
                        : shape->order == BALANCE_LESS_MEMORY ? "less"
                                                              : "big";
    fprintf(out, "%6d %6s %13s", shape->chunks, order,
            pps_count_text(shape->micro_batches).text);
    if (point->is_known)
        fprintf(out, " %12s %15s %8.4f %11s %5d  %5.2f %%%s%s\n",
                pps_digits_text(point->result.makespan, 6).text,
                pps_digits_text(time_of(point), 6).text, point->result.bubble.real,
                pps_decimals_text(point->peak_mb, 1).text, point->result.worst,
                100 * (point->result.makespan - point->bound) / point->result.makespan,
                point->is_on_front ? "  *" : "",
                point->outcome == BALANCE_STOPPED ? "  stopped by time" : "");
    else if (point->outcome == BALANCE_INFEASIBLE)
        fprintf(out, "  does not fit: needs %s MiB\n",
                pps_decimals_text(point->lack_mb, 1).text);
    else
        fprintf(out, "  stopped before a strategy was found\n");
}

void balance_explore_show(const struct balance_exploration *exploration,
                          const struct balance_request *request, FILE *out)
{
    pps_say_part(out, "%s: %s layers, %d stages, %s MiB",
                 request->layers.name[0] != '\0' ? request->layers.name : request->path,
                 pps_count_text(request->layers.layers).text, request->shape.stages,
                 pps_digits_text(request->memory_mb, 10).text);
    if (request->margin_mb > 0)
        fprintf(out, " less a margin of %s MiB", pps_digits_text(request->margin_mb, 10).text);
    if (request->shape.transfer > 0)
        fprintf(out, "; a message between stages takes %s\n\n",
                pps_digits_text(request->shape.transfer, 6).text);
    else
        fprintf(out, "; transfers between stages take no time\n\n");
    fprintf(out, "%6s %6s %13s %12s %15s %8s %11s %5s  %7s\n", "chunks", "order",
            "micro-batches", "step time", "per micro-batch", "bubble", "peak MiB", "stage",
            "gap");
    for (int i = 0; i < exploration->n; i++)
        show_point(&exploration->points[i], out);
    fprintf(out, "\n* no other point takes less memory and less time per micro-batch\n");
    if (exploration->skipped > 0)
        fprintf(out,
                "%d combinations were skipped: several chunks need at least as many "
                "micro-batches (times --seq) as stages, and a layer in every chunk\n",
                exploration->skipped);
}
