// SPDX-License-Identifier: Apache-2.0
// The log of a run while it starts.
#include "planner/nd/runs/run.h"

#include "base/system/disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Opens the log and locks it; *fd is -1 if another process has the lock.
static enum pps_status open_locked(const struct nd_run *run, int *fd, struct pps_error *err)
{
    const enum pps_status status = pps_disk_make_folder(run->folder, err);
    if (status != PPS_OK)
        return status;
    *fd = open(run->log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (*fd < 0)
        return pps_disk_fail(err, "cannot write", run->log);
    if (pps_disk_lock(*fd) == PPS_DISK_BUSY) {
        close(*fd);
        *fd = -1;
    }
    return PPS_OK;
}

// Moves the folder of the logs to earlier/NAME-DATE-TIME. A folder of this name gets a number.
static enum pps_status move_away(const struct nd_run *run, const char *output,
                                 struct pps_error *err)
{
    char path[4096], when[32];
    struct tm local;
    const time_t now = time(NULL);
    snprintf(path, sizeof path, "%s/earlier", output);
    const enum pps_status status = pps_disk_make_folder(path, err);
    if (status != PPS_OK)
        return status;
    if (localtime_r(&now, &local) == NULL ||
        strftime(when, sizeof when, "%Y%m%d-%H%M%S", &local) == 0)
        snprintf(when, sizeof when, "earlier");
    for (int k = 1; k < 1000; k++) {
        char number[16] = "";
        if (k > 1)
            snprintf(number, sizeof number, "-%d", k);
        const int n = snprintf(path, sizeof path, "%s/earlier/%s-%s%s", output,
                               run->order.configuration->name, when, number);
        if (n < 0 || (size_t)n >= sizeof path)
            break;
        if (access(path, F_OK) != 0)
            return rename(run->folder, path) == 0
                       ? PPS_OK
                       : pps_disk_fail(err, "cannot move to the folder earlier:", run->folder);
    }
    return pps_fail(err, PPS_E_MACHINE, "%s: cannot move the logs of an earlier attempt",
                    run->folder);
}

static bool is_empty(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_size == 0;
}

enum pps_status nd_run_open_log(const struct nd_run *run, const char *output, int *fd,
                                struct pps_error *err)
{
    *fd = -1;
    enum pps_status status = open_locked(run, fd, err);
    if (status == PPS_OK && *fd >= 0 && run->order.rank < 0 && !is_empty(*fd)) {
        status = move_away(run, output, err);
        close(*fd);
        *fd = -1;
        if (status == PPS_OK)
            status = open_locked(run, fd, err);
    }
    if (status == PPS_OK && *fd >= 0)
        status = pps_disk_truncate(*fd, run->log, 0, err);
    return status;
}
