// SPDX-License-Identifier: Apache-2.0
// Holds the table of factors.
#include "planner/nd/profiling/factors.h"

#include "base/math/detmath.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct factor {
    const char *name;
    double least, most;
    size_t offset; // in the record
    bool of_stack, is_rate;
};

#define DEVICE(name_, member)                                                                  \
    {                                                                                          \
        .name = name_, .least = 0.02, .most = 1, .offset = offsetof(struct hardware, member),  \
        .is_rate = true                                                                        \
    }
#define RATE(name_, member)                                                                    \
    {                                                                                          \
        .name = name_, .least = 0.02, .most = 4, .offset = offsetof(struct stack, member),     \
        .of_stack = true, .is_rate = true                                                      \
    }
#define AMOUNT(member, least_, most_)                                                          \
    {                                                                                          \
        .name = #member, .least = least_, .most = most_,                                       \
        .offset = offsetof(struct stack, member), .of_stack = true                             \
    }

static const struct factor factors[ND_FACTORS] = {
    [ND_GEMM] = DEVICE("eg", gemm_eff),
    [ND_ATTENTION] = DEVICE("ea", attention_eff),
    [ND_MEMORY] = DEVICE("em", memory_eff),
    [ND_LINK] = DEVICE("el", link_eff),
    [ND_FP8] = DEVICE("eg8", fp8_eff),
    [ND_RATE_GEMM] = RATE("gemm", rates.gemm),
    [ND_RATE_ATTENTION] = RATE("attention", rates.attention),
    [ND_RATE_MEMORY] = RATE("memory", rates.memory),
    [ND_RATE_LINK] = RATE("link", rates.link),
    [ND_TP_EXPOSED] = AMOUNT(tp_exposed, 0, 1),
    [ND_CP_EXPOSED] = AMOUNT(cp_exposed, 0, 1),
    [ND_EP_EXPOSED] = AMOUNT(ep_exposed, 0, 1),
    [ND_PP_EXPOSED] = AMOUNT(pp_exposed, 0, 1),
    [ND_DP_HIDDEN] = AMOUNT(dp_hidden, 0, 1),
    [ND_ZERO_HIDDEN] = AMOUNT(zero_hidden, 0, 1),
    [ND_ZERO_EXPOSED] = AMOUNT(zero_exposed, 0, 1),
    [ND_GROUPED_HALF] = AMOUNT(grouped_half, 0, 1000),
    [ND_IMBALANCE] = AMOUNT(imbalance, 1, 2),
    [ND_LAUNCH] = AMOUNT(launch, 0, 0.01),
    [ND_LAUNCH_EXPERTS] = AMOUNT(launch_experts, 0, 0.02),
    [ND_GAP] = AMOUNT(gap, 0, 0.005),
    [ND_ACROSS] = {.name = "across",
                   .least = 1e9,
                   .most = 1e12,
                   .offset = offsetof(struct stack, rates.across),
                   .of_stack = true,
                   .is_rate = true},
    [ND_QUANTISE] = AMOUNT(quantise, 0, 30),
};

const char *nd_factor_name(enum nd_factor factor)
{
    return factors[factor].name;
}

enum nd_factor nd_factor_find(const char *name, size_t length)
{
    for (int i = 0; i < ND_FACTORS; i++)
        if (strlen(factors[i].name) == length && memcmp(factors[i].name, name, length) == 0)
            return (enum nd_factor)i;
    return ND_FACTORS;
}

bool nd_factor_of_stack(enum nd_factor factor)
{
    return factors[factor].of_stack;
}

double *nd_factor_at(enum nd_factor factor, struct hardware *hardware, struct stack *stack)
{
    const struct factor *f = &factors[factor];
    char *record = f->of_stack ? (char *)stack : (char *)hardware;
    return (double *)(void *)(record + f->offset);
}

double nd_factor_moved(enum nd_factor factor, double start, double u)
{
    const struct factor *f = &factors[factor];
    const double moved = f->is_rate ? start * detmath_exp(u) : start + u * (f->most - f->least);
    return fmax(fmin(f->least, start), fmin(moved, fmax(f->most, start)));
}

bool nd_factor_at_end(enum nd_factor factor, double start, double value)
{
    const struct factor *f = &factors[factor];
    const bool moved = value < start || value > start;
    return moved && (value <= fmin(f->least, start) || value >= fmax(f->most, start));
}
