// SPDX-License-Identifier: Apache-2.0
// Divisions of samples against all divisions, and properties of the answer.
#include "kernels/dynapipe/split/baselines.h"

#include "tests/unit/support/kernels/dynapipe_grid.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

// A batch with its memory.
struct batch {
    int32_t input[MOST], target[MOST];
    struct split_samples samples;
    struct split_task task;
    struct split_memory *memory;
    void *bytes;
};

static struct batch *batch_new(int32_t samples, struct split_costs costs, bool has_decoder)
{
    struct batch *b = calloc(1, sizeof *b);
    struct room room = {NULL, 0};
    split_memory_take(samples, samples, &room);
    b->bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(b->bytes, 0x55, room.used);
    room = (struct room){b->bytes, 0};
    b->memory = split_memory_take(samples, samples, &room);
    b->samples =
        (struct split_samples){samples, b->input, has_decoder ? b->target : NULL, 0, NULL};
    b->task = (struct split_task){.samples = &b->samples,
                                  .pipeline = {4, 1, 4, 1, has_decoder},
                                  .costs = costs,
                                  .available = 1000};
    return b;
}

static void batch_free(struct batch *b)
{
    free(b->bytes);
    free(b);
}

// Costs without any rule: time and memory may become smaller when a group grows.
static bool wild(void *self, enum dynapipe_recompute recompute, int32_t rows, int32_t input,
                 int32_t target, struct split_layer_cost *out)
{
    struct random r = {*(uint64_t *)self + (uint64_t)recompute * 1000003 +
                       (uint64_t)rows * 7919 + (uint64_t)input * 104729 +
                       (uint64_t)target * 1299709};
    const bool is_close = *(uint64_t *)self % 2 == 0; // nearly equal times
    *out = (struct split_layer_cost){
        .encoder = is_close ? 8 + random_unit(&r) / 4 : (double)random_below(&r, 12) + 1,
        .postprocess = is_close ? 0 : (double)random_below(&r, 3),
        .encoder_stored = (double)random_below(&r, recompute == DYNAPIPE_FULL ? 60 : 90),
        .encoder_peak = (double)random_below(&r, 20)};
    return random_below(&r, 12) > 0;
}

// The best division of all, by the definition.
struct plain {
    double objective, longest;
};

static struct plain try_all(const struct split_task *t, enum dynapipe_recompute type,
                            double stored, const int32_t *order)
{
    const int32_t n = t->samples->count;
    struct plain best = {HUGE_VAL, HUGE_VAL};
    for (uint32_t cuts = 0; cuts < 1u << (n - 1); cuts++) {
        double sum = 0, longest = 0;
        struct split_group g = {0};
        bool is_allowed = true;
        for (int32_t p = 0; p < n && is_allowed; p++) {
            g.rows++;
            g.input = fmax(g.input, split_input_of(t->samples, order[p]));
            g.target = fmax(g.target, split_target_of(t->samples, order[p]));
            // A group grows sample by sample, and every smaller one is allowed, too.
            is_allowed = split_group_price(&t->pipeline, &t->costs, type, &g) &&
                         g.stored <= stored && g.peak <= t->available;
            if (p == n - 1 || cuts >> p & 1) {
                sum += g.time;
                longest = fmax(longest, g.time);
                g = (struct split_group){0};
            }
        }
        const double objective = split_objective(&t->pipeline, longest, sum);
        if (is_allowed && (objective < best.objective ||
                           (objective <= best.objective && longest < best.longest)))
            best = (struct plain){objective, longest};
    }
    return best;
}

