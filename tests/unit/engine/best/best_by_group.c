// SPDX-License-Identifier: Apache-2.0
// The best rows of groups: which rows are kept and in which order, independent of the order of
// adding.
#include "engine/best/best_by_group.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000, GROUPS = 200 };

struct item {
    double key[2];
    double value;
    uint64_t index;
};

// Values that are often equal, groups of two coordinates.
static void make_items(struct item *items)
{
    struct random state = {1};
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t group = random_bits(&state) % GROUPS;
        items[i] = (struct item){{(double)(group / 8), -(double)(group % 8) - 1},
                                 (double)(random_bits(&state) % 50),
                                 i};
    }
}

static void shuffle(struct item *items, uint64_t seed)
{
    struct random random = {seed};
    for (uint64_t i = N - 1; i > 0; i--) {
        const uint64_t j = random_bits(&random) % (i + 1);
        const struct item kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}

static void add(struct pps_best_by_group *tops, const struct item *item)
{
    struct pps_error err;
    char text[64];
    const int n = snprintf(text, sizeof text, "row %llu", (unsigned long long)item->index);
    cr_assert_eq(
        pps_best_by_group_add(tops, item->key, item->value, item->index, text, (size_t)n, &err),
        PPS_OK);
}

static bool same_group(const struct item *a, const struct item *b, int n_by)
{
    return memcmp(a->key, b->key, (size_t)n_by * sizeof(double)) == 0;
}

// The obvious way: a row is kept where fewer than k of its group go before it.
static bool is_kept(const struct item *items, size_t i, size_t k, int n_by, bool higher)
{
    size_t before = 0;
    for (size_t j = 0; j < N; j++)
        if (same_group(&items[i], &items[j], n_by) &&
            (items[i].value != items[j].value
                 ? (higher ? items[j].value > items[i].value : items[j].value < items[i].value)
                 : items[j].index < items[i].index))
            before++;
    return before < k;
}

static void check(struct pps_best_by_group *tops, const struct item *items, size_t k)
{
    size_t n, expected = 0;
    bool listed[N] = {false};
    const struct pps_best_row *rows = pps_best_by_group_by_index(tops, &n);
    for (size_t i = 0; i < n; i++) {
        char text[64];
        cr_assert(i == 0 || rows[i - 1].index < rows[i].index);
        snprintf(text, sizeof text, "row %llu", (unsigned long long)rows[i].index);
        cr_assert_str_eq(rows[i].text, text);
        listed[rows[i].index] = true;
    }
    for (size_t i = 0; i < N; i++) {
        const bool kept = is_kept(items, i, k, tops->n_by, tops->higher);
        cr_assert_eq(kept, listed[items[i].index], "row %llu",
                     (unsigned long long)items[i].index);
        expected += kept;
    }
    cr_assert_eq(n, expected);
}

// Would catch a group that is lost, joined with another or found twice, and a winner that depends
// on who came first; in one list, in parts that are merged, and after reading it.
Test(tops, the_best_of_every_group_whatever_the_order)
{
    static struct item items[N];
    make_items(items);
    for (int n_by = 0; n_by <= 2; n_by++)
        for (size_t k = 1; k < 20; k = 2 * k + 1)
            for (int seed = 0; seed < 2; seed++) {
                struct pps_best_by_group tops, parts[3];
                struct pps_error err;
                size_t n;
                shuffle(items, (uint64_t)seed + k);
                pps_best_by_group_init(&tops, k, seed == 1, n_by);
                for (int p = 0; p < 3; p++)
                    pps_best_by_group_init(&parts[p], k, seed == 1, n_by);
                for (size_t i = 0; i < N; i++)
                    add(&parts[i % 3], &items[i]);
                for (int p = 0; p < 3; p++) {
                    cr_assert_eq(pps_best_by_group_merge(&tops, &parts[p], &err), PPS_OK);
                    pps_best_by_group_rows(&tops, &n); // sorts; more may be added
                    pps_best_by_group_free(&parts[p]);
                }
                check(&tops, items, k);
                for (size_t i = 0; i < N; i++) {
                    const double t = pps_best_by_group_threshold(&tops, items[i].key);
                    if (tops.higher ? items[i].value < t : items[i].value > t)
                        cr_assert(!is_kept(items, i, k, n_by, tops.higher));
                }
                pps_best_by_group_free(&tops);
            }
}

// Would catch groups out of order: that of the best row first, each one best first.
Test(tops, groups_are_listed_by_their_best)
{
    const struct item items[] = {{{2}, 5, 0}, {{1}, 4, 1}, {{2}, 3, 2},          {{1}, 4, 3},
                                 {{3}, 3, 4}, {{2}, 9, 5}, {{3}, (double)NAN, 6}};
    static const uint64_t order[] = {2, 0, 4, 1, 3};
    struct pps_best_by_group tops;
    size_t n;
    pps_best_by_group_init(&tops, 2, false, 1);
    for (int i = 0; i < 7; i++)
        add(&tops, &items[i]);
    const struct pps_best_row *rows = pps_best_by_group_rows(&tops, &n);
    cr_assert_eq(n, 5);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(rows[i].index, order[i], "%zu", i);
    pps_best_by_group_free(&tops);
}

// Would catch a threshold before there are enough rows, or for a group that nobody has seen.
Test(tops, everything_is_taken_until_there_are_enough)
{
    const struct item items[] = {{{1}, 5, 0}, {{1}, 4, 1}};
    const double unseen = 2;
    struct pps_best_by_group tops;
    pps_best_by_group_init(&tops, 2, false, 1);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(pps_best_by_group_threshold(&tops, items[0].key), HUGE_VAL);
        add(&tops, &items[i]);
    }
    cr_assert_eq(pps_best_by_group_threshold(&tops, items[0].key), 5);
    cr_assert_eq(pps_best_by_group_threshold(&tops, &unseen), HUGE_VAL);
    cr_assert(!pps_best_by_group_would_take(&tops, items[0].key, 6));
    cr_assert(pps_best_by_group_would_take(&tops, &unseen, 6));
    cr_assert(!pps_best_by_group_would_take(&tops, &unseen, (double)NAN));
    pps_best_by_group_free(&tops);
}

// Catches lists that are freed while they are still valid: the table of the best rows lists the
// groups, then the rows, and uses both.
Test(tops, lists_stay_valid_until_the_next_add)
{
    static struct item items[N];
    struct pps_best_by_group tops;
    size_t n_groups, n_rows, n;
    make_items(items);
    pps_best_by_group_init(&tops, 3, false, 2);
    for (int i = 0; i < N; i++)
        add(&tops, &items[i]);
    struct pps_best *const *groups = pps_best_by_group_groups(&tops, &n_groups);
    const struct pps_best_row *rows = pps_best_by_group_rows(&tops, &n_rows);
    cr_assert_eq(pps_best_by_group_groups(&tops, &n), groups);
    cr_assert_eq(n, n_groups);
    cr_assert_eq(pps_best_by_group_rows(&tops, &n), rows);
    cr_assert_eq(n, n_rows);
    for (size_t g = 0; g < n_groups; g++)
        cr_assert_gt(groups[g]->n, 0);
    pps_best_by_group_free(&tops);
}
