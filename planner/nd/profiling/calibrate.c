// SPDX-License-Identifier: Apache-2.0
// Minimises by the Gauss-Newton method with Levenberg's damping on the logarithms, with
// derivatives by differences: at most four unknowns, each a few hundred predictions.
#include "planner/nd/profiling/calibrate.h"

#include "kernels/ndsearch/estimate/estimate_cache.h"

#include "base/math/detmath.h"

#include <math.h>
#include <string.h>

#define ROUNDS 60
// Of an efficiency, for a derivative: large against rounding, small against curvature.
#define STEP 1e-5
// Efficiencies outside say that something else is wrong.
#define LEAST 0.02
#define MOST  1.0
// An efficiency is known beforehand to within a factor of e, a measured step to within 5 %. Drawn
// more, by 0.3 in place of 1, published points that are left out of a fit come out worse.
#define DRAWN (0.05 / 1.0)

// ---- one measurement ----------------------------------------------------------------------------

double nd_efficiency_of(const struct hardware *hardware, enum nd_efficiency which)
{
    const double all[ND_EFFICIENCIES] = {hardware->gemm_eff, hardware->attention_eff,
                                         hardware->memory_eff, hardware->link_eff};
    return all[which];
}

static void set_efficiency(struct hardware *hardware, int which, double value)
{
    double *const all[ND_EFFICIENCIES] = {&hardware->gemm_eff, &hardware->attention_eff,
                                          &hardware->memory_eff, &hardware->link_eff};
    *all[which] = value;
}

// Past what fits no step gets faster.
enum { MBS_END = 64 };

double nd_predict(const struct nd_measurement *measurement,
                  const struct hardware *hardware,
                  struct nd_cache *cache)
{
    const struct nd_strategy *s = &measurement->point.strategy;
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

// ---- fitting ------------------------------------------------------------------------------------

struct problem {
    const struct nd_measurement *const *measurements;
    int n, skip;                  // measurement `skip` is left out; -1: none is
    int unknown[ND_EFFICIENCIES]; // which
    int n_unknown;
    double start[ND_EFFICIENCIES]; // of the unknowns
    struct nd_cache *cache;
};

// Of one measurement.
static double residual(const struct problem *p, int i, const struct hardware *hardware)
{
    const struct nd_measurement *m = p->measurements[i];
    return detmath_log(nd_predict(m, hardware, p->cache) / m->seconds);
}

static double drawn(const struct problem *p, int k, const struct hardware *hardware)
{
    double now = nd_efficiency_of(hardware, (enum nd_efficiency)p->unknown[k]);
    return DRAWN * detmath_log(now / p->start[k]);
}

static double squares(const struct problem *p, const struct hardware *hardware)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        if (i == p->skip)
            continue;
        double r = residual(p, i, hardware);
        sum += r * r;
    }
    for (int k = 0; k < p->n_unknown; k++)
        sum += drawn(p, k, hardware) * drawn(p, k, hardware);
    return sum;
}

struct normal {
    double matrix[ND_EFFICIENCIES][ND_EFFICIENCIES];
    double right[ND_EFFICIENCIES];
};

// At a bound, and drawn outside: the others move as if it were known.
static bool held_back(const struct problem *p,
                      int k,
                      const struct hardware *hardware,
                      double pull)
{
    double now = nd_efficiency_of(hardware, (enum nd_efficiency)p->unknown[k]);
    return (now >= MOST && pull > 0) || (now <= LEAST && pull < 0);
}

