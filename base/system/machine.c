// SPDX-License-Identifier: Apache-2.0
// Reads CPUs, memory and time of the machine; allocates scratch memory.
#include "base/system/machine.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TEXT(token)   #token
#define NUMBER(macro) TEXT(macro)

static int affinity_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

// Writes the folder of the cgroup (version 2) of this process, or the root folder.
static void cgroup_file(const char *name, char *path, size_t cap)
{
    char line[512] = "", *group = NULL;
    FILE *in = fopen("/proc/self/cgroup", "re");
    while (in != NULL && group == NULL && fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, "0::", 3) == 0)
            group = line + 3;
    if (in != NULL)
        fclose(in);
    if (group != NULL)
        group[strcspn(group, "\n")] = '\0';
    snprintf(path, cap, "/sys/fs/cgroup%s/%s", group != NULL ? group : "", name);
    if (access(path, R_OK) != 0)
        snprintf(path, cap, "/sys/fs/cgroup/%s", name);
}

static double quota_cpus(void)
{
    char path[640];
    double quota, period, cpus = HUGE_VAL;
    cgroup_file("cpu.max", path, sizeof path);
    FILE *in = fopen(path, "re");
    if (in != NULL && fscanf(in, "%lf %lf", &quota, &period) == 2 && period > 0)
        cpus = ceil(quota / period);
    if (in != NULL)
        fclose(in);
    return cpus;
}

int pps_machine_cpus(void)
{
    double cpus = fmin(affinity_cpus(), quota_cpus());
    const char *slurm = getenv("SLURM_CPUS_PER_TASK");
    if (slurm != NULL && atoi(slurm) > 0)
        cpus = fmin(cpus, atoi(slurm));
    return cpus >= 1 ? (int)cpus : 1;
}

double pps_machine_memory(void)
{
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    char path[640];
    double limit;
    cgroup_file("memory.max", path, sizeof path);
    FILE *in = fopen(path, "re");
    if (in != NULL && fscanf(in, "%lf", &limit) == 1)
        memory = fmin(memory, limit);
    if (in != NULL)
        fclose(in);
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        memory = fmin(memory, (double)space.rlim_cur);
    return memory;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double pps_wall_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double pps_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double pps_thread_seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double pps_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

void pps_machine_name(char *out, size_t cap)
{
    char line[256], model[128] = "unknown CPU";
    FILE *in = fopen("/proc/cpuinfo", "re");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "model name : %127[^\n]", model) == 1)
            break;
    if (in != NULL)
        fclose(in);
    snprintf(out, cap, "%s, %d CPUs", model, pps_machine_cpus());
}

enum { SCRATCH_ALIGN = 64 };

void *pps_scratch_take(size_t bytes)
{
    const size_t rounded = (bytes + SCRATCH_ALIGN) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    void *scratch = NULL;
    if (posix_memalign(&scratch, SCRATCH_ALIGN, rounded) != 0)
        return NULL;
    return memset(scratch, 0, rounded);
}

const char *pps_machine_vectors(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        return "avx512";
    if (__builtin_cpu_supports("avx2"))
        return "avx2";
#endif
    return "portable";
}

const char *pps_machine_c_library(void)
{
#ifdef __GLIBC__
    static const char name[] = "glibc " NUMBER(__GLIBC__) "." NUMBER(__GLIBC_MINOR__);
    return name;
#else
    return "musl";
#endif
}
