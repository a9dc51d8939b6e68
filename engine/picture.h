// SPDX-License-Identifier: Apache-2.0
// Pictures that gnuplot draws with one of the plot scripts. Data and pictures are made in a
// hidden folder beside where the pictures go, and renamed when gnuplot is done: a picture is
// whole or not there.
#ifndef PPS_PICTURE_H
#define PPS_PICTURE_H

#include "status.h"
#include "textfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PPS_PICTURE_BATCH 16 // pictures that one gnuplot draws

struct pps_picture_ask {
    const char *folder; // for the pictures; it is made. NULL: plots/ beside the
                        // folder data/ that holds the result, otherwise outputs/plots
    bool png, svg;
    bool force;  // replace every picture that exists
    FILE *paths; // gets the pictures' paths, one a line; or NULL
};

struct pps_pictures;

// Finds the script ("heatmap.gp"), gnuplot and the folder; makes nothing yet. `result` is the
// path that the default folder comes from; it stays valid. PPS_E_MACHINE where one of them is missing.
PPS_MUST_CHECK enum pps_status pps_pictures_open(struct pps_pictures **pictures,
                                                 const struct pps_picture_ask *ask,
                                                 const char *script,
                                                 const char *result,
                                                 struct pps_error *err);
void pps_pictures_close(struct pps_pictures *pictures); // NULL is fine

// PPS_E_INPUT where pictures of this name (no folder, no ending) exist and !force, unless they were
// drawn from this result and have not been edited since (picturemark.h).
PPS_MUST_CHECK enum pps_status pps_pictures_check(const struct pps_pictures *pictures,
                                                  const char *name,
                                                  struct pps_error *err);

// Opens what the script shall read for picture i; the caller writes it and closes it.
PPS_MUST_CHECK enum pps_status pps_pictures_data(struct pps_pictures *pictures,
                                                 size_t i,
                                                 struct pps_textfile *file,
                                                 struct pps_error *err);

// Draws pictures first ... first + n - 1 (n <= PPS_PICTURE_BATCH) from their data, and gives
// them names[0] ... names[n - 1]. *drawn grows by the files made.
PPS_MUST_CHECK enum pps_status pps_pictures_draw(struct pps_pictures *pictures,
                                                 size_t first,
                                                 size_t n,
                                                 char *const *names,
                                                 size_t *drawn,
                                                 struct pps_error *err);

// One picture, of data that write(self, out, err) writes.
PPS_MUST_CHECK enum pps_status pps_picture_one(const struct pps_picture_ask *ask,
                                               const char *script,
                                               const char *result,
                                               const char *name,
                                               void *self,
                                               enum pps_status (*write)(void *self,
                                                                        FILE *out,
                                                                        struct pps_error *err),
                                               struct pps_error *err);

#endif
