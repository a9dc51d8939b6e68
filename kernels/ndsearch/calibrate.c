// SPDX-License-Identifier: Apache-2.0
// Gauss and Newton's method with Levenberg's damping on the logarithms, derivatives by differences:
// at most four unknowns, each a few hundred predictions.
#include "calibrate.h"

#include "estimatecache.h"

#include "kernels/common/detmath.h"

#include <math.h>
#include <string.h>

#define ROUNDS 60
// Of an efficiency, for a derivative: large against rounding, small against curvature.
#define STEP 1e-5
// Efficiencies outside say that something else is wrong.
#define LEAST 0.02
#define MOST  1.0
// How much less is known of an efficiency beforehand than a measured step says: 0.3 against 0.05 of
// its logarithm.
#define DRAWN (0.05 / 0.3)

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
    int n;
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

// Normal equations for relative changes of the unknowns.
static void linearise(const struct problem *p,
                      const struct hardware *hardware,
                      struct normal *normal)
{
    memset(normal, 0, sizeof *normal);
    for (int i = 0; i < p->n; i++) {
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

static void describe(const struct problem *p, struct nd_fit *fit)
{
    for (int i = 0; i < p->n; i++) {
        const struct nd_measurement *m = p->measurements[i];
        double error = fabs(nd_predict(m, &fit->hardware, p->cache) / m->seconds - 1);
        fit->mean_error += error / p->n;
        fit->worst_error = fmax(fit->worst_error, error);
    }
}

void nd_calibrate(const struct nd_measurement *const *measurements,
                  int n,
                  unsigned which,
                  const struct hardware *start,
                  struct nd_cache *cache,
                  struct nd_fit *fit)
{
    struct problem p = {.measurements = measurements, .n = n, .cache = cache};
    for (int k = 0; k < ND_EFFICIENCIES; k++)
        if (which >> k & 1) {
            p.start[p.n_unknown] = nd_efficiency_of(start, (enum nd_efficiency)k);
            p.unknown[p.n_unknown++] = k;
        }
    *fit = (struct nd_fit){.hardware = *start};
    double now = squares(&p, start), damping = 1e-3;
    for (; fit->rounds < ROUNDS && damping < 1e9; fit->rounds++) {
        struct normal normal;
        double x[ND_EFFICIENCIES];
        linearise(&p, &fit->hardware, &normal);
        solve(&normal, p.n_unknown, damping, x);
        struct hardware moved = moved_by(&p, &fit->hardware, x);
        double next = squares(&p, &moved);
        if (!(next < now)) {
            damping *= 10;
            continue;
        }
        bool still = now - next < 1e-13 * now;
        fit->hardware = moved;
        now = next;
        damping /= 10;
        if (still)
            break;
    }
    describe(&p, fit);
}
