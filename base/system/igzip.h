// SPDX-License-Identifier: Apache-2.0
// Cleanup after a call of isa-l.
//
// isa-l leaves the upper halves of the vector registers in use, which slows every later
// instruction on a lower half: a kernel ran at half its speed after the first block. Measured
// with ppsweep run --compress isal:1 on an AMD EPYC, isa-l 2.30.
#ifndef PPS_IGZIP_H
#define PPS_IGZIP_H

#ifdef __x86_64__
#include <immintrin.h>

__attribute__((target("avx"))) static void pps_clear_upper_halves(void)
{
    _mm256_zeroupper();
}
#endif

static inline void pps_leave_igzip(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx"))
        pps_clear_upper_halves();
#endif
}

#endif
