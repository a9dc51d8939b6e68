// SPDX-License-Identifier: Apache-2.0
// A mark says who wrote a file and the checksum of its bytes. It is an extended attribute
// (user.ppsweep), so it changes no byte, moves with the file, and a copy has none. A file with a
// valid mark was not edited since it was written. On a file system without extended attributes the
// mark is a file beside it, .NAME.ppsweep.
#pragma once

#include <stdint.h>

// Who writes.
struct pps_maker {
    const char *name; // at most 200 bytes without line breaks; NULL: files get no marks
    uint64_t run;     // another number for each run of the program
};

enum pps_mark {
    PPS_MARK_NONE,   // not written under this name, or not known
    PPS_MARK_EDITED, // written under this name, and changed since
    PPS_MARK_VALID,  // written under this name, and not changed since
    PPS_MARK_NOW,    // written in this run
};

// Marks a complete file, which will be renamed to path or is there already.
void pps_mark_set(const char *file, const char *path, const struct pps_maker *maker);

// Returns what the mark of a file says. The mark of a symbolic link is never that of its file.
enum pps_mark pps_mark_look(const char *path, const struct pps_maker *maker);
