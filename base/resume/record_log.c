// SPDX-License-Identifier: Apache-2.0
// Opens, reads, extends, replaces and removes record logs.
#include "base/resume/record_log.h"

#include "base/system/disk.h"
#include "base/system/machine.h"
#include "base/text/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define SYNC_INTERVAL_S 1.0 // work lost when the machine fails

static const char magic[8] = {'p', 'p', 's', 'l', 'o', 'g', '1', '\n'};

// Is before the bytes of every record. Has no padding.
struct frame {
    uint64_t n, sum;
};

static uint64_t checksum(const void *data, uint64_t n, uint64_t before)
{
    return XXH64(data, (size_t)n, XXH64(&n, sizeof n, before));
}

// Appends a record to text; *sum is the checksum of the record before it, then that of the record.
static void put_record(struct text_buffer *text, const void *data, size_t n, uint64_t *sum)
{
    const struct frame frame = {n, *sum = checksum(data, n, *sum)};
    text_buffer_add_bytes(text, (const char *)&frame, sizeof frame);
    text_buffer_add_bytes(text, data, n);
}

// Returns the bytes of the record that begins at `at`, its frame included, or 0 if there is no valid one.
// *sum is the checksum of the record before it, then that of the record.
static size_t valid_record(const char *at, size_t left, uint64_t *sum)
{
    struct frame frame;
    if (left < sizeof frame)
        return 0;
    memcpy(&frame, at, sizeof frame);
    if (frame.n > left - sizeof frame ||
        frame.sum != checksum(at + sizeof frame, frame.n, *sum))
        return 0;
    *sum = frame.sum;
    return sizeof frame + (size_t)frame.n;
}

// ---- a new log ----------------------------------------------------------------------------------

static void put_head(struct pps_record_log *log, struct text_buffer *text)
{
    log->sum = 0;
    text_buffer_add_bytes(text, magic, sizeof magic);
    put_record(text, log->identity, strlen(log->identity), &log->sum);
}

// Writes the head into an empty file that is locked.
static enum pps_status begin(struct pps_record_log *log, struct pps_error *err)
{
    put_head(log, &log->waiting);
    enum pps_status status = pps_record_log_sync(log, err);
    return status == PPS_OK ? pps_disk_sync_folder(log->path, err) : status;
}

static enum pps_status fail_busy(const char *path, struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "%s is being written by another run: wait for it or choose another name",
                    path);
}

static enum pps_status create(struct pps_record_log *log, struct pps_error *err)
{
    enum pps_status status = pps_disk_check_folder(log->path, err);
    if (status == PPS_OK)
        status = pps_disk_create(log->path, &log->fd, err);
    if (status != PPS_OK)
        return status;
    if (pps_disk_take(log->fd, log->path) == PPS_DISK_BUSY)
        return fail_busy(log->path, err);
    status = begin(log, err);
    if (status != PPS_OK && pps_disk_is_named(log->fd, log->path))
        unlink(log->path);
    return status;
}

// ---- an interrupted log -------------------------------------------------------------------------

static bool is_zero(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

// Whether the file ends within the head that the log must have: it never held a record.
static bool is_torn(struct pps_record_log *log, size_t n)
{
    struct text_buffer head = {.text = NULL};
    put_head(log, &head);
    const bool torn = is_zero(log->old, n) ||
                      (!head.failed && n < head.n && memcmp(log->old, head.text, n) == 0);
    text_buffer_free(&head);
    return torn;
}

static enum pps_status fail_old(const struct pps_record_log_ask *ask, const char *why,
                                struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT, "%s: %s; --force without --resume starts again",
                    ask->path, why);
}

// Writes " (seed 7, now 42)" for the first word that differs, if a name stands before it.
static void say_other(const char *was, size_t n, const char *is, char *out, size_t cap)
{
    size_t at = 0, name, n_name;
    out[0] = '\0';
    while (at < n && is[at] != '\0' && was[at] == is[at])
        at++;
    while (at > 0 && is[at - 1] != ' ')
        at--;
    for (name = at > 0 ? at - 1 : 0; name > 0 && is[name - 1] != ' ';)
        name--;
    n_name = at > 0 ? at - 1 - name : 0;
    if (n_name == 0 || strspn(is + name, "abcdefghijklmnopqrstuvwxyz") != n_name)
        return;
    const size_t n_was = strcspn(was + at, " "), n_is = strcspn(is + at, " ");
    snprintf(out, cap, " (%.*s %.*s, now %.*s)", (int)n_name, is + name,
             (int)(n_was < n - at ? n_was : n - at), was + at, (int)n_is, is + at);
    pps_one_line(out);
}

static enum pps_status fail_other(const struct pps_record_log *log,
                                  const struct pps_record_log_ask *ask, const char *identity,
                                  size_t n, struct pps_error *err)
{
    char what[160], why[320];
    char *was = strndup(identity, n);
    if (was == NULL)
        return pps_fail_memory(err, "%s", log->path);
    say_other(was, strlen(was), log->identity, what, sizeof what);
    free(was);
    snprintf(why, sizeof why, "%s%s", ask->other, what);
    return fail_old(ask, why, err);
}

