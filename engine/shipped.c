// SPDX-License-Identifier: Apache-2.0
// Looking a name up, in the source tree and where the program is installed.
#include "shipped.h"

#include "suggest.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 256, LONGEST_NAME = 64 };

static const char *const folders[] = {PPS_SWEEP_CONFIGS, PPS_INSTALLED_CONFIGS};

char *pps_shipped_path(const char *kind, const char *name, char *path)
{
    if (path == NULL || strpbrk(name, "/\\") != NULL || strcmp(name, "-") == 0 ||
        access(path, F_OK) == 0)
        return path;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *shipped = NULL;
        if (asprintf(&shipped, "%s/%ss/%s.json", folders[i], kind, name) < 0)
            shipped = NULL;
        const bool found = shipped != NULL && access(shipped, R_OK) == 0;
        free(found || shipped == NULL ? path : shipped);
        if (found || shipped == NULL)
            return shipped;
    }
    return path;
}

// "m.json", but not "qwen2.5-72b".
static bool has_ending(const char *name)
{
    const char *dot = strrchr(name, '.');
    while (dot != NULL && isalpha((unsigned char)dot[1]))
        dot++;
    return dot != NULL && dot[1] == '\0';
}

// Names of the documents of a kind, n so far.
static size_t list_names(const char *folder,
                         const char *kind,
                         char names[MOST_NAMES][LONGEST_NAME],
                         size_t n)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%ss", folder, kind);
    DIR *dir = opendir(path);
    if (dir == NULL)
        return n;
    for (const struct dirent *e; n < MOST_NAMES && (e = readdir(dir)) != NULL;) {
        const size_t length = strlen(e->d_name);
        if (length <= 5 || length >= LONGEST_NAME ||
            strcmp(e->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(names[n++], LONGEST_NAME, "%.*s", (int)(length - 5), e->d_name);
    }
    closedir(dir);
    return n;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

// The names of the documents of a kind that come with the program, each once, in order.
static size_t all_names(const char *kind, char names[MOST_NAMES][LONGEST_NAME])
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        n = list_names(folders[i], kind, names, n);
    qsort(names, n, sizeof names[0], by_name);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            memmove(names[kept++], names[i], LONGEST_NAME);
    return kept;
}

// The name that was meant, or all that there are, as many as fit.
static void write_names(const char *kind, const char *name, char *out, size_t cap)
{
    char names[MOST_NAMES][LONGEST_NAME];
    const char *all[MOST_NAMES];
    const size_t n = all_names(kind, names);
    for (size_t i = 0; i < n; i++)
        all[i] = names[i];
    const struct pps_hint hint = pps_did_you_mean(name, all, n);
    size_t used = (size_t)snprintf(out, cap, "%s", hint.text);
    for (size_t i = 0; hint.text[0] == '\0' && i < n && used < cap; i++)
        used += (size_t)snprintf(out + used, cap - used, "%s%s",
                                 i == 0 ? "; those that do: " : ", ", names[i]);
}

struct pps_missing pps_shipped_missing(const char *kind, const char *name, const char *path)
{
    struct pps_missing missing = {""};
    if (strpbrk(name, "/\\") != NULL || strcmp(name, "-") == 0 || has_ending(name) ||
        access(path, F_OK) == 0)
        return missing;
    const int used = snprintf(missing.text, sizeof missing.text,
                              "%.80s: there is no such file, and no such %.16s comes with the "
                              "program",
                              name, kind);
    write_names(kind, name, missing.text + used, sizeof missing.text - (size_t)used);
    return missing;
}
