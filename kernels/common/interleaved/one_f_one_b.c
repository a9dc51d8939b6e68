// SPDX-License-Identifier: Apache-2.0
// Evaluates the closed form stage by stage.
#include "kernels/common/interleaved/one_f_one_b.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double largest(const double *values, int32_t n)
{
    double most = 0;
    for (int32_t k = 0; k < n; k++)
        most = larger(most, values[k]);
    return most;
}

// The slowest forward and backward at and below every stage. They are needed from the last stage
// downwards, so the search starts there and repeats only when the slowest stage drops out.
struct slowest {
    const double *values;
    int32_t at; // index of the slowest value among values[0 .. here]
    double most;
};

static double slowest_up_to(struct slowest *s, int32_t stage)
{
    if (stage < s->at) {
        const double dropped = s->values[s->at];
        s->at--;
        if (dropped >= s->most)
            s->most = largest(s->values, s->at + 1);
    }
    return s->most;
}

double onefb_makespan(int32_t stages, int32_t micro_batches, const double *forward,
                      const double *backward)
{
    const int32_t last = stages - 1;
    struct slowest f = {forward, last, largest(forward, stages)};
    struct slowest b = {backward, last, largest(backward, stages)};
    double behind = 0, most = 0, s = 0, e = 0; // C(>j), the max, s(j), e(j)
    for (int32_t j = last; j >= 0; j--) {
        const double c = forward[j] + backward[j], rounds = micro_batches - stages + j;
        s = larger(s, (last - j) * slowest_up_to(&f, j) - behind);
        e = larger(e, (last - j) * slowest_up_to(&b, j) - behind);
        if (rounds > 0) {
            most = larger(most, rounds * c + behind + s + e);
        } else { // stage 0 and M = P
            most = larger(most, last * forward[0] + e);
            most = larger(most, last * backward[0] + s);
        }
        behind += c;
    }
    return behind + most;
}
