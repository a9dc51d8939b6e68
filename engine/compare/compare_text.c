// SPDX-License-Identifier: Apache-2.0
// Formats rows of a comparison, selects the greatest changes and sums them up.
#include "engine/compare/compare_text.h"

#include "base/text/decimal.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "base/text/text_buffer.h"
#include "engine/manifest/difference.h"
#include "engine/read/coverage.h"
#include "engine/read/row_text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- rows -------------------------------------------------------------------------------------

static void add_header(const struct pps_compare *compare, struct text_buffer *line)
{
    const char *comma = "";
    for (int k = 0; k < compare->n_keys; k++) {
        if (compare->keys[k].apart)
            continue;
        text_buffer_add(line, "%s%s", comma, compare->a.view.columns[compare->keys[k].a].name);
        comma = ",";
    }
    for (int v = 0; v < compare->n_values; v++) {
        const char *name = compare->values[v].name;
        text_buffer_add(line, "%s%s_a,%s_b,%s_diff,%s_ratio", comma, name, name, name, name);
        comma = ",";
    }
}

static void add_number(struct text_buffer *line, double value)
{
    char text[PPS_DECIMAL_CAP];
    text_buffer_add_bytes(line, ",", 1);
    if (isfinite(value))
        text_buffer_add_bytes(line, text, pps_decimal_meant(text, value, 0));
}

static double ratio(double a, double b)
{
    return a > 0 && b > 0 ? b / a : (double)NAN;
}

// Rounds to n decimals, where n gives `size` 14 significant digits: less is the rounding of the
// subtraction.
static double rounded(double value, double size)
{
    const double scale = pow(10.0, 13.0 - floor(log10(size)));
    return size > 0 && isfinite(scale) && scale > 0 ? round(value * scale) / scale : value;
}

static void add_row(const struct pps_compare *compare, size_t pair, struct text_buffer *line)
{
    const size_t i = compare->joined[pair].a, j = compare->joined[pair].b;
    const uint64_t *cells = compare->a.cells + i * (size_t)compare->n_keys;
    const size_t begin = line->n;
    char text[PPS_DECIMAL_CAP];
    for (int k = 0; k < compare->n_keys; k++)
        if (!compare->keys[k].apart) {
            const struct pps_cell cell =
                pps_compare_cell(cells[k], compare->a.keys[k].real, &compare->texts, text);
            text_buffer_add_bytes(line, ",", 1);
            text_buffer_add_bytes(line, cell.text, cell.n);
        }
    for (int v = 0; v < compare->n_values; v++) {
        const double a = pps_compare_number(&compare->a, i, v);
        const double b = pps_compare_number(&compare->b, j, v);
        add_number(line, a);
        add_number(line, b);
        add_number(line, rounded(b - a, fmax(fabs(a), fabs(b))));
        add_number(line, rounded(ratio(a, b), ratio(a, b)));
    }
    if (!line->failed)
        memmove(line->text + begin, line->text + begin + 1, --line->n - begin + 1);
}

static bool is_matched(const struct pps_compare *compare, size_t pair)
{
    return compare->joined[pair].a != PPS_COMPARE_NONE &&
           compare->joined[pair].b != PPS_COMPARE_NONE;
}

enum pps_status pps_compare_write(const struct pps_compare *compare, FILE *out,
                                  struct pps_error *err)
{
    struct text_buffer line = {.text = NULL};
    add_header(compare, &line);
    for (size_t pair = 0; pair < compare->n_pairs && !line.failed; pair++) {
        if (!is_matched(compare, pair))
            continue;
        fprintf(out, "%s\n", line.text);
        text_buffer_clear(&line);
        add_row(compare, pair, &line);
    }
    const bool failed = line.failed;
    if (!failed)
        fprintf(out, "%s\n", line.text);
    text_buffer_free(&line);
    return failed ? pps_fail_memory(err, "a row") : PPS_OK;
}

// ---- the greatest changes ---------------------------------------------------------------------

struct change {
    double by_ratio, by_difference; // 0: none
    size_t pair;
};

