// SPDX-License-Identifier: Apache-2.0
// Blocks made by several workers have the same bytes and counts as blocks made by one worker.
#include "tests/unit/support/engine/toy_rows.h"

#include "engine/run/sweep.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(sweep, .init = enter, .fini = leave);

struct text {
    char bytes[1 << 16];
    size_t n;
    uint64_t next;
};

static enum pps_status keep_text(void *self, const struct pps_block *block,
                                 struct pps_error *err)
{
    struct text *text = self;
    (void)err;
    cr_assert_eq(block->index, text->next++);
    cr_assert(text->n + block->data_bytes < sizeof text->bytes);
    memcpy(text->bytes + text->n, block->data, block->data_bytes);
    text->n += block->data_bytes;
    return PPS_OK;
}

// A point costs so much that every block is worth as many parts as it has points.
static double high_cost(const double *point, const void *shared)
{
    (void)point, (void)shared;
    return 1e9;
}

// Points that are left out, by a rule and by the kernel, infeasible ones and failed ones.
static struct pps_totals sweep_costly(int threads, uint64_t block_points, struct text *text)
{
    struct pps_experiment *e = load_good(
        "{\"kernel\": \"toy\", \"inputs\": {\"box\": " BOX ", \"place\": {\"room\": 60}}, "
        "\"factor\": \"1..9\", \"x\": \"1..60\", \"where\": [\"x != 7\"]}");
    struct pps_kernel kernel = *e->kernel;
    struct pps_totals totals;
    struct pps_error err = {.text = ""};
    kernel.cost = high_cost;
    e->kernel = &kernel;
    *text = (struct text){.n = 0};
    const struct pps_sweep sweep = {.experiment = e,
                                    .block_points = block_points,
                                    .threads = threads,
                                    .sink = {text, keep_text},
                                    .stop = &never,
                                    .n_best = 3};
    cr_assert_eq(pps_sweep_run(&sweep, &totals, &err), PPS_OK, "%s", err.text);
    cr_assert(totals.complete);
    pps_experiment_free(e);
    return totals;
}

static void expect_equal(const struct pps_totals *one, const struct pps_totals *other)
{
    cr_expect_eq(one->points, other->points);
    cr_expect_eq(one->counts.rows, other->counts.rows);
    cr_expect_eq(one->counts.failed, other->counts.failed);
    cr_expect_eq(one->counts.failed_example, other->counts.failed_example);
    cr_expect_eq(one->counts.infeasible, other->counts.infeasible);
    cr_expect_eq(one->text_bytes, other->text_bytes);
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        cr_expect_eq(one->counts.left_out[r].n, other->counts.left_out[r].n, "reason %d", r);
        cr_expect_eq(one->counts.left_out[r].example, other->counts.left_out[r].example,
                     "reason %d", r);
    }
}

// Would catch parts joined in the order in which they were done, or counts that a part lost.
Test(sweep, parts_of_blocks_are_the_block)
{
    static const uint64_t sizes[] = {1, 2, 59, 100, 540};
    static struct text one, several;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct pps_totals first = sweep_costly(1, sizes[i], &one);
        cr_assert(first.counts.rows > 0 && first.counts.failed > 0 &&
                  first.counts.infeasible > 0);
        for (int threads = 2; threads <= 12; threads += 5) {
            struct pps_totals other = sweep_costly(threads, sizes[i], &several);
            cr_expect_eq(one.n, several.n);
            cr_expect(memcmp(one.bytes, several.bytes, one.n) == 0, "%d threads", threads);
            expect_equal(&first, &other);
            pps_totals_free(&other);
        }
        pps_totals_free(&first);
    }
}
