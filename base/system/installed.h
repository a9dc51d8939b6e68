// SPDX-License-Identifier: Apache-2.0
// Finds the installed data of the program: sweep_configs (with models and clusters) and
// plot_scripts. Shipped documents are found by name: "llama3-70b" is
// sweep_configs/models/llama3-70b.json.
#pragma once

#include "base/text/status.h"

#include <stddef.h>

// Writes the path of `name` (such as "plot_scripts") in the first data folder that exists:
//   1. $PPSWEEP_DATA, if set and not empty; no other folder is tried then;
//   2. the folder where `cmake --install` puts the data, relative to the folder of the shared
//   library or executable that contains this code: ../share/ppsweep unless the build chose other
//   folders. An installation can be moved;
//   3. the source tree, for a library or an executable in a build tree.
// Returns PPS_E_MACHINE with advice if there is no data folder. Does not check that `name`
// exists. cap is the size of out in bytes. Thread-safe.
PPS_MUST_CHECK enum pps_status pps_data_path(const char *name, char *out, size_t cap,
                                             struct pps_error *err);

// Returns the path to read for `name`, a document of `kind` ("model"). If the file `path`
// exists, or no shipped document has this name, that is `path`; otherwise the path of the
// shipped document. Takes ownership of path; the caller frees the returned path. NULL if memory
// runs out.
char *pps_installed_path(const char *kind, const char *name, char *path);

// The names of the shipped documents of a kind ("model"), sorted. None if the data are not found.
enum { PPS_INSTALLED_MOST = 256, PPS_INSTALLED_LONGEST = 64 };
struct pps_installed_names {
    size_t n;
    char name[PPS_INSTALLED_MOST][PPS_INSTALLED_LONGEST];
};
void pps_installed_names(const char *kind, struct pps_installed_names *names);

// Returns the shipped name that a person means by a word: Llama-3-70B and meta-llama/Llama-3.1-70B-Instruct are
// llama3-70b, H100-SXM5 is h100; NULL: none.
const char *pps_installed_match(const struct pps_installed_names *names, const char *word);

// Describes a missing shipped document. The text is set if `name` can only be the name of a
// shipped document (it has neither folder nor ending) and `path`, as returned by
// pps_installed_path, does not exist. It suggests the nearest name, lists the known names if none
// is near, or states that the program's data files are not found.
struct pps_missing {
    char text[1024]; // "" if the document exists
};
struct pps_missing pps_installed_missing(const char *kind, const char *name, const char *path);
