// SPDX-License-Identifier: Apache-2.0
// Prints a comparison on replicates, and writes it as CSV.
#include "base/text/human.h"
#include "base/text/say.h"
#include "extras/judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What Holm's correction says about a row: "better", "worse", "equal" (no significant difference), or
// "baseline".
static const char *judge_verdict(const struct judge_row *row)
{
    if (row->baseline == row)
        return "baseline";
    return !(row->p_holm <= 0.05)          ? "equal"
           : row->pair.difference.mean < 0 ? "better"
                                           : "worse";
}

static bool is_online(const struct judge_row *row)
{
    return row->entry->policy != NULL && !row->fell_back;
}

// A rule stays within the limit, or within the peak of its order.
static double peak_of(const struct judge *judge, const struct judge_row *row)
{
    const double limit = judge->limit[row->limit].limit;
    return is_online(row) && isfinite(limit) ? limit
                                             : row->entry->candidate->figures.metrics.peak_most;
}

// ---- the table ----------------------------------------------------------------------------------

static int label_width(const struct judge *judge)
{
    size_t width = strlen("schedule");
    for (int i = 0; i < judge->n_rows; i++) {
        const size_t n = strlen(judge->row[i].entry->label);
        width = n > width ? n : width;
    }
    return width < 40 ? (int)width : 40;
}

static bool is_same_cell(const struct judge_row *a, const struct judge_row *b)
{
    return a->limit == b->limit && a->level == b->level && a->outlier_p == b->outlier_p;
}

static void show_cell(const struct judge_row *row, int width)
{
    printf("\nlevel %g, outliers %g", row->level, row->outlier_p);
    if (row->clairvoyant_mean > 0)
        printf(": lower bound %s; with the memory limit %s",
               pps_digits_text(row->clairvoyant_mean, 6).text,
               pps_digits_text(row->memory_mean, 6).text);
    printf(
        "\n%-*s       mean      +-  difference      +-      won        p50        p95        "
        "p99     gap       peak\n",
        width, "schedule");
}

static void show_row(const struct judge *judge, const struct judge_row *row, int width)
{
    pps_say_part(stdout, "%-*.*s", width, width, row->entry->label);
    printf(" %10s %7s", pps_digits_text(row->mean.mean, 6).text,
           pps_digits_text(row->mean.half, 3).text);
    if (row->baseline == row)
        printf("           -       -        -");
    else
        printf(" %11s %7s %6.1f %%", pps_signed_text(row->pair.difference.mean, 5).text,
               pps_digits_text(row->pair.difference.half, 3).text, 100 * row->pair.won);
    for (int k = 0; k < 3; k++)
        printf(" %10s", pps_digits_text(row->quantile[k], 6).text);
    if (row->clairvoyant_mean > 0)
        printf(" %5.1f %%", 100 * row->gap);
    else
        printf("       -");
    printf(" %10s  %s\n", pps_digits_text(peak_of(judge, row), 6).text, judge_verdict(row));
}

static void show_limit(const struct judge *judge, const struct judge_limit *limit)
{
    (void)judge;
    if (isfinite(limit->limit))
        printf("\n---- limit %s", pps_digits_text(limit->limit, 10).text);
    else
        printf("\n---- no limit");
    pps_say(stdout, ": rules follow the order of %s; differences are to %s",
            limit->reference->label, limit->entry[limit->baseline].label);
    for (int i = 0; i < limit->comparison.n; i++) {
        const struct schedule_candidate *candidate = &limit->comparison.list[i];
        if (candidate->outcome == CANDIDATE_OVER_LIMIT)
            pps_say(stdout, "%s needs a limit of %s", candidate->label,
                    pps_digits_text(candidate->figures.least_limit, 10).text);
    }
}

// Says which rows of the cell that ends at row i have the static order instead of a learned policy, and why.
static void show_fallbacks(const struct judge *judge, int i)
{
    int first = i;
    while (first > 0 && is_same_cell(&judge->row[first - 1], &judge->row[i]))
        first--;
    for (; first <= i; first++) {
        const struct judge_row *row = &judge->row[first];
        const struct statistics_mean *difference = &row->validation.difference;
        if (row->fell_back)
            pps_say(
                stdout,
                "%s falls back to the static order of %s: it differs from that by %s +- %s in "
                "%u replicates of validation",
                row->entry->label, row->entry->candidate->label,
                pps_signed_text(difference->mean, 5).text,
                pps_digits_text(difference->half, 3).text, row->validated);
    }
}

