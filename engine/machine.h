// SPDX-License-Identifier: Apache-2.0
// What the machine offers and what this process used of it.
#ifndef PPS_MACHINE_H
#define PPS_MACHINE_H

#include <stddef.h>

// CPUs this process may use: the least of affinity, cgroup quota and SLURM_CPUS_PER_TASK.
int pps_machine_cpus(void);

// Bytes of memory this process may use: physical, or the cgroup's limit.
double pps_machine_memory(void);

// Seconds: since some moment; of CPU, all threads, since the start.
double pps_wall_seconds(void);
double pps_cpu_seconds(void);

// Greatest resident memory so far, in bytes.
double pps_peak_memory(void);

// A name for the machine, e.g. "AMD EPYC, 2 CPUs".
void pps_machine_name(char *out, size_t cap);

// "1 234 567": a count for people.
void pps_human_count(double n, char *out, size_t cap);

// "12.3 MiB".
void pps_human_bytes(double bytes, char *out, size_t cap);

// "1h 02m", "3.4 s", "12 ms".
void pps_human_seconds(double seconds, char *out, size_t cap);

#endif
