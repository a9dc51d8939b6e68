// SPDX-License-Identifier: Apache-2.0
// The greedy scheduler of the published project.
#include "extras/serial/serial.h"
#include "tests/unit/support/documents.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct bench {
    struct serial_problem problem;
    struct serial_greedy *greedy;
    double *work;
    int32_t *order;
    char *memory;
};

static struct bench bench_new(struct serial_problem problem)
{
    struct bench b = {.problem = problem};
    struct room room = {NULL, 0};
    serial_greedy_take(&problem, &room);
    b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){b.memory, 0};
    b.greedy = serial_greedy_take(&problem, &room);
    b.work = calloc((size_t)problem.devices, sizeof *b.work);
    b.order = calloc((size_t)serial_operations(&problem), sizeof *b.order);
    return b;
}

static void bench_free(struct bench *b)
{
    free(b->memory);
    free(b->work);
    free(b->order);
}

static struct serial_result run(struct bench *b, struct serial_stream *stream)
{
    return serial_greedy_run(b->greedy, &b->problem, stream, b->work, b->order);
}

// ---- goldens ------------------------------------------------------------------------------------

static double number(const cJSON *root, const char *key)
{
    const cJSON *item = pps_json_member(root, key);
    cr_assert(cJSON_IsNumber(item), "%s is not a number", key);
    return item->valuedouble;
}

static void near(double found, double wanted, double tolerance, const char *what)
{
    cr_assert(fabs(found - wanted) <= tolerance, "%s: %.12g, expected %.12g", what, found,
              wanted);
}

static void check_golden(const char *path)
{
    struct pps_json json = document_in(path);
    const cJSON *root = json.root;
    struct bench b = bench_new((struct serial_problem){
        .devices = (int32_t)number(root, "P"),
        .micro_batches = (int32_t)number(root, "M"),
        .size = number(root, "micro_batch_size"),
        .base = number(root, "base_compute"),
        .base_comm = number(root, "base_comm"),
        .level = number(root, "noise_level"),
    });
    struct serial_stream stream = {.seed = 42};
    const struct serial_result result = run(&b, &stream);
    cr_assert_eq(serial_operations(&b.problem), (int32_t)number(root, "n_ops"));
    near(result.total, number(root, "total_time"), 1e-9 * result.total, "total");
    near(result.bubble_time, number(root, "bubble_time"), 1e-9 * result.bubble_time, "bubble");
    near(result.bubble, number(root, "bubble_ratio"), 1e-9, "bubble ratio");
    near(result.throughput, number(root, "throughput"), 5e-10, "throughput");
    for (int32_t d = 0; d < b.problem.devices; d++)
        near(b.work[d] / result.total, number(root, "utilisation_each"), 1e-9, "utilisation");
    near(serial_nominal_total(&b.problem), result.total, 1e-9 * result.total, "sum");
    pps_json_free(&json);
    bench_free(&b);
}

// Catches another time model: the message belongs to F and B on every stage, W has none.
Test(serial, goldens)
{
    check_golden("tests/golden/schedule/g31_serial_baseline_p4_m6.json");
    check_golden("tests/golden/schedule/g32_serial_baseline_p20_m30.json");
}

// ---- the definition -----------------------------------------------------------------------------

// The scheduler as published: every round scans the list of all operations.
struct scan {
    const struct serial_problem *problem;
    double *end; // [operations]; negative: has not run
    bool *old;   // has run before this round
};

static double end_of(const struct scan *scan, int32_t m, int32_t s, enum serial_type type)
{
    const int32_t i = serial_index(scan->problem, m, s, type);
    return scan->old[i] ? scan->end[i] : INFINITY;
}

// The end of the last dependency; INFINITY: not ready.
static double since_of(const struct scan *scan, int32_t m, int32_t s, enum serial_type type)
{
    double since = 0;
    if (type == SERIAL_F)
        return s > 0 ? end_of(scan, m, s - 1, SERIAL_F) : 0;
    if (type == SERIAL_W)
        return end_of(scan, m, s, SERIAL_B);
    for (int32_t k = 0; k < scan->problem->devices; k++)
        since = fmax(since, end_of(scan, m, k, SERIAL_F));
    return s + 1 < scan->problem->devices ? fmax(since, end_of(scan, m, s + 1, SERIAL_B))
                                          : since;
}