static int by_size(const void *one, const void *other)
{
    const struct change *x = one, *y = other;
    if (x->by_ratio != y->by_ratio)
        return x->by_ratio > y->by_ratio ? -1 : 1;
    if (x->by_difference != y->by_difference)
        return x->by_difference > y->by_difference ? -1 : 1;
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

// Lists the changed pairs, the greatest change first. The caller frees the list; NULL: no memory.
static struct change *list_changes(const struct pps_compare *compare, size_t *n)
{
    struct change *changes = calloc(compare->n_pairs + 1, sizeof *changes);
    *n = 0;
    for (size_t pair = 0; changes != NULL && pair < compare->n_pairs; pair++) {
        if (!is_matched(compare, pair))
            continue;
        const double a = pps_compare_number(&compare->a, compare->joined[pair].a, 0);
        const double b = pps_compare_number(&compare->b, compare->joined[pair].b, 0);
        const double log_ratio = fabs(log(ratio(a, b)));
        if (isfinite(a) && isfinite(b) && a != b)
            changes[(*n)++] =
                (struct change){isnan(log_ratio) ? 0 : log_ratio, fabs(b - a), pair};
    }
    if (changes != NULL)
        qsort(changes, *n, sizeof *changes, by_size);
    return changes;
}

static enum pps_status write_lines(const struct pps_compare *compare,
                                   const struct change *changes, size_t n, FILE *out,
                                   bool table, struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    add_header(compare, &text);
    text_buffer_add(&text, "\n");
    for (size_t i = 0; i < n; i++) {
        add_row(compare, changes[i].pair, &text);
        text_buffer_add(&text, "\n");
    }
    const enum pps_status status = pps_row_text_write_text(out, &text, table, err);
    text_buffer_free(&text);
    return status;
}

enum pps_status pps_compare_top(const struct pps_compare *compare, uint64_t k, FILE *out,
                                bool table, uint64_t *left, struct pps_error *err)
{
    size_t n;
    struct change *changes = list_changes(compare, &n);
    if (changes == NULL)
        return pps_fail_memory(err, "the changes");
    const size_t shown = n < k ? n : (size_t)k;
    *left = n - shown;
    const enum pps_status status = write_lines(compare, changes, shown, out, table, err);
    free(changes);
    return status;
}

// ---- the summary ------------------------------------------------------------------------------

// Says the first setting in which the two runs differ, where both have a manifest.
static void say_settings(const struct pps_compare *compare, FILE *out)
{
    char text[400];
    cJSON *a = pps_coverage_manifest(compare->a.view.path);
    cJSON *b = pps_coverage_manifest(compare->b.view.path);
    if (a != NULL && b != NULL && pps_manifest_difference(a, b, text, sizeof text))
        pps_say(out, "settings  first difference from a to b: %s", text);
    cJSON_Delete(a);
    cJSON_Delete(b);
}

static void say_side(const struct pps_compare_side *side, const char *name, FILE *out)
{
    char rows[48];
    pps_human_count((double)side->rows, rows, sizeof rows);
    pps_say(out, "%-9s %s, %s row%s%s%s", name, side->view.path, rows,
            side->rows == 1 ? "" : "s", side->view.partial[0] != '\0' ? ", " : "",
            side->view.partial);
}

static void say_apart(const struct pps_compare *compare, const struct pps_compare_key *key,
                      bool real, FILE *out)
{
    char text_a[PPS_DECIMAL_CAP], text_b[PPS_DECIMAL_CAP];
    const struct pps_cell a = pps_compare_cell(key->apart_a, real, &compare->texts, text_a);
    const struct pps_cell b = pps_compare_cell(key->apart_b, real, &compare->texts, text_b);
    pps_say(out, "apart     %s: %.*s in a, %.*s in b", compare->a.view.columns[key->a].name,
            (int)a.n, a.text, (int)b.n, b.text);
}

static void say_keys(const struct pps_compare *compare, FILE *out)
{
    bool any = false;
    pps_say_part(out, "joined on ");
    for (int k = 0; k < compare->n_keys; k++) {
        if (compare->keys[k].apart)
            continue;
        pps_say_part(out, "%s%s", any ? ", " : "",
                     compare->a.view.columns[compare->keys[k].a].name);
        any = true;
    }
    fputs(any ? "\n" : "no column: one row each\n", out);
    for (int k = 0; k < compare->n_keys; k++)
        if (compare->keys[k].apart)
            say_apart(compare, &compare->keys[k], compare->a.keys[k].real, out);
}

static void say_rows(const struct pps_compare *compare, FILE *out)
{
    char matched[48], a[48], b[48], merged[48];
    pps_human_count((double)compare->matched, matched, sizeof matched);
    pps_human_count((double)compare->alone_a, a, sizeof a);
    pps_human_count((double)compare->alone_b, b, sizeof b);
    pps_human_count((double)compare->merged, merged, sizeof merged);
    pps_say(out, "compared  %s row%s; only in a: %s, only in b: %s", matched,
            compare->matched == 1 ? "" : "s", a, b);
    if (compare->merged > 0)
        pps_say(out,
                "best      %s rows are left out: other rows of the same columns are better",
                merged);
}

static void say_value(const struct pps_compare_value *value, FILE *out)
{
    const uint64_t better = value->higher ? value->above : value->lower;
    const uint64_t worse = value->higher ? value->lower : value->above;
    pps_say(out, "%-9s b is better in %s, equal in %s, worse in %s rows (%s is better%s%s)",
            value->name, pps_count_text((double)better).text,
            pps_count_text((double)value->equal).text, pps_count_text((double)worse).text,
            value->higher ? "higher" : "lower", value->unit[0] != '\0' ? "; " : "",
            value->unit);
    if (value->pairs == 0)
        pps_say(out, "%-9s no row has a number in both results", "");
    if (value->ratios > 0)
        pps_say(out, "%-9s b/a from %.6g to %.6g, geometric mean %.6g", "", value->least,
                value->most, value->mean);
    if (value->ratios < value->pairs)
        pps_say(out, "%-9s %s pairs have a value of 0 or less, and no ratio", "",
                pps_count_text((double)(value->pairs - value->ratios)).text);
    if (value->only_a + value->only_b > 0)
        pps_say(out, "%-9s only a has a result in %s rows, only b in %s", "",
                pps_count_text((double)value->only_a).text,
                pps_count_text((double)value->only_b).text);
}

void pps_compare_summary(const struct pps_compare *compare, FILE *out)
{
    say_side(&compare->a, "a", out);
    say_side(&compare->b, "b", out);
    say_settings(compare, out);
    say_keys(compare, out);
    say_rows(compare, out);
    for (int v = 0; v < compare->n_values; v++)
        say_value(&compare->values[v], out);
}
