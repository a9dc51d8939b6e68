// SPDX-License-Identifier: Apache-2.0
// Copies the files of kernels/skeleton and replaces @NAME@ in them.
#include "engine/kernels/skeleton.h"

#include "base/system/installed.h"
#include "base/write/new_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

static const char *const files[] = {"kernel.c", "model.md", "example.json"};
static const char placeholder[] = "@NAME@";

static enum pps_status check_name(const char *name, const struct pps_kernel *const *kernels,
                                  struct pps_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (!(name[0] >= 'a' && name[0] <= 'z') || strspn(name, letters) != strlen(name) ||
        strlen(name) > 40)
        return pps_fail(
            err, PPS_E_INPUT,
            "\"%.60s\" cannot be the name of a kernel; use lower-case letters, digits "
            "and _, first a letter, at most 40 characters",
            name);
    for (int k = 0; kernels[k] != NULL; k++)
        if (strcmp(kernels[k]->name, name) == 0)
            return pps_fail(err, PPS_E_INPUT, "there is a kernel %s; choose another name",
                            name);
    return PPS_OK;
}

static enum pps_status copy_text(FILE *in, const char *from, const char *name, FILE *out,
                                 struct pps_error *err)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, in)) >= 0;) {
        const char *rest = line;
        for (const char *at; (at = strstr(rest, placeholder)) != NULL;) {
            fprintf(out, "%.*s%s", (int)(at - rest), rest, name);
            rest = at + sizeof placeholder - 1;
        }
        fputs(rest, out);
    }
    free(line);
    return ferror(in) ? pps_fail_errno(err, "cannot read", from) : PPS_OK;
}

static enum pps_status copy_file(const char *from, const char *name, const char *to,
                                 struct pps_error *err)
{
    const struct pps_gate gate = {.force = false};
    struct pps_new_file file = {.path = NULL};
    FILE *in = fopen(from, "r");
    if (in == NULL)
        return pps_fail_errno(err, "cannot open", from);
    enum pps_status status = pps_new_file_open(&file, to, &gate, err);
    if (status == PPS_OK)
        status = copy_text(in, from, name, file.out, err);
    if (status == PPS_OK)
        status = pps_new_file_close(&file, err);
    pps_new_file_abandon(&file);
    fclose(in);
    return status;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

// Data are in share/ppsweep below the prefix of an installation, or in the source tree.
static enum pps_status find_headers(struct pps_skeleton *skeleton, struct pps_error *err)
{
    static const char *const places[] = {"include", "../../include"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char header[sizeof skeleton->headers + 32];
        enum pps_status status =
            pps_data_path(places[i], skeleton->headers, sizeof skeleton->headers, err);
        if (status != PPS_OK)
            return status;
        snprintf(header, sizeof header, "%s/ppsweep/kernel.h", skeleton->headers);
        if (exists(header))
            return PPS_OK;
    }
    return pps_fail(err, PPS_E_MACHINE, "ppsweep/kernel.h is not installed");
}

static enum pps_status write_files(const struct pps_skeleton *skeleton, const char *name,
                                   const char *samples, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && status == PPS_OK; i++) {
        char from[PATH_ROOM], to[PATH_ROOM];
        snprintf(from, sizeof from, "%s/%s.in", samples, files[i]);
        snprintf(to, sizeof to, "%s/%s", skeleton->folder, files[i]);
        status = copy_file(from, name, to, err);
    }
    return status;
}

// A folder that is not complete would be refused when the command is given again.
static void remove_files(const struct pps_skeleton *skeleton)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[PATH_ROOM];
        snprintf(path, sizeof path, "%s/%s", skeleton->folder, files[i]);
        unlink(path);
    }
    rmdir(skeleton->folder);
}

enum pps_status pps_skeleton_write(const char *name, const struct pps_kernel *const *kernels,
                                   struct pps_skeleton *skeleton, struct pps_error *err)
{
    char samples[PATH_ROOM - 64];
    *skeleton = (struct pps_skeleton){.in_tree = exists("kernels/registry.h") &&
                                                 exists("include/ppsweep/kernel.h")};
    enum pps_status status = check_name(name, kernels, err);
    if (status == PPS_OK)
        status = pps_data_path("kernels/skeleton", samples, sizeof samples, err);
    if (status == PPS_OK)
        status = find_headers(skeleton, err);
    if (status != PPS_OK)
        return status;
    snprintf(skeleton->folder, sizeof skeleton->folder, "%s%s",
             skeleton->in_tree ? "kernels/" : "", name);
    if (mkdir(skeleton->folder, 0777) != 0)
        return errno == EEXIST
                   ? pps_fail(err, PPS_E_INPUT, "%s exists; choose another name or remove it",
                              skeleton->folder)
                   : pps_fail_errno(err, "cannot create the folder", skeleton->folder);
    status = write_files(skeleton, name, samples, err);
    if (status != PPS_OK)
        remove_files(skeleton);
    return status;
}
