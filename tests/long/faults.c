// SPDX-License-Identifier: Apache-2.0
// Preloaded library: makes the k-th system call that writes or syncs a result fail, or kill the
// process. It counts write, pwrite, fsync, fdatasync, rename, renameat2, close and
// ftruncate of files whose path contains PPS_FAULT_PATH, and of folders (fsync).
//   PPS_FAULT_AT    k, from 1
//   PPS_FAULT_HOW   fail (ENOSPC or EIO), short (a write of half the bytes, then ENOSPC), or kill
//   PPS_FAULT_LOG   a file that lists the calls, one per line
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int calls;

static bool is_ours(const char *path)
{
    const char *part = getenv("PPS_FAULT_PATH");
    return part != NULL && strstr(path, part) != NULL;
}

static bool descriptor_is_ours(int fd, bool folders)
{
    char link[64], path[4096];
    struct stat at;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0 || fd <= 2)
        return false;
    path[n] = '\0';
    if (folders && fstat(fd, &at) == 0 && S_ISDIR(at.st_mode))
        return true;
    return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY && is_ours(path);
}

static void write_log(const char *call)
{
    const char *path = getenv("PPS_FAULT_LOG");
    if (path == NULL)
        return;
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    syscall(SYS_write, fd, call, strlen(call));
    syscall(SYS_write, fd, "\n", (size_t)1);
    syscall(SYS_close, fd);
}

static bool how(const char *word)
{
    const char *text = getenv("PPS_FAULT_HOW");
    return text != NULL && strcmp(text, word) == 0;
}

// Whether this call is the one.
static bool strikes(const char *call)
{
    const char *at = getenv("PPS_FAULT_AT");
    write_log(call);
    if (at == NULL || atomic_fetch_add(&calls, 1) + 1 != atoi(at))
        return false;
    if (how("kill"))
        kill(getpid(), SIGKILL);
    return true;
}

ssize_t write(int fd, const void *data, size_t n)
{
    if (descriptor_is_ours(fd, false) && strikes("write")) {
        if (how("short") && n > 1)
            syscall(SYS_write, fd, data, n / 2);
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, fd, data, n);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t offset)
{
    if (descriptor_is_ours(fd, false) && strikes("pwrite")) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwrite64, fd, data, n, offset);
}

int fsync(int fd)
{
    if (descriptor_is_ours(fd, true) && strikes("fsync")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    if (descriptor_is_ours(fd, true) && strikes("fdatasync")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t n)
{
    if (descriptor_is_ours(fd, false) && strikes("ftruncate")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_ftruncate, fd, n);
}

int close(int fd)
{
    const bool strike = descriptor_is_ours(fd, false) && strikes("close");
    const int rc = (int)syscall(SYS_close, fd);
    if (!strike)
        return rc;
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to)
{
    if ((is_ours(from) || is_ours(to)) && strikes("rename")) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    if ((is_ours(from) || is_ours(to)) && strikes("renameat2")) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}
