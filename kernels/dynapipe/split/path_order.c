// SPDX-License-Identifier: Apache-2.0
// Orders samples along a short path through the centres of their clusters.
#include "kernels/dynapipe/split/path_order.h"

void split_path_order_take(struct split_path_order *memory, int32_t samples, struct room *room)
{
    split_clusters_take(&memory->clusters, samples, room);
    split_path_take(&memory->path, samples, room);
    memory->centres = room_take(room, (size_t)samples, sizeof *memory->centres);
    memory->sequence = room_take(room, (size_t)samples, sizeof *memory->sequence);
}

bool split_path_order(struct split_path_order *memory, const struct split_samples *samples,
                      enum split_measure measure, enum split_total total, struct poll *poll,
                      int32_t *order)
{
    struct split_clusters *clusters = &memory->clusters;
    if (!split_clusters_find(clusters, samples, poll))
        return false;
    for (int32_t k = 0; k < clusters->count; k++)
        memory->centres[k] = split_clusters_centre(clusters, samples, k);
    if (!split_path_find(&memory->path, memory->centres, clusters->count, measure, total, poll,
                         memory->sequence))
        return false;
    int32_t n = 0;
    for (int32_t k = 0; k < clusters->count; k++)
        for (int32_t i = clusters->first[memory->sequence[k]]; i >= 0; i = clusters->next[i])
            order[n++] = i;
    return true;
}
