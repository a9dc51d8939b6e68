// SPDX-License-Identifier: Apache-2.0
// Prints the tables of the protocol.
#include "extras/judge/protocol.h"

#include "base/text/human.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A difference of two contestants over the replicates of a cell. b: zb_h1 or pull.
struct comparison {
    int a, b;
    double *p; // [cells]: adjusted for all cells
};

static const struct comparison fixed[] = {
    {PROTOCOL_1F1B, PROTOCOL_ZB_H1, NULL},     {PROTOCOL_ROBUST, PROTOCOL_ZB_H1, NULL},
    {PROTOCOL_W_FLOATS, PROTOCOL_ZB_H1, NULL}, {PROTOCOL_PULL, PROTOCOL_ZB_H1, NULL},
    {PROTOCOL_ROBUST, PROTOCOL_PULL, NULL},
};

enum { FIXED = sizeof fixed / sizeof *fixed, COMPARISONS_MAX = FIXED + PROTOCOL_POLICIES_MAX };

struct report {
    const struct protocol_request *request;
    const struct protocol_cell *cells;
    int n;
    const struct protocol_result *results;
    struct comparison comparison[COMPARISONS_MAX]; // those of policies follow the fixed ones
    int n_comparisons;
};

static const char *name_of(const struct report *report, int contestant)
{
    return protocol_name(report->request, contestant);
}

static void show_cell(const struct protocol_cell *cell)
{
    printf("%3d %4d %5g %8g", cell->devices, cell->micro_batches, cell->level, cell->outlier_p);
}

// ---- means --------------------------------------------------------------------------------------

static void show_means(const struct report *report)
{
    const int contestants = protocol_contestants(report->request);
    printf("Mean makespan; gap: of pull to the bound within the memory limit\n\n"
           "  P    M level outliers");
    for (int k = 0; k < contestants; k++)
        printf(" %8.8s", name_of(report, k));
    printf(" clairvoyant within limit    gap\n");
    for (int i = 0; i < report->n; i++) {
        const struct protocol_result *result = &report->results[i];
        show_cell(&report->cells[i]);
        for (int k = 0; k < contestants; k++)
            if (result->row[k].missing)
                printf(" %8s", "-");
            else
                printf(" %8s", pps_decimals_text(result->row[k].mean.mean, 1).text);
        printf(" %11s %12s %5.1f%%\n", pps_decimals_text(result->clairvoyant, 1).text,
               pps_decimals_text(result->limited, 1).text,
               100 * (result->row[PROTOCOL_PULL].mean.mean / result->limited - 1));
    }
}

// ---- differences --------------------------------------------------------------------------------

static const struct statistics_pair *pair_of(const struct protocol_result *result,
                                             const struct comparison *c)
{
    const struct protocol_row *row = &result->row[c->a];
    if (row->missing || result->row[c->b].missing)
        return NULL;
    return c->b == PROTOCOL_PULL ? &row->from_pull : &row->from_h1;
}

// Computes the adjusted p values. order: [n], overwritten.
static void adjust(const struct report *report, struct comparison *c, int *order)
{
    for (int i = 0; i < report->n; i++) {
        const struct statistics_pair *pair = pair_of(&report->results[i], c);
        const bool equal =
            pair == NULL || (pair->difference.mean == 0 && pair->difference.half == 0);
        c->p[i] = equal ? (double)NAN : pair->p;
    }
    statistics_holm(c->p, order, report->n);
}

static char verdict_of(const struct statistics_pair *pair, double adjusted)
{
    if (!(adjusted <= 0.05))
        return ' ';
    return pair->difference.mean < 0 ? '*' : '!';
}

static void show_difference(const struct report *report, const struct comparison *c, int cell)
{
    const struct statistics_pair *pair = pair_of(&report->results[cell], c);
    if (pair == NULL)
        printf(" %22s", "-");
    else
        printf(" %8s +- %-4.1f%c%3.0f%%", pps_change_text(pair->difference.mean, 1).text,
               pair->difference.half, verdict_of(pair, c->p[cell]), 100 * pair->won);
}

// Prints the comparisons from `first` to before `end`.
static void show_differences(const struct report *report, int first, int end)
{
    printf("\n  P    M level outliers");
    for (int c = first; c < end; c++) {
        char names[24];
        snprintf(names, sizeof names, "%.12s - %.7s", name_of(report, report->comparison[c].a),
                 name_of(report, report->comparison[c].b));
        printf(" %22s", names);
    }
    printf("\n");
    for (int i = 0; i < report->n; i++) {
        show_cell(&report->cells[i]);
        for (int c = first; c < end; c++)
            show_difference(report, &report->comparison[c], i);
        printf("\n");
    }
}

// Counts the cells with level >= `level` in which the first contestant has the verdict.
static int count(const struct report *report, const struct comparison *c, char verdict,
                 double level)
{
    int found = 0;
    for (int i = 0; i < report->n; i++) {
        const struct statistics_pair *pair = pair_of(&report->results[i], c);
        found += report->cells[i].level >= level && pair != NULL &&
                 verdict_of(pair, c->p[i]) == verdict;
    }
    return found;
}

