// SPDX-License-Identifier: Apache-2.0
// Finds the data folder and looks up names in it. The program and the library contain no absolute
// path; their paths are relative to their own files.
#include "base/system/installed.h"

#include "base/text/nearest.h"

#include <ctype.h>
#include <dirent.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAP = 4096 };

// ---- the data folder ------------------------------------------------------------------------

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

// The loaded object that contains an address. The executable is the first object.
struct own_object {
    ElfW(Addr) address;
    int place; // of the object, from 0; -1: not found
    int n;     // objects seen
    char file[PATH_CAP];
};

static int is_own(struct dl_phdr_info *info, size_t size, void *self)
{
    struct own_object *own = self;
    (void)size;
    for (int s = 0; s < info->dlpi_phnum && own->place < 0; s++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[s];
        if (part->p_type == PT_LOAD &&
            own->address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
            own->place = own->n;
    }
    if (own->place == own->n && own->n > 0) {
        char *path = realpath(info->dlpi_name, NULL);
        if (path != NULL)
            snprintf(own->file, PATH_CAP, "%s", path);
        free(path);
    }
    own->n++;
    return own->place >= 0;
}

// Finds the file that contains this code: a shared library, or else the executable. Returns the
// path from its folder to the installed data.
static const char *find_own_file(char *file)
{
    struct own_object own = {.address = (ElfW(Addr))source_link, .place = -1};
    dl_iterate_phdr(is_own, &own);
    memcpy(file, own.file, PATH_CAP);
    if (file[0] != '\0')
        return PPS_DATA_FROM_LIBRARY;
    const ssize_t n = readlink("/proc/self/exe", file, PATH_CAP - 1);
    file[n > 0 ? n : 0] = '\0';
    return PPS_DATA_FROM_PROGRAM;
}

// Accepts the link only if it has the same owner as the file that contains this code: in a
// folder that everyone can write to, other users could create a link.
static bool in_build_tree(const char *link, const char *file)
{
    struct stat own, at;
    return lstat(link, &at) == 0 && S_ISLNK(at.st_mode) && stat(file, &own) == 0 &&
           at.st_uid == own.st_uid;
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
    char file[PATH_CAP], folder[PATH_CAP], installed[PATH_CAP] = "";
    const char *data = find_own_file(file);
    memcpy(folder, file, sizeof folder);
    if (strrchr(folder, '/') != NULL) {
        *strrchr(folder, '/') = '\0';
        if (join(installed, sizeof installed, folder, data) && holds_data(installed)) {
            memcpy(out, installed, sizeof installed);
            return PPS_OK;
        }
        if (join(out, PATH_CAP, folder, source_link) && in_build_tree(out, file) &&
            holds_data(out))
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

// ---- shipped documents ----------------------------------------------------------------------

struct folder {
    char name[32];
};

// Returns the folder of the documents of a kind: "models", "policies".
static struct folder folder_of(const char *kind)
{
    struct folder folder;
    const size_t n = strlen(kind);
    const bool ends_in_y = n > 0 && kind[n - 1] == 'y';
    snprintf(folder.name, sizeof folder.name, "%.*s%s", (int)(ends_in_y ? n - 1 : n), kind,
             ends_in_y ? "ies" : "s");
    return folder;
}

// "m.json" and "m.py:name", but not "qwen2.5-72b".
static bool has_ending(const char *name)
{
    const char *dot = strrchr(name, '.');
    while (dot != NULL && isalpha((unsigned char)dot[1]))
        dot++;
    return (dot != NULL && dot[1] == '\0') || strstr(name, ".py:") != NULL;
}

// Parts of names that change neither the shape of a model nor the kind of a device.
static bool says_nothing(const char *part, size_t n)
{
    static const char *const parts[] = {
        "instruct", "base", "chat", "hf",   "it",   "thinking", "preview", "pt",
        "pretrain", "2507", "0528", "0324", "0905", "1124",     "0325",    "2407",
        "2411",     "2501", "2509", "v0.1", "math", "coder",    "exp",     "fp8",
        "bf16",     "sxm",  "sxm4", "sxm5", "80gb", "nvidia"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strlen(parts[k]) == n && strncmp(parts[k], part, n) == 0)
            return true;
    return false;
}

// Replaces the start of a name by that of a model with the same shape.
static void name_shape(char *name, size_t cap)
{
    static const char *const same[][2] = {
        {"metallama", "llama"},
        {"llama3.1", "llama3"},
        {"llama3.3", "llama3"},
        {"deepseekr1", "deepseekv3"},
        {"deepseekv3.1", "deepseekv3"},
        {"glm4.6", "glm4.5"},
        {"glm4.7", "glm4.5"},
        {"glm5.1", "glm5"},
        {"kimik2.5", "kimik2"},
        {"kimik2.6", "kimik2"},
        {"minimaxm2.1", "minimaxm2"},
        {"minimaxm2.5", "minimaxm2"},
        {"minimaxm2.7", "minimaxm2"},
        {"gemma1.1", "gemma"},
        {"qwen3.6", "qwen3.5"},
        {"step3.7", "step3.5"},
        {"qwen2.5", "qwen2"},
        {"nvidianemotron", "nemotron"},
        {"nemotron3super120ba12b", "nemotron3super"},
    };
    char rest[128];
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        const size_t n = strlen(same[k][0]);
        if (strncmp(name, same[k][0], n) != 0)
            continue;
        snprintf(rest, sizeof rest, "%s", name + n);
        snprintf(name, cap, "%s%.100s", same[k][1], rest);
    }
}

// Writes what counts of a name: no folder, no signs, lower case.
static void write_plain(const char *word, char *out, size_t cap)
{
    const char *slash = strrchr(word, '/');
    size_t used = 0;
    word = slash != NULL ? slash + 1 : word;
    for (bool first = true; *word != '\0'; first = false) {
        char part[64];
        const size_t n = strcspn(word, "-_ ");
        for (size_t i = 0; i <= n && i < sizeof part; i++)
            part[i] = (char)tolower((unsigned char)(i < n ? word[i] : '\0'));
        for (size_t i = 0;
             (first || !says_nothing(part, n)) && i < n && i < sizeof part && used + 1 < cap;
             i++)
            out[used++] = part[i];
        word += n + (word[n] != '\0');
    }
    out[used] = '\0';
    name_shape(out, cap);
}

const char *pps_installed_match(const struct pps_installed_names *names, const char *word)
{
    char wanted[128], known[128];
    write_plain(word, wanted, sizeof wanted);
    for (size_t k = 0; k < names->n; k++) {
        write_plain(names->name[k], known, sizeof known);
        if (strcmp(known, wanted) == 0)
            return names->name[k];
    }
    return NULL;
}

char *pps_installed_path(const char *kind, const char *name, char *path)
{
    struct pps_installed_names names;
    if (path == NULL || strcmp(name, "-") == 0 || access(path, F_OK) == 0)
        return path;
    pps_installed_names(kind, &names);
    const char *match = has_ending(name) ? NULL : pps_installed_match(&names, name);
    if (match == NULL && strpbrk(name, "/\\") != NULL)
        return path;
    name = match != NULL ? match : name;
    char data[PATH_CAP], *shipped = NULL;
    struct pps_error ignored; // pps_installed_missing reports it
    if (pps_data_path("sweep_configs", data, sizeof data, &ignored) != PPS_OK)
        return path;
    if (asprintf(&shipped, "%s/%s/%s.json", data, folder_of(kind).name, name) < 0)
        shipped = NULL;
    const bool found = shipped == NULL || access(shipped, R_OK) == 0;
    free(found ? path : shipped);
    return found ? shipped : path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

void pps_installed_names(const char *kind, struct pps_installed_names *names)
{
    char data[PATH_CAP], path[PATH_CAP + 32];
    struct pps_error ignored;
    names->n = 0;
    if (pps_data_path("sweep_configs", data, sizeof data, &ignored) != PPS_OK)
        return;
    snprintf(path, sizeof path, "%s/%s", data, folder_of(kind).name);
    DIR *dir = opendir(path);
    if (dir == NULL)
        return;
    for (const struct dirent *e; names->n < PPS_INSTALLED_MOST && (e = readdir(dir)) != NULL;) {
        const size_t length = strlen(e->d_name);
        if (length <= 5 || length >= PPS_INSTALLED_LONGEST ||
            strcmp(e->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(names->name[names->n++], PPS_INSTALLED_LONGEST, "%.*s", (int)(length - 5),
                 e->d_name);
    }
    closedir(dir);
    qsort(names->name, names->n, sizeof names->name[0], by_name);
}

enum { MOST_SHOWN = 24 }; // names in a message

// Writes the suggested name, or all names if they are few.
static void write_names(const char *kind, const char *name, char *out, size_t cap)
{
    struct pps_installed_names names;
    const char *all[PPS_INSTALLED_MOST];
    pps_installed_names(kind, &names);
    for (size_t i = 0; i < names.n; i++)
        all[i] = names.name[i];
    const struct pps_hint hint = pps_did_you_mean(name, all, names.n);
    size_t used = (size_t)snprintf(out, cap, "%s", hint.text);
    if (hint.text[0] == '\0' && names.n > MOST_SHOWN)
        snprintf(out, cap, "; ppsweep %ss lists the known ones", kind);
    for (size_t i = 0;
         hint.text[0] == '\0' && names.n <= MOST_SHOWN && i < names.n && used < cap; i++)
        used += (size_t)snprintf(out + used, cap - used, "%s%s",
                                 i == 0 ? "; known names: " : ", ", names.name[i]);
}

struct pps_missing pps_installed_missing(const char *kind, const char *name, const char *path)
{
    struct pps_missing missing = {""};
    if (strpbrk(name, "/\\") != NULL || strcmp(name, "-") == 0 || has_ending(name) ||
        access(path, F_OK) == 0)
        return missing;
    char data[PATH_CAP];
    struct pps_error err;
    if (pps_data_path("sweep_configs", data, sizeof data, &err) != PPS_OK) {
        snprintf(missing.text, sizeof missing.text, "%.80s: there is no such file, and %.900s",
                 name, err.text);
        return missing;
    }
    const int used =
        snprintf(missing.text, sizeof missing.text,
                 "%.80s: there is no such file, and no %.16s of this name comes with "
                 "the program",
                 name, kind);
    write_names(kind, name, missing.text + used, sizeof missing.text - (size_t)used);
    return missing;
}
