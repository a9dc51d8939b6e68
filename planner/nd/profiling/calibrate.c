// SPDX-License-Identifier: Apache-2.0
// Minimises by the Gauss-Newton method with Levenberg's damping on the logarithms, with
// derivatives by differences.
#include "planner/nd/profiling/calibrate.h"

#include "base/edit/json_write.h"
#include "base/math/detmath.h"
#include "kernels/common/estimate/estimate_cache.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 60
// Of u, for a derivative: large against rounding, small against curvature.
#define STEP 1e-5
#define FAR  0.5 // of u in a round: far from here nothing is linear

// ---- one measurement ----------------------------------------------------------------------------

// Past what fits no step gets faster.
enum { MBS_END = 64 };

double nd_predict(const struct nd_measurement *measurement, struct nd_cache *cache)
{
    const struct nd_strategy *s = &measurement->point.strategy;
    const struct hardware *hardware = &measurement->hardware;
    struct cluster cluster = {.world_size = (int64_t)s->dp * s->tp * s->cp * s->pp,
                              .node_devices = hardware->node,
                              .hardware = *hardware};
    struct nd_point point = measurement->point;
    struct nd_estimate e;
    struct nd_time time;
    nd_estimate_open(&e, &measurement->model, &cluster, &measurement->training, 0);
    if (s->mbs > 0) {
        nd_time_of(&e, cache, &point, &time);
        return time.step;
    }
    double best = HUGE_VAL;
    for (int32_t mbs = 1; mbs < MBS_END; mbs *= 2) {
        if (point.gbs % ((int64_t)mbs * s->dp) != 0)
            break;
        point.strategy.mbs = mbs;
        nd_time_of(&e, cache, &point, &time);
        best = fmin(best, time.step);
    }
    return best;
}

static bool is_word(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && memcmp(word, name, n) == 0;
}

// Whether one name of the list selects the records of a measurement.
static bool selects(const char *word, size_t n, const struct nd_measurement *m, bool of_stack)
{
    const char *at = memchr(word, '@', n);
    if (!of_stack)
        return is_word(word, n, m->hardware.base);
    if (at == NULL)
        return is_word(word, n, stack_base(&m->training.stack));
    const size_t name = (size_t)(at - word);
    return is_word(word, name, stack_base(&m->training.stack)) &&
           is_word(at + 1, n - name - 1, m->hardware.base);
}

static bool belongs(const struct nd_unknown *unknown, const struct nd_measurement *m)
{
    const char *word = unknown->of;
    if (*word == '\0')
        return true;
    for (;;) {
        const size_t n = strcspn(word, ",");
        if (selects(word, n, m, nd_factor_of_stack(unknown->factor)))
            return true;
        if (word[n] == '\0')
            return false;
        word += n + 1;
    }
}

// The factors of a stack for the device of the measurement become those of the stack.
static void settle_rates(struct nd_measurement *m)
{
    struct stack *stack = &m->training.stack;
    for (int i = 0; i < stack->n_on; i++)
        if (strcmp(stack->on[i].device, m->hardware.base) == 0)
            stack->rates = stack->on[i].rates;
    stack->n_on = 0;
}

// The rate of a device as a share of that of the device which the list names: GB300 has more than B200.
static double share_of(const struct nd_unknown *unknown, const struct nd_measurement *m,
                       double own)
{
    const struct hardware *named = hardware_find(m->hardware.base);
    if (*unknown->of == '\0' || nd_factor_of_stack(unknown->factor) || named == NULL)
        return 1;
    struct hardware record = *named;
    return own / *nd_factor_at(unknown->factor, &record, NULL);
}

void nd_take_unknowns(struct nd_measurement *measurement, const struct nd_unknown *unknowns,
                      int n)
{
    settle_rates(measurement);
    for (int k = 0; k < n; k++)
        if (belongs(&unknowns[k], measurement)) {
            double *at = nd_factor_at(unknowns[k].factor, &measurement->hardware,
                                      &measurement->training.stack);
            *at = unknowns[k].value * share_of(&unknowns[k], measurement, *at);
        }
}

// ---- fitting ------------------------------------------------------------------------------------

struct problem {
    const struct nd_measurement *const *measurements;
    int n;
    const bool *skip;
    struct nd_unknown *unknowns;
    int n_unknowns;
    const struct nd_fit_weights *weights;
    struct nd_cache *cache;
};

static void move_to(const struct problem *p, const double *u)
{
    for (int k = 0; k < p->n_unknowns; k++)
        p->unknowns[k].value =
            nd_factor_moved(p->unknowns[k].factor, p->unknowns[k].start, u[k]);
}