// Whole times make equal objectives frequent. Fails if a bound is skipped, a group grows beyond a violation, or the
// limits and recompute types are tried in another order.
Test(dynapipe_divisions, all_divisions)
{
    static const enum dynapipe_recompute types[] = {DYNAPIPE_KEEP, DYNAPIPE_SELECTIVE,
                                                    DYNAPIPE_FULL};
    struct random r = {1};
    int found[2][3] = {{0}}, infeasible = 0;
    for (int round = 0; round < 1500; round++) {
        uint64_t seed = random_bits(&r);
        struct batch *b = batch_new((int32_t)random_below(&r, 8) + 1,
                                    (struct split_costs){wild, &seed}, false);
        const int32_t n = b->samples.count;
        struct plain best = {HUGE_VAL, HUGE_VAL};
        struct split_result result;
        struct split_key keys[MOST];
        int32_t order[MOST];
        int k = 0;
        for (int32_t i = 0; i < n; i++)
            b->input[i] = (int32_t)random_below(&r, 100);
        b->task.pipeline = (struct split_pipeline){1 << random_below(&r, 5), 1, 4,
                                                   1 << random_below(&r, 2), false};
        b->task.available = random_coin(&r) ? 400 : 250;
        b->task.fraction = random_coin(&r) ? 0 : 0.75;
        split_sort(&b->samples, keys, order);
        for (; k < 6 && best.objective == HUGE_VAL; k++)
            best =
                try_all(&b->task, types[k % 3],
                        k >= 3                 ? b->task.available
                        : b->task.fraction > 0 ? b->task.fraction * b->task.available
                                               : b->task.available / b->task.pipeline.devices,
                        order);
        const enum split_outcome outcome = split_run(b->memory, &b->task, NULL, &result);
        cr_assert_eq(outcome == SPLIT_FOUND, best.objective < HUGE_VAL, "round %d", round);
        if (outcome == SPLIT_FOUND) {
            cr_assert_float_eq(result.objective, best.objective, 1e-9, "round %d: %g, not %g",
                               round, result.objective, best.objective);
            cr_assert_float_eq(result.longest, best.longest, 1e-9, "round %d: %g, not %g",
                               round, result.longest, best.longest);
            cr_assert_eq((int)result.limit, (k - 1) / 3, "round %d", round);
            cr_assert_eq(result.recompute, types[(k - 1) % 3], "round %d", round);
            found[(k - 1) / 3][(k - 1) % 3]++;
        } else
            infeasible++;
        batch_free(b);
    }
    for (int k = 0; k < 6; k++)
        cr_assert(found[k / 3][k % 3] > 3, "case %d: %d", k, found[k / 3][k % 3]);
    cr_assert(infeasible > 3);
}

// Costs that grow with the samples, and times so close that thinned bounds would miss the best.
static bool close_times(void *self, enum dynapipe_recompute recompute, int32_t rows,
                        int32_t input, int32_t target, struct split_layer_cost *out)
{
    struct random r = {*(uint64_t *)self + (uint64_t)rows * 7919 + (uint64_t)input * 104729};
    *out = (struct split_layer_cost){.encoder = 4.0 / rows + rows * (0.8 + input / 2000.0) +
                                                random_unit(&r) / 50};
    return recompute == DYNAPIPE_KEEP && target == 0;
}

// Every time of a group as bound, one after the other.
static double try_bounds(const struct split_task *t, const int32_t *order)
{
    static double times[MOST][MOST];
    const int32_t n = t->samples->count;
    double best = HUGE_VAL;
    for (int32_t i = 0; i < n; i++) {
        struct split_group g = {0};
        for (int32_t j = i; j < n; j++) {
            g.rows++;
            g.input = fmax(g.input, split_input_of(t->samples, order[j]));
            cr_assert(split_group_price(&t->pipeline, &t->costs, DYNAPIPE_KEEP, &g));
            times[i][j] = g.time;
        }
    }
    for (int32_t k = 0; k < n * n; k++) {
        const double bound = times[k / n][k % n];
        double least[MOST + 1] = {0};
        for (int32_t j = 1; j <= n && k / n <= k % n; j++) {
            least[j] = HUGE_VAL;
            for (int32_t i = 0; i < j; i++)
                if (times[i][j - 1] <= bound)
                    least[j] = fmin(least[j], least[i] + times[i][j - 1]);
        }
        if (k / n <= k % n)
            best = fmin(best, split_objective(&t->pipeline, bound, least[n]));
    }
    return best;
}

Test(dynapipe_divisions, all_bounds)
{
    struct random r = {5};
    for (int round = 0; round < 150; round++) {
        uint64_t seed = random_bits(&r);
        struct batch *b = batch_new(36, (struct split_costs){close_times, &seed}, false);
        struct split_result result;
        struct split_key keys[MOST];
        int32_t order[MOST];
        for (int32_t i = 0; i < b->samples.count; i++)
            b->input[i] = (int32_t)random_below(&r, 1000);
        b->task.pipeline.devices = 2 + (int32_t)random_below(&r, 30);
        split_sort(&b->samples, keys, order);
        const double best = try_bounds(&b->task, order);
        cr_assert_eq(split_run(b->memory, &b->task, NULL, &result), SPLIT_FOUND);
        cr_assert_float_eq(result.objective, best, 1e-9, "round %d: %.9g, not %.9g", round,
                           result.objective, best);
        batch_free(b);
    }
}

