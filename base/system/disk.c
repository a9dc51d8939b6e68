// SPDX-License-Identifier: Apache-2.0
// Makes system calls on files, repeats interrupted calls and reports failures.
#include "base/system/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

char *pps_disk_folder_of(const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL)
        return NULL;
    char *folder = strdup(dirname(copy));
    free(copy);
    return folder;
}

int pps_disk_open_nameless(const char *folder, bool linkable)
{
    char *name;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || linkable || asprintf(&name, "%s/.ppsweep-XXXXXX", folder) < 0)
        return fd;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd;
}

static bool is_callers_fault(int error)
{
    static const int theirs[] = {EACCES, EPERM, EROFS,        ENOENT, ENOTDIR,
                                 EISDIR, ELOOP, ENAMETOOLONG, ENXIO,  ETXTBSY};
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++)
        if (error == theirs[i])
            return true;
    return false;
}

enum pps_status pps_disk_fail(struct pps_error *err, const char *what, const char *path)
{
    int error = errno;
    enum pps_status code = is_callers_fault(error) ? PPS_E_INPUT : PPS_E_MACHINE;
    return pps_fail(err, code, "%s %s: %s", what, path, strerror(error));
}

enum pps_status pps_disk_fail_open(struct pps_error *err, const char *path)
{
    return pps_disk_fail(err, "cannot open", path);
}

