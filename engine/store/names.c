// SPDX-License-Identifier: Apache-2.0
// Checks, locks and renames the files of a result. Existing files are never changed without
// force, and never while another run writes them.
#include "engine/store/names.h"

#include "base/system/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DATA = PPS_RESULT_NAMES_DATA,
    INDEX = PPS_RESULT_NAMES_INDEX,
    N_FILES = PPS_RESULT_NAMES_FILES
};

static char *join(const char *a, const char *b, const char *c)
{
    size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(n);
    if (text != NULL)
        snprintf(text, n, "%s%s%s", a, b, c);
    return text;
}

enum pps_status pps_result_names_init(struct pps_result_names *target, const char *path,
                                      bool force, struct pps_error *err)
{
    static const char *const ending[N_FILES] = {"", ".idx", ".json"};
    *target = (struct pps_result_names){.force = force};
    for (int i = 0; i < N_FILES; i++) {
        target->final[i] = join(path, ending[i], "");
        target->part[i] = join(path, ending[i], ".part");
        if (target->final[i] == NULL || target->part[i] == NULL) {
            pps_result_names_free(target);
            return pps_fail_memory(err, "a path");
        }
    }
    return PPS_OK;
}

void pps_result_names_free(struct pps_result_names *target)
{
    for (int i = 0; i < N_FILES; i++) {
        free(target->final[i]);
        free(target->part[i]);
    }
    *target = (struct pps_result_names){.force = false};
}

// ---- refused names --------------------------------------------------------------------------

static enum pps_status fail_busy(const struct pps_result_names *target, struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "%s is being written by another run: wait for it or choose another name",
                    target->part[DATA]);
}

static enum pps_status check_final(const struct pps_result_names *target, int i,
                                   struct pps_error *err)
{
    enum pps_disk_entry entry;
    const char *path = target->final[i];
    enum pps_status status = pps_disk_look(path, &entry, err);
    if (status != PPS_OK || entry == PPS_DISK_NOTHING)
        return status;
    if (target->force && entry == PPS_DISK_LINK)
        return pps_fail(err, PPS_E_INPUT, "%s is a symbolic link: write the path of its file",
                        path);
    if (target->force)
        return PPS_OK;
    if (i == DATA)
        return pps_fail(err, PPS_E_INPUT, "%s exists; --force replaces it", path);
    return pps_fail(err, PPS_E_INPUT,
                    "%s exists, but not its data: move it away, or --force replaces it", path);
}

static bool is_busy(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool busy = pps_disk_ask_lock(fd) == PPS_DISK_BUSY;
    close(fd);
    return busy;
}

static enum pps_status check_part(const struct pps_result_names *target, struct pps_error *err)
{
    enum pps_disk_entry entry;
    const char *path = target->part[DATA];
    enum pps_status status = pps_disk_look(path, &entry, err);
    if (status != PPS_OK || entry == PPS_DISK_NOTHING)
        return status;
    if (is_busy(path))
        return fail_busy(target, err);
    if (target->force)
        return PPS_OK;
    if (target->hint != NULL)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s exists (an interrupted run): --force starts afresh; to continue it: "
            "%s",
            path, target->hint);
    return pps_fail(err, PPS_E_INPUT,
                    "%s exists (an interrupted run): --resume continues it, --force starts "
                    "afresh",
                    path);
}

enum pps_status pps_result_names_check_final(const struct pps_result_names *target,
                                             struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (int i = 0; i < N_FILES && status == PPS_OK; i++)
        status = check_final(target, i, err);
    return status;
}

enum pps_status pps_result_names_check(const struct pps_result_names *target,
                                       struct pps_error *err)
{
    enum pps_status status = pps_disk_check_folder(target->final[DATA], err);
    if (status == PPS_OK)
        status = check_final(target, DATA, err);
    if (status == PPS_OK)
        status = check_part(target, err);
    for (int i = INDEX; i < N_FILES && status == PPS_OK; i++)
        status = check_final(target, i, err);
    return status;
}