static void draw(struct batch *b, struct random *r, int32_t most)
{
    for (int32_t i = 0; i < b->samples.count; i++) {
        b->input[i] = 8 + (int32_t)(most * pow(random_unit(r), 3));
        b->target[i] = 4 + (int32_t)random_below(r, 60);
    }
}

// With a decoder the clusters must not depend on the numbers of samples.
Test(dynapipe_divisions, permuted_samples)
{
    for (int kind = 0; kind < 2; kind++) {
        struct dynapipe_grid *grid =
            dynapipe_grid_load(kind == 0 ? "grid_decoder_only" : "grid_encoder_decoder");
        struct random r = {2};
        int paths = 0;
        for (int round = 0; round < 30; round++) {
            struct batch *b = batch_new(MOST, dynapipe_grid_costs(grid), kind == 1);
            struct split_result result;
            draw(b, &r, round % 2 ? 900 : 90);
            cr_assert_eq(split_run(b->memory, &b->task, NULL, &result), SPLIT_FOUND);
            const double objective = result.objective;
            paths += result.ordered == SPLIT_ORDER_PATH;
            for (int32_t i = MOST - 1; i > 0; i--) {
                const int32_t j = (int32_t)random_below(&r, i + 1), x = b->input[i],
                              y = b->target[i];
                b->input[i] = b->input[j];
                b->target[i] = b->target[j];
                b->input[j] = x;
                b->target[j] = y;
            }
            cr_assert_eq(split_run(b->memory, &b->task, NULL, &result), SPLIT_FOUND);
            cr_assert_eq(result.objective, objective, "round %d: %.17g, not %.17g", round,
                         result.objective, objective);
            b->task.order = SPLIT_ORDER_LENGTH;
            cr_assert_eq(split_run(b->memory, &b->task, NULL, &result), SPLIT_FOUND);
            cr_assert_geq(result.objective, objective);
            batch_free(b);
        }
        cr_assert(kind == 0 ? paths == 0 : paths > 0 && paths < 30, "%d", paths);
        free(grid);
    }
}

// Checks that every sample has a row, and that the rows have room for their samples.
static void check_rows(const struct batch *b, const struct split_result *r)
{
    bool seen[MOST] = {false};
    cr_assert_eq(r->start[r->count], b->samples.count);
    for (int32_t g = 0; g < r->count; g++) {
        int32_t input[MOST], target[MOST];
        memset(input, 0xFF, sizeof input); // -1: the first sample of a row needs no separator
        memset(target, 0xFF, sizeof target);
        for (int32_t p = r->start[g]; p < r->start[g + 1]; p++) {
            const int32_t i = r->order[p];
            cr_assert(!seen[i] && r->row[p] >= 0 && r->row[p] < r->groups[g].rows);
            seen[i] = true;
            input[r->row[p]] += 1 + b->input[i];
            target[r->row[p]] += 1 + b->target[i];
        }
        for (int32_t row = 0; row < r->groups[g].rows; row++) {
            cr_assert(input[row] >= 0 && input[row] <= r->groups[g].input);
            cr_assert(b->samples.target == NULL ||
                      target[row] + SPLIT_TARGET_EXTRA <= r->groups[g].target);
        }
    }
    for (int32_t i = 0; i < b->samples.count; i++)
        cr_assert(seen[i]);
}

// Packing is used where it is faster, so it never makes the objective worse.
Test(dynapipe_divisions, packing)
{
    for (int kind = 0; kind < 2; kind++) {
        struct dynapipe_grid *grid =
            dynapipe_grid_load(kind == 0 ? "grid_decoder_only" : "grid_encoder_decoder");
        struct random r = {3};
        int better = 0;
        for (int round = 0; round < 20; round++) {
            struct batch *b = batch_new(MOST, dynapipe_grid_costs(grid), kind == 1);
            struct split_result result;
            draw(b, &r, 600);
            cr_assert_eq(split_run(b->memory, &b->task, NULL, &result), SPLIT_FOUND);
            check_rows(b, &result);
            const double objective = result.objective;
            b->task.pack = true;
            cr_assert_eq(split_run(b->memory, &b->task, NULL, &result), SPLIT_FOUND);
            check_rows(b, &result);
            cr_assert_leq(result.objective, objective);
            better += result.objective < objective;
            batch_free(b);
        }
        cr_assert(better > 0);
        free(grid);
    }
}

