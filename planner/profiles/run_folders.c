// SPDX-License-Identifier: Apache-2.0
// Walks through folders.
#include "planner/profiles/run_folders.h"

#include "base/text/grow_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, RUN_LEVELS = 4, FILE_LEVELS = 16, MOST_FILES = 1000000 };

const char *run_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void run_folders_free(struct run_folders *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        free(runs->rows[i].path);
    free(runs->rows);
    *runs = (struct run_folders){0};
}

void run_files_free(struct run_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (struct run_files){0};
}

// ---- one folder ---------------------------------------------------------------------------------

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

// Takes an entry of a folder.
typedef enum pps_status (*visitor)(void *self,
                                   const char *path,
                                   bool is_folder,
                                   struct pps_error *err);

// Calls the visitor for all files and folders in a folder, in order of their names. Without
// `links`, links to folders are skipped.
static enum pps_status visit(const char *folder,
                             bool links,
                             visitor take,
                             void *self,
                             struct pps_error *err)
{
    char path[PATH_BYTES];
    struct stat info, link;
    struct dirent **entries;
    enum pps_status status = PPS_OK;
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    const int n = scandir(folder, &entries, is_shown, by_name);
    if (n < 0)
        return pps_fail_errno(err, "cannot read", folder);
    for (int k = 0; k < n; k++) {
        const char *name = entries[k]->d_name;
        if (status == PPS_OK &&
            snprintf(path, sizeof path, "%s%s%s", folder, slash, name) < PATH_BYTES &&
            stat(path, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) &&
            (links || S_ISREG(info.st_mode) ||
             (lstat(path, &link) == 0 && !S_ISLNK(link.st_mode))))
            status = take(self, path, S_ISDIR(info.st_mode), err);
        free(entries[k]);
    }
    free(entries);
    return status;
}

// ---- runs ---------------------------------------------------------------------------------------

struct search {
    struct run_folders *runs;
    const struct run_guess *guess;
    int level;
};

static bool is_log_name(const char *name)
{
    static const char *const ends[] = {".log", ".txt", ".out"};
    size_t n = strlen(name);
    if (n > 3 && strcmp(name + n - 3, ".gz") == 0)
        n -= 3;
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        if (n > 4 && strncmp(name + n - 4, ends[k], 4) == 0)
            return true;
    return false;
}

static enum pps_status add_run(struct run_folders *runs,
                               const char *path,
                               const struct run_degrees *degrees,
                               struct pps_error *err)
{
    struct run_folder *rows = pps_grow(runs->rows, &runs->room, runs->n + 1, sizeof *rows);
    char *copy = strdup(path);
    if (rows != NULL)
        runs->rows = rows;
    if (rows == NULL || copy == NULL) {
        free(copy);
        return pps_fail_memory(err, "the runs in %s", path);
    }
    rows[runs->n++] = (struct run_folder){copy, *degrees};
    return PPS_OK;
}

static enum pps_status take_run(void *self,
                                const char *path,
                                bool is_folder,
                                struct pps_error *err);

// Takes a folder: a run if its name says so; else the runs in it; else a run if the guess says so.
static enum pps_status take_folder(const struct search *search,
                                   const char *path,
                                   struct pps_error *err)
{
    struct search below = {search->runs, search->guess, search->level + 1};
    const struct run_guess *guess = search->guess;
    const size_t before = search->runs->n;
    struct run_degrees degrees;
    if (run_degrees_read(run_file_name(path), &degrees))
        return add_run(search->runs, path, &degrees, err);
    if (search->level < RUN_LEVELS) {
        const enum pps_status status = visit(path, true, take_run, &below, err);
        if (status != PPS_OK || search->runs->n > before)
            return status;
    }
    return guess != NULL && guess->degrees(guess->self, path, &degrees)
               ? add_run(search->runs, path, &degrees, err)
               : PPS_OK;
}

static enum pps_status take_run(void *self,
                                const char *path,
                                bool is_folder,
                                struct pps_error *err)
{
    const struct search *search = self;
    struct run_degrees degrees;
    const char *name = run_file_name(path);
    if (is_folder)
        return take_folder(search, path, err);
    return run_degrees_read(name, &degrees) && is_log_name(name)
               ? add_run(search->runs, path, &degrees, err)
               : PPS_OK;
}

enum pps_status run_folders_find(struct run_folders *runs,
                                 const char *folder,
                                 const struct run_guess *guess,
                                 struct pps_error *err)
{
    const struct search search = {runs, guess, 0};
    char path[PATH_BYTES];
    *runs = (struct run_folders){0};
    snprintf(path, sizeof path, "%s", folder);
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/';)
        path[--n] = '\0';
    const enum pps_status status = take_folder(&search, path, err);
    if (status != PPS_OK)
        run_folders_free(runs);
    return status;
}

// ---- files --------------------------------------------------------------------------------------

struct listing {
    struct run_files *files;
    int level;
};

static enum pps_status add_file(struct run_files *files,
                                const char *path,
                                struct pps_error *err)
{
    if (files->n == MOST_FILES)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                           "more than %d files in the folder of a run", MOST_FILES);
    char **paths = pps_grow(files->paths, &files->room, files->n + 1, sizeof *paths);
    char *copy = strdup(path);
    if (paths != NULL)
        files->paths = paths;
    if (paths == NULL || copy == NULL) {
        free(copy);
        return pps_fail_memory(err, "the files of %s", path);
    }
    paths[files->n++] = copy;
    return PPS_OK;
}

static enum pps_status take_file(void *self,
                                 const char *path,
                                 bool is_folder,
                                 struct pps_error *err)
{
    const struct listing *listing = self;
    struct listing below = {listing->files, listing->level + 1};
    if (!is_folder)
        return add_file(listing->files, path, err);
    return below.level < FILE_LEVELS ? visit(path, false, take_file, &below, err) : PPS_OK;
}

int32_t run_file_rank(const struct run_files *files, size_t file)
{
    return run_rank_of_path(files->paths[file] + files->below);
}

enum pps_status run_files_list(struct run_files *files, const char *path, struct pps_error *err)
{
    struct listing listing = {files, 0};
    struct stat info;
    *files = (struct run_files){.below = strlen(path)};
    if (stat(path, &info) != 0)
        return pps_fail_errno(err, "cannot read", path);
    if (!S_ISDIR(info.st_mode))
        files->below = (size_t)(run_file_name(path) - path);
    const enum pps_status status = S_ISDIR(info.st_mode)
                                       ? visit(path, false, take_file, &listing, err)
                                       : add_file(files, path, err);
    if (status != PPS_OK)
        run_files_free(files);
    return status;
}
