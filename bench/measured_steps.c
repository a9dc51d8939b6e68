// SPDX-License-Identifier: Apache-2.0
// The model against published measurements, as Markdown:
//   measured_steps docs/ndsearch-measurements.json docs/ndsearch-layouts.json > docs/ndsearch-measurements.md
//   measured_steps docs/ndsearch-measurements.json docs/ndsearch-layouts.json --groups > planner/nd/profiling/left_out_table.h
//   measured_steps docs/ndsearch-measurements.json docs/ndsearch-layouts.json --memory >
//   planner/nd/profiling/fit_probability_table.h
//   measured_steps docs/ndsearch-layouts.json --layouts      (errors by source; --rows: of each row)
//   measured_steps docs/ndsearch-measurements.json docs/ndsearch-layouts.json --check docs/ndsearch-measurements.md
// The last form writes nothing and fails where the page or the table would come out otherwise: a
// change of the model must come with its figures.
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measured/fit.h"
#include "bench/measured/layouts.h"
#include "bench/measured/left_outs.h"
#include "bench/measured/memory_facts.h"
#include "bench/measured/page.h"

#include "base/math/units.h"
#include "base/system/whole_file.h"

static struct measured m;

// ---- sums over rows -----------------------------------------------------------------------------

struct sum {
    int n;
    double built_in, left_out;
};

static void add(struct sum *sum, int i)
{
    sum->n++;
    sum->built_in += fabs(m.built_in[i]);
    sum->left_out += fabs(m.left_out[i]);
}

static bool is_fp8(int i)
{
    return m.all[i].training.precision != TRAINING_BF16;
}

// Whether the step is of one of the first n tables: the first four are those on which the model was first made.
static bool is_of_first(int i, size_t n)
{
    static const char *const sets[] = {"korthikanti", "narayanan", "b200_dense", "b200_moe",
                                       "b200_long",   "llama3",    "torchtitan"};
    for (size_t k = 0; k < n; k++)
        if (strcmp(m.all[i].set, sets[k]) == 0)
            return true;
    return false;
}

static void print_sum(FILE *o, const char *what, const struct sum *sum)
{
    fprintf(o, "| %s | %d | %.1f %% | %.1f %% |\n", what, sum->n, 100 * sum->built_in / sum->n,
            100 * sum->left_out / sum->n);
}

static void write_sums(FILE *o)
{
    struct sum first = {0}, bf16 = {0}, fp8 = {0}, judge = {0}, short_rows = {0};
    for (int i = 0; i < m.n; i++) {
        const bool later = !is_of_first(i, 7) && !is_fp8(i);
        if (is_of_first(i, 4))
            add(&first, i);
        if (later)
            add(&bf16, i);
        if (later && m.all[i].point.seq_length <= 4096)
            add(&short_rows, i);
        if (is_fp8(i))
            add(&fp8, i);
        if (m.all[i].judges)
            add(&judge, i);
    }
    fprintf(o, "| steps | number | built-in | source left out |\n| --- | --- | --- | --- |\n");
    print_sum(o, "the first ones: A100 and B200, bf16", &first);
    print_sum(o, "all later tables, bf16", &bf16);
    print_sum(o, "of these, sequences of at most 4096 tokens", &short_rows);
    print_sum(o, "8-bit products (fp8, mxfp8)", &fp8);
    print_sum(o, "tables that only judge", &judge);
}

// ---- the fit ------------------------------------------------------------------------------------

static void write_fit(FILE *o, const struct measured *fitted)
{
    for (int k = 0; k < fitted->n_unknowns; k++) {
        const struct nd_unknown *u = &fitted->unknowns[k];
        fprintf(o, "| `%s` | %s | %.3g | %.3g | %s |\n", nd_factor_name(u->factor), u->of,
                u->start, u->value, fitted->why[k]);
    }
}

// ---- tables -------------------------------------------------------------------------------------

static bool is_new_set(int i)
{
    return i == 0 || strcmp(m.all[i].set, m.all[i - 1].set) != 0;
}

