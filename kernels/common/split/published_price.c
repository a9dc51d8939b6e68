// SPDX-License-Identifier: Apache-2.0
// For a given period the end is the greatest of paths[k] - k period, where paths[k] is the longest
// path that goes back k times; more than n times never pays, as no cycle is positive. Hence a
// convex function of the period, linear in pieces, with its least value at the shortest period
// there is or where two pieces meet. The shortest period is the greatest mean of a cycle between
// marks (Karp 1978).
#include "kernels/common/split/published_price.h"

#include <math.h>

// Two loops compare by hand: with fmin and fmax there gcc 12 for arm64 ends in an internal error at
// -O3 (vect_transform_reduction). A comparison skips NaN as they do.

static double at(const struct nd_marks *m, int32_t i, int32_t j)
{
    return m->between[i * m->n + j];
}

// Longest walks of k steps to j are walks[k * n + j].
static double greatest_mean(const struct nd_marks *m, double *walks)
{
    const int32_t n = m->n;
    double mean = -HUGE_VAL;
    for (int32_t j = 0; j < n; j++)
        walks[j] = 0;
    for (int32_t k = 1; k <= n; k++)
        for (int32_t j = 0; j < n; j++) {
            double most = -HUGE_VAL;
            for (int32_t i = 0; i < n; i++)
                most = fmax(most, walks[(k - 1) * n + i] + at(m, i, j));
            walks[k * n + j] = most;
        }
    for (int32_t j = 0; j < n; j++) {
        double least = HUGE_VAL;
        for (int32_t k = 0; k < n; k++) {
            const double slope = (walks[n * n + j] - walks[k * n + j]) / (n - k);
            least = slope < least ? slope : least;
        }
        mean = fmax(mean, least);
    }
    return mean;
}

// paths[k] for k = 0 ... n
static void find_paths(const struct nd_marks *m, double *paths, double *reached)
{
    double *from = reached, *to = reached + m->n;
    paths[0] = m->end;
    for (int32_t j = 0; j < m->n; j++)
        from[j] = m->arrive[j];
    for (int32_t k = 1; k <= m->n; k++) {
        paths[k] = -HUGE_VAL;
        for (int32_t j = 0; j < m->n; j++) {
            paths[k] = fmax(paths[k], from[j] + m->leave[j]);
            to[j] = -HUGE_VAL;
            for (int32_t i = 0; i < m->n; i++)
                to[j] = fmax(to[j], from[i] + at(m, i, j));
        }
        double *swap = from;
        from = to;
        to = swap;
    }
}

static double price(const double *paths, int32_t n, int32_t residue, double period)
{
    double end = paths[0];
    for (int32_t k = 1; k <= n; k++) {
        const double back = paths[k] - k * period;
        end = back > end ? back : end;
    }
    return end + residue * period;
}

double nd_stable(const struct nd_marks *m, int32_t residue, double *period, double *room)
{
    const int32_t n = m->n;
    const double shortest = fmax(0, greatest_mean(m, room));
    double *paths = room;
    find_paths(m, paths, room + n + 1);
    double least = price(paths, n, residue, shortest);
    *period = shortest;
    for (int32_t k = 0; k < n; k++)
        for (int32_t l = k + 1; l <= n; l++) {
            const double meet = (paths[l] - paths[k]) / (l - k);
            if (!(meet > shortest && meet < HUGE_VAL))
                continue;
            const double one = price(paths, n, residue, meet);
            if (one < least) {
                least = one;
                *period = meet;
            }
        }
    return least;
}
