// SPDX-License-Identifier: Apache-2.0
// Creates folders, parents first.
#include "base/system/folder.h"

#include "base/system/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

enum pps_status pps_folder_make(const char *path, struct pps_error *err)
{
    char *part = strdup(path);
    if (part == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for a path");
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
