// SPDX-License-Identifier: Apache-2.0
// Dense layers for one instruction set. CMakeLists.txt compiles this file once for each set and defines
// DENSE, the name of the table.
#include "base/math/dense.h"

#include <string.h>

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif

enum { PARTS = DENSE_LANES / WIDTH };

typedef double vec __attribute__((vector_size(WIDTH * sizeof(double))));

#define DENSE_INLINE static inline __attribute__((always_inline))

struct row {
    vec part[PARTS];
};

DENSE_INLINE struct row load(const double *from)
{
    struct row row;
    memcpy(&row, from, sizeof row);
    return row;
}

DENSE_INLINE void store(double *to, struct row row)
{
    memcpy(to, &row, sizeof row);
}

// a + x b
DENSE_INLINE struct row add_times(struct row a, double x, struct row b)
{
    for (int k = 0; k < PARTS; k++)
        a.part[k] += x * b.part[k];
    return a;
}

static void forward(int n_in, int n_out, const double *x, const double *weight, double *y)
{
    int o = 0;
    for (; o + 2 * DENSE_LANES <= n_out; o += 2 * DENSE_LANES) {
        struct row left = load(y + o), right = load(y + o + DENSE_LANES);
        for (int i = 0; i < n_in; i++) {
            const double *w = weight + i * n_out + o;
            left = add_times(left, x[i], load(w));
            right = add_times(right, x[i], load(w + DENSE_LANES));
        }
        store(y + o, left);
        store(y + o + DENSE_LANES, right);
    }
    for (; o < n_out; o += DENSE_LANES) {
        struct row sum = load(y + o);
        for (int i = 0; i < n_in; i++)
            sum = add_times(sum, x[i], load(weight + i * n_out + o));
        store(y + o, sum);
    }
}

static void weights(int n_in, int n_out, const double *x, const double *dy, double *dweight)
{
    for (int o = 0; o < n_out; o += DENSE_LANES) {
        const struct row d = load(dy + o);
        for (int i = 0; i < n_in; i++) {
            double *w = dweight + i * n_out + o;
            store(w, add_times(load(w), x[i], d));
        }
    }
}

DENSE_INLINE double sum_of(struct row row)
{
    double s[DENSE_LANES];
    store(s, row);
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static void inputs(int n_in, int n_out, const double *weight, const double *dy, double *dx)
{
    for (int i = 0; i < n_in; i++) {
        struct row sum = {{{0}}};
        for (int o = 0; o < n_out; o += DENSE_LANES) {
            const struct row w = load(weight + i * n_out + o), d = load(dy + o);
            for (int k = 0; k < PARTS; k++)
                sum.part[k] += w.part[k] * d.part[k];
        }
        dx[i] += sum_of(sum);
    }
}

// The root is correctly rounded on every processor.
DENSE_INLINE vec root(vec a)
{
    for (int k = 0; k < WIDTH; k++)
        a[k] = __builtin_sqrt(a[k]);
    return a;
}

static void adam(int n, const double *gradient, double scale, double rate, double *first,
                 double *second, double *parameter)
{
    for (int i = 0; i < n; i += DENSE_LANES) {
        const struct row g = load(gradient + i);
        struct row m = load(first + i), v = load(second + i), p = load(parameter + i);
        for (int k = 0; k < PARTS; k++) {
            const vec d = scale * g.part[k];
            m.part[k] += (1 - 0.9) * (d - m.part[k]);
            v.part[k] += (1 - 0.999) * (d * d - v.part[k]);
            p.part[k] -= rate * m.part[k] / (root(v.part[k]) + 1e-8);
        }
        store(first + i, m);
        store(second + i, v);
        store(parameter + i, p);
    }
}

const struct dense DENSE = {forward, weights, inputs, adam};
