// SPDX-License-Identifier: Apache-2.0
// Evolves a normal distribution. Names of constants are those of the tutorial.
#include "engine/optimise/cma_es.h"

#include "base/math/detmath.h"
#include "base/math/normal.h"

#include <math.h>
#include <string.h>

// ---- eigen --------------------------------------------------------------------------------------

enum { MOST_SWEEPS = 60 };

// Makes a[p][q] zero.
static void rotate(double *a, double *v, int n, int p, int q)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        const double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int k = 0; k < n; k++) {
        const double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
    for (int k = 0; k < n; k++) {
        const double kp = v[k * n + p], kq = v[k * n + q];
        v[k * n + p] = c * kp - s * kq;
        v[k * n + q] = s * kp + c * kq;
    }
}

static double off_diagonal(const double *a, int n)
{
    double sum = 0;
    for (int p = 0; p < n; p++)
        for (int q = p + 1; q < n; q++)
            sum += a[p * n + q] * a[p * n + q];
    return sum;
}

void pps_eigen(double *a, int n, double *values, double *vectors)
{
    double scale = 0;
    for (int i = 0; i < n * n; i++) {
        vectors[i] = i % (n + 1) == 0 ? 1 : 0;
        scale += a[i] * a[i];
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && off_diagonal(a, n) > 1e-30 * scale; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (a[p * n + q] != 0)
                    rotate(a, vectors, n, p, q);
    for (int i = 0; i < n; i++)
        values[i] = a[i * n + i];
}

// ---- cma es -------------------------------------------------------------------------------------

enum { FOR_CMA = 11 << 24 };

int pps_cma_lambda(int n)
{
    const int usual = 4 + (int)floor(3 * detmath_log(n));
    return usual < 8 ? 8 : usual;
}

// ---- constants ------------------------------------------------------------------------------------

static void set_weights(struct pps_cma *cma)
{
    double sum = 0, squares = 0;
    cma->mu = cma->lambda / 2;
    for (int i = 0; i < cma->mu; i++)
        sum += cma->weights[i] = detmath_log((cma->lambda + 1) / 2.) - detmath_log(i + 1);
    for (int i = 0; i < cma->mu; i++) {
        cma->weights[i] /= sum;
        squares += cma->weights[i] * cma->weights[i];
    }
    cma->mu_eff = 1 / squares;
}

static void set_rates(struct pps_cma *cma)
{
    const double n = cma->n, mu = cma->mu_eff;
    cma->c_sigma = (mu + 2) / (n + mu + 5);
    cma->d_sigma = 1 + 2 * fmax(0, sqrt((mu - 1) / (n + 1)) - 1) + cma->c_sigma;
    cma->c_c = (4 + mu / n) / (n + 4 + 2 * mu / n);
    cma->c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu);
    cma->c_mu = fmin(1 - cma->c_1, 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
    cma->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

void pps_cma_begin(struct pps_cma *cma, const struct pps_domain *domain, const double *x,
                   double sigma, int lambda, uint64_t seed)
{
    *cma = (struct pps_cma){.domain = domain,
                            .n = pps_domain_size(domain),
                            .lambda = lambda,
                            .sigma = sigma,
                            .seed = seed,
                            .best = (double)INFINITY};
    set_weights(cma);
    set_rates(cma);
    for (int i = 0; i < cma->n; i++) {
        cma->mean[i] = x[i];
        cma->lengths[i] = 1;
        cma->covariance[i * cma->n + i] = cma->axes[i * cma->n + i] = 1;
    }
}

bool pps_cma_has_ended(const struct pps_cma *cma)
{
    bool narrow = true;
    for (int i = 0; i < cma->n; i++)
        narrow = narrow &&
                 cma->sigma * sqrt(cma->covariance[i * cma->n + i]) < cma->domain->grain[i];
    const uint32_t patience = 10 + (uint32_t)(30 * cma->n / cma->lambda);
    return narrow || cma->flat || cma->since_best > patience;
}

// ---- a generation -----------------------------------------------------------------------------------

static double draw(const struct pps_cma *cma, int point, int coordinate)
{
    const uint32_t counter[4] = {(uint32_t)coordinate, (uint32_t)point, cma->generation,
                                 FOR_CMA};
    const uint32_t key[2] = {(uint32_t)cma->seed, (uint32_t)(cma->seed >> 32)};
    return normal_draw(counter, key);
}

void pps_cma_ask(const struct pps_cma *cma, double *x)
{
    const int n = cma->n;
    for (int k = 0; k < cma->lambda; k++, x += n) {
        memcpy(x, cma->mean, (size_t)n * sizeof *x);
        for (int j = 0; j < n; j++) {
            const double z = cma->sigma * cma->lengths[j] * draw(cma, k, j);
            for (int i = 0; i < n; i++)
                x[i] += cma->axes[i * n + j] * z;
        }
        pps_domain_repair(cma->domain, x);
    }
}

// Sorts the points by value; equal values keep their order.
static void rank(const struct pps_cma *cma, const double *values, int *order)
{
    for (int k = 0; k < cma->lambda; k++) {
        int at = k;
        for (; at > 0 && values[k] < values[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

// Returns the length of C^(-1/2) y, written to `white`.
static void whiten(const struct pps_cma *cma, const double *y, double *white)
{
    const int n = cma->n;
    memset(white, 0, (size_t)n * sizeof *white);
    for (int j = 0; j < n; j++) {
        double part = 0;
        for (int i = 0; i < n; i++)
            part += cma->axes[i * n + j] * y[i];
        part /= cma->lengths[j];
        for (int i = 0; i < n; i++)
            white[i] += cma->axes[i * n + j] * part;
    }
}

// Follows the step of the mean; returns the length of p_sigma.
static double follow(struct pps_cma *cma, const double *step, bool *slow)
{
    const int n = cma->n;
    double white[PPS_MOST_COORDINATES], squares = 0;
    whiten(cma, step, white);
    const double rate = sqrt(cma->c_sigma * (2 - cma->c_sigma) * cma->mu_eff);
    for (int i = 0; i < n; i++) {
        cma->p_sigma[i] = (1 - cma->c_sigma) * cma->p_sigma[i] + rate * white[i];
        squares += cma->p_sigma[i] * cma->p_sigma[i];
    }
    double decay = 1;
    for (uint32_t g = 0; g <= cma->generation && decay > 1e-12; g++)
        decay *= (1 - cma->c_sigma) * (1 - cma->c_sigma);
    *slow = sqrt(squares) / sqrt(1 - decay) < (1.4 + 2. / (n + 1)) * cma->chi;
    const double path = *slow ? sqrt(cma->c_c * (2 - cma->c_c) * cma->mu_eff) : 0;
    for (int i = 0; i < n; i++)
        cma->p_c[i] = (1 - cma->c_c) * cma->p_c[i] + path * step[i];
    return sqrt(squares);
}

static void adapt(struct pps_cma *cma, const double *x, const int *order,
                  const double *old_mean, bool slow)
{
    const int n = cma->n;
    const double missing = slow ? 0 : cma->c_1 * cma->c_c * (2 - cma->c_c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *c = &cma->covariance[i * n + j];
            *c = (1 - cma->c_1 - cma->c_mu + missing) * *c +
                 cma->c_1 * cma->p_c[i] * cma->p_c[j];
            for (int k = 0; k < cma->mu; k++) {
                const double *y = x + (size_t)order[k] * (size_t)n;
                *c += cma->c_mu * cma->weights[k] * ((y[i] - old_mean[i]) / cma->sigma) *
                      ((y[j] - old_mean[j]) / cma->sigma);
            }
        }
}

static void decompose(struct pps_cma *cma)
{
    double copy[PPS_MOST_COORDINATES * PPS_MOST_COORDINATES];
    memcpy(copy, cma->covariance, sizeof copy);
    pps_eigen(copy, cma->n, cma->lengths, cma->axes);
    for (int j = 0; j < cma->n; j++)
        cma->lengths[j] = sqrt(fmax(cma->lengths[j], 1e-14));
}

static void note_values(struct pps_cma *cma, const double *values, const int *order)
{
    const double low = values[order[0]];
    cma->flat = low == values[order[cma->lambda - 1]];
    cma->since_best = low < cma->best ? 0 : cma->since_best + 1;
    cma->best = fmin(cma->best, low);
}

void pps_cma_tell(struct pps_cma *cma, const double *x, const double *values)
{
    const int n = cma->n;
    int order[PPS_MOST_OFFSPRING];
    double old_mean[PPS_MOST_COORDINATES], step[PPS_MOST_COORDINATES];
    bool slow;
    rank(cma, values, order);
    note_values(cma, values, order);
    memcpy(old_mean, cma->mean, sizeof old_mean);
    memset(cma->mean, 0, sizeof cma->mean);
    for (int k = 0; k < cma->mu; k++)
        for (int i = 0; i < n; i++)
            cma->mean[i] += cma->weights[k] * x[(size_t)order[k] * (size_t)n + (size_t)i];
    for (int i = 0; i < n; i++)
        step[i] = (cma->mean[i] - old_mean[i]) / cma->sigma;
    const double length = follow(cma, step, &slow);
    adapt(cma, x, order, old_mean, slow);
    const double growth = cma->c_sigma / cma->d_sigma * (length / cma->chi - 1);
    cma->sigma = fmin(cma->sigma * detmath_exp(fmin(growth, 1)), 1);
    decompose(cma);
    cma->generation++;
}
