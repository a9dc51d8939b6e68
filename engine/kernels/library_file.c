// SPDX-License-Identifier: Apache-2.0
// Compares the segments of an ELF file with its length.
#include "engine/kernels/library_file.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_at(int fd, void *out, size_t n, uint64_t at)
{
    return at <= INT64_MAX && pread(fd, out, n, (off_t)at) == (ssize_t)n;
}

static bool is_within(uint64_t at, uint64_t n, uint64_t bytes)
{
    return at <= bytes && n <= bytes - at;
}

// Whether the file has all bytes of its segments; true for a file of another kind.
static bool is_whole(int fd, uint64_t bytes)
{
    ElfW(Ehdr) head;
    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_phentsize != sizeof(ElfW(Phdr)))
        return true;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(fd, &segment, sizeof segment, head.e_phoff + i * sizeof segment))
            return false;
        if (segment.p_type == PT_LOAD && !is_within(segment.p_offset, segment.p_filesz, bytes))
            return false;
    }
    return true;
}

bool pps_library_file_is_whole(const char *path)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return true; // the dynamic linker says why
    const bool whole = fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
                       is_whole(fd, (uint64_t)about.st_size);
    close(fd);
    return whole;
}