void judge_show(const struct judge *judge)
{
    const int width = label_width(judge);
    for (int i = 0; i < judge->n_rows; i++) {
        const struct judge_row *row = &judge->row[i];
        if (i == 0 || row->limit != row[-1].limit)
            show_limit(judge, &judge->limit[row->limit]);
        if (i == 0 || !is_same_cell(row, row - 1))
            show_cell(row, width);
        show_row(judge, row, width);
        if (i + 1 == judge->n_rows || !is_same_cell(row, row + 1))
            show_fallbacks(judge, i);
    }
    printf("\nbetter, worse: the difference is significant at 5 %% after Holm's correction for "
           "all tests above\n");
}

void judge_show_speed(const struct judge *judge)
{
    for (int i = 0; i < judge->n_rows; i++) {
        const struct judge_row *row = &judge->row[i];
        const double decisions =
            (double)order_total(&row->entry->candidate->scratch.order) * judge->n;
        double seconds = 0;
        for (uint32_t b = 0; b < judge->n_blocks; b++)
            seconds += row->seconds[b];
        pps_say(stderr, "speed     %s, level %g, outliers %g: %.3g decisions/s on one thread",
                row->entry->label, row->level, row->outlier_p,
                seconds > 0 ? decisions / seconds : 0);
    }
}

// ---- CSV ----------------------------------------------------------------------------------------

static void add_number(struct text_buffer *text, double value)
{
    text_buffer_add(text, ",");
    if (isfinite(value))
        text_buffer_add_number(text, value);
}

static const char *kind_of(const struct judge_row *row)
{
    return row->fell_back ? "fallback" : is_online(row) ? "online" : "static";
}

static void add_row(const struct judge *judge, const struct judge_row *row,
                    struct text_buffer *text)
{
    const bool is_baseline = row->baseline == row;
    const double limit = judge->limit[row->limit].limit;
    text_buffer_add(text, "%s,%s,%s", row->entry->label, kind_of(row),
                    row->entry->candidate->label);
    add_number(text, limit);
    add_number(text, row->level);
    add_number(text, row->outlier_p);
    add_number(text, row->mean.mean);
    add_number(text, row->mean.half);
    text_buffer_add(text, ",%s", row->baseline->entry->label);
    add_number(text, row->pair.difference.mean);
    add_number(text, row->pair.difference.half);
    add_number(text, 100 * row->pair.won);
    add_number(text, is_baseline ? (double)NAN : row->pair.p);
    add_number(text, is_baseline ? (double)NAN : row->p_holm);
    text_buffer_add(text, ",%s", judge_verdict(row));
    for (int k = 0; k < 3; k++) {
        add_number(text, row->quantile[k]);
        add_number(text, row->low[k]);
        add_number(text, row->high[k]);
    }
    const bool bound = row->clairvoyant_mean > 0;
    add_number(text, bound ? row->clairvoyant_mean : (double)NAN);
    add_number(text, bound ? row->memory_mean : (double)NAN);
    add_number(text, bound ? 100 * row->gap : (double)NAN);
    add_number(text, peak_of(judge, row));
    add_number(text, judge->n);
    add_number(text, (double)judge->seed);
    text_buffer_add(text, "\n");
}

void judge_csv(const struct judge *judge, struct text_buffer *text)
{
    text_buffer_add(text, "schedule,kind,order,limit,level,outlier_p,mean,mean_half,baseline,"
                          "difference,difference_half,won,p_value,p_holm,verdict,"
                          "p50,p50_low,p50_high,p95,p95_low,p95_high,p99,p99_low,p99_high,"
                          "clairvoyant,memory_bound,gap,peak,replicates,seed\n");
    for (int i = 0; i < judge->n_rows; i++)
        add_row(judge, &judge->row[i], text);
}
