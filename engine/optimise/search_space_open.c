// SPDX-License-Identifier: Apache-2.0
// Opens search spaces: reads --over and lists the arms.
#include "engine/optimise/search_space.h"

#include "engine/optimise/search_space_private.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GRAIN = 1e-5;

// ---- searched parameters --------------------------------------------------------------------------

// Sets low and high to the ends of an axis of numbers; false: it has names, or sets several parameters.
static bool ends_of(const struct pps_axis *axis, double *low, double *high)
{
    if (axis->kind == PPS_AXIS_CONTINUOUS || axis->kind == PPS_AXIS_RANGE) {
        *low = axis->start;
        *high = axis->kind == PPS_AXIS_CONTINUOUS
                    ? axis->stop
                    : axis->start + axis->step * (double)(axis->count - 1);
        return true;
    }
    if (axis->kind != PPS_AXIS_TABLE || axis->n_members != 1 || axis->of_slot)
        return false;
    *low = (double)INFINITY;
    *high = -(double)INFINITY;
    for (uint32_t v = 0; v < axis->members[0].n_values; v++) {
        *low = fmin(*low, axis->members[0].values[v]);
        *high = fmax(*high, axis->members[0].values[v]);
    }
    return true;
}

static int decimals_of(double width)
{
    char text[32];
    snprintf(text, sizeof text, "%.17e", width);
    const int decimals = 6 - atoi(strchr(text, 'e') + 1);
    return decimals > 15 ? 15 : decimals < -15 ? -15 : decimals;
}

static enum pps_status add_box(struct pps_search_space *s, int p, double low, double high,
                               struct pps_error *err)
{
    const struct pps_param *param = &s->experiment->kernel->params[p];
    char why[PPS_WHY];
    if (!(high > low))
        return pps_fail(err, PPS_E_INPUT,
                        "--over %s: it has one value; write a range, as in --over %s=1..2",
                        param->name, param->name);
    if (!pps_value_check(param, low, why) || !pps_value_check(param, high, why))
        return pps_fail(err, PPS_E_INPUT, "--over %s: %s", param->name, why);
    if (s->n_boxes == PPS_MOST_COORDINATES - PPS_MOST_WEIGHTS)
        return pps_fail(err, PPS_E_INPUT, "--over: at most %d parameters",
                        PPS_MOST_COORDINATES - PPS_MOST_WEIGHTS);
    s->boxes[s->n_boxes++] =
        (struct pps_box){p, low, high, param->kind == PPS_INTEGER, decimals_of(high - low)};
    s->searched |= (uint64_t)1 << p;
    return PPS_OK;
}

static enum pps_status add_composite(struct pps_search_space *s, const struct pps_axis *axis)
{
    s->composite = axis;
    s->searched |= axis->sets;
    return PPS_OK;
}

// ---- --over ---------------------------------------------------------------------------------------

static enum pps_status bad_range(const char *text, struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "--over %s: expected NAME or NAME=LOW..HIGH, as in --over bwd_len=1..3",
                    text);
}

// Reads LOW..HIGH.
static bool read_ends(const char *text, double *low, double *high)
{
    const char *dots = strstr(text, "..");
    char *end, head[64];
    if (dots == NULL || dots == text || (size_t)(dots - text) >= sizeof head)
        return false;
    memcpy(head, text, (size_t)(dots - text));
    head[dots - text] = '\0';
    *low = strtod(head, &end);
    if (*end != '\0' || end == head)
        return false;
    *high = strtod(dots + 2, &end);
    return *end == '\0' && end != dots + 2 && isfinite(*low) && isfinite(*high);
}

static enum pps_status search_one(struct pps_search_space *s, char *word, struct pps_error *err)
{
    const struct pps_kernel *kernel = s->experiment->kernel;
    char *equals = strchr(word, '=');
    double low = 0, high = 0;
    if (equals != NULL && !read_ends(equals + 1, &low, &high))
        return bad_range(word, err);
    const int p =
        pps_param_find(kernel, word, equals != NULL ? (size_t)(equals - word) : strlen(word));
    if (p < 0)
        return pps_fail(err, PPS_E_INPUT, "--over %s: %s has no parameter of this name", word,
                        kernel->name);
    const struct pps_param *param = &kernel->params[p];
    const struct pps_axis *axis = pps_space_axis_of(&s->experiment->space, p);
    if ((s->searched >> p & 1) != 0)
        return axis != NULL && axis == s->composite
                   ? PPS_OK
                   : pps_fail(err, PPS_E_INPUT, "--over: %s appears twice", param->name);
    if (axis != NULL && axis->kind == PPS_AXIS_COMPOSITE)
        return add_composite(s, axis);
    if ((param->kind != PPS_REAL && param->kind != PPS_INTEGER) || param->fixed)
        return pps_fail(err, PPS_E_INPUT,
                        "--over %s: only numbers can be searched; all of its values are tried",
                        param->name);
    if (axis != NULL && (axis->kind == PPS_AXIS_DEPENDENT || axis->n_members > 1))
        return pps_fail(
            err, PPS_E_INPUT,
            "--over %s: its values depend on other parameters; set it to a list or a "
            "range of its own",
            param->name);
    if (equals == NULL && axis == NULL)
        return pps_fail(
            err, PPS_E_INPUT,
            "--over %s: the experiment does not name it; write a range, as in --over "
            "%s=1..2",
            param->name, param->name);
    if (equals == NULL && (!ends_of(axis, &low, &high) || low < param->min))
        return pps_fail(err, PPS_E_INPUT,
                        "--over %s: it has names among its values; write a range", param->name);
    return add_box(s, p, low, high, err);
}

