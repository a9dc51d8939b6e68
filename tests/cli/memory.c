// SPDX-License-Identifier: Apache-2.0
// Preloaded library: makes the k-th allocation that a program makes after the start of main fail, or
// all allocations from the k-th on. Allocations of the dynamic linker and of the OpenMP runtime,
// which end the process when they fail, do not count. Programs that the process starts are not
// affected.
//   PPS_MEMORY_AT     k, from 1
//   PPS_MEMORY_HOW    once, or all
//   PPS_MEMORY_COUNT  a file that receives the number of allocations when the process ends
//   PPS_MEMORY_TRACE  a file that receives the calls that led to the allocation that failed
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPARED = 8, FRAMES = 40 };

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t unit);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

// The addresses of a library whose allocations succeed.
struct range {
    uintptr_t start, end;
};

static struct range spared[SPARED];
static int n_spared;
static long at;         // 0: none fails
static bool all, ready; // ready: the constructor has run
static const char *count_file, *trace_file;
static atomic_long calls;

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (strstr(info->dlpi_name, "libgomp") == NULL &&
        strstr(info->dlpi_name, "libomp") == NULL &&
        strstr(info->dlpi_name, "ld-linux") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && n_spared < SPARED; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            spared[n_spared++] = (struct range){start, start + info->dlpi_phdr[i].p_memsz};
        }
    return 0;
}

static void write_count(void)
{
    char text[32];
    const int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int n = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    if (write(fd, text, (size_t)n) != n)
        _exit(99);
    close(fd);
}

__attribute__((constructor)) static void start(void)
{
    void *frames[2];
    const char *k = getenv("PPS_MEMORY_AT"), *how = getenv("PPS_MEMORY_HOW");
    dl_iterate_phdr(note_library, NULL);
    at = k == NULL ? 0 : atol(k);
    all = how != NULL && strcmp(how, "all") == 0;
    count_file = getenv("PPS_MEMORY_COUNT");
    trace_file = getenv("PPS_MEMORY_TRACE");
    unsetenv("LD_PRELOAD");
    backtrace(frames, 2); // allocates when it is called first
    if (count_file != NULL)
        atexit(write_count);
    ready = true;
}

static void write_trace(void)
{
    void *frames[FRAMES];
    const int n = backtrace(frames, FRAMES);
    const int fd = open(trace_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    backtrace_symbols_fd(frames, n, fd);
    close(fd);
}

// Whether the allocation that `caller` asks for fails.
static bool strikes(const void *caller)
{
    const uintptr_t from = (uintptr_t)caller;
    if (!ready)
        return false;
    for (int i = 0; i < n_spared; i++)
        if (from >= spared[i].start && from < spared[i].end)
            return false;
    const long k = atomic_fetch_add(&calls, 1) + 1;
    if (at == 0 || k < at || (k > at && !all))
        return false;
    if (k == at && trace_file != NULL)
        write_trace();
    errno = ENOMEM;
    return true;
}

void *malloc(size_t n)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t unit)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_calloc(n, unit);
}

void *realloc(void *old, size_t n)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_realloc(old, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    *out = strikes(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, n);
    return *out == NULL ? ENOMEM : 0;
}
