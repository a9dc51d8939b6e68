// SPDX-License-Identifier: Apache-2.0
// Reads the profiles of the runs in a folder.
#include "planner/nd/input/profile_folder.h"

#include "base/text/say.h"
#include "planner/profiles/profile_run.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool nd_is_profile_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_known(const struct nd_profiles *profiles, const struct nd_profile *profile)
{
    for (int64_t i = 0; i < profiles->n; i++) {
        const struct nd_profile *p = &profiles->rows[i];
        if (p->dp == profile->dp && p->tp == profile->tp && p->pp == profile->pp &&
            p->ep == profile->ep && p->cp == profile->cp && p->op == profile->op &&
            p->mbs == profile->mbs)
            return true;
    }
    return false;
}

static enum pps_status add_profile(struct nd_profiles *profiles,
                                   const struct nd_profile *profile,
                                   struct pps_error *err)
{
    struct nd_profile *rows =
        realloc(profiles->rows, ((size_t)profiles->n + 1) * sizeof *profiles->rows);
    if (rows == NULL)
        return pps_fail_memory(err, "the profiles");
    profiles->rows = rows;
    if (!is_known(profiles, profile))
        rows[profiles->n++] = *profile;
    return PPS_OK;
}

static enum pps_status take_run(struct nd_profiles *profiles,
                                const struct profile_run *run,
                                const struct run_folder *folder,
                                bool quiet,
                                struct pps_error *err)
{
    struct nd_profile profile;
    struct pps_fault fault;
    enum pps_status status = PPS_OK;
    cJSON *document = profile_run_document(run, &folder->degrees);
    if (document == NULL)
        return pps_fail_memory(err, "the layer times of %s", folder->path);
    if (nd_profile_of_times(&profile, document, ND_CORRECTED, &fault))
        status = add_profile(profiles, &profile, err);
    else if (!quiet)
        pps_say(stderr, "note      %s: no ratios: %s", folder->path, fault.text);
    cJSON_Delete(document);
    return status;
}

static void print_notes(const struct profile_run *run)
{
    for (const char *at = run->notes.text; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        pps_say(stderr, "note      %.*s", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static enum pps_status read_run(struct nd_profiles *profiles,
                                const struct run_folder *folder,
                                bool quiet,
                                struct pps_error *err)
{
    static const struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    enum pps_status status = run_files_list(&files, folder->path, err);
    if (status != PPS_OK)
        return status;
    status = profile_run_read(&run, &files, &folder->degrees, &request, err);
    if (status == PPS_OK) {
        if (!quiet)
            print_notes(&run);
        if (run.n_profiles > 0)
            status = take_run(profiles, &run, folder, quiet, err);
        profile_run_free(&run);
    }
    run_files_free(&files);
    return status;
}

enum pps_status nd_profile_folder_read(struct nd_profiles *profiles,
                                       const char *folder,
                                       bool quiet,
                                       struct pps_error *err)
{
    struct run_folders runs;
    *profiles = (struct nd_profiles){0};
    enum pps_status status = run_folders_find(&runs, folder, NULL, err);
    if (status != PPS_OK)
        return status;
    for (size_t i = 0; status == PPS_OK && i < runs.n; i++)
        status = read_run(profiles, &runs.rows[i], quiet, err);
    run_folders_free(&runs);
    if (status == PPS_OK && profiles->n == 0)
        status =
            pps_fail_at(err, PPS_E_INPUT, folder, 0, 0,
                        "expected folders with names like DP8_TP2_PP4_EP16 with profiles that "
                        "give layer times; `ppsweep nd parse` reports what it finds");
    if (status != PPS_OK)
        nd_profiles_free(profiles);
    return status;
}
