// SPDX-License-Identifier: Apache-2.0
// Reads a folder and sorts the paths of its configuration files.
#include "planner/shared/configurations.h"

#include "base/text/characters.h"
#include "base/text/grow_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool plan_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

const char *plan_configuration_ending(const char *name)
{
    static const char *const endings[] = {".yaml", ".yml", ".toml", ".sh", ".json"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (name[0] != '.' && pps_ends_with(name, endings[k]))
            return endings[k];
    return NULL;
}

static bool add(struct plan_configurations *list, const char *folder, const char *name)
{
    char *path = NULL;
    char **paths = pps_grow(list->paths, &list->room, list->n + 1, sizeof *paths);
    if (paths == NULL)
        return false;
    list->paths = paths;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return false;
    if (plan_is_folder(path))
        free(path);
    else
        list->paths[list->n++] = path;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

enum pps_status plan_configurations_list(struct plan_configurations *list, const char *folder,
                                         struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    *list = (struct plan_configurations){.paths = NULL};
    DIR *open = opendir(folder);
    if (open == NULL)
        return pps_fail(err, PPS_E_INPUT, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry; status == PPS_OK && (entry = readdir(open)) != NULL;)
        if (plan_configuration_ending(entry->d_name) != NULL &&
            !add(list, folder, entry->d_name))
            status = pps_fail_memory(err, "the files in %s", folder);
    closedir(open);
    if (status != PPS_OK)
        plan_configurations_free(list);
    else if (list->n > 0)
        qsort(list->paths, list->n, sizeof *list->paths, by_name);
    return status;
}

enum pps_status plan_configurations_require(struct plan_configurations *list,
                                            const char *folder, struct pps_error *err)
{
    const enum pps_status status = plan_configurations_list(list, folder, err);
    if (status != PPS_OK || list->n > 0)
        return status;
    return pps_fail(err, PPS_E_INPUT,
                    "%s contains no configuration (NAME.yaml, NAME.toml, NAME.sh or NAME.json)",
                    folder);
}

void plan_configurations_free(struct plan_configurations *list)
{
    for (size_t k = 0; k < list->n; k++)
        free(list->paths[k]);
    free(list->paths);
    *list = (struct plan_configurations){.paths = NULL};
}
