// SPDX-License-Identifier: Apache-2.0
// Writes an analysis of sensitivity as tables and as CSV.
#include "engine/sensitivity/sensitivity_text.h"

#include "base/text/human.h"
#include "engine/read/row_text.h"

#include <math.h>
#include <string.h>

const char *pps_sensitivity_kind_name(enum pps_sensitivity_kind kind)
{
    static const char *const names[] = {[PPS_FROM_GRID] = "grid",
                                        [PPS_FROM_ROWS] = "rows",
                                        [PPS_FROM_SAMPLE] = "sample",
                                        [PPS_FROM_SALTELLI] = "saltelli",
                                        [PPS_FROM_MORRIS] = "morris"};
    return names[kind];
}

// ---- tables ---------------------------------------------------------------------------------------

static const char *head_of(enum pps_sensitivity_kind kind)
{
    switch (kind) {
    case PPS_FROM_GRID:
        return "parameter,values,first,total,lowest mean,at,highest mean,at";
    case PPS_FROM_ROWS:
        return "parameter,values,first,lowest mean,at,highest mean,at";
    case PPS_FROM_SAMPLE:
        return "parameter,values,first,+-,lowest mean,at,highest mean,at";
    case PPS_FROM_SALTELLI:
        return "parameter,values,first,+-,total,+-";
    case PPS_FROM_MORRIS:
        return "parameter,values,mu*,+-,mu,sigma";
    }
    return "";
}

static void add_index(struct text_buffer *line, double value)
{
    if (isnan(value))
        text_buffer_add(line, ",");
    else
        text_buffer_add(line, ",%.3f", value == 0 ? 0 : value);
}

static void add_number(struct text_buffer *line, double value)
{
    if (isnan(value))
        text_buffer_add(line, ",");
    else
        text_buffer_add(line, ",%s", pps_digits_text(value, 5).text);
}

static void add_range(struct text_buffer *line, const struct pps_effect *e)
{
    add_number(line, e->low);
    text_buffer_add(line, ",%s", e->low_at);
    add_number(line, e->high);
    text_buffer_add(line, ",%s", e->high_at);
}

static void add_line(struct text_buffer *line, enum pps_sensitivity_kind kind,
                     const struct pps_effect *e)
{
    text_buffer_add(line, "%s%s,", e->is_member ? "- " : "", e->name);
    if (e->n_values > 0)
        text_buffer_add(line, "%s", pps_count_text((double)e->n_values).text);
    else
        text_buffer_add(line, "range");
    if (kind == PPS_FROM_MORRIS) {
        add_number(line, e->mu_star.value);
        add_number(line, e->mu_star.half);
        add_number(line, e->mu.value);
        add_number(line, e->sigma.value);
        return;
    }
    add_index(line, e->first.value);
    if (kind == PPS_FROM_SAMPLE || kind == PPS_FROM_SALTELLI)
        add_index(line, e->first.half);
    if (kind == PPS_FROM_GRID || kind == PPS_FROM_SALTELLI)
        add_index(line, e->total.value);
    if (kind == PPS_FROM_SALTELLI)
        add_index(line, e->total.half);
    if (kind != PPS_FROM_SALTELLI)
        add_range(line, e);
}

static enum pps_status write_lines(const struct pps_sensitivity_group *g, FILE *out,
                                   struct pps_error *err)
{
    struct text_buffer lines = {.n = 0};
    text_buffer_add(&lines, "%s\n", head_of(g->kind));
    for (int e = 0; e < g->n_effects; e++) {
        add_line(&lines, g->kind, &g->effects[e]);
        text_buffer_add(&lines, "\n");
    }
    const enum pps_status status = pps_row_text_write_text(out, &lines, true, err);
    text_buffer_free(&lines);
    return status;
}

static void write_head(const struct pps_sensitivity *s, const struct pps_sensitivity_group *g,
                       FILE *out)
{
    char rows[48];
    pps_human_count((double)g->rows, rows, sizeof rows);
    fprintf(out, "%s%s%s%s", s->objective, s->unit[0] != '\0' ? " [" : "", s->unit,
            s->unit[0] != '\0' ? "]" : "");
    fprintf(out, "%s%s: %s %s", g->name[0] != '\0' ? ", " : "", g->name, rows,
            g->kind == PPS_FROM_GRID ? "rows, a full grid" : "rows");
    if (g->rows > g->missing)
        fprintf(out, ", mean %s, standard deviation %s", pps_digits_text(g->mean, 5).text,
                pps_digits_text(sqrt(g->variance), 4).text);
    fputc('\n', out);
    if (g->constant[0] != '\0')
        fprintf(out, "always %s\n", g->constant);
}

