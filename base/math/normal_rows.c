// SPDX-License-Identifier: Apache-2.0
// Chooses the rows of random numbers for the instruction set of this processor.
#include "base/math/normal.h"

extern const struct normal_rows normal_rows_portable;
#if defined(__x86_64__)
extern const struct normal_rows normal_rows_avx2, normal_rows_avx512;
#endif

const struct normal_rows *normal_rows_of(enum normal_set set)
{
#if defined(__x86_64__)
    if (set == NORMAL_AVX2 && __builtin_cpu_supports("avx2"))
        return &normal_rows_avx2;
    if (set == NORMAL_AVX512 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &normal_rows_avx512;
#endif
    return set == NORMAL_PORTABLE ? &normal_rows_portable : NULL;
}

const struct normal_rows *normal_rows(void)
{
    const struct normal_rows *rows = normal_rows_of(NORMAL_AVX512);
    rows = rows != NULL ? rows : normal_rows_of(NORMAL_AVX2);
    return rows != NULL ? rows : &normal_rows_portable;
}
