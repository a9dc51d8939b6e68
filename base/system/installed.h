// SPDX-License-Identifier: Apache-2.0
// Shipped documents are found by name: "llama3-70b" is sweep_configs/models/llama3-70b.json.
#ifndef PPS_SHIPPED_H
#define PPS_SHIPPED_H

// Returns the path to read for `name`, a document of `kind` ("model"). If the file `path`
// exists, or no shipped document has this name, that is `path`; otherwise the path of the
// shipped document. Takes ownership of path; the caller frees the returned path. NULL if memory
// runs out.
char *pps_shipped_path(const char *kind, const char *name, char *path);

// Describes a missing shipped document. The text is set if `name` can only be the name of a
// shipped document (it has neither folder nor ending) and `path`, as returned by
// pps_shipped_path, does not exist. It suggests the nearest name, lists the known names if none
// is near, or says that the program's data files are not found.
struct pps_missing {
    char text[1024]; // "" if the document exists
};
struct pps_missing pps_shipped_missing(const char *kind, const char *name, const char *path);

#endif
