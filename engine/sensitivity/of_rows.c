// SPDX-License-Identifier: Apache-2.0
// Analyses the rows of a group without a design: a full grid exactly, other rows by main effects.
#include "engine/sensitivity/sensitivity_private.h"

#include "base/text/human.h"
#include "engine/sensitivity/factors.h"
#include "engine/sensitivity/grid_effects.h"
#include "engine/sensitivity/indices.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A parameter that varies among the rows of the group; its values are numbered again.
struct varied {
    const struct pps_observed *param;
    uint32_t *code;     // of each row of the group
    uint32_t *original; // number of each value in the observations
    uint32_t levels;
};

struct rows {
    const struct pps_observations *o;
    const uint32_t *list;
    uint64_t n;
    double *y;
    struct varied *varied;
    int n_varied;
    struct pps_factors factors;
    struct pps_moments all;
    struct pps_sensitivity_group *group;
};

// ---- parameters that vary -------------------------------------------------------------------------

// Numbers the values that occur in the group, in their order; false without memory.
static bool renumber(const struct rows *r, const struct pps_observed *param, struct varied *v)
{
    uint32_t *number = malloc(param->n_levels * sizeof *number);
    v->original = malloc(param->n_levels * sizeof *v->original);
    v->code = malloc(r->n * sizeof *v->code);
    v->param = param;
    const bool good = number != NULL && v->original != NULL && v->code != NULL;
    if (good)
        memset(number, 0, param->n_levels * sizeof *number);
    for (uint64_t i = 0; i < r->n && good; i++)
        number[param->code[r->list[i]]] = 1;
    for (uint32_t l = 0; l < param->n_levels && good; l++)
        if (number[l] > 0) {
            v->original[v->levels] = l;
            number[l] = v->levels++;
        }
    for (uint64_t i = 0; i < r->n && good; i++)
        v->code[i] = number[param->code[r->list[i]]];
    free(number);
    return good;
}

static void drop(struct varied *v)
{
    free(v->code);
    free(v->original);
    *v = (struct varied){.levels = 0};
}

static bool is_of_group(const struct pps_observations *o, int column)
{
    for (int i = 0; i < o->groups.n_by; i++)
        if (o->groups.by[i] == column)
            return true;
    return false;
}

static enum pps_status find_varied(struct rows *r, struct pps_error *err)
{
    const struct pps_observations *o = r->o;
    struct text_buffer constant = {.n = 0};
    text_buffer_add(&constant, "%s", "");
    r->varied = calloc((size_t)o->n_params + 1, sizeof *r->varied);
    for (int p = 0; p < o->n_params && r->varied != NULL; p++) {
        struct varied *v = &r->varied[r->n_varied];
        if (!renumber(r, &o->params[p], v))
            return pps_fail_memory(err, "the parameters");
        if (v->levels > 1) {
            r->n_varied++;
            continue;
        }
        if (!is_of_group(o, o->params[p].column))
            text_buffer_add(&constant, "%s%s=%s", constant.n > 0 ? " " : "",
                            o->view.columns[o->params[p].column].name,
                            o->params[p].labels[v->original[0]]);
        drop(v);
    }
    r->group->constant = constant.text;
    return r->varied == NULL || constant.failed ? pps_fail_memory(err, "the parameters")
                                                : PPS_OK;
}

static const char *name_of(const struct rows *r, int v)
{
    return r->o->view.columns[r->varied[v].param->column].name;
}

// ---- names and labels -----------------------------------------------------------------------------

static void append(char *out, size_t cap, const char *separator, const char *text)
{
    const size_t n = strlen(out);
    snprintf(out + n, cap - n, "%s%s", n > 0 ? separator : "", text);
}

static void factor_name(const struct rows *r, int f, char *out, size_t cap)
{
    out[0] = '\0';
    for (int v = 0; v < r->n_varied; v++)
        if (r->factors.of[v] == f)
            append(out, cap, "+", name_of(r, v));
}

// Writes the values of the parameters of factor f in row i, "0.7/0.0/0.3".
static void factor_label(const struct rows *r, int f, uint64_t i, char *out, size_t cap)
{
    out[0] = '\0';
    for (int v = 0; v < r->n_varied; v++)
        if (r->factors.of[v] == f)
            append(out, cap, "/",
                   r->varied[v].param->labels[r->varied[v].original[r->varied[v].code[i]]]);
}

// ---- main effects ---------------------------------------------------------------------------------

