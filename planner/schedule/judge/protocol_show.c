// SPDX-License-Identifier: Apache-2.0
// Prints the tables of the protocol.
#include "planner/schedule/judge/protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void show_cell(const struct protocol_cell *cell)
{
    printf("%3d %4d %5g %6g", cell->devices, cell->micro_batches, cell->level, cell->outlier_p);
}

// ---- means --------------------------------------------------------------------------------------

static void show_means(const struct protocol_cell *cells,
                       int n,
                       const struct protocol_result *results)
{
    printf("Mean makespan; gap: of pull to the bound within the memory limit\n\n"
           "  P    M level outlie");
    for (int k = 0; k < PROTOCOL_CONTESTANTS; k++)
        printf(" %8.8s", protocol_names[k]);
    printf(" clairvoyant within limit    gap\n");
    for (int i = 0; i < n; i++) {
        const struct protocol_result *result = &results[i];
        show_cell(&cells[i]);
        for (int k = 0; k < PROTOCOL_CONTESTANTS; k++)
            if (result->row[k].missing)
                printf(" %8s", "-");
            else
                printf(" %8.1f", result->row[k].mean.mean);
        printf(" %11.1f %12.1f %5.1f%%\n", result->clairvoyant, result->limited,
               100 * (result->row[PROTOCOL_PULL].mean.mean / result->limited - 1));
    }
}

// ---- differences --------------------------------------------------------------------------------

// a - b, over the replicates of a cell.
static const struct comparison {
    enum protocol_contestant a, b; // b: PROTOCOL_ZB_H1 or PROTOCOL_PULL
} comparisons[] = {
    {PROTOCOL_1F1B, PROTOCOL_ZB_H1},     {PROTOCOL_ROBUST, PROTOCOL_ZB_H1},
    {PROTOCOL_W_FLOATS, PROTOCOL_ZB_H1}, {PROTOCOL_PULL, PROTOCOL_ZB_H1},
    {PROTOCOL_ROBUST, PROTOCOL_PULL},
};

enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

static const struct statistics_pair *pair_of(const struct protocol_result *result,
                                             const struct comparison *c)
{
    const struct protocol_row *row = &result->row[c->a];
    if (row->missing || result->row[c->b].missing)
        return NULL;
    return c->b == PROTOCOL_PULL ? &row->from_pull : &row->from_h1;
}

// Writes the p values of a comparison, adjusted for all cells.
static void adjust(const struct comparison *c,
                   int n,
                   const struct protocol_result *results,
                   double *p,
                   int *order)
{
    for (int i = 0; i < n; i++) {
        const struct statistics_pair *pair = pair_of(&results[i], c);
        p[i] = pair == NULL || (pair->difference.mean == 0 && pair->difference.half == 0)
                   ? (double)NAN
                   : pair->p;
    }
    statistics_holm(p, order, n);
}

static char verdict_of(const struct statistics_pair *pair, double adjusted)
{
    if (!(adjusted <= 0.05))
        return ' ';
    return pair->difference.mean < 0 ? '*' : '!';
}

static void show_difference(const struct protocol_result *result, int c, double adjusted)
{
    const struct statistics_pair *pair = pair_of(result, &comparisons[c]);
    if (pair == NULL)
        printf(" %22s", "-");
    else
        printf(" %+8.1f +- %-4.1f%c%3.0f%%", pair->difference.mean, pair->difference.half,
               verdict_of(pair, adjusted), 100 * pair->won);
}

static void show_differences(const struct protocol_cell *cells,
                             int n,
                             const struct protocol_result *results,
                             double *const p[COMPARISONS])
{
    printf("\nPaired differences of the makespan with half-widths of 95 %% intervals, and the "
           "part of "
           "replicates won.\n* better, ! worse: significant at 5 %% with the correction of "
           "Holm over "
           "%d cells.\n\n  P    M level outlie",
           n);
    for (int c = 0; c < COMPARISONS; c++)
        printf(" %9.9s - %-8.8s  ", protocol_names[comparisons[c].a],
               protocol_names[comparisons[c].b]);
    printf("\n");
    for (int i = 0; i < n; i++) {
        show_cell(&cells[i]);
        for (int c = 0; c < COMPARISONS; c++)
            show_difference(&results[i], c, p[c][i]);
        printf("\n");
    }
}