static double cost_of_token(int i, double seconds)
{
    const struct nd_strategy *s = &m.all[i].point.strategy;
    const double devices = (double)s->dp * s->tp * s->cp * s->pp;
    return seconds * devices / ((double)m.all[i].point.gbs * (double)m.all[i].point.seq_length);
}

// Kendall's tau of the device time per token, over pairs of one table and one model that differ by
// more than 2 %. Returns the number of pairs.
static int kendall(int begin, double *tau)
{
    int pairs = 0, right = 0;
    for (int i = begin; i < m.n && strcmp(m.all[i].set, m.all[begin].set) == 0; i++)
        for (int j = begin; j < i; j++) {
            if (strcmp(m.all[i].model_name, m.all[j].model_name) != 0)
                continue;
            const double x = cost_of_token(i, m.all[i].seconds);
            const double y = cost_of_token(j, m.all[j].seconds);
            if (fmax(x, y) <= 1.02 * fmin(x, y))
                continue;
            pairs++;
            right += (x < y) == (x * (1 + m.built_in[i]) < y * (1 + m.built_in[j]));
        }
    *tau = pairs > 0 ? 2.0 * right / pairs - 1 : (double)NAN;
    return pairs;
}

static void write_tables(FILE *o)
{
    double sum = 0, sum_best = 0, sum_fitted = 0;
    int rows_scaled = 0;
    fprintf(o,
            "| table | rows | device | stack | part | built-in | bias | source left out | one "
            "step measured | best choice of it | one factor fitted | Kendall, pairs |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < m.n; i++) {
        struct sum table = {0};
        double bias = 0, mean, best, fitted, tau;
        if (!is_new_set(i))
            continue;
        for (int j = i; j < m.n && strcmp(m.all[i].set, m.all[j].set) == 0; j++) {
            add(&table, j);
            bias += m.built_in[j];
        }
        const int rows = measured_one_step(&m, m.all[i].set, &mean, &best, &fitted);
        const int pairs = kendall(i, &tau);
        fprintf(o, "| %s | %d | %s | %s | %s | %.1f %% | %+.1f %% | %.1f %% |", m.all[i].set,
                rows, m.all[i].hardware.name, stack_base(&m.all[i].training.stack),
                m.all[i].judges ? "judge" : "fit", 100 * table.built_in / rows,
                100 * bias / rows, 100 * table.left_out / rows);
        if (rows > 1) {
            fprintf(o, " %.1f %% | %.1f %% | %.1f %% |", 100 * mean, 100 * best, 100 * fitted);
            sum_fitted += rows * fitted;
            sum += rows * mean;
            sum_best += rows * best;
            rows_scaled += rows;
        } else
            fprintf(o, " | | |");
        if (pairs > 2)
            fprintf(o, " %+.2f, %d |\n", tau, pairs);
        else
            fprintf(o, " |\n");
    }
    fprintf(
        o,
        "| all tables of two rows or more | %d | | | | | | | %.1f %% | %.1f %% | %.1f %% | |\n",
        rows_scaled, 100 * sum / rows_scaled, 100 * sum_best / rows_scaled,
        100 * sum_fitted / rows_scaled);
}

// ---- points -------------------------------------------------------------------------------------

static const char *const modes[] = {"none", "select", "full"};

static void write_rows(FILE *o, const char *set)
{
    fprintf(o,
            "| model | dp/tp/cp/pp/ep | vp | mbs | seq | gbs | recompute | sp | measured, s | "
            "built-in, s | error | source left out |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < m.n; i++) {
        const struct nd_measurement *row = &m.all[i];
        const struct nd_strategy *s = &row->point.strategy;
        char mbs[16];
        if (strcmp(row->set, set) != 0)
            continue;
        snprintf(mbs, sizeof mbs, s->mbs > 0 ? "%d" : "best", s->mbs);
        fprintf(
            o,
            "| %s | %d/%d/%d/%d/%d | %d | %s | %lld | %lld | %s | %s | %.4f | %.4f | %+.1f %% "
            "| %+.1f %% |\n",
            row->model_name, s->dp, s->tp, s->cp, s->pp, s->ep, s->vp, mbs,
            (long long)row->point.seq_length, (long long)row->point.gbs, modes[s->recompute],
            s->sp ? "yes" : "no", row->seconds, (1 + m.built_in[i]) * row->seconds,
            100 * m.built_in[i], 100 * m.left_out[i]);
    }
}