// Finds the values with the least and the greatest mean; UINT32_MAX: none.
static void find_range(const double *sums, const uint64_t *counts, uint32_t levels,
                       struct pps_effect *e, uint32_t *low, uint32_t *high)
{
    *low = *high = UINT32_MAX;
    for (uint32_t v = 0; v < levels; v++) {
        const double mean = sums[v] / (double)counts[v];
        if (counts[v] == 0)
            continue;
        if (*low == UINT32_MAX || mean < e->low) {
            e->low = mean;
            *low = v;
        }
        if (*high == UINT32_MAX || mean > e->high) {
            e->high = mean;
            *high = v;
        }
    }
}

// Fills the range and the correlation ratio of a coding of the rows. *low, *high: values.
static enum pps_status main_effect(const struct rows *r, const uint32_t *code, uint32_t levels,
                                   struct pps_effect *e, uint32_t *low, uint32_t *high,
                                   struct pps_error *err)
{
    double *sums = malloc(levels * sizeof *sums);
    uint64_t *counts = malloc(levels * sizeof *counts);
    const bool good = sums != NULL && counts != NULL;
    if (good) {
        pps_level_sums(r->y, code, r->n, levels, sums, counts);
        find_range(sums, counts, levels, e, low, high);
        e->first =
            (struct pps_estimate){pps_correlation_ratio(sums, counts, levels, &r->all), 0};
    }
    free(sums);
    free(counts);
    e->n_values = levels;
    return good ? PPS_OK : pps_fail_memory(err, "means");
}

static const char *label(const struct varied *v, uint32_t level)
{
    return level == UINT32_MAX ? "" : v->param->labels[v->original[level]];
}

static enum pps_status param_effect(const struct rows *r, int v, struct pps_effect *e,
                                    struct pps_error *err)
{
    const struct varied *varied = &r->varied[v];
    uint32_t low, high;
    *e = pps_effect_none();
    snprintf(e->name, sizeof e->name, "%s", name_of(r, v));
    enum pps_status status = main_effect(r, varied->code, varied->levels, e, &low, &high, err);
    if (status != PPS_OK)
        return status;
    snprintf(e->low_at, sizeof e->low_at, "%s", label(varied, low));
    snprintf(e->high_at, sizeof e->high_at, "%s", label(varied, high));
    return PPS_OK;
}

// ---- a full grid ----------------------------------------------------------------------------------

static enum pps_status factor_effect(const struct rows *r, const struct pps_grid *grid, int f,
                                     struct pps_effect *e, struct pps_error *err)
{
    uint32_t low, high;
    *e = pps_effect_none();
    factor_name(r, f, e->name, sizeof e->name);
    enum pps_status status =
        main_effect(r, r->factors.code[f], grid->levels[f], e, &low, &high, err);
    if (status != PPS_OK)
        return status;
    e->total.half = 0;
    pps_grid_indices(grid, f, &r->all, &e->first.value, &e->total.value);
    for (uint64_t i = r->n; i-- > 0;) {
        if (r->factors.code[f][i] == low)
            factor_label(r, f, i, e->low_at, sizeof e->low_at);
        if (r->factors.code[f][i] == high)
            factor_label(r, f, i, e->high_at, sizeof e->high_at);
    }
    return PPS_OK;
}

static int members_of(const struct rows *r, int f)
{
    int n = 0;
    for (int v = 0; v < r->n_varied; v++)
        n += r->factors.of[v] == f;
    return n;
}

static enum pps_status members(struct rows *r, int f, struct pps_error *err)
{
    struct pps_sensitivity_group *group = r->group;
    enum pps_status status = PPS_OK;
    for (int v = 0; v < r->n_varied && status == PPS_OK && members_of(r, f) > 1; v++)
        if (r->factors.of[v] == f) {
            struct pps_effect *e = &group->effects[group->n_effects++];
            status = param_effect(r, v, e, err);
            e->is_member = true;
        }
    return status;
}

static void note_members(struct rows *r, int f)
{
    char name[PPS_EFFECT_NAME];
    if (members_of(r, f) < 2)
        return;
    factor_name(r, f, name, sizeof name);
    text_buffer_add(
        &r->group->notes,
        "%s vary together (the rows do not combine all of their values): they are one "
        "factor, and each of them alone has a main effect but no total index\n",
        name);
}

