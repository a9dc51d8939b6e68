// SPDX-License-Identifier: Apache-2.0
// Reads regular files at a given position.
#include "base/system/file_content.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum pps_status fail_open(const char *path, struct pps_error *err)
{
    if (errno == ENOENT)
        return pps_fail(err, PPS_E_INPUT, "%s does not exist", path);
    const char *why = strerror(errno);
    return pps_fail(err, PPS_E_INPUT, "cannot open %s: %s", path, why);
}

enum pps_status pps_wholefile_open(const char *path,
                                   int *fd,
                                   uint64_t *bytes,
                                   struct pps_error *err)
{
    struct stat at;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return fail_open(path, err);
    if (fstat(*fd, &at) == 0 && S_ISREG(at.st_mode)) {
        *bytes = (uint64_t)at.st_size;
        return PPS_OK;
    }
    close(*fd);
    *fd = -1;
    return pps_fail(err, PPS_E_INPUT, "%s is not a regular file", path);
}

enum pps_status pps_wholefile_read(int fd,
                                   const char *path,
                                   uint64_t offset,
                                   void *out,
                                   size_t n,
                                   struct pps_error *err)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got = pread(fd, (char *)out + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return pps_fail_errno(err, "cannot read", path);
        if (got == 0)
            return pps_fail_at(err, PPS_E_WRONG, path, 0, 0, "is truncated at byte %llu",
                               (unsigned long long)(offset + done));
        done += (size_t)got;
    }
    return PPS_OK;
}
