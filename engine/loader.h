// SPDX-License-Identifier: Apache-2.0
// What only the loading of an experiment needs: the documents, what they say of each name, and
// the steps that turn it into axes. Private to experiment.c, loadentries.c, loadsample.c,
// loaddocuments.c and loadaxes.c.
#ifndef PPS_LOADER_H
#define PPS_LOADER_H

#include "experiment.h"

enum { PPS_MAX_ENTRIES = PPS_MAX_PARAMS + PPS_MAX_OPTIONS };

// What the experiment says of one name; an override takes the place of the file's.
struct pps_entry {
    const char *name;
    const struct pps_json *json;
    const cJSON *item;
};

struct pps_loader {
    const struct pps_request *request;
    struct pps_experiment *experiment;
    const struct pps_kernel *kernel;
    struct pps_json file;
    struct pps_json preset;     // what a preset says; or without a root
    struct pps_json *overrides; // one document each
    struct pps_entry entries[PPS_MAX_ENTRIES];
    int n_entries;
    int axis_of[PPS_MAX_PARAMS]; // -1: none
    char *points_path;           // or NULL
    struct pps_error *err;
};

// ---- loadentries.c ----

// Reads the experiment file; without one, an empty experiment.
PPS_MUST_CHECK enum pps_status pps_load_file(struct pps_loader *l);

// Collects what the file, then the command line, say of parameters and options.
PPS_MUST_CHECK enum pps_status pps_load_entries(struct pps_loader *l);

struct pps_entry *pps_find_entry(struct pps_loader *l, const char *name);

// Index of the option of the kernel's composite axis; -1 where there is none.
int pps_find_option(const struct pps_kernel *kernel, const char *name);

// Takes line and column from an error about an override, which has none; returns status.
enum pps_status pps_override_place(struct pps_loader *l, enum pps_status status);

// ---- loadsample.c ----

// The sample, if the experiment says that it is one; the seed must be known. Without one,
// continuous ranges are refused.
PPS_MUST_CHECK enum pps_status pps_load_sample(struct pps_loader *l);

// ---- loaddocuments.c ----

// Axes of the slots that have several documents, outside all others.
PPS_MUST_CHECK enum pps_status pps_load_documents(struct pps_loader *l);

// Refuses points that name a document of such a slot, as each is computed for every one.
PPS_MUST_CHECK enum pps_status pps_check_documents(struct pps_loader *l,
                                                   const struct pps_axis *points);

// ---- loadzip.c ----

// Whether the experiment pairs the parameter's values with those of others: then its list is kept as
// written.
bool pps_is_zipped(const struct pps_loader *l, const char *name);

// Joins the axes of each group, whose lists must be equally long, and drops repeated tuples.
PPS_MUST_CHECK enum pps_status pps_load_zip(struct pps_loader *l);

// ---- loadaxes.c ----

// Axes in the order of the entries, lockstep groups joined, points, the composite axis.
PPS_MUST_CHECK enum pps_status pps_load_axes(struct pps_loader *l);

// Parameters that the axes of space set so far, and that the composite axis sets.
uint64_t pps_axes_set(const struct pps_space *space);
uint64_t pps_composite_sets(const struct pps_composite *composite);

#endif