// Returns the operation that a device chooses; -1: none is ready.
static int32_t scan_device(const struct scan *scan, int32_t s, struct serial_stream *stream)
{
    const int32_t n = serial_operations(scan->problem), step = scan->problem->devices * 3;
    double least = INFINITY, shortest = INFINITY;
    int32_t ties = 0, best = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = s * 3; i < n; i = i % 3 < 2 ? i + 1 : i + step - 2) {
            const enum serial_type type = (enum serial_type)(i % 3);
            const double since =
                scan->end[i] < 0 ? since_of(scan, i / step, s, type) : INFINITY;
            if (pass == 0) {
                ties = since < least ? 1 : ties + (since == least && since < INFINITY);
                least = fmin(least, since);
            } else if (since == least && since < INFINITY) {
                const double drawn = ties > 1 ? serial_draw(scan->problem, type, stream) : 0;
                best = drawn < shortest ? i : best;
                shortest = fmin(shortest, drawn);
            }
        }
    return best;
}

static double scan_run(const struct serial_problem *problem, struct serial_stream *stream,
                       int32_t *order)
{
    const int32_t n = serial_operations(problem);
    struct scan scan = {problem, calloc((size_t)n, sizeof(double)), calloc((size_t)n, 1)};
    int32_t *chosen = calloc((size_t)problem->devices, sizeof *chosen);
    double clock = 0;
    for (int32_t i = 0; i < n; i++)
        scan.end[i] = -1;
    for (int32_t done = 0; done < n;) {
        for (int32_t i = 0; i < n; i++)
            scan.old[i] = scan.end[i] >= 0;
        for (int32_t d = 0; d < problem->devices; d++)
            chosen[d] = scan_device(&scan, d, stream);
        for (int32_t d = 0; d < problem->devices; d++)
            if (chosen[d] >= 0) {
                clock += serial_draw(problem, (enum serial_type)(chosen[d] % 3), stream);
                scan.end[chosen[d]] = clock;
                order[done++] = chosen[d];
            }
    }
    free(scan.end);
    free(scan.old);
    free(chosen);
    return clock;
}

// Catches a queue that loses the order of the list: the same operations at the same times.
Test(serial, equals_the_scan_of_lists)
{
    for (int32_t p = 1; p <= 6; p++)
        for (int32_t m = 1; m <= 7; m += 2)
            for (int level = 0; level <= 3; level++) {
                struct serial_problem problem = serial_defaults();
                problem.devices = p;
                problem.micro_batches = m;
                problem.level = 0.3 * level;
                struct bench b = bench_new(problem);
                struct serial_stream one = {.seed = (uint64_t)p}, two = one;
                int32_t *order = calloc((size_t)serial_operations(&problem), sizeof *order);
                const double total = run(&b, &one).total;
                cr_assert_eq(scan_run(&problem, &two, order), total, "%d %d %d", p, m, level);
                cr_assert_arr_eq(b.order, order,
                                 (size_t)serial_operations(&problem) * sizeof *order);
                cr_assert_eq(one.used, two.used);
                free(order);
                bench_free(&b);
            }
}

// Mean and deviation of the total over trials. Catches numbers that repeat between trials, and a duration
// that does not count.
Test(serial, noise_moves_the_total_only)
{
    enum { TRIALS = 2000 };
    struct serial_problem problem = serial_defaults();
    problem.level = 0.2;
    struct bench b = bench_new(problem);
    double sum = 0, squares = 0;
    const double nominal = serial_nominal_total(&problem),
                 deviation = serial_deviation(&problem);
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct serial_stream stream = {.seed = 42 + trial};
        const struct serial_result result = run(&b, &stream);
        near(result.bubble, 0.75, 1e-12, "bubble");
        sum += result.total - nominal;
        squares += (result.total - nominal) * (result.total - nominal);
    }
    near(sum / TRIALS, 0, 4 * deviation / sqrt(TRIALS), "mean");
    near(sqrt(squares / TRIALS) / deviation, 1, 4 / sqrt(2.0 * TRIALS), "deviation");
    bench_free(&b);
}
