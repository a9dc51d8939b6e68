// SPDX-License-Identifier: Apache-2.0
// Notes every allocation of the program that fails (see "memory" in base/text/status.h). The linker
// redirects calls of malloc to __wrap_malloc, and __real_malloc is malloc (option --wrap of the linker,
// in CMakeLists.txt); the others alike. Not redirected are aligned_alloc, with which the engine
// tries whether a large point has room, and what other libraries allocate for themselves.
#include "base/text/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The linker expects these names.
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t unit);
void *__real_realloc(void *old, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t unit);
void *__wrap_realloc(void *old, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
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
