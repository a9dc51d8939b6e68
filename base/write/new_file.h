// SPDX-License-Identifier: Apache-2.0
// Files that appear under their name only when they are complete, compressed if the name ends in .gz.
// Missing folders of the path are created. Standard output has the same interface; a terminal gets no
// control characters (terminal.h).
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"

#include <stdio.h>

struct pps_new_file {
    FILE *out;   // the caller writes here
    char *path;  // NULL: standard output
    char *temp;  // the file's name until it has its own
    int unnamed; // the file, if it has no name yet; -1: it has
    char *made;  // the first folder that was created for it; NULL: none
    const struct pps_gate *gate;
};

// Opens the file; path "-" or NULL is standard output. Returns PPS_E_INPUT if the gate refuses it or
// its folder cannot be created. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_new_file_open(struct pps_new_file *file, const char *path,
                                                 const struct pps_gate *gate,
                                                 struct pps_error *err);

// Writes everything and gives the file its name; on failure nothing is left behind. PPS_E_MACHINE, too, if memory
// has failed since the command began.
PPS_MUST_CHECK enum pps_status pps_new_file_close(struct pps_new_file *file,
                                                  struct pps_error *err);

// Removes the temporary file; a zeroed or closed file is fine.
void pps_new_file_abandon(struct pps_new_file *file);

// Closes the file if all went well so far, otherwise removes it and returns that status.
PPS_MUST_CHECK enum pps_status pps_new_file_end(struct pps_new_file *file,
                                                enum pps_status status, struct pps_error *err);

// Gives a complete file, which others wrote in the same file system, its name.
PPS_MUST_CHECK enum pps_status pps_new_file_publish(const char *from, const char *path,
                                                    const struct pps_gate *gate,
                                                    struct pps_error *err);