// Explains the columns of the table.
static void write_legend(const struct pps_sensitivity_group *g, FILE *out)
{
    if (g->kind == PPS_FROM_MORRIS)
        fputs("mu*: mean size of the effect; mu: mean effect; sigma: how much the effect "
              "depends on the other parameters\n",
              out);
    else
        fprintf(out, "first: share of the variance that the parameter explains alone%s\n",
                g->kind == PPS_FROM_GRID || g->kind == PPS_FROM_SALTELLI
                    ? "; total: its share with all interactions"
                    : "");
    if ((g->kind == PPS_FROM_GRID && g->missing == 0) || g->kind == PPS_FROM_SALTELLI)
        fprintf(out, "sum of first: %.3f; the rest, %.3f, is interactions of parameters\n",
                g->sum_first, 1 - g->sum_first);
    const struct pps_effect *e = &g->effects[0];
    if (g->kind != PPS_FROM_GRID && g->kind != PPS_FROM_ROWS &&
        !(isnan(e->first.half) && isnan(e->mu_star.half)))
        fprintf(out, "+-: 95 %% confidence interval, by %s\n",
                g->kind == PPS_FROM_SAMPLE ? "the infinitesimal jackknife" : "bootstrap");
}

static enum pps_status write_group(const struct pps_sensitivity *s,
                                   const struct pps_sensitivity_group *g, FILE *out,
                                   struct pps_error *err)
{
    write_head(s, g, out);
    if (g->rows == g->missing) {
        fputs("no row has a value: nothing can be compared\n", out);
        return PPS_OK;
    }
    if (g->n_effects == 0) {
        fputs("no parameter varies: nothing can be compared\n", out);
        return PPS_OK;
    }
    if (!(g->variance > 0)) {
        fprintf(out, "%s has the same value in all rows: no parameter changes it\n",
                s->objective);
        return PPS_OK;
    }
    fputc('\n', out);
    const enum pps_status status = write_lines(g, out, err);
    fputc('\n', out);
    write_legend(g, out);
    fputs(g->notes.text, out);
    return status;
}

enum pps_status pps_sensitivity_table(const struct pps_sensitivity *s, FILE *out,
                                      struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (s->partial[0] != '\0')
        fprintf(out, "%s\n", s->partial);
    for (size_t g = 0; g < s->n_groups && status == PPS_OK; g++) {
        fputs(g > 0 ? "\n" : "", out);
        status = write_group(s, &s->groups[g], out, err);
    }
    return status;
}

// ---- CSV ------------------------------------------------------------------------------------------

static void put_number(FILE *out, double value)
{
    struct text_buffer text = {.n = 0};
    if (isfinite(value))
        text_buffer_add_number(&text, value);
    fprintf(out, ",%s", text.text != NULL ? text.text : "");
    text_buffer_free(&text);
}

static void put_effect(const struct pps_effect *e, FILE *out)
{
    const struct pps_estimate *const estimates[] = {&e->first, &e->total, &e->mu_star, &e->mu,
                                                    &e->sigma};
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++) {
        put_number(out, estimates[i]->value);
        put_number(out, estimates[i]->half);
    }
    put_number(out, e->low);
    fprintf(out, ",%s", e->low_at);
    put_number(out, e->high);
    fprintf(out, ",%s\n", e->high_at);
}

void pps_sensitivity_csv(const struct pps_sensitivity *s, FILE *out)
{
    fputs(
        "group,analysis,rows,missing,parameter,part_of,values,first,first_ci,total,total_ci,"
        "mu_star,mu_star_ci,mu,mu_ci,sigma,sigma_ci,lowest_mean,lowest_at,highest_mean,highest_at\n",
        out);
    for (size_t i = 0; i < s->n_groups; i++) {
        const struct pps_sensitivity_group *g = &s->groups[i];
        const char *factor = "";
        for (int e = 0; e < g->n_effects; e++) {
            const struct pps_effect *effect = &g->effects[e];
            if (!effect->is_member)
                factor = effect->name;
            fprintf(out, "%s,%s,%llu,%llu,%s,%s,", g->name, pps_sensitivity_kind_name(g->kind),
                    (unsigned long long)g->rows, (unsigned long long)g->missing, effect->name,
                    effect->is_member ? factor : "");
            if (effect->n_values > 0)
                fprintf(out, "%llu", (unsigned long long)effect->n_values);
            put_effect(effect, out);
        }
    }
}