enum pps_status pps_disk_look(const char *path, enum pps_disk_entry *entry,
                              struct pps_error *err)
{
    struct stat at;
    *entry = PPS_DISK_NOTHING;
    if (lstat(path, &at) != 0)
        return errno == ENOENT ? PPS_OK : pps_disk_fail_open(err, path);
    bool is_link = S_ISLNK(at.st_mode);
    if (is_link && stat(path, &at) != 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s is a broken symbolic link: remove it or choose another name", path);
    if (S_ISDIR(at.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is a folder: name a file in it", path);
    if (!S_ISREG(at.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a regular file: choose another name",
                        path);
    *entry = is_link ? PPS_DISK_LINK : PPS_DISK_FILE;
    return PPS_OK;
}

static enum pps_status check_folder(const char *folder, struct pps_error *err)
{
    struct stat at;
    if (stat(folder, &at) != 0) {
        const char *why = strerror(errno);
        return pps_fail(err, PPS_E_INPUT, "cannot write into %s: %s; create the folder first",
                        folder, why);
    }
    if (!S_ISDIR(at.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a folder", folder);
    if (access(folder, W_OK | X_OK) != 0) {
        const char *why = strerror(errno);
        return pps_fail(err, PPS_E_INPUT, "cannot write into %s: %s", folder, why);
    }
    return PPS_OK;
}

enum pps_status pps_disk_check_folder(const char *path, struct pps_error *err)
{
    size_t n = strlen(path);
    if (n == 0 || path[n - 1] == '/')
        return pps_fail(err, PPS_E_INPUT, "'%s' is not a file name", path);
    char *folder = pps_disk_folder_of(path);
    if (folder == NULL)
        return pps_fail_memory(err, "a path");
    enum pps_status status = check_folder(folder, err);
    free(folder);
    return status;
}

static enum pps_status make_one(const char *path, struct pps_error *err)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return PPS_OK;
    if (errno != EEXIST)
        return pps_disk_fail(err, "cannot create the folder", path);
    if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a folder", path);
    return PPS_OK;
}

enum pps_status pps_disk_make_folder(const char *path, struct pps_error *err)
{
    char *part = strdup(path);
    if (part == NULL)
        return pps_fail_memory(err, "a path");
    enum pps_status status = PPS_OK;
    for (char *end = part; *end != '\0' && status == PPS_OK;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        const char kept = *end;
        *end = '\0';
        status = make_one(part, err);
        *end = kept;
    }
    free(part);
    return status;
}

enum pps_status pps_disk_create(const char *path, int *fd, struct pps_error *err)
{
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    return *fd < 0 ? pps_disk_fail_open(err, path) : PPS_OK;
}

enum pps_status pps_disk_reopen(const char *path, int *fd, struct pps_error *err)
{
    *fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const int error = errno;
    if (*fd >= 0)
        return PPS_OK;
    const enum pps_status status = pps_disk_fail_open(err, path);
    errno = error;
    return status;
}

bool pps_disk_is_named(int fd, const char *path)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && lstat(path, &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino &&
           S_ISREG(named.st_mode);
}

static enum pps_status fail_regular(const char *path, struct pps_error *err)
{
    if (errno == ENOENT)
        return pps_fail(err, PPS_E_INPUT, "%s does not exist", path);
    const char *why = strerror(errno);
    return pps_fail(err, PPS_E_INPUT, "cannot open %s: %s", path, why);
}

enum pps_status pps_disk_open_regular(const char *path, int *fd, uint64_t *bytes,
                                      struct pps_error *err)
{
    struct stat at;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return fail_regular(path, err);
    if (fstat(*fd, &at) == 0 && S_ISREG(at.st_mode)) {
        *bytes = (uint64_t)at.st_size;
        return PPS_OK;
    }
    close(*fd);
    *fd = -1;
    return pps_fail(err, PPS_E_INPUT, "%s is not a regular file", path);
}

enum pps_status pps_disk_write(int fd, const char *path, const void *data, size_t n,
                               struct pps_error *err)
{
    const char *at = data;
    while (n > 0) {
        ssize_t written = write(fd, at, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return pps_fail_errno(err, "cannot write", path);
        at += written;
        n -= (size_t)written;
    }
    return PPS_OK;
}

enum pps_status pps_disk_read_at(int fd, const char *path, void *data, size_t n,
                                 uint64_t offset, size_t *got, struct pps_error *err)
{
    for (*got = 0; *got < n;) {
        const ssize_t part = pread(fd, (char *)data + *got, n - *got, (off_t)(offset + *got));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return pps_fail_errno(err, "cannot read", path);
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    return PPS_OK;
}

enum pps_status pps_disk_read_exactly(int fd, const char *path, void *data, size_t n,
                                      uint64_t offset, struct pps_error *err)
{
    size_t got;
    const enum pps_status status = pps_disk_read_at(fd, path, data, n, offset, &got, err);
    if (status == PPS_OK && got < n)
        return pps_fail_at(err, PPS_E_WRONG, path, 0, 0, "is truncated at byte %llu",
                           (unsigned long long)(offset + got));
    return status;
}

enum pps_status pps_disk_size(int fd, const char *path, uint64_t *bytes, struct pps_error *err)
{
    struct stat at;
    if (fstat(fd, &at) != 0)
        return pps_fail_errno(err, "cannot read", path);
    *bytes = (uint64_t)at.st_size;
    return PPS_OK;
}

enum pps_status pps_disk_truncate(int fd, const char *path, uint64_t n, struct pps_error *err)
{
    if (ftruncate(fd, (off_t)n) != 0)
        return pps_fail_errno(err, "cannot truncate", path);
    return lseek(fd, (off_t)n, SEEK_SET) >= 0 ? PPS_OK
                                              : pps_fail_errno(err, "cannot seek in", path);
}

static bool cannot_sync(int error)
{
    return error == EINVAL || error == ENOSYS || error == ENOTSUP;
}

// Calls sync until no signal interrupts it.
static int repeat(int (*sync)(int), int fd)
{
    int rc;
    do
        rc = sync(fd);
    while (rc != 0 && errno == EINTR);
    return rc;
}

enum pps_status pps_disk_sync(int fd, const char *path, struct pps_error *err)
{
    const int rc = repeat(fdatasync, fd);
    return rc == 0 || cannot_sync(errno) ? PPS_OK : pps_fail_errno(err, "cannot sync", path);
}

enum pps_status pps_disk_sync_named(const char *path, struct pps_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) // by its mask a user may write what may not be read
        return errno == EACCES ? PPS_OK : pps_disk_fail_open(err, path);
    const enum pps_status status = pps_disk_sync(fd, path, err);
    close(fd);
    return status;
}

enum pps_status pps_disk_close(int *fd, const char *path, struct pps_error *err)
{
    if (*fd < 0)
        return PPS_OK;
    int rc = close(*fd); // never twice: Linux frees the descriptor even after an interruption
    *fd = -1;
    return rc == 0 || errno == EINTR ? PPS_OK : pps_fail_errno(err, "cannot close", path);
}

// musl has no function for this system call.
static int rename_no_replace(const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
#else
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1U); // RENAME_NOREPLACE
#endif
}

int pps_disk_rename_new(const char *from, const char *to)
{
    struct stat at;
    int rc = rename_no_replace(from, to);
    if (rc == 0 || (errno != EINVAL && errno != ENOSYS))
        return rc;
    if (lstat(to, &at) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

enum pps_status pps_disk_rename(const char *from, const char *to, bool replace,
                                struct pps_error *err)
{
    int rc = replace ? rename(from, to) : pps_disk_rename_new(from, to);
    if (rc == 0)
        return PPS_OK;
    const char *why = strerror(errno);
    return pps_fail(err, PPS_E_MACHINE, "cannot rename %s to %s: %s", from, to, why);
}

enum pps_status pps_disk_sync_folder(const char *path, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    char *folder = pps_disk_folder_of(path);
    if (folder == NULL)
        return pps_fail_memory(err, "a path");
    int fd;
    do
        fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno != EACCES) // a folder may be writable but not readable
        status = pps_fail_errno(err, "cannot open", folder);
    if (fd >= 0 && repeat(fsync, fd) != 0 && !cannot_sync(errno))
        status = pps_fail_errno(err, "cannot sync", folder);
    if (fd >= 0)
        close(fd);
    free(folder);
    return status;
}

enum pps_disk_lock pps_disk_lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return PPS_DISK_LOCKED;
    return errno == EAGAIN || errno == EACCES ? PPS_DISK_BUSY : PPS_DISK_LOCKS_NONE;
}

enum pps_disk_lock pps_disk_ask_lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_GETLK, &whole) != 0)
        return PPS_DISK_LOCKS_NONE;
    return whole.l_type == F_UNLCK ? PPS_DISK_LOCKED : PPS_DISK_BUSY;
}

enum pps_disk_lock pps_disk_take(int fd, const char *path)
{
    const enum pps_disk_lock lock = pps_disk_lock(fd);
    return pps_disk_is_named(fd, path) ? lock : PPS_DISK_BUSY;
}
