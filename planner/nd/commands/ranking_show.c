// SPDX-License-Identifier: Apache-2.0
// Prints a ranking on the terminal and writes it to a file.
#include "base/system/disk.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/gate.h"
#include "planner/nd/commands/ranking.h"

#include "planner/nd/commands/search_report.h"
#include "planner/nd/profiling/fit_probability.h"
#include "planner/shared/files.h"

#include "base/math/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// ---- the table ----------------------------------------------------------------------------------

static const char *outcome_text(const struct nd_ranked *ranked)
{
    if (ranked->unwritten)
        return ranked->why;
    return ranked->outcome == ND_RANK_PRICED ? nd_ratio_source_name(ranked->used.source)
                                             : ranked->why;
}

static void print_row(const char *place, const struct nd_ranked *ranked)
{
    const struct nd_strategy *s = &ranked->strategy;
    const struct nd_extra_ms *extra = &ranked->used.extra;
    char gap[ND_GAP_CAP];
    printf("%4s %5d %4d %4d %4d %4d %5d %4d %-4s", place, s->dp, s->tp, s->cp, s->pp, s->ep,
           s->op, s->mbs, s->sp ? "on" : "off");
    if (ranked->outcome == ND_RANK_PRICED)
        pps_say(stdout, "%3d %12s %12s %10s %9s %7s %9s  %s%s%s%s", ranked->used.program.chunks,
                pps_decimals_text(ranked->cost_ms, 3).text,
                pps_decimals_text(ranked->program_ms, 3).text,
                pps_decimals_text(ranked->dp_ms, 3).text,
                pps_decimals_text(extra->optimizer, 3).text, nd_rank_gap(gap, ranked),
                pps_decimals_text(ranked->peak_mb / UNITS_KIB, 3).text,
                ranked->unwritten ? "not written: " : "", outcome_text(ranked),
                ranked->family != NULL ? ", schedule " : "",
                ranked->family != NULL ? ranked->family->name : "");
    else
        printf("%3s %12s  %s\n", "-", "N/A", outcome_text(ranked));
}

// Published rankings have ratios of times only.
static void print_order(const struct nd_ranking *ranking, int64_t shown)
{
    double times[ORDERED];
    size_t n = 0;
    for (; n < ORDERED && (int64_t)n < shown && ranking->ranked[n].outcome == ND_RANK_PRICED &&
           !ranking->ranked[n].unwritten;
         n++)
        times[n] = ranking->ranked[n].cost_ms;
    if (ranking->input->compat == ND_CORRECTED && !ranking->input->quiet)
        nd_report_order(times, n);
}

void nd_ranking_print(const struct nd_ranking *ranking, int64_t shown)
{
    printf("%4s %5s %4s %4s %4s %4s %5s %4s %-4s%3s %12s %12s %10s %9s %7s %9s  %s\n", "", "dp",
           "tp", "cp", "pp", "ep", "op", "mbs", "sp", "vp", "step ms", "pipeline ms", "dp ms",
           "optim ms", "gap", "peak GiB", "ratios");
    for (int64_t k = 0; k < shown; k++) {
        char place[24];
        snprintf(place, sizeof place, "%" PRId64, k + 1);
        print_row(place, &ranking->ranked[k]);
    }
    print_order(ranking, shown);
}

void nd_ranking_print_base(const struct nd_ranking *ranking)
{
    const struct nd_ranked *base = ranking->base, *first = ranking->ranked;
    if (base == NULL)
        return;
    print_row(ranking->base_label, base);
    if (base->outcome == ND_RANK_PRICED && first != NULL && first->outcome == ND_RANK_PRICED &&
        !first->unwritten)
        nd_report_faster(first->cost_ms, base->cost_ms,
                         ranking->base_fits ? "" : "; the baseline does not fit in memory");
}

void nd_ranking_print_short(const struct nd_ranking *ranking, int64_t shown)
{
    struct text_buffer text = {0};
    nd_rank_short_header(&text);
    for (int64_t k = 0; k < shown; k++)
        nd_rank_short_line(&text, &ranking->ranked[k]);
    fputs(text.text != NULL ? text.text : "", stdout);
    text_buffer_free(&text);
}

// ---- notes --------------------------------------------------------------------------------------

