// SPDX-License-Identifier: Apache-2.0
// Writes a file that appears under its name only when it is complete.
#include "base/write/new_file.h"

#include "base/system/disk.h"
#include "base/text/characters.h"
#include "base/write/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { ENDING = 6 }; // characters of a temporary name behind the point

// ---- gzip behind a FILE ---------------------------------------------------------------------

static ssize_t write_gz(void *cookie, const char *data, size_t n)
{
    const int written = gzwrite(cookie, data, (unsigned)n);
    return written > 0 ? written : 0;
}

static int close_gz(void *cookie)
{
    return gzclose(cookie) == Z_OK ? 0 : EOF;
}

static FILE *open_gz(int fd)
{
    gzFile gz = gzdopen(fd, "wb6");
    if (gz == NULL)
        return NULL;
    FILE *out = fopencookie(gz, "w", (cookie_io_functions_t){NULL, write_gz, NULL, close_gz});
    if (out == NULL)
        gzclose(gz);
    return out;
}

// ---- folders --------------------------------------------------------------------------------

// Returns the length of the folder's name in a path; 0: the path has none.
static size_t folder_length(const char *path, size_t n)
{
    while (n > 0 && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

// Creates the folders of the file that do not exist.
static enum pps_status make_folders(struct pps_new_file *file, struct pps_error *err)
{
    size_t n = folder_length(file->path, strlen(file->path)), first = 0;
    char *folder = strndup(file->path, n);
    enum pps_status status = folder == NULL ? pps_fail_memory(err, "a path") : PPS_OK;
    while (status == PPS_OK && n > 0 && access(folder, F_OK) != 0) {
        first = n;
        n = folder_length(folder, n);
        folder[n] = '\0';
    }
    free(folder);
    if (status != PPS_OK || first == 0)
        return status;
    file->made = strndup(file->path, first);
    folder = strndup(file->path, folder_length(file->path, strlen(file->path)));
    status = file->made == NULL || folder == NULL ? pps_fail_memory(err, "a path")
                                                  : pps_disk_make_folder(folder, err);
    free(folder);
    return status;
}

// Removes the folders that were created for the file, unless something else is in them by now.
static void remove_folders(const struct pps_new_file *file)
{
    if (file->made == NULL)
        return;
    char *folder = strdup(file->path);
    for (size_t n = folder == NULL ? 0 : strlen(folder); n > 0;) {
        n = folder_length(folder, n);
        folder[n] = '\0';
        if (n < strlen(file->made) || rmdir(folder) != 0)
            break;
    }
    free(folder);
}

// ---- names ----------------------------------------------------------------------------------

enum pps_status pps_new_file_publish(const char *from, const char *path,
                                     const struct pps_gate *gate, struct pps_error *err)
{
    struct stat info;
    enum pps_status status = pps_gate_check(gate, path, err);
    if (status == PPS_OK) // a name must not survive a crash without its content
        status = pps_disk_sync_named(from, err);
    if (status != PPS_OK)
        return status;
    if (pps_memory_failed()) // what was written may be incomplete
        return pps_fail_memory(err, "%s", path);
    const bool replaces = gate->force || lstat(path, &info) == 0;
    pps_mark_set(from, path, &gate->maker);
    if ((replaces ? rename(from, path) : pps_disk_rename_new(from, path)) == 0)
        return PPS_OK;
    if (errno == EEXIST && !replaces)
        return pps_fail(err, PPS_E_INPUT, "%s exists; --force replaces it", path);
    return pps_fail_errno(err, "cannot rename to", path);
}

// ---- opening, closing -----------------------------------------------------------------------

static void forget(struct pps_new_file *file)
{
    free(file->path);
    free(file->temp);
    free(file->made);
    *file = (struct pps_new_file){0};
}

// Forgets a file that gets no name.
static void discard(struct pps_new_file *file)
{
    if (file->unnamed >= 0)
        close(file->unnamed);
    else
        unlink(file->temp);
    remove_folders(file);
    forget(file);
}

// Returns -1 where file systems have no files without names, or where the file could get none.
static int create_unnamed(const struct pps_new_file *file)
{
    const char *slash = strrchr(file->temp, '/');
    char *folder = pps_disk_folder_of(file->path);
    const bool fits = strlen(slash != NULL ? slash + 1 : file->temp) <= NAME_MAX;
    const int fd = folder != NULL && fits && access("/proc/self/fd", X_OK) == 0
                       ? pps_disk_open_nameless(folder, true)
                       : -1;
    free(folder);
    return fd;
}

// Gives a complete file its temporary name, which is as random as the number of the process.
static enum pps_status name_unnamed(struct pps_new_file *file, struct pps_error *err)
{
    char from[40], *ending = file->temp + strlen(file->path) + 1;
    const enum pps_status status = pps_disk_sync(file->unnamed, file->path, err);
    if (status != PPS_OK)
        return status;
    snprintf(from, sizeof from, "/proc/self/fd/%d", file->unnamed);
    for (unsigned number = (unsigned)getpid();; number++) {
        snprintf(ending, ENDING + 1, "%0*x", ENDING, number & 0xffffffU);
        if (linkat(AT_FDCWD, from, AT_FDCWD, file->temp, AT_SYMLINK_FOLLOW) == 0)
            break;
        if (errno != EEXIST)
            return pps_disk_fail(err, "cannot create", file->path);
    }
    close(file->unnamed);
    file->unnamed = -1;
    return PPS_OK;
}

static enum pps_status create(struct pps_new_file *file, struct pps_error *err)
{
    file->unnamed = create_unnamed(file);
    const int fd = file->unnamed >= 0 ? fcntl(file->unnamed, F_DUPFD_CLOEXEC, 0)
                                      : mkostemp(file->temp, O_CLOEXEC);
    if (fd < 0)
        return pps_disk_fail(err, "cannot create", file->path);
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) == 0)
        file->out = pps_ends_with(file->path, ".gz") ? open_gz(fd) : fdopen(fd, "w");
    if (file->out != NULL)
        return PPS_OK;
    const enum pps_status status = pps_fail_errno(err, "cannot create", file->path);
    close(fd);
    return status;
}

