// SPDX-License-Identifier: Apache-2.0
// Holds the state of loading an experiment: the documents, the entry of each name, and the
// steps that turn entries into axes. Private to experiment.c, load_names.c,
// load_command.c, command_kinds.c, load_dictionaries.c, load_lets.c, load_sample.c, load_documents.c, load_zip.c and load_axes.c.
#pragma once

#include "engine/experiment/experiment.h"

enum { PPS_MAX_ENTRIES = PPS_MAX_PARAMS + PPS_MAX_OPTIONS };

// The entry of one name in the experiment. An override replaces the entry of the file.
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
    struct pps_json preset;     // document of the preset; without a root if there is no preset
    struct pps_json *overrides; // one document each, and one of --seed
    struct pps_entry entries[PPS_MAX_ENTRIES];
    int n_entries;
    int axis_of[PPS_MAX_PARAMS]; // -1: no axis
    char *points_path;           // may be NULL
    cJSON *results;              // of a command, as its first point has printed them; or NULL
    bool bare; // only the points count: of a command, results are not known yet
    struct pps_error *err;
};

// ---- experiment.c ----

// Builds the experiment of the document l->file. The caller frees l->experiment, also after an error.
PPS_MUST_CHECK enum pps_status pps_load_experiment(struct pps_loader *l);

// Frees what only loading needs, except l->file.
void pps_loader_free(struct pps_loader *l);

// ---- load_command.c ----

// Makes a kernel of the command of the experiment.
PPS_MUST_CHECK enum pps_status pps_load_command(struct pps_loader *l);

// ---- command_kinds.c ----

// Adds the kind of a parameter with these values to `kinds`, an object in the form of "params" of a command.
void pps_command_kind(cJSON *kinds, const char *name, const cJSON *item);

// Adds the kinds of the columns of a file of points.
PPS_MUST_CHECK enum pps_status pps_command_point_kinds(cJSON *kinds, const char *path,
                                                       struct pps_error *err);

// ---- load_names.c ----

// Returns whether a key of an experiment cannot be a parameter.
bool pps_is_reserved(const char *name);

// Parses the values of option -s number i, once.
PPS_MUST_CHECK enum pps_status pps_load_override(struct pps_loader *l, int i);

// Reads the experiment's file or text, or creates an empty experiment if there is neither.
PPS_MUST_CHECK enum pps_status pps_load_file(struct pps_loader *l);

// Collects the entries of parameters and options from the file, then from the command line.
PPS_MUST_CHECK enum pps_status pps_load_entries(struct pps_loader *l);

// Adds or replaces the entry of a parameter or an option. Refuses other names, and a name that the
// file sets twice.
PPS_MUST_CHECK enum pps_status pps_add_entry(struct pps_loader *l,
                                             const struct pps_entry *entry);

// Returns the entry with this name, or NULL if there is none.
struct pps_entry *pps_find_entry(struct pps_loader *l, const char *name);

// Returns the index of the option of the kernel's composite axis, or -1 if there is none.
int pps_find_option(const struct pps_kernel *kernel, const char *name);

// Removes line and column from an error in an override, because overrides have no lines.
// Returns status.
enum pps_status pps_override_place(struct pps_loader *l, enum pps_status status);

// ---- load_dictionaries.c ----

// Returns true if the key of an experiment sets all members of the composite axis.
bool pps_is_dictionary(const struct pps_kernel *kernel, const char *name);

// Adds an entry for every member of the composite axis if the file has a dictionary.
PPS_MUST_CHECK enum pps_status pps_dictionary_entries(struct pps_loader *l);

// ---- load_lets.c ----

// Adds the computed columns of the file ("let"), then those of the request, to the kernel.
PPS_MUST_CHECK enum pps_status pps_load_lets(struct pps_loader *l);

// ---- load_sample.c ----

// Loads the sample if the experiment is a sample; the seed must be known. Otherwise refuses
// continuous ranges.
PPS_MUST_CHECK enum pps_status pps_load_sample(struct pps_loader *l);

// ---- load_documents.c ----

// Adds the axes of slots with several documents, outside all other axes.
PPS_MUST_CHECK enum pps_status pps_load_documents(struct pps_loader *l);

// Refuses points that name a document of a slot with several documents, because each point is
// computed for every document.
PPS_MUST_CHECK enum pps_status pps_check_documents(struct pps_loader *l,
                                                   const struct pps_axis *points);

// ---- load_zip.c ----

// Returns true if the experiment pairs the values of the parameter with values of other
// parameters. The list of a paired parameter keeps repeated values.
bool pps_is_zipped(const struct pps_loader *l, const char *name);

// Joins the axes of each group of paired parameters, whose lists must be equally long, and
// removes repeated tuples.
PPS_MUST_CHECK enum pps_status pps_load_zip(struct pps_loader *l);

// ---- load_axes.c ----

// Builds the axes in the order of the entries: paired groups are joined, then come points and
// the composite axis.
PPS_MUST_CHECK enum pps_status pps_load_axes(struct pps_loader *l);

// Return masks of parameters: the parameters that the axes of the space set so far, and the
// parameters that the composite axis sets.
uint64_t pps_axes_set(const struct pps_space *space);
uint64_t pps_composite_sets(const struct pps_composite *composite);
