// SPDX-License-Identifier: Apache-2.0
// Orders of samples: golden clusters and paths, and brute force over small random cases.
#include "kernels/dynapipe/split/path_order.h"

#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST = 64 };

// Samples with their clusters and centres.
struct fixture {
    int32_t input[MOST], target[MOST], order[MOST];
    struct split_samples samples;
    struct split_path_order memory;
    void *bytes;
};

static struct fixture *fixture_new(int32_t samples)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct room room = {NULL, 0};
    split_path_order_take(&f->memory, samples, &room);
    f->bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){f->bytes, 0};
    split_path_order_take(&f->memory, samples, &room);
    f->samples = (struct split_samples){samples, f->input, f->target, 0, NULL};
    return f;
}

static void fixture_free(struct fixture *f)
{
    free(f->bytes);
    free(f);
}

static int64_t length_of(const struct fixture *f, enum split_total total)
{
    return split_path_length(f->memory.centres, f->memory.sequence, f->memory.clusters.count,
                             SPLIT_MEASURE_SUM, total);
}

static void order(struct fixture *f, enum split_measure measure, enum split_total total)
{
    cr_assert(split_path_order(&f->memory, &f->samples, measure, total, NULL, f->order));
}

Test(dynapipe_orders, golden)
{
    cJSON *document = golden_of("dynapipe", "order_01.json");
    const cJSON *input = golden_item(document, "input"),
                *expected = golden_item(document, "expected"), *cluster, *sample;
    const int32_t n = cJSON_GetArraySize(golden_item(input, "encoder_lengths"));
    struct fixture *f = fixture_new(n);
    for (int32_t i = 0; i < n; i++) {
        f->input[i] = cJSON_GetArrayItem(golden_item(input, "encoder_lengths"), i)->valueint;
        f->target[i] = cJSON_GetArrayItem(golden_item(input, "decoder_lengths"), i)->valueint;
    }
    order(f, SPLIT_MEASURE_SUM, SPLIT_TOTAL_SUM);
    const struct split_clusters *c = &f->memory.clusters;
    int32_t k = 0;
    cr_assert_eq(c->count, golden_whole(expected, "n_clusters"));
    cJSON_ArrayForEach (cluster, golden_item(expected, "clusters")) {
        int32_t i = c->first[k++];
        cJSON_ArrayForEach (sample, cluster) {
            cr_assert_eq(i, sample->valueint);
            i = c->next[i];
        }
        cr_assert_eq(i, -1);
        cr_assert_eq(f->memory.centres[k - 1].x,
                     (int32_t)cJSON_GetArrayItem(
                         cJSON_GetArrayItem(golden_item(expected, "cluster_centres"), k - 1), 0)
                         ->valuedouble);
    }
    cr_assert_eq(length_of(f, SPLIT_TOTAL_SUM), golden_whole(expected, "optimal_sum_path"));
    order(f, SPLIT_MEASURE_SUM, SPLIT_TOTAL_BOTTLENECK);
    cr_assert_eq(length_of(f, SPLIT_TOTAL_BOTTLENECK),
                 golden_whole(expected, "optimal_bottleneck_path"));
    fixture_free(f);
    cJSON_Delete(document);
}

// Merges clusters by the definition. label[i]: the lowest sample of the cluster of sample i.
static void cluster_plainly(const struct split_samples *s, int32_t *label)
{
    for (int32_t i = 0; i < s->count; i++)
        label[i] = i;
    for (;;) {
        int64_t least = 256;
        int32_t a = -1, b = -1;
        for (int32_t i = 0; i < s->count; i++)
            for (int32_t j = i + 1; j < s->count; j++) {
                int64_t most = 0;
                if (label[i] != i || label[j] != j)
                    continue;
                for (int32_t p = 0; p < s->count; p++)
                    for (int32_t q = 0; q < s->count; q++)
                        if (label[p] == i && label[q] == j) {
                            const int64_t x = s->input[p] - s->input[q],
                                          y = s->target[p] - s->target[q];
                            most = x * x + y * y > most ? x * x + y * y : most;
                        }
                if (most < least) {
                    least = most;
                    a = i;
                    b = j;
                }
            }
        if (a < 0)
            return;
        for (int32_t i = 0; i < s->count; i++)
            if (label[i] == b)
                label[i] = a;
    }
}