static void count(int n, const struct protocol_result *results, double *const p[COMPARISONS])
{
    printf("\n");
    for (int c = 0; c < COMPARISONS; c++) {
        int better = 0, worse = 0;
        for (int i = 0; i < n; i++) {
            const struct statistics_pair *pair = pair_of(&results[i], &comparisons[c]);
            better += pair != NULL && verdict_of(pair, p[c][i]) == '*';
            worse += pair != NULL && verdict_of(pair, p[c][i]) == '!';
        }
        printf("%s against %s: better in %d, worse in %d of %d cells\n",
               protocol_names[comparisons[c].a], protocol_names[comparisons[c].b], better,
               worse, n);
    }
}

// ---- growth -------------------------------------------------------------------------------------

// Returns the cell with the same pipeline and outliers at level 0; -1: none.
static int without_noise(const struct protocol_cell *cells,
                         int n,
                         const struct protocol_cell *of)
{
    for (int i = 0; i < n; i++)
        if (cells[i].level == 0 && cells[i].devices == of->devices &&
            cells[i].outlier_p == of->outlier_p)
            return i;
    return -1;
}

// Returns the mean growth of a contestant from level 0 to a level, in percent; NAN: nothing to compare.
static double growth_of(const struct protocol_cell *cells,
                        int n,
                        const struct protocol_result *results,
                        int contestant,
                        double level)
{
    double sum = 0;
    int found = 0;
    for (int i = 0; i < n; i++) {
        const int base = cells[i].level == level ? without_noise(cells, n, &cells[i]) : -1;
        if (base < 0 || results[i].row[contestant].missing)
            continue;
        sum += results[i].row[contestant].mean.mean / results[base].row[contestant].mean.mean;
        found++;
    }
    return found > 0 ? 100 * (sum / found - 1) : (double)NAN;
}

// The levels of a grid repeat for every pipeline: those of the first one are enough.
static void show_growth(const struct protocol_cell *cells,
                        int n,
                        const struct protocol_result *results)
{
    printf("\nGrowth of the mean makespan from level 0, mean over pipelines and outliers\n\n");
    for (int i = 0; i < n && cells[i].devices == cells[0].devices &&
                    cells[i].outlier_p == cells[0].outlier_p;
         i++) {
        if (cells[i].level == 0 || isnan(growth_of(cells, n, results, 0, cells[i].level)))
            continue;
        printf("level %-5g", cells[i].level);
        for (int k = 0; k < PROTOCOL_CONTESTANTS; k++)
            printf(" %s %.1f %%%s", protocol_names[k],
                   growth_of(cells, n, results, k, cells[i].level),
                   k + 1 < PROTOCOL_CONTESTANTS ? "," : "\n");
    }
}

// ---- the report ---------------------------------------------------------------------------------

enum pps_status protocol_show(const struct protocol_request *request,
                              const struct protocol_cell *cells,
                              int n,
                              const struct protocol_result *results,
                              struct pps_error *err)
{
    double *p[COMPARISONS], *all = calloc((size_t)n * COMPARISONS, sizeof *all);
    int *order = calloc((size_t)n, sizeof *order);
    if (all == NULL || order == NULL) {
        free(all);
        free(order);
        return pps_fail_memory(err, "%d cells", n);
    }
    for (int c = 0; c < COMPARISONS; c++) {
        p[c] = all + c * n;
        adjust(&comparisons[c], n, results, p[c], order);
    }
    printf("f %g, b %g, w %g, latency %g; limit %g P; outliers: %g times as long; %u test "
           "replicates "
           "per cell\n\n",
           request->f, request->b, request->w, request->latency, request->limit,
           request->outlier_k, request->replicates);
    show_means(cells, n, results);
    show_differences(cells, n, results, p);
    count(n, results, p);
    show_growth(cells, n, results);
    free(all);
    free(order);
    return PPS_OK;
}
