// SPDX-License-Identifier: Apache-2.0
// Adds the work of segments to bins.
#include "engine/timeline/load.h"

#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pps_load_free(struct pps_load *load)
{
    free(load->work);
    load->work = NULL;
    load->n_groups = 0;
    load->width = 0;
}

// Makes room for the group. The bins of new groups are empty.
static bool make_room(struct pps_load *load, int32_t group)
{
    const size_t unit = (size_t)load->n_tracks * PPS_LOAD_BINS, before = load->n_groups;
    if ((size_t)group < before)
        return true;
    float *work = pps_grow(load->work, &load->n_groups, (size_t)group + 1, unit * sizeof *work);
    if (work == NULL)
        return false;
    load->work = work;
    memset(work + before * unit, 0, (load->n_groups - before) * unit * sizeof *work);
    return true;
}

// Merges 2^shift neighbours of a lane into one bin. Work is counted in bins, so it shrinks.
static void merge_lane(float *work, int shift)
{
    const int kept = shift < 10 ? PPS_LOAD_BINS >> shift : 1;
    for (int b = 0; b < kept; b++) {
        const int first = b * (PPS_LOAD_BINS / kept);
        double sum = 0;
        for (int i = first; i < first + PPS_LOAD_BINS / kept; i++)
            sum += (double)work[i];
        work[b] = (float)ldexp(sum, -shift);
    }
    memset(work + kept, 0, (size_t)(PPS_LOAD_BINS - kept) * sizeof *work);
}

// Widens the bins until they reach to `end`.
static void reach(struct pps_load *load, double end)
{
    int exponent;
    frexp((end - load->begin) / PPS_LOAD_BINS, &exponent);
    const double width = ldexp(1, exponent); // more than the quotient
    if (load->width == 0)
        load->width = width;
    if (width <= load->width)
        return;
    const int shift = ilogb(width) - ilogb(load->width);
    const size_t n_lanes = load->n_groups * (size_t)load->n_tracks;
    for (size_t lane = 0; lane < n_lanes; lane++)
        merge_lane(load->work + lane * PPS_LOAD_BINS, shift);
    load->width = width;
}

static float *lane_of(const struct pps_load *load, int32_t group, int32_t track)
{
    return load->work +
           ((size_t)group * (size_t)load->n_tracks + (size_t)track) * PPS_LOAD_BINS;
}

bool pps_load_add(struct pps_load *load, const struct pps_piece *piece)
{
    if (!make_room(load, piece->group))
        return false;
    if (!(piece->end > piece->start) || !(piece->end > load->begin))
        return true;
    reach(load, piece->end);
    float *work = lane_of(load, piece->group, piece->track);
    const double from = fmax(piece->start - load->begin, 0) / load->width;
    const double to = (piece->end - load->begin) / load->width;
    for (int b = (int)from; b < PPS_LOAD_BINS && b < to; b++)
        work[b] += (float)(piece->rate * (fmin(to, b + 1) - fmax(from, b)));
    return true;
}

bool pps_load_has(const struct pps_load *load, int32_t group, int32_t track)
{
    const float *work = lane_of(load, group, track);
    for (int b = 0; b < PPS_LOAD_BINS; b++)
        if (work[b] > 0)
            return true;
    return false;
}

int pps_load_bins(const struct pps_load *load, double end)
{
    if (load->width == 0 || !(end > load->begin))
        return 0;
    return (int)fmin(ceil((end - load->begin) / load->width), PPS_LOAD_BINS);
}

double pps_load_mean(const struct pps_load *load, int32_t group, int32_t track, int first,
                     int n, double end)
{
    const double last = load->width > 0 ? (end - load->begin) / load->width : 0;
    const double covered = fmin(first + n, last) - first;
    double sum = 0;
    if ((size_t)group >= load->n_groups || !(covered > 0))
        return 0;
    const float *work = lane_of(load, group, track);
    for (int b = first; b < first + n && b < PPS_LOAD_BINS; b++)
        sum += (double)work[b];
    return sum / covered;
}
