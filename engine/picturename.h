// SPDX-License-Identifier: Apache-2.0
// Names of pictures: the stem of the result, then what was asked for beyond the usual, so that
// pictures of other columns or rows have other names.
#ifndef PPS_PICTURENAME_H
#define PPS_PICTURENAME_H

#include "status.h"
#include "view.h"

#include <stdio.h>

enum { PPS_PICTURE_ASKED = 160 }; // bytes of what was asked; file names end at 255

// Writes "-n8-sync_freq1,2" for the view's filters, but for those of the n_by columns in `by`,
// which tell pictures apart by themselves.
void pps_picture_filters(FILE *out, const struct pps_view *view, const int *by, int n_by);

// A name while what was asked is written to `out`.
struct pps_picture_name {
    FILE *out;
    char *asked;
    size_t n;
    char text[512]; // the name, after the end
};

PPS_MUST_CHECK enum pps_status pps_picture_name_begin(struct pps_picture_name *name,
                                                      struct pps_error *err);

// name->text: the stem of the result's path, and what was written.
PPS_MUST_CHECK enum pps_status pps_picture_name_end(struct pps_picture_name *name,
                                                    const char *result,
                                                    struct pps_error *err);

// Makes a piece of a file name (out has PPS_PICTURE_ASKED bytes) of what was asked: '_' stands
// for what does not belong there, and a hash for the end of a long one.
void pps_picture_piece(const char *asked, char *out);

#endif
