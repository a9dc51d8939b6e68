// SPDX-License-Identifier: Apache-2.0
// Looking a name up, in the source tree and where the program is installed.
#include "shipped.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *pps_shipped_path(const char *kind, const char *name, char *path)
{
    static const char *const folders[] = {PPS_SWEEP_CONFIGS, PPS_INSTALLED_CONFIGS};
    if (path == NULL || strpbrk(name, "/\\") != NULL || strcmp(name, "-") == 0 ||
        access(path, F_OK) == 0)
        return path;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *shipped = NULL;
        if (asprintf(&shipped, "%s/%ss/%s.json", folders[i], kind, name) < 0)
            shipped = NULL;
        const bool found = shipped != NULL && access(shipped, R_OK) == 0;
        free(found || shipped == NULL ? path : shipped);
        if (found || shipped == NULL)
            return shipped;
    }
    return path;
}
