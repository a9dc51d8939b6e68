// SPDX-License-Identifier: Apache-2.0
// Points of a picture, thinned out where there are too many: which stay depends on the points
// and their numbers only.
#ifndef PPS_CLOUD_H
#define PPS_CLOUD_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Points kept while they come: 12 MiB. Beyond, those of every second, fourth ... hash stay.
#define PPS_CLOUD_POINTS ((size_t)1 << 19)

struct pps_cloud_point {
    double x, y;
    uint64_t row; // its number
};

// A zeroed one is empty.
struct pps_cloud {
    struct pps_cloud_point *points; // in order of their rows
    size_t n, room;
    int halvings;
    uint64_t seen;
    double x_min, x_max, y_min, y_max; // of all points seen
};

// How a value becomes a place in the picture.
struct pps_cloud_scale {
    double min, max;
    bool log; // min > 0
};

void pps_cloud_free(struct pps_cloud *cloud);

PPS_MUST_CHECK enum pps_status pps_cloud_add(struct pps_cloud *cloud,
                                             double x,
                                             double y,
                                             uint64_t row,
                                             struct pps_error *err);

// A scale from min to max: logarithmic where the values span an order of magnitude or more.
struct pps_cloud_scale pps_cloud_scale(double min, double max);

// Keeps the first point of every cell of a grid of this many cells across and up.
PPS_MUST_CHECK enum pps_status pps_cloud_thin(struct pps_cloud *cloud,
                                              int across,
                                              int up,
                                              struct pps_error *err);

#endif