static enum pps_status search_named(struct pps_search_space *s, const char *over,
                                    struct pps_error *err)
{
    char *words = strdup(over), *rest = words;
    enum pps_status status = words == NULL ? pps_fail_memory(err, "--over") : PPS_OK;
    for (char *word; status == PPS_OK && (word = strsep(&rest, ",")) != NULL;)
        status = word[0] == '\0' ? bad_range(over, err) : search_one(s, word, err);
    free(words);
    return status;
}

static bool is_number_axis(const struct pps_search_space *s, const struct pps_axis *axis)
{
    double low, high;
    if (pps_axis_is_constant(axis) || axis->kind == PPS_AXIS_DEPENDENT ||
        !ends_of(axis, &low, &high))
        return false;
    const struct pps_param *param = &s->experiment->kernel->params[__builtin_ctzll(axis->sets)];
    return param->kind == PPS_REAL && low >= param->min;
}

static enum pps_status search_usual(struct pps_search_space *s, struct pps_error *err)
{
    const struct pps_space *space = &s->experiment->space;
    enum pps_status status = PPS_OK;
    for (int pass = 0; pass < 2 && s->searched == 0; pass++)
        for (int d = 0; d < space->n_axes && status == PPS_OK; d++) {
            const struct pps_axis *axis = &space->axes[d];
            const bool usual = pass == 1 || axis->kind == PPS_AXIS_CONTINUOUS;
            double low, high;
            if (axis->kind == PPS_AXIS_COMPOSITE && !pps_axis_is_constant(axis))
                status = add_composite(s, axis);
            else if (usual && is_number_axis(s, axis) && ends_of(axis, &low, &high))
                status = add_box(
                    s, axis->kind == PPS_AXIS_TABLE ? axis->members[0].param : axis->param, low,
                    high, err);
        }
    if (status == PPS_OK && s->searched == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "no real parameter of this experiment has several values; name what to "
                        "search, as in --over NAME=LOW..HIGH (ppsweep run computes every "
                        "combination of listed values)");
    return status;
}

// ---- names and weights of the composite axis --------------------------------------------------------

// The values of the composite axis with one assignment of names.
struct pattern {
    double names[PPS_MOST_WEIGHTS]; // negative: a name; 0: a number
    double value;                   // of a single number
    double sum;
    bool same_sum;
};

static void note_value(struct pattern *pattern, const double *values, int n, bool is_new)
{
    double sum = 0;
    for (int m = 0; m < n; m++)
        sum += values[m] >= 0 ? values[m] : 0;
    if (is_new) {
        *pattern = (struct pattern){.sum = sum, .same_sum = true};
        for (int m = 0; m < n; m++)
            pattern->names[m] = fmin(values[m], 0);
    }
    pattern->same_sum = pattern->same_sum && fabs(sum - pattern->sum) < 1e-9;
}

static bool is_pattern(const struct pattern *pattern, const double *values, int n)
{
    for (int m = 0; m < n; m++)
        if (pattern->names[m] != fmin(values[m], 0))
            return false;
    return true;
}

// Lists the patterns; returns their number, at most `most`.
static int list_patterns(const struct pps_axis *axis, struct pattern *patterns, int most)
{
    const struct pps_composite *composite = axis->composite;
    int n = 0;
    for (uint64_t i = 0; i < axis->count; i++) {
        double values[PPS_MAX_PARAMS];
        int k = 0;
        composite->value(axis->options, i, values);
        while (k < n && !is_pattern(&patterns[k], values, composite->n_members))
            k++;
        if (k == most)
            return most;
        note_value(&patterns[k], values, composite->n_members, k == n);
        n += k == n;
    }
    return n;
}

static void set_domain(const struct pps_search_space *s, struct pps_arm *arm, int n_weights)
{
    arm->domain = (struct pps_domain){.n_box = s->n_boxes, .n_weights = n_weights};
    for (int i = 0; i < PPS_MOST_COORDINATES; i++)
        arm->domain.grain[i] = i < s->n_boxes && s->boxes[i].whole
                                   ? 1 / (s->boxes[i].high - s->boxes[i].low)
                                   : GRAIN;
}