// ---- lock -----------------------------------------------------------------------------------

// Locks an opened NAME.part and truncates it once the lock is held.
static enum pps_status take(const struct pps_result_names *target, int fd, bool *is_locked,
                            struct pps_error *err)
{
    const char *path = target->part[DATA];
    const enum pps_disk_lock lock = pps_disk_take(fd, path);
    if (lock == PPS_DISK_BUSY)
        return fail_busy(target, err);
    *is_locked = lock == PPS_DISK_LOCKED;
    // Check again: another run may have finished before this run took the lock.
    enum pps_status status = check_final(target, DATA, err);
    if (status != PPS_OK && !target->force)
        unlink(path); // this run created it; it is empty
    if (status != PPS_OK)
        return status;
    return ftruncate(fd, 0) == 0 ? PPS_OK : pps_fail_errno(err, "cannot empty", path);
}

enum pps_status pps_result_names_open(const struct pps_result_names *target, int *fd,
                                      bool *is_locked, struct pps_error *err)
{
    int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (target->force ? 0 : O_EXCL);
    *fd = open(target->part[DATA], flags, 0666);
    if (*fd < 0)
        return errno == EEXIST ? fail_busy(target, err)
                               : pps_disk_fail_open(err, target->part[DATA]);
    enum pps_status status = take(target, *fd, is_locked, err);
    if (status != PPS_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

enum pps_status pps_result_names_reopen(const struct pps_result_names *target, int *fd,
                                        bool *is_locked, struct pps_error *err)
{
    enum pps_disk_entry part, final;
    const char *path = target->part[DATA];
    *fd = -1;
    enum pps_status status = pps_disk_check_folder(target->final[DATA], err);
    if (status == PPS_OK)
        status = pps_disk_look(path, &part, err);
    if (status != PPS_OK || part == PPS_DISK_NOTHING)
        return status;
    status = pps_disk_look(target->final[DATA], &final, err);
    if (status == PPS_OK && final != PPS_DISK_NOTHING && !target->force)
        return pps_fail(err, PPS_E_INPUT,
                        "%s exists, and %s of a run that was replacing it: --resume --force "
                        "continues that run",
                        target->final[DATA], path);
    if (status != PPS_OK)
        return status;
    status = pps_disk_reopen(path, fd, err);
    if (status != PPS_OK)
        return errno == ENOENT ? fail_busy(target, err) : status;
    const enum pps_disk_lock lock = pps_disk_take(*fd, path);
    *is_locked = lock == PPS_DISK_LOCKED;
    if (lock != PPS_DISK_BUSY)
        return PPS_OK;
    close(*fd);
    *fd = -1;
    return fail_busy(target, err);
}

enum pps_status pps_result_names_withdraw(const struct pps_result_names *target,
                                          struct pps_error *err)
{
    static const int order[] = {PPS_RESULT_NAMES_MANIFEST, INDEX};
    enum pps_status status = PPS_OK;
    for (int i = 0; i < 2 && status == PPS_OK; i++) {
        enum pps_disk_entry part, final = PPS_DISK_NOTHING;
        status = pps_disk_look(target->part[order[i]], &part, err);
        if (status == PPS_OK)
            status = pps_disk_look(target->final[order[i]], &final, err);
        if (status == PPS_OK && part == PPS_DISK_NOTHING && final != PPS_DISK_NOTHING)
            status =
                pps_disk_rename(target->final[order[i]], target->part[order[i]], false, err);
    }
    return status;
}

// ---- publishing -----------------------------------------------------------------------------

static enum pps_status check_file(int fd, const char *path, struct pps_error *err)
{
    if (pps_disk_is_named(fd, path))
        return PPS_OK;
    return pps_fail(err, PPS_E_MACHINE, "%s was removed or replaced during the run", path);
}

enum pps_status pps_result_names_check_ours(const struct pps_result_names *target, int data_fd,
                                            int index_fd, struct pps_error *err)
{
    enum pps_status status = check_file(data_fd, target->part[DATA], err);
    return status == PPS_OK ? check_file(index_fd, target->part[INDEX], err) : status;
}

// The data is renamed last: a reader that sees the data finds the other files. After a failure
// the files get their .part names back.
enum pps_status pps_result_names_publish(const struct pps_result_names *target, int data_fd,
                                         int index_fd, struct pps_error *err)
{
    static const int order[N_FILES] = {INDEX, PPS_RESULT_NAMES_MANIFEST, DATA};
    enum pps_status status = pps_result_names_check_ours(target, data_fd, index_fd, err);
    int n = 0;
    for (int i = 0; i < N_FILES && status == PPS_OK; i++)
        status = check_final(target, order[i], err);
    for (; n < N_FILES && status == PPS_OK; n++)
        status = pps_disk_rename(target->part[order[n]], target->final[order[n]], target->force,
                                 err);
    if (status == PPS_OK && !pps_disk_is_named(data_fd, target->final[DATA])) {
        (void)rename(target->final[DATA], target->part[DATA]);
        status = check_file(data_fd, target->part[DATA], err);
    }
    if (status == PPS_OK)
        return pps_disk_sync_folder(target->final[DATA], err);
    for (int i = n - 2; i >= 0; i--) // the last rename failed
        (void)rename(target->final[order[i]], target->part[order[i]]);
    return status;
}

// ---- rescue ---------------------------------------------------------------------------------

static enum pps_status copy_file(int from, const char *path, struct pps_error *err)
{
    char piece[16384];
    uint64_t at = 0;
    size_t got = 0;
    int to = -1;
    enum pps_status status = pps_disk_create(path, &to, err);
    if (status != PPS_OK)
        return status;
    do {
        status = pps_disk_read_at(from, path, piece, sizeof piece, at, &got, err);
        if (status == PPS_OK)
            status = pps_disk_write(to, path, piece, got, err);
        at += got;
    } while (status == PPS_OK && got > 0);
    if (status == PPS_OK)
        status = pps_disk_sync(to, path, err);
    if (status == PPS_OK)
        return pps_disk_close(&to, path, err);
    close(to);
    unlink(path);
    return status;
}

// Returns the ending of a result's name.
static const char *ending_of(const char *path)
{
    const char *name = strrchr(path, '/'), *ending = strstr(name != NULL ? name : path, ".csv");
    return ending != NULL ? ending : path + strlen(path);
}

enum pps_status pps_result_names_rescue(const struct pps_result_names *target, int data_fd,
                                        int index_fd, struct pps_error *err)
{
    struct pps_result_names kept;
    struct pps_error unused;
    const char *path = target->final[DATA], *ending = ending_of(path);
    const size_t n = strlen(path) + sizeof ".rescued";
    char *name = malloc(n);
    if (name == NULL)
        return pps_fail_memory(err, "a path");
    snprintf(name, n, "%.*s.rescued%s", (int)(ending - path), path, ending);
    enum pps_status status = pps_result_names_init(&kept, name, false, &unused);
    if (status == PPS_OK)
        status = pps_result_names_check(&kept, &unused);
    if (status == PPS_OK)
        status = copy_file(index_fd, kept.part[INDEX], &unused);
    if (status == PPS_OK)
        status = copy_file(data_fd, kept.part[DATA], &unused);
    pps_result_names_free(&kept);
    const char *part = target->part[DATA];
    status = status == PPS_OK
                 ? pps_fail(err, PPS_E_WRONG,
                            "%s was removed or replaced during the run; its rows are in "
                            "%s.part: continue with -o %s --resume",
                            part, name, name)
                 : pps_fail(err, PPS_E_WRONG,
                            "%s was removed or replaced during the run, and its rows could not "
                            "be copied to %s.part (%.300s): they are lost",
                            part, name, unused.text);
    free(name);
    return status;
}
