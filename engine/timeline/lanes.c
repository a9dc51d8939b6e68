// SPDX-License-Identifier: Apache-2.0
// Assigns the segments of a trace to lanes.
#include "engine/timeline/lanes.h"

#include "base/text/grow_list.h"

#include <stdlib.h>

void pps_lanes_free(struct pps_lanes *lanes)
{
    free(lanes->list);
    free(lanes->first);
    *lanes = (struct pps_lanes){.n_tracks = 0};
}

// Returns the entry of the track's first lane; NULL if memory runs out.
static int32_t *first_lane(struct pps_lanes *lanes, const struct pps_piece *piece)
{
    const size_t group = (size_t)piece->group, n_tracks = (size_t)lanes->n_tracks;
    const size_t before = lanes->n_groups;
    int32_t *first =
        pps_grow(lanes->first, &lanes->n_groups, group + 1, n_tracks * sizeof *first);
    if (first == NULL)
        return NULL;
    for (size_t i = before * n_tracks; i < lanes->n_groups * n_tracks; i++)
        first[i] = -1;
    lanes->first = first;
    return &lanes->first[group * n_tracks + (size_t)piece->track];
}

static bool is_new_group(const struct pps_lanes *lanes, int32_t group)
{
    for (int32_t track = 0; track < lanes->n_tracks; track++)
        if (lanes->first[group * lanes->n_tracks + track] >= 0)
            return false;
    return true;
}

// Adds a lane of the segment's track behind lane `last` (-1: the first lane). Returns NULL if
// memory runs out.
static struct pps_lane *add_lane(struct pps_lanes *lanes, const struct pps_piece *piece,
                                 int32_t slot, int32_t last)
{
    struct pps_lane *list = pps_grow(lanes->list, &lanes->room, lanes->n + 1, sizeof *list);
    if (list == NULL)
        return NULL;
    lanes->list = list;
    const int32_t index = (int32_t)lanes->n++;
    if (last >= 0)
        lanes->list[last].next = index;
    else
        lanes->first[piece->group * lanes->n_tracks + piece->track] = index;
    struct pps_lane *lane = &lanes->list[index];
    *lane = (struct pps_lane){.group = piece->group,
                              .track = piece->track,
                              .slot = slot,
                              .next = -1};
    return lane;
}

static bool is_task_of(const struct pps_lane *lane, const struct pps_piece *piece)
{
    return lane->kind == piece->kind && lane->item == piece->item &&
           lane->chunk == piece->chunk;
}

struct pps_lane *pps_lanes_put(struct pps_lanes *lanes, const struct pps_piece *piece,
                               bool *new_group, bool *new_lane)
{
    const int32_t *first = first_lane(lanes, piece);
    struct pps_lane *lane = NULL;
    int32_t slot = 0, last = -1;
    *new_group = *new_lane = false;
    if (first == NULL)
        return NULL;
    for (int32_t i = *first; i >= 0; i = lanes->list[i].next) {
        struct pps_lane *other = &lanes->list[i];
        slot++;
        last = i;
        if (other->end > piece->start)
            continue;
        const bool same = is_task_of(other, piece);
        if (lane == NULL || same)
            lane = other;
        if (same)
            break;
    }
    if (lane == NULL) {
        *new_group = is_new_group(lanes, piece->group);
        *new_lane = true;
        lane = add_lane(lanes, piece, slot, last);
    }
    if (lane != NULL) {
        lane->continues = !*new_lane && is_task_of(lane, piece) && lane->end == piece->start;
        lane->kind = piece->kind;
        lane->item = piece->item;
        lane->chunk = piece->chunk;
        lane->end = piece->end;
    }
    return lane;
}
