// SPDX-License-Identifier: Apache-2.0
// Coverage of cells: equal ids for equal combinations, different ids for different
// combinations.
#include "engine/slice/cell_coverage.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 40, COLUMNS = 3, VALUES = 3, COMBINATIONS = 27 };

// The combinations of a cell as bits, and the sum of its row hashes.
struct model {
    uint32_t combinations;
    uint64_t sum;
    bool begun;
};

static bool add(struct pps_covered *covered, struct model *models, size_t i, int combination)
{
    char text[COLUMNS][24];
    struct pps_cell cells[COLUMNS + 1];
    for (int c = 0, rest = combination; c < COLUMNS; c++, rest /= VALUES) {
        snprintf(text[c], sizeof text[c], "v%d", rest % VALUES);
        cells[c] = (struct pps_cell){text[c], strlen(text[c])};
    }
    // The last column has one value within each cell, and a different value in each cell.
    char own[24];
    snprintf(own, sizeof own, "%zu", i);
    cells[COLUMNS] = (struct pps_cell){own, strlen(own)};
    const bool first = !models[i].begun;
    models[i].begun = true;
    models[i].combinations |= 1u << combination;
    return pps_covered_add(covered, i, first, cells, &models[i].sum);
}

static int *all_columns(void)
{
    int *columns = calloc(COLUMNS + 1, sizeof *columns);
    for (int c = 0; c <= COLUMNS; c++)
        columns[c] = c;
    return columns;
}

// Catches cells with different combinations and equal ids, ids that depend on the order of
// rows, and a parameter that depends on the cell but counts as a difference.
Test(covered, tells_cells_apart_by_their_combinations)
{
    struct random random = {1};
    for (int round = 0; round < 50; round++) {
        struct pps_covered covered;
        struct model models[CELLS] = {0};
        cr_assert(pps_covered_open(&covered, all_columns(), COLUMNS + 1, -1));
        // Few sets, so that some cells are equal; every other cell adds its set in reverse
        // order.
        for (size_t i = 0; i < CELLS; i++) {
            const uint64_t bits = random_bits(&random);
            const uint32_t set = (uint32_t)(0x155u << (bits >> 61) | 1u << (bits >> 59) % 27);
            for (int k = 0; k < COMBINATIONS; k++) {
                const int combination = i % 2 == 0 ? k : COMBINATIONS - 1 - k;
                if ((set >> combination & 1) != 0)
                    cr_assert(add(&covered, models, i, combination));
            }
        }
        pps_covered_finish(&covered, CELLS);
        cr_assert(!covered.varies[COLUMNS] && !covered.differs[COLUMNS]);
        for (size_t i = 0; i < CELLS; i++)
            for (size_t k = 0; k < i; k++)
                cr_assert_eq(models[i].combinations == models[k].combinations,
                             pps_covered_id(&covered, i, models[i].sum) ==
                                 pps_covered_id(&covered, k, models[k].sum),
                             "round %d, cells %zu and %zu", round, i, k);
        pps_covered_close(&covered);
    }
}

// Catches a difference reported for columns whose values are equal in all cells.
Test(covered, names_the_columns_that_differ)
{
    struct pps_covered covered;
    struct model models[2] = {0};
    cr_assert(pps_covered_open(&covered, all_columns(), COLUMNS + 1, -1));
    // Both cells have values 0 and 1 of the first column; the second cell also has 0 and 1 of
    // the other column.
    const int one[] = {0, 1}, two[] = {0, 1, 3, 4};
    for (int k = 0; k < 2; k++)
        cr_assert(add(&covered, models, 0, one[k]));
    for (int k = 0; k < 4; k++)
        cr_assert(add(&covered, models, 1, two[k]));
    pps_covered_finish(&covered, 2);
    cr_assert(!covered.differs[0] && covered.differs[1] && !covered.differs[2]);
    pps_covered_close(&covered);
}
