// SPDX-License-Identifier: Apache-2.0
// Records the combinations of parameters that cells cover, as sums of products of hashes.
//
// The hash of a row is a product of one odd number per parameter, modulo 2^64. The sum of a
// cell adds the hashes of its rows. Odd numbers have inverses, so parameters with one value in
// every cell are divided out at the end.
#include "engine/slice/cell_coverage.h"

#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool pps_covered_open(struct pps_covered *covered, int *columns, int n, int split)
{
    *covered = (struct pps_covered){.columns = columns, .n = n, .split = split};
    covered->varies = calloc((size_t)n + 1, sizeof *covered->varies);
    covered->differs = calloc((size_t)n + 1, sizeof *covered->differs);
    if (covered->varies != NULL && covered->differs != NULL)
        return true;
    pps_covered_close(covered);
    return false;
}

void pps_covered_close(struct pps_covered *covered)
{
    free(covered->columns);
    free(covered->varies);
    free(covered->differs);
    free(covered->first);
    free(covered->sums);
    *covered = (struct pps_covered){0};
}

static uint32_t value_hash(const struct pps_covered *covered, int c,
                           const struct pps_cell *cells)
{
    const struct pps_cell cell = cells[covered->columns[c]];
    double number;
    if (c == covered->split && pps_cell_number(cell, &number))
        return 0;
    return XXH32(cell.text, cell.n, 1);
}

static uint64_t factor(int c, uint32_t hash)
{
    const uint64_t key = (uint64_t)c << 32 | hash;
    return XXH64(&key, sizeof key, 0) | 1;
}

// Sums of one cell: one sum of hashes per column, then the number of rows.
enum { SUMMED_CELLS = 1 << 16 };

static uint64_t *sums_of(struct pps_covered *covered, size_t i, bool first)
{
    const size_t n = (size_t)covered->n + 1;
    uint64_t *sums = pps_grow(covered->sums, &covered->sums_room, i + 1, n * sizeof *sums);
    if (sums == NULL)
        return NULL;
    covered->sums = sums;
    if (first)
        memset(sums + i * n, 0, n * sizeof *sums);
    return sums + i * n;
}

bool pps_covered_add(struct pps_covered *covered, size_t i, bool first,
                     const struct pps_cell *cells, uint64_t *sum)
{
    const size_t n = (size_t)covered->n;
    uint32_t *list =
        n == 0 ? NULL : pps_grow(covered->first, &covered->room, i + 1, n * sizeof *list);
    if (n > 0 && list == NULL)
        return false;
    covered->first = list;
    uint64_t *sums = i < SUMMED_CELLS ? sums_of(covered, i, first) : NULL;
    if (i < SUMMED_CELLS && sums == NULL)
        return false;
    if (sums != NULL)
        sums[n]++;
    uint64_t product = 1;
    for (int c = 0; c < covered->n; c++) {
        const uint32_t hash = value_hash(covered, c, cells);
        uint32_t *known = &list[i * n + (size_t)c];
        if (first)
            *known = hash;
        covered->varies[c] = covered->varies[c] || *known != hash;
        product *= factor(c, hash);
        if (sums != NULL)
            sums[c] += hash;
    }
    *sum += product;
    return true;
}

// Compares proportions by cross multiplication with the numbers of rows.
void pps_covered_finish(struct pps_covered *covered, size_t n_cells)
{
    const size_t n = (size_t)covered->n + 1,
                 end = n_cells < SUMMED_CELLS ? n_cells : SUMMED_CELLS;
    const uint64_t *known = covered->sums;
    for (size_t i = 1; i < end && i < covered->sums_room; i++) {
        const uint64_t *sums = covered->sums + i * n;
        for (size_t c = 0; c + 1 < n; c++)
            covered->differs[c] =
                covered->differs[c] ||
                (covered->varies[c] && sums[c] * known[n - 1] != known[c] * sums[n - 1]);
    }
}

// Newton's iteration for the inverse. The first value has five correct bits; each step doubles
// their number.
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = 3 * odd ^ 2;
    for (int i = 0; i < 4; i++)
        x *= 2 - odd * x;
    return x;
}

uint64_t pps_covered_id(const struct pps_covered *covered, size_t i, uint64_t sum)
{
    uint64_t constant = 1;
    for (int c = 0; c < covered->n; c++)
        if (!covered->varies[c])
            constant *= factor(c, covered->first[i * (size_t)covered->n + (size_t)c]);
    return sum * inverse(constant);
}
