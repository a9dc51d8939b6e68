// SPDX-License-Identifier: Apache-2.0
// The picture module draws PNG, SVG and PDF files with gnuplot and one of the plot scripts. It
// writes data and pictures in a hidden folder beside the destination and renames the pictures
// when gnuplot is done: a picture is complete or absent. Not thread-safe.
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"
#include "base/write/new_file.h"
#include "engine/picture/picture_metadata.h"
#include "engine/picture/picture_style.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PPS_PICTURE_BATCH 16 // pictures that one gnuplot process draws

struct pps_picture_ask {
    const char *folder; // destination; created if missing. NULL: pps_picture_folder()
    // the name of the only picture, without folder and ending; NULL: as the callers name it
    const char *name;
    FILE
        *data; // pps_picture_one: receives what the script reads, in place of pictures; or NULL
    bool png, svg, pdf;
    struct pps_picture_style style;
    struct pps_picture_about about;
    const struct pps_gate *gate; // of the pictures
    FILE *paths;                 // receives the paths of the pictures, one per line; or NULL
    const atomic_bool *stop;     // ends gnuplot; NULL: none
    int threads;                 // gnuplot processes at a time; 0: 1
};

// Writes the folder of pictures and pages of a result: plots/ beside the folder data/ that holds it,
// otherwise outputs/plots.
void pps_picture_folder(const char *result, char *out, size_t cap);

// A gate for pictures whose names follow from a result: those of another result are not its own.
struct pps_picture_gate {
    struct pps_gate gate;
    char maker[32];
};

void pps_picture_gate_make(struct pps_picture_gate *made, const struct pps_gate *gate,
                           const char *result);

struct pps_pictures;

// Finds the script ("heatmap.gp"), gnuplot and the folder; creates nothing yet. The default
// folder is derived from the path `result`, which must stay valid. Returns PPS_E_MACHINE if the
// script, gnuplot or the folder is missing. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_pictures_open(struct pps_pictures **pictures,
                                                 const struct pps_picture_ask *ask,
                                                 const char *script, const char *result,
                                                 struct pps_error *err);
void pps_pictures_close(struct pps_pictures *pictures); // NULL is fine

// Returns PPS_E_INPUT if the gate refuses pictures of this name (no folder, no ending).
PPS_MUST_CHECK enum pps_status pps_pictures_check(const struct pps_pictures *pictures,
                                                  const char *name, struct pps_error *err);

// Opens the data file of picture i, which the script reads. The caller writes and closes it.
PPS_MUST_CHECK enum pps_status pps_pictures_data(struct pps_pictures *pictures, size_t i,
                                                 struct pps_new_file *file,
                                                 struct pps_error *err);

// Draws pictures first ... first + n - 1 (n <= PPS_PICTURE_BATCH) from their data under the
// names names[0] ... names[n - 1]. Adds the number of new files to *drawn. Returns PPS_E_STOPPED
// if the stop flag ended gnuplot: no picture of the call is kept.
PPS_MUST_CHECK enum pps_status pps_pictures_draw(struct pps_pictures *pictures, size_t first,
                                                 size_t n, char *const *names, size_t *drawn,
                                                 struct pps_error *err);

// Draws one picture from the data that write(self, out, err) writes.
PPS_MUST_CHECK enum pps_status pps_picture_one(
    const struct pps_picture_ask *ask, const char *script, const char *result, const char *name,
    void *self, enum pps_status (*write)(void *self, FILE *out, struct pps_error *err),
    struct pps_error *err);