static enum pps_status open_standard(struct pps_new_file *file, struct pps_error *err)
{
    file->out = isatty(STDOUT_FILENO) ? pps_terminal_open(stdout) : stdout;
    return file->out != NULL ? PPS_OK : pps_fail_memory(err, "standard output");
}

static enum pps_status close_standard(struct pps_new_file *file, struct pps_error *err)
{
    bool failed = ferror(file->out) != 0;
    failed = (file->out == stdout ? fflush(stdout) : fclose(file->out)) != 0 || failed;
    forget(file);
    return failed ? pps_fail_errno(err, "write", "standard output") : PPS_OK;
}

enum pps_status pps_new_file_open(struct pps_new_file *file, const char *path,
                                  const struct pps_gate *gate, struct pps_error *err)
{
    *file = (struct pps_new_file){.gate = gate, .unnamed = -1};
    if (path == NULL || strcmp(path, "-") == 0)
        return open_standard(file, err);
    enum pps_status status = pps_gate_check(gate, path, err);
    if (status != PPS_OK)
        return status;
    file->path = strdup(path);
    if (file->path == NULL || asprintf(&file->temp, "%s.XXXXXX", path) < 0) {
        file->temp = NULL;
        forget(file);
        return pps_fail_memory(err, "%s", path);
    }
    status = make_folders(file, err);
    if (status == PPS_OK)
        status = create(file, err);
    if (status != PPS_OK)
        discard(file);
    return status;
}

enum pps_status pps_new_file_close(struct pps_new_file *file, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (file->path == NULL)
        return close_standard(file, err);
    const bool failed = fflush(file->out) != 0 || ferror(file->out);
    if (failed)
        status = pps_fail_errno(err, "write", file->path);
    if (fclose(file->out) != 0 && !failed)
        status = pps_fail_errno(err, "write", file->path);
    if (status == PPS_OK && file->unnamed >= 0)
        status = name_unnamed(file, err);
    if (status == PPS_OK)
        status = pps_new_file_publish(file->temp, file->path, file->gate, err);
    if (status == PPS_OK)
        forget(file);
    else
        discard(file);
    return status;
}

void pps_new_file_abandon(struct pps_new_file *file)
{
    if (file->path != NULL || (file->out != NULL && file->out != stdout))
        fclose(file->out);
    if (file->path != NULL)
        discard(file);
    else
        forget(file);
}

enum pps_status pps_new_file_end(struct pps_new_file *file, enum pps_status status,
                                 struct pps_error *err)
{
    if (status == PPS_OK)
        return pps_new_file_close(file, err);
    pps_new_file_abandon(file);
    return status;
}
