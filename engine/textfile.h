// SPDX-License-Identifier: Apache-2.0
// A text file that appears under its name only when it is whole, compressed where the name ends
// in .gz; or standard output under the same interface. Existing files are replaced only where
// that was asked for.
#ifndef PPS_TEXTFILE_H
#define PPS_TEXTFILE_H

#include "status.h"

#include <stdbool.h>
#include <stdio.h>

struct pps_textfile {
    FILE *out;  // write here
    char *path; // NULL: standard output
    char *temp; // the file's name while it is written
    bool force;
    bool same; // may be set behind opening with force: replace a file by the same only
};

// path "-" or NULL: standard output. PPS_E_INPUT where the file exists and !force, where it is
// a folder, or its folder does not exist.
PPS_MUST_CHECK enum pps_status pps_textfile_open(struct pps_textfile *file,
                                                 const char *path,
                                                 bool force,
                                                 struct pps_error *err);

// Gives the file its name, having written everything; on failure nothing is left behind.
// PPS_E_INPUT where `same` was set and a file of this name has another content.
PPS_MUST_CHECK enum pps_status pps_textfile_close(struct pps_textfile *file,
                                                  struct pps_error *err);

// Removes what was written; a zeroed or a closed one is fine.
void pps_textfile_abandon(struct pps_textfile *file);

// Refuses (PPS_E_INPUT) a path that exists where !force, and a folder always.
PPS_MUST_CHECK enum pps_status pps_textfile_check(const char *path,
                                                  bool force,
                                                  struct pps_error *err);

// Refuses (PPS_E_INPUT) a path under which writing would destroy the file `input` that is read, or
// the index or manifest beside it. Both may be "-" or NULL.
PPS_MUST_CHECK enum pps_status pps_textfile_apart(const char *path,
                                                  const char *input,
                                                  struct pps_error *err);

// Whether two paths are of one regular file.
bool pps_textfile_same(const char *one, const char *other);

// Renames from to path, without replacing an existing file unless force.
PPS_MUST_CHECK enum pps_status pps_textfile_rename(const char *from,
                                                   const char *path,
                                                   bool force,
                                                   struct pps_error *err);

#endif
