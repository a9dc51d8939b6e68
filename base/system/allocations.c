// SPDX-License-Identifier: Apache-2.0
// Notes every allocation of the program that fails (see "memory" in base/text/status.h). The linker
// redirects calls of malloc to __wrap_malloc, and __real_malloc is malloc (its option --wrap, in
// CMakeLists.txt); the others alike. posix_memalign is not redirected: with it the engine tries
// whether a large point has room. A text of open_memstream that is incomplete shows at fclose.
#include "base/text/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The linker expects these names.
void *__real_malloc(size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
void *__real_calloc(size_t n, size_t unit);
void *__real_realloc(void *old, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
FILE *__real_fopen(const char *path, const char *how);
DIR *__real_opendir(const char *path);
FILE *__real_open_memstream(char **text, size_t *n);
int __real_fclose(FILE *file);
void *__wrap_malloc(size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
void *__wrap_calloc(size_t n, size_t unit);
void *__wrap_realloc(void *old, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
FILE *__wrap_fopen(const char *path, const char *how);
DIR *__wrap_opendir(const char *path);
FILE *__wrap_open_memstream(char **text, size_t *n);
int __wrap_fclose(FILE *file);
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void *noted(void *memory)
{
    if (memory == NULL)
        pps_memory_note();
    return memory;
}

void *__wrap_malloc(size_t n)
{
    return noted(__real_malloc(n));
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
    return noted(__real_aligned_alloc(alignment, n));
}

void *__wrap_calloc(size_t n, size_t unit)
{
    return noted(__real_calloc(n, unit));
}

void *__wrap_realloc(void *old, size_t n)
{
    return noted(__real_realloc(old, n));
}

char *__wrap_strdup(const char *text)
{
    return noted(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t n)
{
    return noted(__real_strndup(text, n));
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vasprintf(text, format, args);
    va_end(args);
    if (n < 0)
        pps_memory_note();
    return n;
}

// A file that cannot be opened is no lack of memory, unless errno says so.
static void *noted_errno(void *opened)
{
    if (opened == NULL && errno == ENOMEM)
        pps_memory_note();
    return opened;
}

FILE *__wrap_fopen(const char *path, const char *how)
{
    return noted_errno(__real_fopen(path, how));
}

DIR *__wrap_opendir(const char *path)
{
    return noted_errno(__real_opendir(path));
}

FILE *__wrap_open_memstream(char **text, size_t *n)
{
    return noted(__real_open_memstream(text, n));
}

// A stream of memory may have failed to grow before, or fail to give its text away now, which sets errno alone.
int __wrap_fclose(FILE *file)
{
    const int before = errno;
    errno = 0;
    const int failed = __real_fclose(file);
    if (errno == ENOMEM || (failed != 0 && before == ENOMEM))
        pps_memory_note();
    if (errno == 0)
        errno = before;
    return failed;
}