static void note_tokens(const struct nd_ranking *ranking)
{
    const struct nd_profiles *profiles = &ranking->input->profiles;
    bool unknown = false, without_unit = false;
    for (int64_t k = 0; k < profiles->n; k++) {
        unknown = unknown || profiles->rows[k].mbs == 0;
        without_unit = without_unit || isnan(profiles->rows[k].ratios.layer_ms);
    }
    if (without_unit && ranking->input->compat == ND_CORRECTED)
        fprintf(stderr,
                "note      profiles without moe_bw use the analytic time of a layer, which may "
                "differ from measured times\n");
    if (unknown)
        fprintf(stderr,
                "note      profiles without a column mbs apply to any micro-batch size; costs "
                "are comparable only for equal tokens per micro-batch\n");
}

enum { PROFILES_LISTED = 4 };

static bool need_same_profile(const struct nd_strategy *a, const struct nd_strategy *b)
{
    return a->tp == b->tp && a->cp == b->cp && a->ep == b->ep && a->mbs == b->mbs;
}

static bool lacks_profile(const struct nd_ranked *ranked)
{
    return ranked->outcome == ND_RANK_PRICED && ranked->used.source == ND_RATIOS_MODEL;
}

// Returns whether no earlier pipeline lacks the same profile.
static bool lacks_first(const struct nd_ranking *ranking, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (lacks_profile(&ranking->ranked[i]) &&
            need_same_profile(&ranking->ranked[i].strategy, &ranking->ranked[k].strategy))
            return false;
    return lacks_profile(&ranking->ranked[k]);
}

// Where profiles are given, counts the sources of ratios and lists profiles that are missing.
static void note_sources(const struct nd_ranking *ranking)
{
    int64_t n[ND_RATIOS_MODEL + 1] = {0};
    int listed = 0, missing = 0;
    if (ranking->input->profiles.n == 0)
        return;
    for (int64_t k = 0; k < ranking->picks->n; k++)
        if (ranking->ranked[k].outcome == ND_RANK_PRICED)
            n[ranking->ranked[k].used.source]++;
    if (n[ND_RATIOS_NEAREST] == 0 && n[ND_RATIOS_MODEL] == 0)
        return;
    fprintf(stderr,
            "note      ratios of layer times: %" PRId64 " measured, %" PRId64
            " of the nearest profile, %" PRId64 " of the analytic models",
            n[ND_RATIOS_MEASURED], n[ND_RATIOS_NEAREST], n[ND_RATIOS_MODEL]);
    for (int64_t k = 0; k < ranking->picks->n; k++) {
        const struct nd_strategy *s = &ranking->ranked[k].strategy;
        if (!lacks_first(ranking, k))
            continue;
        missing++;
        if (listed++ < PROFILES_LISTED)
            fprintf(stderr, "%s tp=%d,cp=%d,ep=%d,mbs=%d",
                    missing == 1 ? "; no profile for" : ";", s->tp, s->cp, s->ep, s->mbs);
    }
    if (missing > PROFILES_LISTED)
        fprintf(stderr, " and %d more", missing - PROFILES_LISTED);
    fprintf(stderr, "\n");
}

// Counts a pipeline that is not proven optimal, and keeps the greatest gap.
static void add_gap(const struct nd_ranked *ranked, int64_t *n, double *greatest)
{
    if (ranked->outcome != ND_RANK_PRICED || ranked->solution.status == ND_OPTIMAL ||
        ranked->family != NULL)
        return;
    ++*n;
    *greatest = fmax(*greatest, ranked->solution.gap);
}

static void note_gaps(const struct nd_ranking *ranking)
{
    double gap = 0.0;
    int64_t n = 0;
    for (int64_t k = 0; k < ranking->picks->n; k++)
        add_gap(&ranking->ranked[k], &n, &gap);
    if (ranking->base != NULL)
        add_gap(ranking->base, &n, &gap);
    if (n > 0)
        fprintf(stderr,
                "note      %" PRId64 " of %" PRId64
                " pipelines %s not proven optimal: up to %.2g %% longer than the optimum "
                "(--search-limit 0 solves to the optimum)\n",
                n, ranking->picks->n + (ranking->base != NULL), n == 1 ? "is" : "are",
                100.0 * gap);
}

