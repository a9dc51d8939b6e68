// SPDX-License-Identifier: Apache-2.0
// Reads whole files.
#include "base/system/whole_file.h"

#include "base/system/disk.h"
#include "base/text/grow_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- reading --------------------------------------------------------------------------------

static enum pps_status cannot_read(struct pps_error *err, const char *name, const char *why)
{
    return pps_fail_at(err, PPS_E_INPUT, name, 0, 0, "cannot read it: %s", why);
}

// Reads to the end and adds a NUL. The caller frees *text after success and after failure.
static enum pps_status read_all(int fd, const char *name, size_t most, char **text, size_t *n,
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

enum pps_status pps_whole_file_read(const char *path, size_t most, char **text, size_t *n,
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

enum pps_status pps_whole_file_read_regular(const char *path, size_t most, char **text,
                                            size_t *n, struct pps_error *err)
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

bool pps_whole_file_same(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && S_ISREG(a.st_mode) && stat(other, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
