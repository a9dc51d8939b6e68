// SPDX-License-Identifier: Apache-2.0
// Marks files by an extended attribute, or by a file beside them where there are no attributes.
#include "base/write/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <xxhash.h>

#define MARK_NAME "user.ppsweep"

// A mark is "DIGEST RUN NAME".
enum { MARK_ROOM = 256, DIGEST_CHARS = 16, NAME_AT = 2 * (DIGEST_CHARS + 1), PIECE = 1 << 16 };

// ---- checksums ----------------------------------------------------------------------------------

static bool read_digest(int fd, XXH64_state_t *state, uint64_t *digest)
{
    char piece[PIECE];
    ssize_t n;
    XXH64_reset(state, 0);
    while ((n = read(fd, piece, sizeof piece)) != 0)
        if (n > 0)
            XXH64_update(state, piece, (size_t)n);
        else if (errno != EINTR)
            return false;
    *digest = XXH64_digest(state);
    return true;
}

static bool digest_of(const char *path, char text[DIGEST_CHARS + 1])
{
    uint64_t digest;
    XXH64_state_t *state = XXH64_createState();
    const int fd = state != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    const bool known = fd >= 0 && read_digest(fd, state, &digest);
    if (known)
        snprintf(text, DIGEST_CHARS + 1, "%016" PRIx64, digest);
    if (fd >= 0)
        close(fd);
    XXH64_freeState(state);
    return known;
}

// ---- where marks are ----------------------------------------------------------------------------

// Returns FOLDER/.NAME.ppsweep; NULL: no memory. The caller frees it.
static char *beside(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    char *made;
    return asprintf(&made, "%.*s.%s.ppsweep", (int)(name - path), path, name) < 0 ? NULL : made;
}

// Returns the length of the mark, or at most 0.
static ssize_t read_beside(const char *path, char *mark, size_t room)
{
    char *name = beside(path);
    const int fd = name != NULL ? open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    const ssize_t n = fd >= 0 ? read(fd, mark, room) : -1;
    if (fd >= 0)
        close(fd);
    free(name);
    return n;
}

static void write_beside(const char *path, const char *mark, size_t n)
{
    char *name = beside(path);
    const int fd = name != NULL
                       ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666)
                       : -1;
    if (fd >= 0) {
        (void)!write(fd, mark, n);
        close(fd);
    }
    free(name);
}

static bool has_no_attributes(void)
{
    return errno == ENOTSUP || errno == ENOSYS;
}

// ---- marks --------------------------------------------------------------------------------------

// A file whose mark cannot be written is never replaced without --force, so a failure does no harm.
void pps_mark_set(const char *file, const char *path, const struct pps_maker *maker)
{
    char digest[DIGEST_CHARS + 1], mark[MARK_ROOM];
    if (maker->name == NULL || !digest_of(file, digest))
        return;
    const int n =
        snprintf(mark, sizeof mark, "%s %016" PRIx64 " %s", digest, maker->run, maker->name);
    if (n < MARK_ROOM && lsetxattr(file, MARK_NAME, mark, (size_t)n, 0) != 0 &&
        has_no_attributes())
        write_beside(path, mark, (size_t)n);
}

enum pps_mark pps_mark_look(const char *path, const struct pps_maker *maker)
{
    char digest[DIGEST_CHARS + 1], run[DIGEST_CHARS + 1], mark[MARK_ROOM + 1];
    if (maker->name == NULL)
        return PPS_MARK_NONE;
    ssize_t n = lgetxattr(path, MARK_NAME, mark, MARK_ROOM);
    if (n < 0 && has_no_attributes())
        n = read_beside(path, mark, MARK_ROOM);
    if (n <= NAME_AT)
        return PPS_MARK_NONE;
    mark[n] = '\0';
    if (strcmp(mark + NAME_AT, maker->name) != 0)
        return PPS_MARK_NONE;
    snprintf(run, sizeof run, "%016" PRIx64, maker->run);
    if (memcmp(mark + DIGEST_CHARS + 1, run, DIGEST_CHARS) == 0)
        return PPS_MARK_NOW;
    const bool same = digest_of(path, digest) && memcmp(mark, digest, DIGEST_CHARS) == 0;
    return same ? PPS_MARK_VALID : PPS_MARK_EDITED;
}
