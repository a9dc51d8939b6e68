// SPDX-License-Identifier: Apache-2.0
// System calls that signals interrupt. This file replaces fsync with its own.
#include "base/system/disk.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <unistd.h>

static int interruptions, calls;

int fsync(int fd)
{
    (void)fd;
    calls++;
    errno = EINTR;
    return interruptions-- > 0 ? -1 : 0;
}

// Catches a run that fails because a signal arrives while its folder is synced.
Test(diskfile, an_interrupted_sync_of_a_folder_is_repeated)
{
    struct pps_error err = {.text = ""};
    interruptions = 3;
    cr_assert_eq(pps_disk_sync_folder("./name", &err), PPS_OK, "%s", err.text);
    cr_assert_eq(calls, 4);
}
