// SPDX-License-Identifier: Apache-2.0
// Collects the points of a picture and thins them if there are too many.
#include "engine/picture/thinned_points.h"

#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>

#define LOG_FROM 10 // ratio of max to min from which a scale is logarithmic

void pps_thinned_points_free(struct pps_thinned_points *cloud)
{
    free(cloud->points);
    *cloud = (struct pps_thinned_points){.n = 0};
}

// ---- adding points --------------------------------------------------------------------------

// Spreads row numbers over all 64 bits, so that neighbouring rows are kept independently.
static uint64_t spread(uint64_t row)
{
    row = (row ^ (row >> 30)) * 0xBF58476D1CE4E5B9u;
    row = (row ^ (row >> 27)) * 0x94D049BB133111EBu;
    return row ^ (row >> 31);
}

static bool stays(const struct pps_thinned_points *cloud, uint64_t row)
{
    return cloud->halvings == 0 || spread(row) >> (64 - cloud->halvings) == 0;
}

static void halve(struct pps_thinned_points *cloud)
{
    size_t kept = 0;
    cloud->halvings++;
    for (size_t i = 0; i < cloud->n; i++)
        if (stays(cloud, cloud->points[i].row))
            cloud->points[kept++] = cloud->points[i];
    cloud->n = kept;
}

static void note_range(struct pps_thinned_points *cloud, double x, double y)
{
    const bool first = cloud->seen++ == 0;
    cloud->x_min = first ? x : fmin(cloud->x_min, x);
    cloud->x_max = first ? x : fmax(cloud->x_max, x);
    cloud->y_min = first ? y : fmin(cloud->y_min, y);
    cloud->y_max = first ? y : fmax(cloud->y_max, y);
}

enum pps_status pps_thinned_points_add(struct pps_thinned_points *cloud, double x, double y,
                                       uint64_t row, struct pps_error *err)
{
    note_range(cloud, x, y);
    if (!stays(cloud, row))
        return PPS_OK;
    while (cloud->n == PPS_THINNED_POINTS_POINTS)
        halve(cloud);
    struct pps_thinned_points_point *points =
        pps_grow(cloud->points, &cloud->room, cloud->n + 1, sizeof *points);
    if (points == NULL)
        return pps_fail_memory(err, "the points of the picture");
    cloud->points = points;
    if (stays(cloud, row)) // after a halving
        cloud->points[cloud->n++] = (struct pps_thinned_points_point){x, y, row};
    return PPS_OK;
}

// ---- on a grid ------------------------------------------------------------------------------

struct pps_thinned_points_scale pps_thinned_points_scale(double min, double max)
{
    return (struct pps_thinned_points_scale){min, max, min > 0 && max / min >= LOG_FROM};
}

// Returns the cell (0 ... n - 1) that contains a value.
static size_t cell_of(const struct pps_thinned_points_scale *scale, double value, int n)
{
    double share = (value - scale->min) / (scale->max - scale->min);
    if (scale->log)
        share = log(value / scale->min) / log(scale->max / scale->min);
    if (!(share > 0)) // also for a scale of one value
        return 0;
    return share >= 1 ? (size_t)n - 1 : (size_t)(share * n);
}

enum pps_status pps_thinned_points_thin(struct pps_thinned_points *cloud, int across, int up,
                                        struct pps_error *err)
{
    const struct pps_thinned_points_scale x =
        pps_thinned_points_scale(cloud->x_min, cloud->x_max);
    const struct pps_thinned_points_scale y =
        pps_thinned_points_scale(cloud->y_min, cloud->y_max);
    bool *taken = calloc((size_t)across * (size_t)up, sizeof *taken);
    size_t kept = 0;
    if (taken == NULL)
        return pps_fail_memory(err, "the points of the picture");
    for (size_t i = 0; i < cloud->n; i++) {
        const struct pps_thinned_points_point *point = &cloud->points[i];
        const size_t cell =
            cell_of(&y, point->y, up) * (size_t)across + cell_of(&x, point->x, across);
        if (taken[cell])
            continue;
        taken[cell] = true;
        cloud->points[kept++] = *point;
    }
    cloud->n = kept;
    free(taken);
    return PPS_OK;
}
