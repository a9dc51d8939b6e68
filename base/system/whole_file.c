// SPDX-License-Identifier: Apache-2.0
// Reads whole files; writes a text file that appears under its name only when it is complete.
#include "base/system/whole_file.h"

#include "base/system/disk.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// ---- reading --------------------------------------------------------------------------------

static enum pps_status cannot_read(struct pps_error *err, const char *name, const char *why)
{
    return pps_fail_at(err, PPS_E_INPUT, name, 0, 0, "cannot read it: %s", why);
}

// Reads to the end and adds a NUL. The caller frees *text after success and after failure.
static enum pps_status read_all(int fd,
                                const char *name,
                                size_t most,
                                char **text,
                                size_t *n,
                                struct pps_error *err)
{
    enum { PIECE = 1 << 16 };
    for (size_t room = 0;;) {
        char *grown = pps_grow(*text, &room, *n + PIECE, 1);
        if (grown == NULL)
            return pps_fail_memory(err, "%s", name);
        *text = grown;
        const ssize_t got = read(fd, grown + *n, room - *n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot_read(err, name, strerror(errno));
        *n += (size_t)got;
        grown[*n] = '\0';
        if (*n > most)
            return pps_fail_at(err, PPS_E_INPUT, name, 0, 0,
                               "more than %zu MiB; a document may not be larger", most >> 20);
        if (got == 0)
            return PPS_OK;
    }
}

static enum pps_status open_any(const char *path, int *fd, struct pps_error *err)
{
    struct stat about;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return cannot_read(err, path, strerror(errno));
    if (fstat(*fd, &about) != 0 || !S_ISDIR(about.st_mode))
        return PPS_OK;
    close(*fd);
    return cannot_read(err, path, "it is a folder; name a file in it");
}

enum pps_status pps_whole_file_read(const char *path,
                                    size_t most,
                                    char **text,
                                    size_t *n,
                                    struct pps_error *err)
{
    const bool from_stdin = strcmp(path, "-") == 0;
    int fd = STDIN_FILENO;
    *text = NULL;
    *n = 0;
    enum pps_status status = from_stdin ? PPS_OK : open_any(path, &fd, err);
    if (status != PPS_OK)
        return status;
    status = read_all(fd, from_stdin ? "stdin" : path, most, text, n, err);
    if (!from_stdin)
        close(fd);
    if (status == PPS_OK)
        return PPS_OK;
    free(*text);
    *text = NULL;
    return status;
}

enum pps_status pps_whole_file_read_regular(const char *path,
                                            size_t most,
                                            char **text,
                                            size_t *n,
                                            struct pps_error *err)
{
    int fd;
    uint64_t bytes;
    *text = NULL;
    enum pps_status status = pps_disk_open_regular(path, &fd, &bytes, err);
    if (status != PPS_OK)
        return status;
    *n = (size_t)bytes;
    if (bytes > most)
        status =
            pps_fail_at(err, PPS_E_WRONG, path, 0, 0, "is larger than %zu MiB", most >> 20);
    else if ((*text = malloc(*n + 1)) == NULL)
        status = pps_fail_memory(err, "%s", path);
    else
        status = pps_disk_read_exactly(fd, path, *text, *n, 0, err);
    close(fd);
    if (status == PPS_OK) {
        (*text)[*n] = '\0';
        return PPS_OK;
    }
    free(*text);
    *text = NULL;
    return status;
}

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

// ---- names ----------------------------------------------------------------------------------

enum pps_status pps_whole_file_check(const char *path, bool force, struct pps_error *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return PPS_OK;
    if (S_ISDIR(info.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is a folder; expected a file name", path);
    if (!S_ISREG(info.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a regular file; choose another name",
                        path);
    if (!force)
        return pps_fail(err, PPS_E_INPUT, "%s exists; --force replaces it", path);
    return PPS_OK;
}

bool pps_whole_file_same(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && S_ISREG(a.st_mode) && stat(other, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

enum pps_status pps_whole_file_apart(const char *path, const char *input, struct pps_error *err)
{
    static const char *const endings[] = {"", ".idx", ".json"};
    if (path == NULL || input == NULL || strcmp(path, "-") == 0 || strcmp(input, "-") == 0)
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

enum pps_status pps_whole_file_rename(const char *from,
                                      const char *path,
                                      bool force,
                                      struct pps_error *err)
{
    if ((force ? rename(from, path) : pps_disk_rename_new(from, path)) == 0)
        return PPS_OK;
    if (errno == EEXIST && !force)
        return pps_fail(err, PPS_E_INPUT, "%s exists; --force replaces it", path);
    return pps_fail_errno(err, "cannot rename to", path);
}

static bool same_content(const char *one, const char *other)
{
    FILE *a = fopen(one, "rbe"), *b = fopen(other, "rbe");
    bool same = a != NULL && b != NULL;
    for (int c = 0; same && c != EOF;) {
        c = getc(a);
        same = c == getc(b);
    }
    same = same && !ferror(a) && !ferror(b);
    if (a != NULL)
        fclose(a);
    if (b != NULL)
        fclose(b);
    return same;
}

// Renames the complete file to its name.
static enum pps_status publish(const struct pps_whole_file *file, struct pps_error *err)
{
    struct stat info;
    const bool replaces = file->same && stat(file->path, &info) == 0;
    if (replaces && !same_content(file->temp, file->path))
        return pps_fail(err, PPS_E_INPUT,
                        "%s exists with different content; --force replaces it", file->path);
    return pps_whole_file_rename(file->temp, file->path, file->same ? replaces : file->force,
                                 err);
}

// ---- opening, closing -----------------------------------------------------------------------

static void forget(struct pps_whole_file *file)
{
    free(file->path);
    free(file->temp);
    *file = (struct pps_whole_file){0};
}

static enum pps_status create(struct pps_whole_file *file, struct pps_error *err)
{
    const int fd = mkostemp(file->temp, O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return pps_fail(err, PPS_E_INPUT, "%s: its folder does not exist", file->path);
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
    unlink(file->temp);
    return status;
}

enum pps_status pps_whole_file_open(struct pps_whole_file *file,
                                    const char *path,
                                    bool force,
                                    struct pps_error *err)
{
    *file = (struct pps_whole_file){.out = stdout, .force = force};
    if (path == NULL || strcmp(path, "-") == 0)
        return PPS_OK;
    file->out = NULL;
    enum pps_status status = pps_whole_file_check(path, force, err);
    if (status == PPS_OK) {
        file->path = strdup(path);
        if (file->path == NULL || asprintf(&file->temp, "%s.XXXXXX", path) < 0) {
            file->temp = NULL;
            status = pps_fail_memory(err, "%s", path);
        }
    }
    if (status == PPS_OK)
        status = create(file, err);
    if (status != PPS_OK)
        forget(file);
    return status;
}

enum pps_status pps_whole_file_close(struct pps_whole_file *file, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (file->path == NULL) {
        if (fflush(file->out) != 0 || ferror(file->out))
            status = pps_fail_errno(err, "write", "standard output");
        forget(file);
        return status;
    }
    const bool failed = fflush(file->out) != 0 || ferror(file->out);
    if (failed)
        status = pps_fail_errno(err, "write", file->path);
    if (fclose(file->out) != 0 && !failed)
        status = pps_fail_errno(err, "write", file->path);
    if (status == PPS_OK)
        status = publish(file, err);
    if (status != PPS_OK)
        unlink(file->temp);
    forget(file);
    return status;
}

void pps_whole_file_abandon(struct pps_whole_file *file)
{
    if (file->path != NULL) {
        fclose(file->out);
        unlink(file->temp);
    }
    forget(file);
}