static enum pps_status add_pattern(struct pps_search_space *s, const struct pattern *pattern,
                                   struct pps_arm *arm, struct pps_error *err)
{
    const struct pps_composite *composite = s->composite->composite;
    int n = 0;
    if (!pattern->same_sum)
        return pps_fail(
            err, PPS_E_INPUT,
            "--over: the values of %s do not add up to a constant; name each of them "
            "with a range",
            s->experiment->kernel->params[composite->members[0]].name);
    for (int m = 0; m < composite->n_members; m++) {
        arm->point[composite->members[m]] = pattern->names[m];
        if (pattern->names[m] >= 0)
            arm->weights[n++] = composite->members[m];
    }
    arm->sum = pattern->sum;
    if (n == 1)
        arm->point[arm->weights[0]] = pattern->sum;
    set_domain(s, arm, n > 1 && pattern->sum > 0 ? n : 0);
    return pps_search_space_add(s, arm, err);
}

static enum pps_status add_patterns(struct pps_search_space *s, const double *point,
                                    struct pps_error *err)
{
    enum { MOST = 256 };
    struct pattern patterns[MOST];
    struct pps_arm arm = {.sum = 0};
    enum pps_status status = PPS_OK;
    memcpy(arm.point, point, sizeof arm.point);
    if (s->composite == NULL) {
        set_domain(s, &arm, 0);
        return pps_search_space_add(s, &arm, err);
    }
    if (s->composite->composite->n_members > PPS_MOST_WEIGHTS)
        return pps_fail(err, PPS_E_INPUT, "--over: at most %d weights", PPS_MOST_WEIGHTS);
    const int n = list_patterns(s->composite, patterns, MOST);
    for (int k = 0; k < n && status == PPS_OK; k++)
        status = add_pattern(s, &patterns[k], &arm, err);
    return status;
}

// ---- arms -----------------------------------------------------------------------------------------

// Tries all values of axis d and of the axes inwards.
static enum pps_status list_arms(struct pps_search_space *s, int d, double *point,
                                 struct pps_error *err)
{
    const struct pps_space *space = &s->experiment->space;
    if (d == space->n_axes)
        return add_patterns(s, point, err);
    const struct pps_axis *axis = &space->axes[d];
    struct pps_axis_values values;
    enum pps_status status = PPS_OK;
    if ((axis->sets & s->searched) != 0)
        return list_arms(s, d + 1, point, err);
    if (axis->kind == PPS_AXIS_CONTINUOUS)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s is continuous, so it cannot be tried value by value; search it with "
            "--over, or set it to a list",
            space->kernel->params[axis->param].name);
    if (axis->kind == PPS_AXIS_DEPENDENT && (pps_expr_uses(axis->expr) & s->searched) != 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s depends on a parameter that is searched; set it to a list",
                        space->kernel->params[axis->param].name);
    pps_axis_values(axis, point, &values);
    for (uint64_t i = 0; i < values.count && status == PPS_OK; i++)
        if (pps_axis_place(axis, space->kernel->params, &values, i, point, NULL))
            status = list_arms(s, d + 1, point, err);
    return status;
}

static enum pps_status refuse_documents(const struct pps_search_space *s, struct pps_error *err)
{
    const struct pps_space *space = &s->experiment->space;
    for (int d = 0; d < space->n_axes; d++)
        if (space->axes[d].of_slot && !pps_axis_is_constant(&space->axes[d]))
            return pps_fail(
                err, PPS_E_INPUT,
                "the experiment has several documents of one kind; choose one of each, "
                "as in -i model=FILE");
    return PPS_OK;
}

enum pps_status pps_search_space_open(struct pps_search_space *s,
                                      const struct pps_experiment *experiment, const char *over,
                                      int objective, struct pps_error *err)
{
    const struct pps_space *space = &experiment->space;
    double point[PPS_MAX_PARAMS];
    *s = (struct pps_search_space){.experiment = experiment, .objective = objective};
    enum pps_status status = refuse_documents(s, err);
    if (status == PPS_OK)
        status = over != NULL ? search_named(s, over, err) : search_usual(s, err);
    if (status != PPS_OK)
        return status;
    s->varied = s->searched;
    for (int d = 0; d < space->n_axes; d++)
        if (!pps_axis_is_constant(&space->axes[d]))
            s->varied |= space->axes[d].sets;
    memcpy(point, space->base, sizeof point);
    status = list_arms(s, 0, point, err);
    if (status == PPS_OK && s->n_arms == 0)
        status = pps_fail(err, PPS_E_INPUT, "the experiment has no points");
    return status;
}
