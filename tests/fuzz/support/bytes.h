// SPDX-License-Identifier: Apache-2.0
// Gives bytes in memory a path, for parsers that open a file.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct bytes_file {
    int fd;
    char path[64];
};

static inline struct bytes_file bytes_open(const uint8_t *data, size_t n)
{
    struct bytes_file file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    if (file.fd < 0 || write(file.fd, data, n) != (ssize_t)n)
        abort();
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void bytes_close(const struct bytes_file *file)
{
    close(file->fd);
}
