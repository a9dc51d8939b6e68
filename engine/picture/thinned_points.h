// SPDX-License-Identifier: Apache-2.0
// Collects the points of a picture, and thins them if there are too many. The points and their
// numbers alone decide which points stay.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Points kept while the rows are read (12 MiB). Above this number the cloud keeps the points of
// every second, fourth, ... hash.
#define PPS_THINNED_POINTS_POINTS ((size_t)1 << 19)

struct pps_thinned_points_point {
    double x, y;
    uint64_t row; // row number
};

// A zeroed struct is an empty cloud.
struct pps_thinned_points {
    struct pps_thinned_points_point *points; // in row order
    size_t n, room;
    int halvings;
    uint64_t seen;
    double x_min, x_max, y_min, y_max; // of all points seen
};

// Maps a value to a place on an axis of the picture.
struct pps_thinned_points_scale {
    double min, max;
    bool log; // min > 0
};

// Frees the points; a zeroed cloud is allowed.
void pps_thinned_points_free(struct pps_thinned_points *cloud);

// Adds the point (x, y) of a row. Returns PPS_E_MACHINE if memory runs out.
PPS_MUST_CHECK enum pps_status pps_thinned_points_add(struct pps_thinned_points *cloud,
                                                      double x, double y, uint64_t row,
                                                      struct pps_error *err);

// Returns a scale from min to max. The scale is logarithmic if the values span an order of
// magnitude or more.
struct pps_thinned_points_scale pps_thinned_points_scale(double min, double max);

// Divides the picture into a grid of across * up cells and keeps the first point of every cell.
PPS_MUST_CHECK enum pps_status pps_thinned_points_thin(struct pps_thinned_points *cloud,
                                                       int across, int up,
                                                       struct pps_error *err);