// Checks that the log is of this work. *n_head is the size of its head.
static enum pps_status check_head(struct pps_record_log *log,
                                  const struct pps_record_log_ask *ask, size_t n,
                                  size_t *n_head, struct pps_error *err)
{
    const size_t n_identity = strlen(log->identity);
    const char *first = log->old + sizeof magic;
    log->sum = 0;
    const size_t found = n < sizeof magic || memcmp(log->old, magic, sizeof magic) != 0
                             ? 0
                             : valid_record(first, n - sizeof magic, &log->sum);
    if (found == 0)
        return fail_old(ask, "it is damaged, or another program wrote it", err);
    if (found != sizeof(struct frame) + n_identity ||
        memcmp(first + sizeof(struct frame), log->identity, n_identity) != 0)
        return fail_other(log, ask, first + sizeof(struct frame), found - sizeof(struct frame),
                          err);
    *n_head = sizeof magic + found;
    return PPS_OK;
}

// Finds the longest prefix of valid records and cuts off what follows it.
static enum pps_status keep_prefix(struct pps_record_log *log, size_t n, size_t n_head,
                                   struct pps_error *err)
{
    size_t end = n_head, found;
    while ((found = valid_record(log->old + end, n - end, &log->sum)) > 0)
        end += found;
    log->old_at = n_head;
    log->bytes = end;
    log->found = true;
    log->cut = n - end;
    return pps_disk_truncate(log->fd, log->path, end, err);
}

static enum pps_status start_afresh(struct pps_record_log *log, struct pps_error *err)
{
    free(log->old);
    log->old = NULL;
    const enum pps_status status = pps_disk_truncate(log->fd, log->path, 0, err);
    return status == PPS_OK ? begin(log, err) : status;
}

static enum pps_status go_on(struct pps_record_log *log, const struct pps_record_log_ask *ask,
                             struct pps_error *err)
{
    uint64_t n = 0;
    size_t n_head = 0;
    enum pps_status status = pps_disk_size(log->fd, log->path, &n, err);
    if (status != PPS_OK)
        return status;
    log->old = n < SIZE_MAX / 4 ? malloc((size_t)n + 1) : NULL;
    if (log->old == NULL)
        return pps_fail_memory(err, "%s", log->path);
    status = pps_disk_read_exactly(log->fd, log->path, log->old, (size_t)n, 0, err);
    if (status != PPS_OK)
        return status;
    if (is_torn(log, (size_t)n))
        return start_afresh(log, err);
    status = check_head(log, ask, (size_t)n, &n_head, err);
    return status == PPS_OK ? keep_prefix(log, (size_t)n, n_head, err) : status;
}

static enum pps_status open_old(struct pps_record_log *log,
                                const struct pps_record_log_ask *ask, struct pps_error *err)
{
    if (!ask->resume && !ask->force)
        return pps_fail(err, PPS_E_INPUT,
                        "%s is of an interrupted %s; --resume continues it, --force starts "
                        "again",
                        ask->path, ask->work);
    const enum pps_status status = pps_disk_reopen(log->path, &log->fd, err);
    if (status != PPS_OK)
        return status;
    if (pps_disk_take(log->fd, log->path) == PPS_DISK_BUSY)
        return fail_busy(log->path, err);
    return ask->resume ? go_on(log, ask, err) : start_afresh(log, err);
}

enum pps_status pps_record_log_open(struct pps_record_log *log,
                                    const struct pps_record_log_ask *ask, struct pps_error *err)
{
    enum pps_disk_entry entry;
    *log = (struct pps_record_log){.fd = -1,
                                   .path = strdup(ask->path),
                                   .identity = strdup(ask->identity)};
    if (log->path == NULL || log->identity == NULL)
        return pps_fail_memory(err, "a path");
    const enum pps_status status = pps_disk_look(log->path, &entry, err);
    if (status != PPS_OK)
        return status;
    if (entry == PPS_DISK_LINK)
        return pps_fail(err, PPS_E_INPUT,
                        "%s is a symbolic link: remove it or choose another name", log->path);
    return entry == PPS_DISK_FILE ? open_old(log, ask, err) : create(log, err);
}

bool pps_record_log_next(struct pps_record_log *log, const char **data, size_t *n)
{
    struct frame frame;
    if (log->old == NULL || log->old_at >= log->bytes)
        return false;
    memcpy(&frame, log->old + log->old_at, sizeof frame);
    *data = log->old + log->old_at + sizeof frame;
    *n = (size_t)frame.n;
    log->old_at += sizeof frame + *n;
    return true;
}

// ---- adding -------------------------------------------------------------------------------------

void pps_record_log_add(struct pps_record_log *log, const void *data, size_t n)
{
    put_record(&log->waiting, data, n, &log->sum);
}