// Normal equations for relative changes of the unknowns.
static void linearise(const struct problem *p,
                      const struct hardware *hardware,
                      struct normal *normal)
{
    memset(normal, 0, sizeof *normal);
    for (int i = 0; i < p->n; i++) {
        if (i == p->skip)
            continue;
        double r = residual(p, i, hardware), slope[ND_EFFICIENCIES];
        for (int k = 0; k < p->n_unknown; k++) {
            struct hardware moved = *hardware;
            double now = nd_efficiency_of(hardware, (enum nd_efficiency)p->unknown[k]);
            set_efficiency(&moved, p->unknown[k], now * (1 + STEP));
            slope[k] = (residual(p, i, &moved) - r) / STEP;
        }
        for (int k = 0; k < p->n_unknown; k++) {
            for (int l = 0; l < p->n_unknown; l++)
                normal->matrix[k][l] += slope[k] * slope[l];
            normal->right[k] -= slope[k] * r;
        }
    }
    for (int k = 0; k < p->n_unknown; k++) {
        normal->matrix[k][k] += DRAWN * DRAWN;
        normal->right[k] -= DRAWN * drawn(p, k, hardware);
    }
    for (int k = 0; k < p->n_unknown; k++)
        if (held_back(p, k, hardware, normal->right[k]))
            for (int l = 0; l < p->n_unknown; l++) {
                normal->matrix[k][l] = normal->matrix[l][k] = k == l;
                normal->right[k] = 0;
            }
}

// Cholesky's method; what drawing and damping add to the diagonal keeps it positive.
static void solve(const struct normal *normal, int n, double damping, double *x)
{
    double low[ND_EFFICIENCIES][ND_EFFICIENCIES] = {{0}};
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

static struct hardware moved_by(const struct problem *p,
                                const struct hardware *hardware,
                                const double *x)
{
    struct hardware moved = *hardware;
    for (int k = 0; k < p->n_unknown; k++) {
        double now = nd_efficiency_of(hardware, (enum nd_efficiency)p->unknown[k]);
        double change = fmax(-0.5, fmin(x[k], 1)); // far from here nothing is linear
        set_efficiency(&moved, p->unknown[k], fmax(LEAST, fmin(now * (1 + change), MOST)));
    }
    return moved;
}

static struct problem state_problem(const struct nd_measurement *const *measurements,
                                    int n,
                                    unsigned which,
                                    const struct hardware *start,
                                    struct nd_cache *cache)
{
    struct problem p = {.measurements = measurements, .n = n, .skip = -1, .cache = cache};
    for (int k = 0; k < ND_EFFICIENCIES; k++)
        if (which >> k & 1) {
            p.start[p.n_unknown] = nd_efficiency_of(start, (enum nd_efficiency)k);
            p.unknown[p.n_unknown++] = k;
        }
    return p;
}

static int descend(const struct problem *p, struct hardware *hardware)
{
    double now = squares(p, hardware), damping = 1e-3;
    int rounds = 0;
    for (; rounds < ROUNDS && damping < 1e9; rounds++) {
        struct normal normal;
        double x[ND_EFFICIENCIES];
        linearise(p, hardware, &normal);
        solve(&normal, p->n_unknown, damping, x);
        struct hardware moved = moved_by(p, hardware, x);
        double next = squares(p, &moved);
        if (!(next < now)) {
            damping *= 10;
            continue;
        }
        bool still = now - next < 1e-13 * now;
        *hardware = moved;
        now = next;
        damping /= 10;
        if (still)
            break;
    }
    return rounds;
}

static double error_of(const struct problem *p, int i, const struct hardware *hardware)
{
    return fabs(
        nd_predict(p->measurements[i], hardware, p->cache) / p->measurements[i]->seconds - 1);
}

void nd_calibrate(const struct nd_measurement *const *measurements,
                  int n,
                  unsigned which,
                  const struct hardware *start,
                  struct nd_cache *cache,
                  struct nd_fit *fit)
{
    struct problem p = state_problem(measurements, n, which, start, cache);
    *fit = (struct nd_fit){.hardware = *start};
    fit->rounds = descend(&p, &fit->hardware);
    for (int i = 0; i < n; i++) {
        double error = error_of(&p, i, &fit->hardware);
        fit->mean_error += error / n;
        fit->worst_error = fmax(fit->worst_error, error);
    }
}

double nd_left_out_error(const struct nd_measurement *const *measurements,
                         int n,
                         unsigned which,
                         const struct hardware *start,
                         struct nd_cache *cache)
{
    struct problem p = state_problem(measurements, n, which, start, cache);
    double sum = 0;
    for (p.skip = 0; p.skip < n; p.skip++) {
        struct hardware hardware = *start;
        descend(&p, &hardware);
        sum += error_of(&p, p.skip, &hardware);
    }
    return sum / n;
}
