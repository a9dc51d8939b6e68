// SPDX-License-Identifier: Apache-2.0
// Decides whether a file may be written.
#include "base/write/gate.h"

#include "base/system/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct pps_gate pps_gate_open = {.force = true};

// ---- what is read -------------------------------------------------------------------------------

enum pps_status pps_gate_apart(const char *path, const char *input, struct pps_error *err)
{
    static const char *const endings[] = {"", ".idx", ".json"};
    struct stat info;
    if (path == NULL || input == NULL || strcmp(path, "-") == 0 || strcmp(input, "-") == 0 ||
        stat(input, &info) != 0 || !S_ISREG(info.st_mode))
        return PPS_OK;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *name;
        if (asprintf(&name, "%s%s", input, endings[i]) < 0)
            return pps_fail_memory(err, "a path");
        const bool same = pps_whole_file_same(path, name);
        free(name);
        if (same)
            return pps_fail(err, PPS_E_INPUT, "%s belongs to the input; choose another name",
                            path);
    }
    return PPS_OK;
}

// Of every path of a list "A,B".
static enum pps_status apart_from_list(const char *path, const char *list,
                                       struct pps_error *err)
{
    char *copy = strdup(list), *rest = copy, *each;
    enum pps_status status = copy != NULL ? PPS_OK : pps_fail_memory(err, "a path");
    while (status == PPS_OK && (each = strsep(&rest, ",")) != NULL)
        status = pps_gate_apart(path, each, err);
    free(copy);
    return status;
}

enum pps_status pps_gate_check_inputs(const struct pps_gate *gate, const char *path,
                                      struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < gate->n_inputs && status == PPS_OK; i++) {
        status = pps_gate_apart(path, gate->inputs[i], err);
        if (status == PPS_OK && strchr(gate->inputs[i], ',') != NULL)
            status = apart_from_list(path, gate->inputs[i], err);
    }
    return status;
}

// ---- what exists --------------------------------------------------------------------------------

static enum pps_status fail_twice(const char *path, struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "%s is the name of two files of this command; choose another name", path);
}

static enum pps_status check_existing(const struct pps_gate *gate, const char *path,
                                      struct pps_error *err)
{
    const enum pps_mark mark = pps_mark_look(path, &gate->maker);
    if (mark == PPS_MARK_NOW)
        return fail_twice(path, err);
    if (gate->force || mark == PPS_MARK_VALID)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    mark == PPS_MARK_EDITED ? "%s was edited; --force replaces it"
                                            : "%s exists; --force replaces it",
                    path);
}

enum pps_status pps_gate_check(const struct pps_gate *gate, const char *path,
                               struct pps_error *err)
{
    struct stat info;
    const enum pps_status status = pps_gate_check_inputs(gate, path, err);
    if (status != PPS_OK || lstat(path, &info) != 0)
        return status;
    const bool dangles = S_ISLNK(info.st_mode) && stat(path, &info) != 0;
    if (!dangles && S_ISDIR(info.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is a folder; expected a file name", path);
    if (!dangles && !S_ISREG(info.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a regular file; choose another name",
                        path);
    return check_existing(gate, path, err);
}

// ---- several files ------------------------------------------------------------------------------

// Appends the components of a path, without those that lead nowhere.
static void append(char *full, const char *rest)
{
    for (size_t n; *rest != '\0'; rest += n) {
        rest += strspn(rest, "/");
        n = strcspn(rest, "/");
        if (n > 0 && !(n == 1 && *rest == '.'))
            strncat(strcat(full, "/"), rest, n);
    }
}

// Returns the path with all folders resolved that exist; NULL: no memory. The caller frees it.
static char *resolved(const char *path)
{
    char *folder = strdup(path), *real = NULL;
    size_t n = folder != NULL ? strlen(folder) : 0;
    while (n > 0 && real == NULL) {
        while (n > 0 && folder[n - 1] != '/')
            n--;
        folder[n] = '\0';
        real = realpath(n > 0 ? folder : ".", NULL);
        while (real == NULL && n > 0 && folder[n - 1] == '/')
            n--;
    }
    char *full = real != NULL ? calloc(strlen(real) + strlen(path) + 3, 1) : NULL;
    if (full != NULL)
        append(strcpy(full, real), path + n);
    free(folder);
    free(real);
    return full;
}

static enum pps_status check_twice(const char *one, const char *other, struct pps_error *err)
{
    char *a = resolved(one), *b = resolved(other);
    enum pps_status status = PPS_OK;
    if (a == NULL || b == NULL)
        status = pps_fail_memory(err, "a path");
    else if (strcmp(a, b) == 0)
        status =
            pps_fail(err, PPS_E_INPUT,
                     "%s is the name of two files of this command; choose another name", one);
    free(a);
    free(b);
    return status;
}

enum pps_status pps_gate_check_all(const struct pps_gate *gate, const char *const *paths,
                                   size_t n, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < n && status == PPS_OK; i++) {
        if (paths[i] == NULL)
            continue;
        for (size_t k = 0; k < i && status == PPS_OK; k++)
            status = paths[k] != NULL ? check_twice(paths[i], paths[k], err) : PPS_OK;
        if (status == PPS_OK)
            status = pps_gate_check(gate, paths[i], err);
    }
    return status;
}
