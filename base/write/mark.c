// SPDX-License-Identifier: Apache-2.0
// Marks files by an extended attribute.
#include "base/write/mark.h"

#include "base/system/whole_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <xxhash.h>

#define MARK_NAME  "user.ppsweep"
#define MOST_BYTES ((size_t)256 << 20)

// A mark is "DIGEST RUN NAME".
enum { MARK_ROOM = 256, DIGEST_CHARS = 16, NAME_AT = 2 * (DIGEST_CHARS + 1) };

static bool digest_of(const char *path, char digest[DIGEST_CHARS + 1])
{
    struct pps_error ignored;
    char *bytes;
    size_t n;
    if (pps_whole_file_read_regular(path, MOST_BYTES, &bytes, &n, &ignored) != PPS_OK)
        return false;
    snprintf(digest, DIGEST_CHARS + 1, "%016" PRIx64, (uint64_t)XXH3_64bits(bytes, n));
    free(bytes);
    return true;
}

void pps_mark_set(const char *path, const struct pps_maker *maker)
{
    char digest[DIGEST_CHARS + 1], mark[MARK_ROOM];
    if (maker->name == NULL || !digest_of(path, digest))
        return;
    const int n =
        snprintf(mark, sizeof mark, "%s %016" PRIx64 " %s", digest, maker->run, maker->name);
    if (n < MARK_ROOM) // without a mark the file is never replaced, so a failure does no harm
        (void)!lsetxattr(path, MARK_NAME, mark, (size_t)n, 0);
}

enum pps_mark pps_mark_look(const char *path, const struct pps_maker *maker)
{
    char digest[DIGEST_CHARS + 1], run[DIGEST_CHARS + 1], mark[MARK_ROOM + 1];
    const ssize_t n = maker->name != NULL ? lgetxattr(path, MARK_NAME, mark, MARK_ROOM) : -1;
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
