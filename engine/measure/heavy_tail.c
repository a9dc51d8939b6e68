// SPDX-License-Identifier: Apache-2.0
// Decides by a hash of its number whether a point takes long.
#include "engine/measure/heavy_tail.h"

#include "base/math/random.h"

static const double LONG_S = 1.3, SHORT_S = 0.0004, BLOCK_S = 0.02;

// Assumed, not measured. Seconds to compress a row and to write it in order (the upper end of what
// bench/README.md states for the ordered part), seconds to estimate the cost of a block.
static const double PACK_S = 1e-7, WRITE_S = 11e-9, FORETELL_S = 1e-5;

// Also assumed. Bytes that wait in memory for their turn: of each row, compressed, and of each block.
enum { ROW_BYTES = 7, BLOCK_BYTES = 2048 };

enum { LONG_ONE_IN = 1000, PURPOSE = 0x7a11 };

struct pps_coretail pps_coretail(uint64_t n_points, bool is_foretold)
{
    const double mean_s = SHORT_S + (is_foretold ? LONG_S / LONG_ONE_IN : 0);
    return (struct pps_coretail){is_foretold, n_points, (uint64_t)(BLOCK_S / mean_s)};
}

uint64_t pps_coretail_blocks(const struct pps_coretail *t)
{
    return (t->n_points + t->block_points - 1) / t->block_points;
}

static uint64_t points_of(const struct pps_coretail *t, uint64_t block)
{
    const uint64_t left = t->n_points - block * t->block_points;
    return left < t->block_points ? left : t->block_points;
}

static double points_s(uint64_t first, uint64_t n)
{
    double seconds = 0;
    for (uint64_t i = first; i < first + n; i++)
        seconds += pps_random_bits(0, i, PURPOSE) % LONG_ONE_IN == 0 ? LONG_S : SHORT_S;
    return seconds;
}

static struct pps_foretold foretold(const void *self, uint64_t block)
{
    const struct pps_coretail *t = self;
    const uint64_t n = points_of(t, block);
    const double seconds =
        t->is_foretold ? points_s(block * t->block_points, n) : SHORT_S * (double)n;
    return (struct pps_foretold){1e9 * seconds, n, 1};
}

static double make_s(const void *self, const struct pps_task *task)
{
    const struct pps_coretail *t = self;
    return points_s(task->block * t->block_points + task->first, task->n_points);
}

static double pack_s(const void *self, uint64_t block)
{
    return PACK_S * (double)points_of(self, block);
}

static double write_s(const void *self, uint64_t block)
{
    return WRITE_S * (double)points_of(self, block);
}

static uint64_t bytes(const void *self, uint64_t block)
{
    return BLOCK_BYTES + ROW_BYTES * points_of(self, block);
}

struct pps_corecosts pps_coretail_costs(const struct pps_coretail *tail)
{
    return (struct pps_corecosts){tail, foretold, make_s, pack_s, write_s, bytes, FORETELL_S};
}