// Explains the stars after gaps.
static void note_stars(const struct nd_ranking *ranking)
{
    bool any = ranking->base != NULL && nd_ranked_others_gap(ranking->base) > 0.0;
    for (int64_t k = 0; k < ranking->picks->n; k++)
        any = any || nd_ranked_others_gap(&ranking->ranked[k]) > 0.0;
    if (any)
        fprintf(
            stderr,
            "note      *: another vp or mbs may be faster: its search ended before a proof\n");
}

// Says how far modelled times are to be trusted. Published rankings have ratios of times only.
static void note_trust(const struct nd_ranking *ranking)
{
    bool any = false;
    for (int64_t k = 0; k < ranking->picks->n; k++)
        any = any || ranking->ranked[k].outcome == ND_RANK_PRICED;
    if (any && ranking->input->compat == ND_CORRECTED)
        nd_note_trust(&ranking->input->job);
}

// Says how likely the first row fits in memory, where that is less than usual.
static void note_fit(const struct nd_ranking *ranking)
{
    const struct plan_run *run = &ranking->input->job.run;
    struct nd_fit_rows rows = {.training = &run->training, .limit = run->cluster.memory_limit};
    if (ranking->input->compat == ND_ORIG)
        return;
    for (int64_t k = 0; k < ranking->picks->n; k++)
        if (ranking->ranked[k].outcome == ND_RANK_PRICED)
            nd_fit_rows_add(&rows, ranking->ranked[k].peak_mb * UNITS_MIB,
                            ranking->ranked[k].cost_ms);
    nd_fit_rows_say(&rows, stderr, "note      ");
}

void nd_ranking_notes(const struct nd_ranking *ranking)
{
    if (ranking->input->quiet)
        return;
    plan_run_print_not_modelled(&ranking->input->job.run);
    plan_run_print_memory(&ranking->input->job.run);
    note_trust(ranking);
    note_tokens(ranking);
    note_sources(ranking);
    note_gaps(ranking);
    note_stars(ranking);
    note_fit(ranking);
}

// ---- the file -----------------------------------------------------------------------------------

static void table_path(const char *output, char path[PLAN_PATH + 64])
{
    char now[32];
    const size_t n = strlen(output);
    const time_t seconds = time(NULL);
    struct tm local;
    if (n > 4 && strcmp(output + n - 4, ".csv") == 0) {
        snprintf(path, PLAN_PATH + 64, "%s", output);
        return;
    }
    localtime_r(&seconds, &local);
    strftime(now, sizeof now, "%Y%m%d%H%M%S", &local);
    snprintf(path, PLAN_PATH + 64, "%s/test_result_%s.csv", output, now);
}

enum pps_status nd_ranking_check_output(const char *output, const struct pps_gate *gate,
                                        struct pps_error *err)
{
    char path[PLAN_PATH + 64];
    table_path(output, path);
    if (strcmp(path, output) == 0)
        return plan_check_file(path, gate, err);
    const enum pps_status status = plan_check_folder(output, err);
    return status == PPS_OK ? pps_gate_check(gate, path, err) : status;
}

enum pps_status nd_ranking_write(const struct nd_ranking *ranking, const char *output,
                                 enum nd_rank_language language, int64_t n,
                                 struct pps_error *err)
{
    char path[PLAN_PATH + 64];
    struct text_buffer text = {0};
    const struct nd_input *input = ranking->input;
    const struct nd_rank_table table = {
        .language = language,
        .compat = input->compat,
        .solver = input->solver,
        .limit_gib = units_to_gib(input->job.run.cluster.memory_limit),
    };
    table_path(output, path);
    enum pps_status status = PPS_OK;
    if (strcmp(path, output) != 0)
        status = pps_disk_make_folder(output, err);
    nd_rank_header(&text, &table);
    for (int64_t k = 0; k < n; k++)
        nd_rank_line(&text, &table, k + 1, &ranking->ranked[k], "");
    if (status == PPS_OK)
        status = plan_write_text(path, &text, input->gate, err);
    text_buffer_free(&text);
    if (status == PPS_OK) {
        printf("\n");
        pps_say(stdout, "wrote %s", path);
    }
    return status;
}