Test(dynapipe_divisions, padding)
{
    cr_expect_eq(split_padded(0, 2, 0), 0);
    cr_expect_eq(split_padded(1, 0, 0), 8);
    cr_expect_eq(split_padded(8, 0, 0), 8);
    cr_expect_eq(split_padded(9, 0, 0), 16);
    cr_expect_eq(split_padded(9, 0, 1), 8);
    cr_expect_eq(split_padded(7, 2, 0), 16);
    cr_expect_eq(split_padded(7, 2, 1), 8);
    cr_expect_eq(split_padded(1, 0, 1), 0);
}

static bool flat(void *self, enum dynapipe_recompute recompute, int32_t rows, int32_t input,
                 int32_t target, struct split_layer_cost *out)
{
    (void)self;
    *out = (struct split_layer_cost){5, 7, 3, 2, 4, 6, 8};
    return recompute == DYNAPIPE_KEEP && rows < 100 && input >= target;
}

// Stages per device: an odd number is not rounded down, and an encoder-decoder network on one device is two of them.
Test(dynapipe_divisions, chunks)
{
    static const struct {
        struct split_pipeline pipeline;
        double time, stored, peak, state;
    } cases[] = {
        {{4, 1, 4, 1, true}, 4 * 7 + 3, 16, 8 + 3 * 4, 1 + 4 * 3},
        {{4, 2, 4, 1, true}, 4 * 12 + 3, 24, 8 + 3 * 6, 1 + 4 * 5},
        {{4, 3, 4, 1, true}, 1.5 * (4 * 12 + 3), 36, 8 + 3 * 9, 1 + 4 * 7.5},
        {{1, 1, 4, 1, true}, 2 * 12 + 3, 12, 8 + 6, 1 + 2 * 5},
        {{4, 1, 4, 1, false}, 4 * 5 + 3, 8, 6 + 3 * 2, 1 + 4 * 2},
        {{4, 2, 4, 1, false}, 2 * (4 * 5 + 3), 16, 6 + 3 * 4, 1 + 4 * 4},
    };
    const struct split_costs costs = {flat, NULL};
    const struct split_state state = {1, 2, 3};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct split_group g = {.rows = 2,
                                .input = 64,
                                .target = cases[k].pipeline.has_decoder ? 16 : 0};
        cr_assert(split_group_price(&cases[k].pipeline, &costs, DYNAPIPE_KEEP, &g));
        cr_expect_float_eq(g.time, cases[k].time, 1e-12, "case %zu: %g", k, g.time);
        cr_expect_float_eq(g.stored, cases[k].stored, 1e-12, "case %zu: %g", k, g.stored);
        cr_expect_float_eq(g.peak, cases[k].peak, 1e-12, "case %zu: %g", k, g.peak);
        const double of_state = split_state_of_first_device(&cases[k].pipeline, &state);
        cr_expect_float_eq(of_state, cases[k].state, 1e-12, "case %zu: %g", k, of_state);
    }
}

// Padded lengths are compared and added up, and there are no target tokens without a decoder.
Test(dynapipe_divisions, by_tokens)
{
    struct batch *b = batch_new(6, (struct split_costs){flat, NULL}, false);
    static const int32_t lengths[] = {9, 100, 17, 15, 1, 16}, starts[] = {0, 1, 3, 6};
    struct split_result r;
    memcpy(b->input, lengths, sizeof lengths);
    cr_assert_eq(split_by_tokens(b->memory, &b->task, 40, &r), SPLIT_FOUND);
    cr_assert_eq(r.count, 3);
    for (int g = 0; g <= 3; g++)
        cr_assert_eq(r.start[g], starts[g], "group %d: %d", g, r.start[g]);
    check_rows(b, &r);
    cr_assert_float_eq(r.objective, 3.0 * 23 + 3 * 23, 1e-12);
    batch_free(b);
}