static enum pps_status whole_grid(struct rows *r, struct pps_error *err)
{
    double *y = malloc(r->n * sizeof *y);
    const struct pps_grid grid = {y, r->factors.n, r->factors.levels};
    enum pps_status status = y == NULL ? pps_fail_memory(err, "the grid") : PPS_OK;
    for (uint64_t i = 0; i < r->n && y != NULL; i++) {
        uint64_t at = 0;
        for (int f = 0; f < r->factors.n; f++)
            at = at * r->factors.levels[f] + r->factors.code[f][i];
        y[at] = r->y[i];
    }
    r->group->kind = PPS_FROM_GRID;
    for (int f = 0; f < r->factors.n && status == PPS_OK; f++) {
        status = factor_effect(r, &grid, f, &r->group->effects[r->group->n_effects++], err);
        if (status == PPS_OK)
            status = members(r, f, err);
        note_members(r, f);
    }
    free(y);
    return status;
}

// ---- other rows -----------------------------------------------------------------------------------

// The rows that have a value.
static struct pps_given_data valued_rows(const struct rows *r, double *y, uint32_t *code)
{
    size_t n = 0;
    for (uint64_t i = 0; i < r->n; i++)
        if (!isnan(r->y[i]))
            y[n++] = r->y[i];
    return (struct pps_given_data){y, code, n, 0};
}

static void class_label(const struct varied *v, const uint32_t *class_of, uint32_t class,
                        char *out, size_t cap)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t l = 0; l < v->levels; l++)
        if (class_of[l] == class) {
            first = first == UINT32_MAX ? l : first;
            last = l;
        }
    if (first == UINT32_MAX)
        return;
    const double from = v->param->numbers[v->original[first]];
    const double to = v->param->numbers[v->original[last]];
    if (last == first)
        snprintf(out, cap, "%s", label(v, first));
    else if (isnan(from) || isnan(to))
        snprintf(out, cap, "%.40s..%.40s", label(v, first), label(v, last));
    else
        snprintf(out, cap, "%.4g..%.4g", from, to);
}

// Fills the effect of a parameter of a sample; code has room for all rows.
static enum pps_status sample_effect(const struct rows *r, int v, struct pps_given_data *data,
                                     uint32_t *code, struct pps_effect *e,
                                     struct pps_error *err)
{
    const struct varied *varied = &r->varied[v];
    uint32_t *class_of = malloc(varied->levels * sizeof *class_of), low, high;
    uint64_t *counts = malloc(varied->levels * sizeof *counts);
    uint32_t *classes = malloc(r->n * sizeof *classes);
    enum pps_status status = PPS_OK;
    *e = pps_effect_none();
    snprintf(e->name, sizeof e->name, "%s", name_of(r, v));
    if (class_of == NULL || counts == NULL || classes == NULL) {
        status = pps_fail_memory(err, "classes of values");
    } else {
        data->n_classes = pps_classes(varied->code, r->n, varied->levels,
                                      pps_usual_classes(r->n), counts, class_of);
        size_t n = 0;
        for (uint64_t i = 0; i < r->n; i++) {
            classes[i] = class_of[varied->code[i]];
            if (!isnan(r->y[i]))
                code[n++] = classes[i];
        }
        status = main_effect(r, classes, data->n_classes, e, &low, &high, err);
        class_label(varied, class_of, low, e->low_at, sizeof e->low_at);
        class_label(varied, class_of, high, e->high_at, sizeof e->high_at);
    }
    if (status == PPS_OK && !pps_first_order(data, &e->first))
        status = pps_fail_memory(err, "classes of values");
    e->n_values = varied->levels;
    free(class_of);
    free(counts);
    free(classes);
    return status;
}

// Notes parameters that the kernel's composite axis sets together.
static void note_composite(const struct rows *r)
{
    const struct pps_kernel *kernel = r->o->view.kernel;
    const struct pps_composite *composite = kernel == NULL ? NULL : kernel->composite;
    char names[PPS_EFFECT_NAME] = "";
    int n = 0;
    for (int v = 0; v < r->n_varied && composite != NULL; v++)
        for (int m = 0; m < composite->n_members; m++)
            if (strcmp(kernel->params[composite->members[m]].name, name_of(r, v)) == 0) {
                append(names, sizeof names, ", ", name_of(r, v));
                n++;
            }
    if (n > 1)
        text_buffer_add(&r->group->notes,
                        "%s are set together (weights add up to 1): their indices overlap\n",
                        names);
}

