// SPDX-License-Identifier: Apache-2.0
// Reports CPUs, memory and time of the machine, and allocates scratch memory. All functions are
// thread-safe.
#pragma once

#include <stddef.h>

// Number of CPUs this process may use: the minimum of affinity, cgroup quota and
// SLURM_CPUS_PER_TASK.
int pps_machine_cpus(void);

// Bytes of memory this process may use: physical memory or the limit of the cgroup.
double pps_machine_memory(void);

// Monotonic clocks: wall seconds since an arbitrary time; CPU seconds of all threads since the
// start of the process; CPU seconds of the calling thread.
double pps_wall_seconds(void);
double pps_cpu_seconds(void);
double pps_thread_seconds(void);

// Maximum resident memory so far, in bytes.
double pps_peak_memory(void);

// Writes the name of the machine, such as "AMD EPYC, 2 CPUs".
void pps_machine_name(char *out, size_t cap);

// Returns the vector instructions that kernels use on this processor: "avx512", "avx2" or "portable".
// Results do not depend on them.
const char *pps_machine_vectors(void);

// Returns the name and version of the C library: "glibc 2.36" or "musl".
const char *pps_machine_c_library(void);

// Allocates at least `bytes` of zeroed memory, aligned to 64 bytes: the scratch of a worker that
// kernel.h promises. The caller frees it with free. Returns NULL if memory runs out.
void *pps_scratch_take(size_t bytes);
