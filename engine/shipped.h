// SPDX-License-Identifier: Apache-2.0
// Documents that come with the program, by name: "llama3-70b" is sweep_configs/models/llama3-70b.json.
#ifndef PPS_SHIPPED_H
#define PPS_SHIPPED_H

// What to read for `name`, a document of `kind` ("model"), which as a path is `path`: that, where
// there is such a file; otherwise the shipped document of that name; where there is none either,
// again the path. Takes path and returns it or another one for the caller to free; NULL: no memory.
char *pps_shipped_path(const char *kind, const char *name, char *path);

// Whether `name` can only be that of a shipped document, having neither folder nor ending, and what
// pps_shipped_path gave for it is not there. Then says so in text, with the name that was meant, or
// those there are where none is near, or that the data of the program are not found.
struct pps_missing {
    char text[1024]; // "" where it is there
};
struct pps_missing pps_shipped_missing(const char *kind, const char *name, const char *path);

#endif