static enum pps_status sample(struct rows *r, struct pps_error *err)
{
    double *y = malloc(r->n * sizeof *y);
    uint32_t *code = malloc(r->n * sizeof *code);
    enum pps_status status = PPS_OK;
    r->group->kind = PPS_FROM_SAMPLE;
    if (y == NULL || code == NULL)
        status = pps_fail_memory(err, "the sample");
    struct pps_given_data data = {.n = 0};
    if (status == PPS_OK)
        data = valued_rows(r, y, code);
    for (int v = 0; v < r->n_varied && status == PPS_OK; v++)
        status =
            sample_effect(r, v, &data, code, &r->group->effects[r->group->n_effects++], err);
    note_composite(r);
    text_buffer_add(&r->group->notes,
                    "first-order indices are estimated from at most %" PRIu32
                    " classes of values of each parameter: a change within a class does not "
                    "count, so they are rather too small\n"
                    "total indices need a design: run the experiment with --sample "
                    "saltelli:1000, or with --sample morris:100 for few rows\n",
                    pps_usual_classes(r->n));
    free(y);
    free(code);
    return status;
}

static enum pps_status plain_rows(struct rows *r, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    r->group->kind = PPS_FROM_ROWS;
    for (int v = 0; v < r->n_varied && status == PPS_OK; v++)
        status = param_effect(r, v, &r->group->effects[r->group->n_effects++], err);
    text_buffer_add(
        &r->group->notes,
        "the rows do not combine all values of their parameters: shares of variance "
        "overlap and may add up to more than 100 %%, and there are no total indices; "
        "a grid without rules, or --sample saltelli:1000, has them\n");
    return status;
}

// ---- the whole ------------------------------------------------------------------------------------

static enum pps_status read_values(struct rows *r, struct pps_error *err)
{
    struct pps_sensitivity_group *group = r->group;
    r->y = malloc(r->n * sizeof *r->y);
    if (r->y == NULL)
        return pps_fail_memory(err, "the values");
    for (uint64_t i = 0; i < r->n; i++)
        r->y[i] = r->o->y[r->list[i]];
    r->all = pps_moments_of(r->y, r->n);
    group->rows = r->n;
    group->missing = r->n - r->all.n;
    group->mean = r->all.mean;
    group->variance = r->all.variance;
    return PPS_OK;
}

static void note_missing(const struct rows *r)
{
    if (r->group->missing > 0 && r->all.n > 0)
        text_buffer_add(
            &r->group->notes,
            "%s of %s rows have no value (infeasible or failed): all numbers describe the "
            "other rows, and shares of variance may overlap\n",
            pps_count_text((double)r->group->missing).text, pps_count_text((double)r->n).text);
}

static enum pps_status analyse(struct rows *r, bool is_sample, struct pps_error *err)
{
    struct pps_factor_input inputs[PPS_MOST_FACTORS];
    r->group->effects = calloc(2 * (size_t)r->n_varied + 1, sizeof *r->group->effects);
    if (r->group->effects == NULL)
        return pps_fail_memory(err, "the effects");
    if (r->n_varied > PPS_MOST_FACTORS)
        return pps_fail(err, PPS_E_INPUT, "more than %d parameters vary", PPS_MOST_FACTORS);
    if (r->n_varied == 0 || r->all.n == 0)
        return PPS_OK;
    for (int v = 0; v < r->n_varied; v++)
        inputs[v] = (struct pps_factor_input){r->varied[v].code, r->varied[v].levels};
    enum pps_status status =
        is_sample ? PPS_OK : pps_factors_find(&r->factors, inputs, r->n_varied, r->n, err);
    if (status != PPS_OK)
        return status;
    if (is_sample)
        return sample(r, err);
    return r->factors.is_grid ? whole_grid(r, err) : plain_rows(r, err);
}

enum pps_status pps_sensitivity_of_rows(const struct pps_observations *o, const uint32_t *list,
                                        uint64_t n, bool is_sample,
                                        struct pps_sensitivity_group *group,
                                        struct pps_error *err)
{
    struct rows r = {.o = o, .list = list, .n = n, .group = group};
    text_buffer_add(&group->notes, "%s", "");
    enum pps_status status = read_values(&r, err);
    if (status == PPS_OK)
        status = find_varied(&r, err);
    if (status == PPS_OK)
        status = analyse(&r, is_sample, err);
    if (status == PPS_OK)
        status = pps_effects_sort(group, err);
    note_missing(&r);
    for (int v = 0; r.varied != NULL && v <= o->n_params; v++)
        drop(&r.varied[v]);
    free(r.varied);
    free(r.y);
    pps_factors_free(&r.factors);
    return status;
}