// ---- memory -------------------------------------------------------------------------------------

static void write_memory(FILE *o)
{
    double sum = 0, of_set = 0;
    int n = 0, n_set = 0;
    fprintf(o, "| table | model | dp/tp/cp/pp/ep | seq | measured, GiB | model, GiB | error | "
               "states | activations | transient | reserve |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < m.n; i++) {
        const struct nd_measurement *row = &m.all[i];
        const struct nd_strategy *s = &row->point.strategy;
        if (is_new_set(i))
            of_set = n_set = 0;
        if (row->memory == 0)
            continue;
        const struct nd_memory memory = measured_memory(&m, row);
        const double error = memory.total / row->memory - 1;
        sum += fabs(error);
        of_set += error;
        n++;
        n_set++;
        fprintf(
            o,
            "| %s | %s | %d/%d/%d/%d/%d | %lld | %.1f | %.1f | %+.1f %% | %.1f | %.1f | %.1f | "
            "%.1f |\n",
            row->set, row->model_name, s->dp, s->tp, s->cp, s->pp, s->ep,
            (long long)row->point.seq_length, units_to_gib(row->memory),
            units_to_gib(memory.total), 100 * error,
            units_to_gib(memory.parameters + memory.gradients + memory.optimizer),
            units_to_gib(memory.activations), units_to_gib(memory.transient),
            units_to_gib(memory.reserve));
        if (i + 1 == m.n || is_new_set(i + 1))
            fprintf(o, "| *%s* | %d rows | | | | mean | %+.1f %% | | | | |\n", row->set, n_set,
                    100 * of_set / n_set);
    }
    fprintf(o, "\nMean absolute error of all %d rows: %.1f %%.\n", n, 100 * sum / n);
}

// ---- the page -----------------------------------------------------------------------------------

static void write_devices(FILE *o)
{
    int n;
    const struct hardware *all = hardware_all(&n);
    fprintf(o, "| device | `eg` | `eg8` | `ea` | `em` | `el` | steps here | efficiencies |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < n; i++) {
        const struct hardware *h = &all[i];
        int points = 0;
        for (int k = 0; k < m.n; k++)
            points += strcmp(m.all[k].hardware.name, h->name) == 0;
        fprintf(o, "| %s | %.2f | ", h->name, h->gemm_eff);
        if (h->peak_fp8 > 0)
            fprintf(o, "%.2f", h->fp8_eff);
        fprintf(o, " | %.2f | %.2f | %.2f | %d | %s%s |\n", h->attention_eff, h->memory_eff,
                h->link_eff, points, h->calibrated ? "fitted" : "as ",
                h->calibrated ? "" : h->base);
    }
}

static void write_page(FILE *o, const cJSON *document, const struct measured *layouts)
{
    const cJSON *set;
    fputs(page_begin, o);
    write_sums(o);
    fputs(page_tables, o);
    write_tables(o);
    fputs(page_groups, o);
    left_outs_write_table(o);
    fputs(page_fit, o);
    write_fit(o, &m);
    write_fit(o, layouts);
    fputs(page_devices, o);
    write_devices(o);
    fputs(page_beside, o);
    fputs(page_memory, o);
    write_memory(o);
    fprintf(o, "\n## All steps\n");
    cJSON_ArrayForEach (set, cJSON_GetObjectItemCaseSensitive(document, "sets")) {
        const char *name = cJSON_GetObjectItemCaseSensitive(set, "name")->valuestring;
        fprintf(o, "\n### %s\n\n%s.\n\n", name,
                cJSON_GetObjectItemCaseSensitive(set, "source")->valuestring);
        write_rows(o, name);
    }
}

