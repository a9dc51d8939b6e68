// SPDX-License-Identifier: Apache-2.0
// Reports CPUs, memory and time of the machine, and formats numbers for people. All functions
// are thread-safe.
#ifndef PPS_MACHINE_H
#define PPS_MACHINE_H

#include <stddef.h>

// Number of CPUs this process may use: the minimum of affinity, cgroup quota and
// SLURM_CPUS_PER_TASK.
int pps_machine_cpus(void);

// Bytes of memory this process may use: physical memory or the limit of the cgroup.
double pps_machine_memory(void);

// Wall seconds since an arbitrary time; CPU seconds of all threads since the start of the
// process.
double pps_wall_seconds(void);
double pps_cpu_seconds(void);

// Maximum resident memory so far, in bytes.
double pps_peak_memory(void);

// Writes the name of the machine, such as "AMD EPYC, 2 CPUs".
void pps_machine_name(char *out, size_t cap);

// Writes a count for people, as in "1 234 567".
void pps_human_count(double n, char *out, size_t cap);

// Writes a size for people, as in "12.3 MiB".
void pps_human_bytes(double bytes, char *out, size_t cap);

// Writes a time for people, as in "1h 02m", "3.4 s" or "12 ms".
void pps_human_seconds(double seconds, char *out, size_t cap);

#endif
