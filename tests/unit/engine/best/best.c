// SPDX-License-Identifier: Apache-2.0
// The heap of best rows: which rows it keeps and in which order, independent of the order of
// adding.
#include "engine/best/best.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200 };

struct item {
    double value;
    uint64_t index;
};

static void add(struct pps_best *best, struct item item)
{
    struct pps_error err;
    char text[32];
    const int n = snprintf(text, sizeof text, "row %llu", (unsigned long long)item.index);
    cr_assert_eq(pps_best_add(best, item.value, item.index, text, (size_t)n, &err), PPS_OK);
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void shuffle(struct item *items, unsigned seed)
{
    for (unsigned i = N - 1; i > 0; i--) {
        const unsigned j = next_random(&seed) % (i + 1);
        const struct item kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}

static bool higher_wins;

static int by_rank(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->value != y->value)
        return ((x->value < y->value) != higher_wins) ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

// Makes items of few distinct values, so many ties, shuffled; `sorted` holds them by rank.
static void make_trial(unsigned trial, struct item items[N], struct item sorted[N])
{
    for (unsigned i = 0; i < N; i++)
        items[i] = (struct item){(double)((i * 7 + trial) % 23), i};
    memcpy(sorted, items, N * sizeof *items);
    higher_wins = trial % 2 == 1;
    qsort(sorted, N, sizeof *sorted, by_rank);
    shuffle(items, trial);
}

// Catches a heap that sifts wrongly, forgets the text's owner, or lets the first of two equal
// values win by order of adding instead of by index.
Test(best, any_order_of_adding_gives_the_sorted_prefix)
{
    static const size_t caps[] = {1, 2, 3, 7, 64, N, N + 5};
    for (unsigned trial = 0; trial < 60; trial++) {
        const size_t cap = caps[trial % 7];
        struct item items[N], sorted[N];
        make_trial(trial, items, sorted);

        struct pps_best best;
        pps_best_init(&best, cap, higher_wins);
        for (unsigned i = 0; i < N; i++)
            add(&best, items[i]);
        size_t n;
        const struct pps_best_row *rows = pps_best_sorted(&best, &n);
        cr_assert_eq(n, cap < N ? cap : N);
        for (size_t i = 0; i < n; i++) {
            char text[32];
            snprintf(text, sizeof text, "row %llu", (unsigned long long)sorted[i].index);
            cr_assert_eq(rows[i].index, sorted[i].index, "trial %u row %zu", trial, i);
            cr_assert_str_eq(rows[i].text, text);
            cr_assert_eq(rows[i].n, strlen(text));
        }
        pps_best_free(&best);
    }
}

// Adds a row with a cell of its index modulo 3, and a cell that is equal in all rows.
static void add_cells(struct pps_best *best, struct item item)
{
    struct pps_error err;
    char text[64];
    const int n =
        snprintf(text, sizeof text, "%g,%u,same", item.value, (unsigned)item.index % 3);
    cr_assert_eq(pps_best_add(best, item.value, item.index, text, (size_t)n, &err), PPS_OK);
}

// Would catch ties that depend on the order of adding, that are lost when a better row displaces
// one of them, or that are counted at a value that is the worst no more.
Test(best, equal_rows_are_counted)
{
    for (unsigned trial = 0; trial < 60; trial++) {
        const size_t cap = 1 + trial % 9;
        const unsigned n_values = 1 + trial % 13;
        struct item items[N];
        uint64_t equal = 0, first = 0;
        for (unsigned i = 0; i < N; i++)
            items[i] = (struct item){(double)(i * 7 % n_values), i};
        shuffle(items, trial);
        struct pps_best best;
        pps_best_init(&best, cap, false);
        for (unsigned i = 0; i < N; i++) {
            add_cells(&best, items[i]);
            equal += items[i].value == 0;
            first |= items[i].value == 0 ? (uint64_t)1 << items[i].index % 3 : 0;
        }
        const struct pps_best_ties ties = pps_best_ties(&best);
        cr_assert_eq(ties.n, equal, "trial %u", trial);
        cr_assert_eq(ties.kept, equal < cap ? equal : cap);
        cr_assert_eq(ties.differ, (first & (first - 1)) != 0 ? 2 : 0, "trial %u", trial);
        pps_best_free(&best);
    }
}

// Would catch a heap that drops some rows of the last value, or keeps rows of a worse value.
Test(best, ties_are_kept_where_asked_for)
{
    for (unsigned trial = 0; trial < 60; trial++) {
        const size_t cap = 1 + trial % 50;
        struct item items[N], sorted[N];
        make_trial(trial, items, sorted);
        struct pps_best best;
        pps_best_init(&best, cap, higher_wins);
        best.ties = true;
        for (unsigned i = 0; i < N; i++)
            add(&best, items[i]);
        size_t n, wanted = cap;
        while (wanted < N && sorted[wanted].value == sorted[cap - 1].value)
            wanted++;
        const struct pps_best_row *rows = pps_best_sorted(&best, &n);
        cr_assert_eq(n, wanted, "trial %u", trial);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(rows[i].index, sorted[i].index);
        cr_assert_eq(best.more.n, 0);
        pps_best_free(&best);
    }
}

// Catches a readout that spoils the heap for rows added after it.
Test(best, reading_in_between_changes_nothing)
{
    struct pps_best often, once;
    pps_best_init(&often, 10, false);
    pps_best_init(&once, 10, false);
    unsigned seed = 5;
    for (uint64_t i = 0; i < 500; i++) {
        const struct item item = {(double)(next_random(&seed) % 50), i};
        size_t n;
        add(&often, item);
        add(&once, item);
        if (i % 3 == 0)
            pps_best_sorted(&often, &n);
    }
    size_t n_often, n_once;
    const struct pps_best_row *a = pps_best_sorted(&often, &n_often);
    const struct pps_best_row *b = pps_best_sorted(&once, &n_once);
    cr_assert_eq(n_often, n_once);
    for (size_t i = 0; i < n_once; i++)
        cr_assert_eq(a[i].index, b[i].index);
    pps_best_free(&often);
    pps_best_free(&once);
}

// Catches a fast test that turns away a row that ties with the worst but has a lower index, or
// that lets in NAN or anything at all where none are wanted.
Test(best, would_take_is_never_wrong)
{
    struct pps_best best;
    pps_best_init(&best, 2, false);
    cr_assert(pps_best_would_take(&best, 1e300));
    cr_assert_not(pps_best_would_take(&best, NAN));
    add(&best, (struct item){5, 10});
    add(&best, (struct item){5, 11});
    cr_assert(pps_best_would_take(&best, 5));
    cr_assert_not(pps_best_would_take(&best, 5.1));
    add(&best, (struct item){5, 2});
    add(&best, (struct item){5, 12});
    add(&best, (struct item){NAN, 0});
    size_t n;
    const struct pps_best_row *rows = pps_best_sorted(&best, &n);
    cr_assert_eq(n, 2);
    cr_assert_eq(rows[0].index, 2);
    cr_assert_eq(rows[1].index, 10);
    pps_best_free(&best);

    pps_best_init(&best, 0, true);
    cr_assert_not(pps_best_would_take(&best, 1));
    add(&best, (struct item){1, 1});
    cr_assert_eq(best.n, 0);
    pps_best_free(&best);
}

// Writes a row of n_cells cells; the cells of `varying` have random text of random length.
static size_t write_row(char *text, unsigned n_cells, uint64_t varying, unsigned *state)
{
    static const char *const texts[] = {"", "a", "0.5", "ab", "0.25", "b"};
    char *out = text;
    for (unsigned c = 0; c < n_cells; c++) {
        const bool varies = c < 64 ? varying >> c & 1 : c % 2;
        const char *cell = varies ? texts[next_random(state) % 6] : "same";
        out += sprintf(out, "%s%s", c > 0 ? "," : "", cell);
    }
    return (size_t)(out - text);
}

// Returns the cells, of the first 64, in which two rows differ, by splitting both.
static uint64_t compare_cells(const char *a, const char *b)
{
    uint64_t differ = 0;
    for (int c = 0; c < 64; c++) {
        const size_t n = strcspn(a, ","), m = strcspn(b, ",");
        if (n != m || memcmp(a, b, n) != 0)
            differ |= (uint64_t)1 << c;
        if (a[n] == '\0')
            break;
        a += n + 1;
        b += m + 1;
    }
    return differ;
}

// Would catch cells that are taken for known because the ends of a row are known: constant cells
// between cells that vary, rows of other lengths, empty cells, and cells after the first 64.
Test(best, cells_that_vary_are_found)
{
    static char rows[40][70 * 5];
    static const unsigned counts[] = {1, 2, 3, 5, 14, 63, 64, 65, 70};
    for (unsigned trial = 0; trial < 4000; trial++) {
        unsigned state = trial * 2654435761u + 1;
        const unsigned n_cells = counts[next_random(&state) % 9];
        const unsigned from = next_random(&state) % 64, width = next_random(&state) % 64;
        uint64_t varying = ((uint64_t)1 << width) - 1, expected = 0;
        varying = trial % 3 == 0 ? varying * 0x9e3779b97f4a7c15u : varying << from;
        struct pps_best best;
        struct pps_error err;
        pps_best_init(&best, 1, false);
        for (unsigned i = 0; i < 40; i++) {
            const size_t n = write_row(rows[i], n_cells, varying, &state);
            cr_assert_eq(pps_best_add(&best, 1, i, rows[i], n, &err), PPS_OK);
            expected |= compare_cells(rows[0], rows[i]);
        }
        const struct pps_best_ties ties = pps_best_ties(&best);
        cr_assert_eq(ties.n, 40);
        cr_assert_eq(ties.differ, expected, "trial %u: %llx, not %llx", trial,
                     (unsigned long long)ties.differ, (unsigned long long)expected);
        pps_best_free(&best);
    }
}