// The square root of the weight of a measurement; 0: it is left out.
static double weight_of(const struct problem *p, int i)
{
    int rows = 0;
    if (p->skip != NULL && p->skip[i])
        return 0;
    if (!p->weights->by_table)
        return 1;
    for (int j = 0; j < p->n; j++)
        rows += strcmp(p->measurements[i]->set, p->measurements[j]->set) == 0;
    return sqrt(1 / sqrt((double)rows));
}

static double residual(const struct problem *p, int i)
{
    struct nd_measurement m = *p->measurements[i];
    nd_take_unknowns(&m, p->unknowns, p->n_unknowns);
    return detmath_log(nd_predict(&m, p->cache) / m.seconds);
}

// The pseudo-Huber loss: r^2 where r is small, 2 bend |r| where it is large.
static double loss(const struct problem *p, double r)
{
    const double bend = p->weights->bend;
    return bend > 0 ? 2 * bend * bend * (sqrt(1 + r / bend * (r / bend)) - 1) : r * r;
}

// Its slope over that of r^2.
static double bent(const struct problem *p, double r)
{
    const double bend = p->weights->bend;
    return bend > 0 ? 1 / sqrt(1 + r / bend * (r / bend)) : 1;
}

static double squares(const struct problem *p, const double *u)
{
    double sum = 0;
    move_to(p, u);
    for (int i = 0; i < p->n; i++) {
        const double weight = weight_of(p, i);
        if (weight > 0)
            sum += weight * weight * loss(p, residual(p, i));
    }
    for (int k = 0; k < p->n_unknowns; k++)
        sum += p->weights->drawn * u[k] * p->weights->drawn * u[k];
    return sum;
}

struct normal {
    double matrix[ND_UNKNOWNS][ND_UNKNOWNS];
    double right[ND_UNKNOWNS];
};

// A factor at an end of its range does not move; the others move as if it were known.
static bool is_held(const struct problem *p, int k, double u, double pull)
{
    const enum nd_factor factor = p->unknowns[k].factor;
    const double start = p->unknowns[k].start, now = nd_factor_moved(factor, start, u);
    const double next = nd_factor_moved(factor, start, u + (pull > 0 ? STEP : -STEP));
    return pull != 0 && !(next > now) && !(next < now);
}

// Adds the terms of one measurement to the normal equations.
static void add_terms(const struct problem *p, int i, double *u, struct normal *normal)
{
    const double weight = weight_of(p, i);
    double slope[ND_UNKNOWNS];
    if (weight <= 0)
        return;
    move_to(p, u);
    const double r = residual(p, i), w = weight * weight * bent(p, r);
    for (int k = 0; k < p->n_unknowns; k++) {
        const double at = u[k];
        slope[k] = 0;
        if (!belongs(&p->unknowns[k], p->measurements[i]))
            continue;
        u[k] = at + STEP;
        move_to(p, u);
        slope[k] = (residual(p, i) - r) / STEP;
        u[k] = at;
    }
    for (int k = 0; k < p->n_unknowns; k++) {
        for (int l = 0; l < p->n_unknowns; l++)
            normal->matrix[k][l] += w * slope[k] * slope[l];
        normal->right[k] -= w * slope[k] * r;
    }
}

static void linearise(const struct problem *p, double *u, struct normal *normal)
{
    const double drawn = p->weights->drawn * p->weights->drawn;
    memset(normal, 0, sizeof *normal);
    for (int i = 0; i < p->n; i++)
        add_terms(p, i, u, normal);
    for (int k = 0; k < p->n_unknowns; k++) {
        normal->matrix[k][k] += drawn;
        normal->right[k] -= drawn * u[k];
    }
    for (int k = 0; k < p->n_unknowns; k++) {
        if (!is_held(p, k, u[k], normal->right[k]))
            continue;
        for (int l = 0; l < p->n_unknowns; l++)
            normal->matrix[k][l] = normal->matrix[l][k] = k == l;
        normal->right[k] = 0;
    }
}

// Cholesky's method; what drawing and damping add to the diagonal keeps it positive.
static void solve(const struct normal *normal, int n, double damping, double *x)
{
    double low[ND_UNKNOWNS][ND_UNKNOWNS] = {{0}};
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = normal->matrix[i][j] * (i == j ? 1 + damping : 1);
            for (int k = 0; k < j; k++)
                sum -= low[i][k] * low[j][k];
            low[i][j] = i == j ? sqrt(sum) : sum / low[j][j];
        }
    for (int i = 0; i < n; i++) {
        x[i] = normal->right[i];
        for (int k = 0; k < i; k++)
            x[i] -= low[i][k] * x[k];
        x[i] /= low[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= low[k][i] * x[k];
        x[i] /= low[i][i];
    }
}

