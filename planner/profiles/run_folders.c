// SPDX-License-Identifier: Apache-2.0
// Walks through folders.
#include "planner/profiles/run_folders.h"

#include "base/text/grow_list.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- run name -----------------------------------------------------------------------------------

enum { MOST = 1000000000 };

// ---- degrees ------------------------------------------------------------------------------------

static const struct {
    const char *key;
    size_t at;
} KEYS[] = {
    {"DP", offsetof(struct run_degrees, dp)},  {"TP", offsetof(struct run_degrees, tp)},
    {"PP", offsetof(struct run_degrees, pp)},  {"EP", offsetof(struct run_degrees, ep)},
    {"CP", offsetof(struct run_degrees, cp)},  {"OP", offsetof(struct run_degrees, op)},
    {"VP", offsetof(struct run_degrees, vp)},  {"FSDP", offsetof(struct run_degrees, op)},
    {"VPP", offsetof(struct run_degrees, vp)}, {"MBS", offsetof(struct run_degrees, mbs)},
};

static void read_part(const char *part, struct run_degrees *degrees)
{
    for (size_t k = 0; k < sizeof KEYS / sizeof KEYS[0]; k++) {
        const size_t n = strlen(KEYS[k].key);
        if (strncasecmp(part, KEYS[k].key, n) != 0)
            continue;
        const bool is_op = KEYS[k].at == offsetof(struct run_degrees, op);
        if (is_op && strncmp(part + n, "-1", 2) == 0)
            degrees->op = -1;
        if (!isdigit((unsigned char)part[n]))
            continue;
        const long value = strtol(part + n, NULL, 10);
        const int32_t number = value >= 1 && value <= MOST ? (int32_t)value : 0;
        memcpy((char *)degrees + KEYS[k].at, &number, sizeof number);
        return;
    }
}

bool run_degrees_read(const char *name, struct run_degrees *degrees)
{
    *degrees = (struct run_degrees){0};
    for (const char *part = name; *part != '\0';) {
        read_part(part, degrees);
        part += strcspn(part, "_-.");
        part += strspn(part, "_-.");
    }
    return degrees->dp > 0 && degrees->tp > 0 && degrees->pp > 0;
}

int64_t run_stage_ranks(const struct run_degrees *degrees)
{
    const int64_t cp = degrees->cp > 0 ? degrees->cp : 1, most = INT64_MAX / MOST;
    const int64_t ranks = (int64_t)degrees->dp * degrees->tp;
    return ranks > most ? most : ranks * cp;
}

int32_t run_stage_of(const struct run_degrees *degrees, int32_t rank)
{
    const int64_t ranks = run_stage_ranks(degrees);
    if (rank < 0 || ranks < 1 || rank / ranks >= degrees->pp)
        return -1;
    return (int32_t)(rank / ranks);
}

// ---- ranks --------------------------------------------------------------------------------------

// Reads the number behind a word at `at`, with one separator at most. -1: no number.
static int32_t number_behind(const char *at, const char *end)
{
    char *stop;
    at += at < end && strchr("_-.=", *at) != NULL;
    if (at >= end || !isdigit((unsigned char)*at))
        return -1;
    const long value = strtol(at, &stop, 10);
    return value <= MOST ? (int32_t)value : -1;
}

static int32_t rank_of_part(const char *part, const char *end)
{
    static const char *const words[] = {"rank", "worker", "device"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        const size_t n = strlen(words[w]);
        for (const char *at = part; at + n < end; at++) {
            const int32_t rank =
                strncasecmp(at, words[w], n) == 0 ? number_behind(at + n, end) : -1;
            if (rank >= 0)
                return rank;
        }
    }
    return -1;
}

// Returns the number of a folder such as attempt_0/3/stdout.log.
static int32_t rank_of_torchrun(const char *part, const char *end)
{
    if (strcmp(end, "/stdout.log") != 0 && strcmp(end, "/stderr.log") != 0)
        return -1;
    for (const char *at = part; at < end; at++)
        if (!isdigit((unsigned char)*at))
            return -1;
    return number_behind(part, end);
}

int32_t run_rank_of_path(const char *path)
{
    for (const char *end = path + strlen(path);;) {
        const char *part = end;
        while (part > path && part[-1] != '/')
            part--;
        int32_t rank = rank_of_part(part, end);
        if (rank < 0)
            rank = rank_of_torchrun(part, end);
        if (rank >= 0 || part == path)
            return rank;
        end = part - 1;
    }
}

// ---- run folders --------------------------------------------------------------------------------

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
typedef enum pps_status (*visitor)(void *self, const char *path, bool is_folder,
                                   struct pps_error *err);

// Calls the visitor for all files and folders in a folder, in order of their names. Without
// `links`, links to folders are skipped.
static enum pps_status visit(const char *folder, bool links, visitor take, void *self,
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

static enum pps_status add_run(struct run_folders *runs, const char *path,
                               const struct run_degrees *degrees, struct pps_error *err)
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

static enum pps_status take_run(void *self, const char *path, bool is_folder,
                                struct pps_error *err);

// Takes a folder: a run if its name says so; else the runs in it; else a run if the guess says so.
static enum pps_status take_folder(const struct search *search, const char *path,
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

static enum pps_status take_run(void *self, const char *path, bool is_folder,
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

enum pps_status run_folders_find(struct run_folders *runs, const char *folder,
                                 const struct run_guess *guess, struct pps_error *err)
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

static enum pps_status add_file(struct run_files *files, const char *path,
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

static enum pps_status take_file(void *self, const char *path, bool is_folder,
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
