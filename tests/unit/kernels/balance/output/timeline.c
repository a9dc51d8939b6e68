// SPDX-License-Identifier: Apache-2.0
// Timelines: their order, and the blocks and memory curves of golden cases.
#include "kernels/balance/output/timeline.h"

#include "tests/unit/support/kernels/balance_golden.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { MOST = 4096 };

struct seen {
    struct pps_piece pieces[MOST];
    struct pps_level levels[MOST];
    int n_pieces, n_levels, n_limits;
};

static void add_piece(void *self, const struct pps_piece *piece)
{
    struct seen *seen = self;
    seen->pieces[seen->n_pieces++] = *piece;
}

static void add_level(void *self, const struct pps_level *level)
{
    struct seen *seen = self;
    seen->levels[seen->n_levels++] = *level;
}

static void add_limit(void *self, const struct pps_limit *limit)
{
    struct seen *seen = self;
    cr_assert(limit->value == 56 && seen->n_pieces == 0);
    seen->n_limits++;
}

static struct seen seen;

static void send(const struct balance_golden_replayed *r, double limit)
{
    const struct pps_trace_sink sink = {&seen, add_piece, add_level, add_limit};
    memset(&seen, 0, sizeof seen);
    cr_assert(
        balance_send_timeline(r->replay, &r->layers, &r->shape, &r->strategy, limit, &sink));
}

static void check_order(void)
{
    for (int i = 1; i < seen.n_pieces; i++)
        cr_assert(seen.pieces[i].start >= seen.pieces[i - 1].start);
    for (int i = 1; i < seen.n_levels; i++)
        cr_assert(seen.levels[i].time >= seen.levels[i - 1].time);
}

// [f or b, micro-batch, chunk, start, end, phase]
static void check_blocks(const cJSON *blocks, int32_t stage)
{
    const cJSON *block = blocks->child;
    for (int i = 0; i < seen.n_pieces; i++) {
        const struct pps_piece *piece = &seen.pieces[i];
        if (piece->group != stage)
            continue;
        cr_assert_not_null(block);
        const cJSON *part = block->child;
        cr_assert((strcmp(part->valuestring, "f") == 0) == (piece->kind == 0));
        cr_assert(part->next->valueint == piece->item);
        cr_assert(part->next->next->valueint == piece->chunk);
        cr_assert(fabs(part->next->next->next->valuedouble - piece->start) < 1e-9);
        cr_assert(fabs(part->next->next->next->next->valuedouble - piece->end) < 1e-9);
        block = block->next;
    }
    cr_assert_null(block);
}

// [time, MB], one point per block, after (0, 0) where the curve has the static memory; the last point is repeated.
static void check_curve(const cJSON *curve, int32_t stage)
{
    int k = 0;
    for (int i = 0; i < seen.n_levels; i++)
        if (seen.levels[i].group == stage) {
            const cJSON *point = cJSON_GetArrayItem(curve, k++)->child;
            cr_assert(fabs(point->valuedouble - seen.levels[i].time) < 1e-9);
            cr_assert(k == 1 || fabs(point->next->valuedouble - seen.levels[i].value) < 1e-9);
        }
    cr_assert(k == cJSON_GetArraySize(curve) - 1);
}

static void check_file(const char *file)
{
    struct balance_golden_replayed r = balance_golden_replayed(file, 0);
    cJSON *document = golden_of("balance", file);
    const cJSON *one = golden_item(document, "strategies")->child;
    send(&r, 56);
    check_order();
    cr_assert(seen.n_limits == r.shape.stages);
    for (int32_t s = 0; s < r.shape.stages; s++) {
        check_blocks(cJSON_GetArrayItem(golden_item(one, "schedule"), s), s);
        check_curve(cJSON_GetArrayItem(golden_item(one, "memory_curve"), s), s);
    }
    cJSON_Delete(document);
    balance_golden_done(&r);
}

Test(balance_timeline, golden_blocks_and_curves)
{
    check_file("simulate_01_tiny_1f1b.json");
}

Test(balance_timeline, blocks_that_recompute)
{
    struct balance_golden_replayed r = balance_golden_replayed("simulate_04_175b.json", 1);
    send(&r, (double)INFINITY);
    check_order();
    cr_assert(seen.n_limits == 0 && seen.n_pieces == 1536 && seen.n_levels == 1536 + 16);
    for (int i = 0; i < seen.n_pieces; i++)
        cr_assert(seen.pieces[i].flag == (seen.pieces[i].kind == 1));
    balance_golden_done(&r);
}