Test(dynapipe_divisions, uniform)
{
    struct batch *b = batch_new(6, (struct split_costs){flat, NULL}, false);
    static const int32_t lengths[] = {9, 100, 40, 50, 61, 16};
    struct split_result r;
    memcpy(b->input, lengths, sizeof lengths);
    // Rows of 104 tokens: 100 | 61 40 | 50 16 9.
    cr_assert_eq(split_uniformly(b->memory, &b->task, 2, &r), SPLIT_FOUND);
    check_rows(b, &r);
    cr_assert_eq(r.count, 2);
    cr_assert(r.groups[0].rows == 2 && r.groups[1].rows == 1 && r.groups[1].input == 104);
    cr_assert(r.order[0] == 1 && r.order[1] == 4 && r.order[2] == 2 && r.start[1] == 3);
    cr_assert(r.row[0] == 0 && r.row[1] == 1 && r.row[2] == 1 && r.row[3] == 0);
    batch_free(b);
}

Test(dynapipe_divisions, small_batches)
{
    for (int decoder = 0; decoder < 2; decoder++)
        for (int32_t n = 0; n < 2; n++) {
            struct batch *b = batch_new(n, (struct split_costs){flat, NULL}, decoder == 1);
            struct split_result r;
            b->input[0] = 20;
            b->target[0] = 3;
            cr_assert_eq(split_run(b->memory, &b->task, NULL, &r), SPLIT_FOUND);
            cr_assert_eq(r.count, n);
            check_rows(b, &r);
            cr_assert_eq(split_by_tokens(b->memory, &b->task, 1, &r), SPLIT_FOUND);
            cr_assert_eq(r.count, n);
            cr_assert_eq(split_uniformly(b->memory, &b->task, 1, &r), SPLIT_FOUND);
            cr_assert_eq(r.count, n);
            batch_free(b);
        }
}

static bool outside(void *self, enum dynapipe_recompute recompute, int32_t rows, int32_t input,
                    int32_t target, struct split_layer_cost *out)
{
    *out = (struct split_layer_cost){.encoder = 1,
                                     .encoder_stored =
                                         recompute == DYNAPIPE_FULL ? input / 4 : input};
    return input <= *(const int32_t *)self && rows > 0 && target == 0;
}

Test(dynapipe_divisions, lack)
{
    int32_t most = 400;
    struct batch *b = batch_new(3, (struct split_costs){outside, &most}, false);
    struct split_result r;
    b->input[0] = 200;
    b->input[1] = 400;
    b->input[2] = 300;
    b->task.available = 320; // 4 layers: 80 MB of a layer
    cr_assert_eq(split_run(b->memory, &b->task, NULL, &r), SPLIT_INFEASIBLE);
    cr_expect(r.lack.sample == 1 && !r.lack.is_outside && r.lack.recompute == DYNAPIPE_FULL);
    cr_expect_float_eq(r.lack.needed, 400, 1e-9, "%g", r.lack.needed);
    most = 350;
    cr_assert_eq(split_run(b->memory, &b->task, NULL, &r), SPLIT_INFEASIBLE);
    cr_expect(r.lack.sample == 1 && r.lack.is_outside);
    cr_assert_eq(split_by_tokens(b->memory, &b->task, 1, &r), SPLIT_INFEASIBLE);
    cr_expect(r.lack.sample == 1 && r.lack.is_outside);
    b->task.available = 400;
    most = 400;
    cr_assert_eq(split_run(b->memory, &b->task, NULL, &r), SPLIT_FOUND);
    cr_expect(r.recompute == DYNAPIPE_FULL && r.limit == SPLIT_LIMIT_AVAILABLE);
    b->task.is_barred[DYNAPIPE_FULL] = true;
    cr_assert_eq(split_run(b->memory, &b->task, NULL, &r), SPLIT_INFEASIBLE);
    cr_expect(r.lack.recompute != DYNAPIPE_FULL && r.lack.needed > 400);
    batch_free(b);
}

static bool over(void *self)
{
    (void)self;
    return true;
}

Test(dynapipe_divisions, poll_stops)
{
    struct dynapipe_grid *grid = dynapipe_grid_load("grid_encoder_decoder");
    struct batch *b = batch_new(MOST, dynapipe_grid_costs(grid), true);
    struct random r = {4};
    struct poll poll = {over, NULL, 0};
    struct split_result result;
    draw(b, &r, 500);
    cr_assert_eq(split_run(b->memory, &b->task, &poll, &result), SPLIT_STOPPED);
    batch_free(b);
    free(grid);
}