static void show_counts(const struct report *report)
{
    static const double high = 0.2;
    int cells = 0;
    for (int i = 0; i < report->n; i++)
        cells += report->cells[i].level >= high;
    printf("\n");
    for (int k = 0; k < report->n_comparisons; k++) {
        const struct comparison *c = &report->comparison[k];
        printf("%s against %s: better in %d, worse in %d of %d cells; at levels from %g: "
               "better in %d of %d\n",
               name_of(report, c->a), name_of(report, c->b), count(report, c, '*', 0),
               count(report, c, '!', 0), report->n, high, count(report, c, '*', high), cells);
    }
}

// Prints, for several policies, the range of their differences to pull: training seeds differ.
static void show_spread(const struct report *report)
{
    if (report->request->n_policies < 2)
        return;
    printf("\nDifferences to pull over the %d policies, in %% of the mean of pull\n\n"
           "  P    M level outliers    least   mean   most\n",
           report->request->n_policies);
    for (int i = 0; i < report->n; i++) {
        double least = (double)INFINITY, most = -(double)INFINITY, sum = 0;
        for (int c = FIXED; c < report->n_comparisons; c++) {
            const struct statistics_pair *pair =
                pair_of(&report->results[i], &report->comparison[c]);
            const double part = pair == NULL
                                    ? (double)NAN
                                    : 100 * pair->difference.mean /
                                          report->results[i].row[PROTOCOL_PULL].mean.mean;
            least = fmin(least, part);
            most = fmax(most, part);
            sum += part;
        }
        show_cell(&report->cells[i]);
        printf("  %+6.2f %+6.2f %+6.2f\n", least, sum / report->request->n_policies, most);
    }
}

// ---- growth -------------------------------------------------------------------------------------

// Returns the cell with the same pipeline and outliers at level 0; -1: none.
static int without_noise(const struct report *report, const struct protocol_cell *of)
{
    const struct protocol_cell *cells = report->cells;
    for (int i = 0; i < report->n; i++)
        if (cells[i].level == 0 && cells[i].devices == of->devices &&
            cells[i].outlier_p == of->outlier_p)
            return i;
    return -1;
}

// Returns the mean growth of a contestant from level 0 to a level, in percent; NAN: nothing to compare.
static double growth_of(const struct report *report, int contestant, double level)
{
    double sum = 0;
    int found = 0;
    for (int i = 0; i < report->n; i++) {
        const struct protocol_cell *cell = &report->cells[i];
        const int base = cell->level == level ? without_noise(report, cell) : -1;
        if (base < 0 || report->results[i].row[contestant].missing)
            continue;
        sum += report->results[i].row[contestant].mean.mean /
               report->results[base].row[contestant].mean.mean;
        found++;
    }
    return found > 0 ? 100 * (sum / found - 1) : (double)NAN;
}

// The levels of a grid repeat for every pipeline: those of the first one are enough.
static void show_growth(const struct report *report)
{
    const struct protocol_cell *cells = report->cells;
    const int contestants = protocol_contestants(report->request);
    printf("\nGrowth of the mean makespan from level 0, mean over pipelines and outliers\n\n");
    for (int i = 0; i < report->n && cells[i].devices == cells[0].devices &&
                    cells[i].outlier_p == cells[0].outlier_p;
         i++) {
        if (cells[i].level == 0 || isnan(growth_of(report, 0, cells[i].level)))
            continue;
        printf("level %-5g", cells[i].level);
        for (int k = 0; k < contestants; k++)
            printf(" %s %.1f %%%s", name_of(report, k), growth_of(report, k, cells[i].level),
                   k + 1 < contestants ? "," : "\n");
    }
}

// ---- the report ---------------------------------------------------------------------------------

static void show_all(const struct report *report)
{
    const struct protocol_request *request = report->request;
    printf("f %g, b %g, w %g, latency %g; limit %g P; outliers: %g times as long; %s test "
           "replicates "
           "per cell\n\n",
           request->f, request->b, request->w, request->latency, request->limit,
           request->outlier_k, pps_count_text(request->replicates).text);
    show_means(report);
    printf("\nPaired differences of the makespan with half-widths of 95 %% intervals, and the "
           "part "
           "of replicates won.\n* better, ! worse: significant at 5 %% with the correction of "
           "Holm over %d cells.\n",
           report->n);
    show_differences(report, 0, FIXED);
    if (report->n_comparisons > FIXED)
        show_differences(report, FIXED, report->n_comparisons);
    show_spread(report);
    show_counts(report);
    show_growth(report);
}

enum pps_status protocol_show(const struct protocol_request *request,
                              const struct protocol_cell *cells, int n,
                              const struct protocol_result *results, struct pps_error *err)
{
    struct report report = {request, cells, n, results, .n_comparisons = FIXED};
    double *p = calloc((size_t)n * COMPARISONS_MAX, sizeof *p);
    int *order = calloc((size_t)n, sizeof *order);
    enum pps_status status = PPS_OK;
    for (int c = 0; c < FIXED; c++)
        report.comparison[c] = fixed[c];
    for (int k = 0; k < request->n_policies; k++)
        report.comparison[report.n_comparisons++] =
            (struct comparison){PROTOCOL_POLICY + k, PROTOCOL_PULL, NULL};
    if (p == NULL || order == NULL)
        status = pps_fail_memory(err, "%d cells", n);
    for (int c = 0; c < report.n_comparisons && status == PPS_OK; c++) {
        report.comparison[c].p = p + c * n;
        adjust(&report, &report.comparison[c], order);
    }
    if (status == PPS_OK)
        show_all(&report);
    free(p);
    free(order);
    return status;
}