static enum pps_status write_waiting(struct pps_record_log *log, struct pps_error *err)
{
    if (log->broken)
        return pps_fail(err, PPS_E_MACHINE, "%s cannot be continued after a failure",
                        log->path);
    if (log->waiting.failed)
        return pps_fail_memory(err, "%s", log->path);
    const enum pps_status status =
        pps_disk_write(log->fd, log->path, log->waiting.text, log->waiting.n, err);
    if (status == PPS_OK)
        log->bytes += log->waiting.n;
    else if (ftruncate(log->fd, (off_t)log->bytes) == 0)
        (void)lseek(log->fd, (off_t)log->bytes, SEEK_SET);
    log->broken = status != PPS_OK;
    text_buffer_clear(&log->waiting);
    return status;
}

enum pps_status pps_record_log_sync(struct pps_record_log *log, struct pps_error *err)
{
    enum pps_status status = write_waiting(log, err);
    if (status == PPS_OK)
        status = pps_disk_sync(log->fd, log->path, err);
    log->broken = status != PPS_OK;
    log->synced_s = pps_wall_seconds();
    return status;
}

enum pps_status pps_record_log_flush(struct pps_record_log *log, struct pps_error *err)
{
    return pps_wall_seconds() - log->synced_s >= SYNC_INTERVAL_S ? pps_record_log_sync(log, err)
                                                                 : write_waiting(log, err);
}

// ---- replacing ----------------------------------------------------------------------------------

// Removes what an interrupted replacement has left; refuses a foreign file.
static enum pps_status clear_name(const char *path, struct pps_error *err)
{
    enum pps_disk_entry entry;
    char begins[sizeof magic];
    size_t got = 0;
    int fd = -1;
    enum pps_status status = pps_disk_look(path, &entry, err);
    if (status != PPS_OK || entry == PPS_DISK_NOTHING)
        return status;
    if (entry == PPS_DISK_FILE)
        status = pps_disk_reopen(path, &fd, err);
    if (fd >= 0)
        status = pps_disk_read_at(fd, path, begins, sizeof begins, 0, &got, err);
    if (fd >= 0)
        close(fd);
    if (status != PPS_OK)
        return status;
    if (entry == PPS_DISK_LINK || memcmp(begins, magic, got) != 0)
        return pps_fail(err, PPS_E_INPUT, "%s is not of this program: move it away", path);
    return unlink(path) == 0 ? PPS_OK : pps_fail_errno(err, "cannot remove", path);
}

// Writes the new file, locked and synced, and gives it the name of the log.
static enum pps_status write_new(struct pps_record_log *log, const char *path,
                                 const struct text_buffer *text, struct pps_error *err)
{
    int fd = -1;
    enum pps_status status = pps_disk_create(path, &fd, err);
    if (status != PPS_OK)
        return status;
    (void)pps_disk_lock(fd);
    status = pps_disk_write(fd, path, text->text, text->n, err);
    if (status == PPS_OK)
        status = pps_disk_sync(fd, path, err);
    if (status == PPS_OK && !pps_disk_is_named(log->fd, log->path))
        status = pps_fail(err, PPS_E_MACHINE, "%s was removed or replaced during the run",
                          log->path);
    if (status == PPS_OK)
        status = pps_disk_rename(path, log->path, true, err);
    if (status != PPS_OK) {
        close(fd);
        unlink(path);
        return status;
    }
    close(log->fd);
    log->fd = fd;
    return pps_disk_sync_folder(log->path, err);
}

// Returns the name of the new file, which the caller frees; NULL without memory.
static char *name_of_new(const struct pps_record_log *log)
{
    char *path = NULL;
    return asprintf(&path, "%s.new", log->path) < 0 ? NULL : path;
}

enum pps_status pps_record_log_replace(struct pps_record_log *log, const void *data, size_t n,
                                       struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    char *path = name_of_new(log);
    put_head(log, &text);
    put_record(&text, data, n, &log->sum);
    enum pps_status status = path == NULL || text.failed ? pps_fail_memory(err, "%s", log->path)
                                                         : clear_name(path, err);
    if (status == PPS_OK)
        status = write_new(log, path, &text, err);
    if (status == PPS_OK)
        log->bytes = text.n;
    text_buffer_free(&text);
    free(path);
    return status;
}

// ---- the end ------------------------------------------------------------------------------------

enum pps_status pps_record_log_remove(struct pps_record_log *log, struct pps_error *err)
{
    struct pps_error unused;
    char *path = name_of_new(log);
    if (path != NULL)
        (void)!clear_name(path, &unused);
    free(path);
    const enum pps_status status = pps_disk_sync_folder(log->path, err);
    if (status == PPS_OK && pps_disk_is_named(log->fd, log->path))
        return unlink(log->path) == 0 ? PPS_OK
                                      : pps_fail_errno(err, "cannot remove", log->path);
    return status;
}

void pps_record_log_close(struct pps_record_log *log)
{
    if (log->fd >= 0 && log->path != NULL)
        close(log->fd);
    text_buffer_free(&log->waiting);
    free(log->path);
    free(log->identity);
    free(log->old);
    *log = (struct pps_record_log){.fd = -1};
}
