// SPDX-License-Identifier: Apache-2.0
// Reads whole files into memory, and writes text files that appear under their name only when
// they are complete, compressed if the name ends in .gz. Standard output has the same interface.
// Existing files are replaced only if the caller asks for it.
#ifndef PPS_BASE_SYSTEM_WHOLE_FILE_H
#define PPS_BASE_SYSTEM_WHOLE_FILE_H

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Reads a whole file, a pipe or stdin ("-") of at most `most` bytes. *text has a NUL after its
// *n bytes; the caller frees it with free(). After an error *text is NULL. PPS_E_INPUT names the
// file if it is a folder, cannot be read or is larger.
PPS_MUST_CHECK enum pps_status pps_whole_file_read(const char *path,
                                                   size_t most,
                                                   char **text,
                                                   size_t *n,
                                                   struct pps_error *err);

// Reads a regular file of this program, like pps_whole_file_read; never blocks on a pipe.
// PPS_E_WRONG: the file is larger than `most`.
PPS_MUST_CHECK enum pps_status pps_whole_file_read_regular(const char *path,
                                                           size_t most,
                                                           char **text,
                                                           size_t *n,
                                                           struct pps_error *err);

struct pps_whole_file {
    FILE *out;  // the caller writes here
    char *path; // NULL: standard output
    char *temp; // the file's name while it is written
    bool force;
    bool same; // may be set after opening with force: replace a file only by equal content
};

// Opens the file; path "-" or NULL is standard output. Returns PPS_E_INPUT if the file exists
// and !force, if it is a folder, or if its folder does not exist. After an error there is
// nothing to close.
PPS_MUST_CHECK enum pps_status pps_whole_file_open(struct pps_whole_file *file,
                                                   const char *path,
                                                   bool force,
                                                   struct pps_error *err);

// Writes everything and gives the file its name; on failure nothing is left behind. Returns
// PPS_E_INPUT if `same` is set and a file of this name has other content.
PPS_MUST_CHECK enum pps_status pps_whole_file_close(struct pps_whole_file *file,
                                                    struct pps_error *err);

// Removes the temporary file; a zeroed or closed file is fine.
void pps_whole_file_abandon(struct pps_whole_file *file);

// Returns PPS_E_INPUT if path exists and !force, or if path is a folder.
PPS_MUST_CHECK enum pps_status pps_whole_file_check(const char *path,
                                                    bool force,
                                                    struct pps_error *err);

// Returns PPS_E_INPUT if writing to path would destroy the file `input` that is read, or the
// index or manifest beside it. Both may be "-" or NULL.
PPS_MUST_CHECK enum pps_status pps_whole_file_apart(const char *path,
                                                    const char *input,
                                                    struct pps_error *err);

// Returns whether both paths lead to the same regular file.
bool pps_whole_file_same(const char *one, const char *other);

// Renames from to path. Does not replace an existing file unless force is set.
PPS_MUST_CHECK enum pps_status pps_whole_file_rename(const char *from,
                                                     const char *path,
                                                     bool force,
                                                     struct pps_error *err);

#endif
