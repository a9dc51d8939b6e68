// SPDX-License-Identifier: Apache-2.0
// System calls on files with their faults told: whole writes, syncs, renames, locks. Paths are
// there for the messages. Every fault is PPS_E_MACHINE unless said otherwise.
#ifndef PPS_DISKFILE_H
#define PPS_DISKFILE_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What stands at a path.
enum pps_disk_entry {
    PPS_DISK_NOTHING,
    PPS_DISK_FILE,
    PPS_DISK_LINK, // a symbolic link to a regular file
};

enum pps_disk_lock {
    PPS_DISK_LOCKED,     // by us, now
    PPS_DISK_BUSY,       // by another
    PPS_DISK_LOCKS_NONE, // this file system has no locks
};

// Tells what stands at path. PPS_E_INPUT for what can never be a result (a folder, a device, a
// link to nothing) and for a path that cannot be looked up.
PPS_MUST_CHECK enum pps_status pps_disk_look(const char *path,
                                             enum pps_disk_entry *entry,
                                             struct pps_error *err);

// PPS_E_INPUT unless the folder of path is there and may be written.
PPS_MUST_CHECK enum pps_status pps_disk_check_folder(const char *path, struct pps_error *err);

// Fills err from errno after something failed with a path, "cannot open" or so: PPS_E_INPUT where
// another path or other rights would help, else PPS_E_MACHINE.
enum pps_status pps_disk_fail(struct pps_error *err, const char *what, const char *path);
enum pps_status pps_disk_fail_open(struct pps_error *err, const char *path);

// Creates path, which must not exist, for reading and writing.
PPS_MUST_CHECK enum pps_status pps_disk_create(const char *path,
                                               int *fd,
                                               struct pps_error *err);

// Writes all n bytes, through interruptions and short writes.
PPS_MUST_CHECK enum pps_status pps_disk_write(int fd,
                                              const char *path,
                                              const void *data,
                                              size_t n,
                                              struct pps_error *err);

// Reads up to n bytes from `offset` on, through interruptions and short reads; *got is less than n
// only at the end of the file.
PPS_MUST_CHECK enum pps_status pps_disk_read_at(int fd,
                                                const char *path,
                                                void *data,
                                                size_t n,
                                                uint64_t offset,
                                                size_t *got,
                                                struct pps_error *err);

PPS_MUST_CHECK enum pps_status pps_disk_size(int fd,
                                             const char *path,
                                             uint64_t *bytes,
                                             struct pps_error *err);

// Cuts the file to n bytes and goes to its end.
PPS_MUST_CHECK enum pps_status pps_disk_truncate(int fd,
                                                 const char *path,
                                                 uint64_t n,
                                                 struct pps_error *err);

// fdatasync. A file system that cannot sync is no fault.
PPS_MUST_CHECK enum pps_status pps_disk_sync(int fd, const char *path, struct pps_error *err);

// Closes *fd and sets it to -1; fine if it is already.
PPS_MUST_CHECK enum pps_status pps_disk_close(int *fd, const char *path, struct pps_error *err);

// Renames; without `replace` never over a file that is there.
PPS_MUST_CHECK enum pps_status pps_disk_rename(const char *from,
                                               const char *to,
                                               bool replace,
                                               struct pps_error *err);

// Makes names in path's folder last.
PPS_MUST_CHECK enum pps_status pps_disk_sync_folder(const char *path, struct pps_error *err);

// Takes the whole-file write lock of an open file, or only asks for it (PPS_DISK_LOCKED: free).
// It goes with the last descriptor of this opening. fd must be open for writing to take it.
enum pps_disk_lock pps_disk_lock(int fd);
enum pps_disk_lock pps_disk_ask_lock(int fd);

#endif
