// SPDX-License-Identifier: Apache-2.0
// System calls on files with error messages: complete writes, syncs, renames, locks. Paths are
// used in messages only unless the function works on a path. All errors are PPS_E_MACHINE
// unless stated otherwise.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Type of the file at a path.
enum pps_disk_entry {
    PPS_DISK_NOTHING,
    PPS_DISK_FILE,
    PPS_DISK_LINK, // a symbolic link to a regular file
};

enum pps_disk_lock {
    PPS_DISK_LOCKED,     // this process holds the lock
    PPS_DISK_BUSY,       // another process holds the lock
    PPS_DISK_LOCKS_NONE, // the file system does not support locks
};

// Looks up the file at path. Returns PPS_E_INPUT for anything that cannot be a result (a
// folder, a device, a broken link) and for a path that cannot be looked up.
PPS_MUST_CHECK enum pps_status pps_disk_look(const char *path, enum pps_disk_entry *entry,
                                             struct pps_error *err);

// Returns PPS_E_INPUT unless the folder of path exists and is writable.
PPS_MUST_CHECK enum pps_status pps_disk_check_folder(const char *path, struct pps_error *err);

// Returns the folder of a path, "." if it names none; the caller frees it. NULL: out of memory.
char *pps_disk_folder_of(const char *path);

// Opens a file without a name, which disappears with the process however that ends. linkable: it may get a name
// later, which not all file systems can. Returns -1 and sets errno on failure.
int pps_disk_open_nameless(const char *folder, bool linkable);

// Creates a folder and its missing parents. Returns PPS_E_INPUT if a folder cannot be created
// or a file of another type has its name.
PPS_MUST_CHECK enum pps_status pps_disk_make_folder(const char *path, struct pps_error *err);

// Fills err from errno after an operation on a path failed; `what` is its description, such as
// "cannot open". Returns PPS_E_INPUT if another path or other permissions would help, otherwise
// PPS_E_MACHINE.
enum pps_status pps_disk_fail(struct pps_error *err, const char *what, const char *path);
enum pps_status pps_disk_fail_open(struct pps_error *err, const char *path);

// Creates the file path, which must not exist, for reading and writing.
PPS_MUST_CHECK enum pps_status pps_disk_create(const char *path, int *fd,
                                               struct pps_error *err);

// Opens the file path, which exists and is no symbolic link, for reading and writing; does not block on
// pipes. errno stays set after a failure.
PPS_MUST_CHECK enum pps_status pps_disk_reopen(const char *path, int *fd,
                                               struct pps_error *err);

// Returns whether the open file is a regular file and still has the name path.
bool pps_disk_is_named(int fd, const char *path);

// Opens a regular file for reading and returns its length in *bytes. PPS_E_INPUT if it is
// missing or not a regular file; does not block on pipes. After an error there is nothing to
// close, and *fd is -1.
PPS_MUST_CHECK enum pps_status pps_disk_open_regular(const char *path, int *fd, uint64_t *bytes,
                                                     struct pps_error *err);

// Writes all n bytes. Repeats interrupted and short writes.
PPS_MUST_CHECK enum pps_status pps_disk_write(int fd, const char *path, const void *data,
                                              size_t n, struct pps_error *err);

// Reads up to n bytes at `offset`. Repeats interrupted and short reads; *got is less than n
// only at the end of the file.
PPS_MUST_CHECK enum pps_status pps_disk_read_at(int fd, const char *path, void *data, size_t n,
                                                uint64_t offset, size_t *got,
                                                struct pps_error *err);

// Reads exactly n bytes at `offset`; PPS_E_WRONG if the file is too short.
PPS_MUST_CHECK enum pps_status pps_disk_read_exactly(int fd, const char *path, void *data,
                                                     size_t n, uint64_t offset,
                                                     struct pps_error *err);

// Stores the size of the open file in *bytes.
PPS_MUST_CHECK enum pps_status pps_disk_size(int fd, const char *path, uint64_t *bytes,
                                             struct pps_error *err);

// Truncates the file to n bytes and moves to its end.
PPS_MUST_CHECK enum pps_status pps_disk_truncate(int fd, const char *path, uint64_t n,
                                                 struct pps_error *err);

// Calls fdatasync. A file system without sync is not an error.
PPS_MUST_CHECK enum pps_status pps_disk_sync(int fd, const char *path, struct pps_error *err);

// Syncs the data of the file at path, which another descriptor has written.
PPS_MUST_CHECK enum pps_status pps_disk_sync_named(const char *path, struct pps_error *err);

// Closes *fd and sets it to -1. Does nothing if *fd is -1.
PPS_MUST_CHECK enum pps_status pps_disk_close(int *fd, const char *path, struct pps_error *err);

// Renames a file, and never overwrites an existing file at `to`. Returns 0, or -1 with errno. On
// file systems that cannot do both in one step, it looks for an existing file first.
int pps_disk_rename_new(const char *from, const char *to);

// Renames a file. Without `replace` an existing file at `to` is never overwritten.
PPS_MUST_CHECK enum pps_status pps_disk_rename(const char *from, const char *to, bool replace,
                                               struct pps_error *err);

// Syncs the folder of path, so that new and renamed files in the folder survive a crash.
PPS_MUST_CHECK enum pps_status pps_disk_sync_folder(const char *path, struct pps_error *err);

// pps_disk_lock takes the whole-file write lock of an open file; fd must be open for writing.
// pps_disk_ask_lock only tests the lock (PPS_DISK_LOCKED: the lock is free). The lock ends when
// the last descriptor of this opening is closed.
enum pps_disk_lock pps_disk_lock(int fd);
enum pps_disk_lock pps_disk_ask_lock(int fd);

// Takes the lock of a file that was opened by its name. PPS_DISK_BUSY also means that the file no longer has
// the name: its writer has finished in between.
enum pps_disk_lock pps_disk_take(int fd, const char *path);