// Dense points make many equal distances: a wrong choice among these gives other clusters.
Test(dynapipe_orders, clusters_by_definition)
{
    struct random r = {1};
    for (int round = 0; round < 300; round++) {
        const int32_t n = (int32_t)random_below(&r, 24) + 1,
                      span = (int32_t)random_below(&r, 60) + 1;
        struct fixture *f = fixture_new(n);
        int32_t label[MOST];
        for (int32_t i = 0; i < n; i++) {
            f->input[i] = (int32_t)random_below(&r, span);
            f->target[i] = (int32_t)random_below(&r, span / 2 + 1);
        }
        cluster_plainly(&f->samples, label);
        cr_assert(split_clusters_find(&f->memory.clusters, &f->samples, NULL));
        int32_t listed = 0;
        for (int32_t k = 0; k < f->memory.clusters.count; k++)
            for (int32_t i = f->memory.clusters.first[k]; i >= 0;
                 i = f->memory.clusters.next[i], listed++)
                cr_assert_eq(label[i], f->memory.clusters.first[k], "round %d: sample %d",
                             round, i);
        cr_assert_eq(listed, n);
        fixture_free(f);
    }
}

static void shortest(const struct split_point *points, int32_t *rest, int32_t n, int32_t at,
                     enum split_measure measure, enum split_total total, int64_t *least)
{
    if (at == n) {
        const int64_t length = split_path_length(points, rest, n, measure, total);
        *least = length < *least ? length : *least;
    }
    for (int32_t i = at; i < n; i++) {
        const int32_t a = rest[at], b = rest[i];
        rest[at] = b;
        rest[i] = a;
        shortest(points, rest, n, at + 1, measure, total, least);
        rest[at] = a;
        rest[i] = b;
    }
}

Test(dynapipe_orders, short_paths_are_shortest)
{
    struct random r = {2};
    for (int round = 0; round < 40; round++) {
        const int32_t n = (int32_t)random_below(&r, 7) + 1;
        struct fixture *f = fixture_new(n);
        int32_t all[MOST];
        for (int32_t i = 0; i < n; i++) {
            f->memory.centres[i] =
                (struct split_point){random_below(&r, 500), random_below(&r, 200)};
            all[i] = i;
        }
        for (int m = 0; m < 6; m++) {
            const enum split_measure measure = (enum split_measure)(m % 3);
            const enum split_total total = (enum split_total)(m / 3);
            int64_t least = INT64_MAX;
            shortest(f->memory.centres, all, n, 0, measure, total, &least);
            cr_assert(split_path_find(&f->memory.path, f->memory.centres, n, measure, total,
                                      NULL, f->memory.sequence));
            cr_assert_eq(
                split_path_length(f->memory.centres, f->memory.sequence, n, measure, total),
                least);
        }
        fixture_free(f);
    }
}

// Beyond the exact size: a permutation, at most as long as the points sorted, and close to the best path of points on
// a line, which is known.
Test(dynapipe_orders, long_paths)
{
    struct random r = {3};
    for (int round = 0; round < 60; round++) {
        const int32_t n =
            SPLIT_EXACT_POINTS + 1 + (int32_t)random_below(&r, MOST - SPLIT_EXACT_POINTS);
        const bool is_line = round % 2 == 0;
        struct fixture *f = fixture_new(n);
        int64_t low = INT64_MAX, high = 0, length;
        bool seen[MOST] = {false};
        for (int32_t i = 0; i < n; i++) {
            const int64_t x = random_below(&r, 5000);
            f->memory.centres[i] =
                (struct split_point){x, is_line ? 7 : random_below(&r, 5000)};
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        cr_assert(split_path_find(&f->memory.path, f->memory.centres, n, SPLIT_MEASURE_SUM,
                                  round % 3 ? SPLIT_TOTAL_SUM : SPLIT_TOTAL_BOTTLENECK, NULL,
                                  f->memory.sequence));
        for (int32_t p = 0; p < n; p++)
            seen[f->memory.sequence[p]] = true;
        for (int32_t i = 0; i < n; i++)
            cr_assert(seen[i], "round %d: point %d", round, i);
        length = split_path_length(f->memory.centres, f->memory.sequence, n, SPLIT_MEASURE_SUM,
                                   SPLIT_TOTAL_SUM);
        if (is_line && round % 3)
            cr_assert_eq(length, high - low, "round %d: %ld", round, (long)length);
        else if (round % 3)
            cr_assert_leq(length, 5000 * 12, "round %d: %ld", round, (long)length);
        fixture_free(f);
    }
}
