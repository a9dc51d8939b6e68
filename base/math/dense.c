// SPDX-License-Identifier: Apache-2.0
// Chooses the dense layers for the instruction set of this processor.
#include "base/math/dense.h"

#include "base/math/normal.h"

extern const struct dense dense_set_portable;
#if defined(__x86_64__)
extern const struct dense dense_set_avx2, dense_set_avx512;
#endif

const struct dense *dense_portable(void)
{
    return &dense_set_portable;
}

const struct dense *dense_fastest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &dense_set_avx512;
    if (__builtin_cpu_supports("avx2"))
        return &dense_set_avx2;
#endif
    return &dense_set_portable;
}

// tanh x = 1 - 2 / (e^2x + 1), in which e^2x may be 0 or infinite.
void dense_tanh(int n, double *inout)
{
    for (int i = 0; i < n; i++)
        inout[i] *= 2;
    normal_rows()->exp((size_t)n / NORMAL_LANES, inout);
    for (int i = 0; i < n; i++)
        inout[i] = 1 - 2 / (inout[i] + 1);
}