static char *slurp(const char *path)
{
    struct pps_error err;
    char *text = NULL;
    size_t size;
    if (pps_whole_file_read(path, 1 << 24, &text, &size, &err) == PPS_OK)
        return text;
    fprintf(stderr, "measured_steps: %s: %s\n", path, err.text);
    exit(1);
}

static int check(const char *path, const char *made, const char *other_table)
{
    char *kept = slurp(path);
    const char *differ[] = {strcmp(kept, made) != 0 ? path : NULL, other_table};
    int status = 0;
    for (int i = 0; i < 2; i++)
        if (differ[i] != NULL) {
            status = 1;
            fprintf(stderr,
                    "measured_steps: %s differs from the output of the model; write it again\n",
                    differ[i]);
        }
    free(kept);
    return status;
}

static cJSON *open_document(const char *path, struct measured *measured)
{
    char *text = slurp(path);
    cJSON *document = cJSON_Parse(text);
    free(text);
    if (document == NULL) {
        fprintf(stderr, "measured_steps: %s is not JSON\n", path);
        exit(2);
    }
    measured_read(measured, document, path);
    return document;
}

// Returns the table of the program that differs from that of the model; NULL: none.
static const char *write_steps(FILE *o, cJSON *document, struct measured *layouts,
                               const char *mode)
{
    static struct left_outs all;
    static struct memory_facts facts;
    measured_fit(&m);
    measured_fit(layouts);
    left_outs_find(&all, &m, layouts);
    memory_facts_fit(&facts, &m, layouts);
    if (strcmp(mode, "--groups") == 0)
        left_outs_write_groups(o, &all);
    else if (strcmp(mode, "--memory") == 0)
        memory_facts_write_groups(o, &facts);
    else {
        write_page(o, document, layouts);
        fputs(page_layouts, o);
        layouts_write(o, layouts);
        fputs(page_order, o);
        layouts_write_order(o, layouts);
        fputs(page_fits, o);
        memory_facts_write(o, &facts);
    }
    return left_outs_differ(&all)           ? "planner/nd/profiling/left_out_table.h"
           : memory_facts_differ(&facts)    ? "planner/nd/profiling/fit_probability_table.h"
           : layouts_order_differs(layouts) ? "planner/nd/profiling/order_right.c"
                                            : NULL;
}

static int wrong_usage(void)
{
    fprintf(stderr,
            "usage: measured_steps MEASUREMENTS LAYOUTS [--groups | --memory | --check PAGE]\n"
            "       measured_steps LAYOUTS --layouts | --rows\n");
    return 2;
}

int main(int argc, char **argv)
{
    static struct measured layouts;
    const char *mode = argc > 3 ? argv[3] : "";
    const bool checking = argc == 5 && strcmp(mode, "--check") == 0;
    const bool table =
        argc == 4 && (strcmp(mode, "--groups") == 0 || strcmp(mode, "--memory") == 0);
    const bool rows = argc == 3 && strcmp(argv[2], "--rows") == 0;
    const bool only = rows || (argc == 3 && strcmp(argv[2], "--layouts") == 0);
    if (!only && !table && !checking && (argc != 3 || argv[2][0] == '-'))
        return wrong_usage();
    char *page = NULL;
    size_t size = 0;
    const char *differs = NULL;
    m.cache = layouts.cache = aligned_alloc(64, (nd_cache_bytes() + 63) / 64 * 64);
    FILE *out = checking ? open_memstream(&page, &size) : stdout;
    if (m.cache == NULL || out == NULL)
        return 1;
    memset(m.cache, 0, nd_cache_bytes());
    cJSON *tried = open_document(argv[only ? 1 : 2], &layouts);
    if (only) {
        measured_fit(&layouts);
        (rows ? layouts_write_rows : layouts_write)(out, &layouts);
    } else {
        cJSON *document = open_document(argv[1], &m);
        differs = write_steps(out, document, &layouts, mode);
        cJSON_Delete(document);
    }
    cJSON_Delete(tried);
    int status =
        checking ? fclose(out) != 0 || check(argv[4], page, differs) : fflush(stdout) != 0;
    free(page);
    free(m.cache);
    return status;
}
