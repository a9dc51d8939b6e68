// SPDX-License-Identifier: Apache-2.0
// Recognises the files of profiles by their names.
#include "planner/profiles/profile_files.h"

#include "base/text/characters.h"
#include "base/text/grow_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void profile_units_free(struct profile_units *units)
{
    free(units->rows);
    *units = (struct profile_units){0};
}

// ---- names --------------------------------------------------------------------------------------

static bool is_ascend_file(const char *name)
{
    static const char words[] =
        "kernel_details.csv trace_view.json operator_memory.csv memory_record.csv "
        "step_trace_time.csv";
    return pps_has_word(words, name);
}

// Returns whether a name is one of a trace: host_12.34.pt.trace.json.gz, rank3_trace.json,
// rank-3.json.gz, ascend_timeline_display_3.json.
static bool is_trace_name(const char *name)
{
    if (!pps_ends_with(name, ".json") && !pps_ends_with(name, ".json.gz"))
        return false;
    return strcasestr(name, "trace") != NULL || strcasestr(name, "timeline") != NULL ||
           (strncasecmp(name, "rank", 4) == 0 && run_rank_of_path(name) >= 0);
}

// ---- ranks --------------------------------------------------------------------------------------

static size_t folder_length(const char *path)
{
    return (size_t)(run_file_name(path) - path);
}

// Returns the rank of a file profiler_info_3.json in the folder of `path` or the folder above.
static int32_t rank_of_info(const struct run_files *files, const char *path)
{
    size_t n = folder_length(path);
    size_t above = n > 0 ? n - 1 : 0;
    while (above > 0 && path[above - 1] != '/')
        above--;
    for (size_t i = 0; i < files->n; i++) {
        const char *other = files->paths[i], *name = run_file_name(other);
        const size_t length = folder_length(other);
        int rank;
        if ((length == n || length == above) && strncmp(other, path, length) == 0 &&
            sscanf(name, "profiler_info_%d.json", &rank) == 1)
            return rank;
    }
    return -1;
}

static void find_ranks(struct profile_units *units, const struct run_files *files)
{
    for (size_t k = 0; k < units->n; k++) {
        struct profile_unit *unit = &units->rows[k];
        const long file = unit->table >= 0    ? unit->table
                          : unit->trace >= 0  ? unit->trace
                          : unit->memory >= 0 ? unit->memory
                                              : unit->steps;
        const char *path = files->paths[file];
        unit->rank = rank_of_info(files, path);
        if (unit->rank < 0)
            unit->rank = run_file_rank(files, (size_t)file);
    }
}

// ---- units --------------------------------------------------------------------------------------

static struct profile_unit *add_unit(struct profile_units *units, struct pps_error *err)
{
    struct profile_unit *rows = pps_grow(units->rows, &units->room, units->n + 1, sizeof *rows);
    if (rows == NULL) {
        (void)pps_fail_memory(err, "the files of a profile");
        return NULL;
    }
    units->rows = rows;
    rows[units->n] = (struct profile_unit){PROFILE_NO_FILE, PROFILE_NO_FILE, PROFILE_NO_FILE,
                                           PROFILE_NO_FILE, -1};
    return &rows[units->n++];
}

static void take_ascend(struct profile_unit *unit, const char *name, long file)
{
    if (strcmp(name, "kernel_details.csv") == 0)
        unit->table = file;
    else if (strcmp(name, "trace_view.json") == 0)
        unit->trace = file;
    else if (strcmp(name, "step_trace_time.csv") == 0)
        unit->steps = file;
    else if (unit->memory < 0 || strcmp(name, "operator_memory.csv") == 0)
        unit->memory = file;
}

static bool is_in_folder_of(const struct run_files *files, long file, const char *path)
{
    const size_t n = folder_length(path);
    return file >= 0 && folder_length(files->paths[file]) == n &&
           strncmp(path, files->paths[file], n) == 0;
}

// Returns the unit of the folder of `path`, or NULL. Files are in order of their paths, so the unit is
// one of the last; folders in the folder may have units too.
static struct profile_unit *find_unit(const struct profile_units *units,
                                      const struct run_files *files, const char *path)
{
    enum { LOOK_BACK = 16 };
    for (size_t back = 1; back <= LOOK_BACK && back <= units->n; back++) {
        struct profile_unit *unit = &units->rows[units->n - back];
        const long of_unit[] = {unit->table, unit->memory, unit->steps, unit->trace};
        for (size_t k = 0; k < sizeof of_unit / sizeof of_unit[0]; k++)
            if (is_in_folder_of(files, of_unit[k], path) &&
                is_ascend_file(run_file_name(files->paths[of_unit[k]])))
                return unit;
    }
    return NULL;
}

enum pps_status profile_units_find(struct profile_units *units, const struct run_files *files,
                                   struct pps_error *err)
{
    *units = (struct profile_units){0};
    for (size_t i = 0; i < files->n; i++) {
        const char *path = files->paths[i], *name = run_file_name(path);
        const bool is_ascend = is_ascend_file(name);
        if (!is_ascend && !is_trace_name(name))
            continue;
        struct profile_unit *unit = is_ascend ? find_unit(units, files, path) : NULL;
        if (unit == NULL)
            unit = add_unit(units, err);
        if (unit == NULL) {
            profile_units_free(units);
            return PPS_E_MACHINE;
        }
        if (is_ascend)
            take_ascend(unit, name, (long)i);
        else
            unit->trace = (long)i;
    }
    find_ranks(units, files);
    return PPS_OK;
}