static void descend(const struct problem *p)
{
    double u[ND_UNKNOWNS] = {0}, next_u[ND_UNKNOWNS], x[ND_UNKNOWNS];
    double now = squares(p, u), damping = 1e-3;
    for (int round = 0; round < ROUNDS && damping < 1e9; round++) {
        struct normal normal;
        linearise(p, u, &normal);
        solve(&normal, p->n_unknowns, damping, x);
        for (int k = 0; k < p->n_unknowns; k++)
            next_u[k] = u[k] + fmax(-FAR, fmin(x[k], FAR));
        const double next = squares(p, next_u);
        if (!(next < now)) {
            damping *= 10;
            continue;
        }
        const bool still = now - next < 1e-13 * now;
        memcpy(u, next_u, sizeof u);
        now = next;
        damping /= 10;
        if (still)
            break;
    }
    move_to(p, u);
}

void nd_fit(const struct nd_measurement *const *measurements, int n, const bool *skip,
            struct nd_unknown *unknowns, int n_unknowns, const struct nd_fit_weights *weights,
            struct nd_cache *cache)
{
    const struct problem p = {measurements, n, skip, unknowns, n_unknowns, weights, cache};
    descend(&p);
}

double nd_fit_scale(const struct nd_measurement *const *measurements, int n,
                    struct nd_cache *cache)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += detmath_log(measurements[i]->seconds / nd_predict(measurements[i], cache));
    return nd_scale_of(sum, n);
}

double nd_scale_of(double sum, int n)
{
    const double drawn = fmax(fabs(sum) / (n + 1), (fabs(sum) - ND_STEP_SPREAD) / n);
    return detmath_exp(copysign(drawn, sum));
}

double nd_error_of(const struct nd_measurement *measurement, const struct nd_unknown *unknowns,
                   int n, struct nd_cache *cache)
{
    struct nd_measurement m = *measurement;
    nd_take_unknowns(&m, unknowns, n);
    return nd_predict(&m, cache) / m.seconds - 1;
}

double nd_left_out_error(const struct nd_measurement *const *measurements, int n,
                         const struct nd_unknown *unknowns, int n_unknowns,
                         struct nd_cache *cache)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        struct nd_unknown found[ND_UNKNOWNS];
        const struct nd_measurement *others[ND_MEASURED];
        int n_others = 0;
        for (int j = 0; j < n; j++)
            if (j != i)
                others[n_others++] = measurements[j];
        memcpy(found, unknowns, (size_t)n_unknowns * sizeof *found);
        nd_fit(others, n_others, NULL, found, n_unknowns, &ND_ONE_TABLE, cache);
        sum += fabs(nd_error_of(measurements[i], found, n_unknowns, cache));
    }
    return sum / n;
}

// ---- fitted records -----------------------------------------------------------------------------

double nd_rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

void nd_add_record(struct text_buffer *text, const char *key, cJSON *record)
{
    text->failed |= record == NULL;
    if (record == NULL)
        return;
    text_buffer_add(text, "{\"%s\": ", key);
    json_write_tree(text, record);
    text_buffer_add(text, "}\n");
    cJSON_Delete(record);
}

static struct nd_measurement fitted(const struct nd_measurement *measurement,
                                    const struct nd_unknown *unknowns, int n)
{
    struct nd_measurement m = *measurement;
    struct nd_unknown values[ND_UNKNOWNS];
    for (int k = 0; k < n; k++) {
        values[k] = unknowns[k];
        values[k].value = nd_rounded(values[k].value);
    }
    nd_take_unknowns(&m, values, n);
    return m;
}

void nd_add_hardware_record(struct text_buffer *text, const struct nd_measurement *measurement,
                            const struct nd_unknown *unknowns, int n)
{
    struct nd_measurement m = fitted(measurement, unknowns, n);
    m.hardware.calibrated = true;
    nd_add_record(text, "hardware", hardware_document(&m.hardware));
}

static bool fits_rates(const struct nd_unknown *unknowns, int n)
{
    for (int k = 0; k < n; k++)
        if (unknowns[k].factor >= ND_RATE_GEMM && unknowns[k].factor <= ND_RATE_LINK)
            return true;
    return false;
}

// Without fitted rates the stack keeps those that it has on single devices.
void nd_add_stack_record(struct text_buffer *text, const struct nd_measurement *measurement,
                         const struct nd_unknown *unknowns, int n, double scale)
{
    const struct stack *was = &measurement->training.stack;
    struct stack stack = fitted(measurement, unknowns, n).training.stack;
    if (!fits_rates(unknowns, n)) {
        stack.rates = was->rates;
        memcpy(stack.on, was->on, sizeof stack.on);
        stack.n_on = was->n_on;
    }
    snprintf(stack.base, sizeof stack.base, "%s", stack_base(was));
    snprintf(stack.name, sizeof stack.name, "calibrated");
    stack.scale = nd_rounded(scale * was->scale);
    nd_add_record(text, "stack", stack_document(&stack));
}
