// SPDX-License-Identifier: Apache-2.0
// Finds the data folder. The program contains no absolute path; its paths are relative to its
// own executable.
#include "base/system/data_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAP = 4096 };

// CMake makes this link to the source tree in the build folders of executables.
static const char source_link[] = "ppsweep-source";

static bool holds_data(const char *folder)
{
    char path[PATH_CAP + 32];
    snprintf(path, sizeof path, "%s/sweep_configs", folder);
    return access(path, X_OK) == 0;
}

// Joins a folder and a name. Returns false if the result does not fit.
static bool join(char *out, size_t cap, const char *folder, const char *name)
{
    const int n = snprintf(out, cap, "%s/%s", folder, name);
    return n > 0 && (size_t)n < cap;
}

static bool executable_folder(char *out)
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_CAP - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    *strrchr(out, '/') = '\0';
    return true;
}

// Accepts the link only if it has the same owner as the executable: in a folder that everyone
// can write to, other users could create a link.
static bool in_build_tree(const char *link)
{
    struct stat program, at;
    return lstat(link, &at) == 0 && S_ISLNK(at.st_mode) &&
           stat("/proc/self/exe", &program) == 0 && at.st_uid == program.st_uid;
}

static enum pps_status find_folder(char *out, struct pps_error *err)
{
    const char *chosen = getenv("PPSWEEP_DATA");
    if (chosen != NULL && chosen[0] != '\0') {
        snprintf(out, PATH_CAP, "%s", chosen);
        if (strlen(chosen) < PATH_CAP && holds_data(out))
            return PPS_OK;
        return pps_fail(err, PPS_E_MACHINE, "PPSWEEP_DATA: no folder sweep_configs in %.400s",
                        chosen);
    }
    char program[PATH_CAP] = "", installed[PATH_CAP] = "";
    if (executable_folder(program)) {
        if (join(installed, sizeof installed, program, PPS_DATA_FROM_PROGRAM) &&
            holds_data(installed)) {
            memcpy(out, installed, sizeof installed);
            return PPS_OK;
        }
        if (join(out, PATH_CAP, program, source_link) && in_build_tree(out) && holds_data(out))
            return PPS_OK;
    }
    return pps_fail(err, PPS_E_MACHINE,
                    "the data of the program (models, clusters, plot scripts) are not in "
                    "%.400s; set PPSWEEP_DATA to the folder that holds sweep_configs and "
                    "plot_scripts",
                    installed);
}

enum pps_status pps_data_path(const char *name, char *out, size_t cap, struct pps_error *err)
{
    char folder[PATH_CAP];
    const enum pps_status status = find_folder(folder, err);
    if (status == PPS_OK && !join(out, cap, folder, name))
        return pps_fail(err, PPS_E_MACHINE, "the path of %s is too long", name);
    return status;
}
