// SPDX-License-Identifier: Apache-2.0
// Defines the two functions of glibc that gcc's OpenMP runtime calls and musl does not have. The
// other functions that libgomp.a calls have the same names, types and constants in both C
// libraries on x86-64 and arm64. For the static build only (packaging/static/build).
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

// glibc's internal name of sysconf.
long __sysconf(int name);

long __sysconf(int name)
{
    return sysconf(name);
}

// Called only if OMP_PROC_BIND or OMP_PLACES asks to bind threads to processors; the runtime then
// leaves them unbound.
int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set);

int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set)
{
    (void)attr;
    (void)size;
    (void)set;
    return ENOSYS;
}
