// SPDX-License-Identifier: Apache-2.0
// Lists the files of engine/report/page, which the build turns into arrays (packaging/embed.cmake).
#pragma once

#include <stddef.h>

struct pps_page_file {
    const char *name; // "page.html"
    const unsigned char *bytes;
    size_t n;
};

// All files in the order of their names; the last entry has no name.
extern const struct pps_page_file pps_page_files[];
