// SPDX-License-Identifier: Apache-2.0
// Merges the nearest clusters of samples until few enough are left; a grid of cells finds the nearest ones.
#include "kernels/dynapipe/split/path_order.h"

#include <stdlib.h>

// The squared distance from which clusters do not merge.
enum { FAR2 = SPLIT_CLUSTER_DISTANCE * SPLIT_CLUSTER_DISTANCE };

void split_clusters_take(struct split_clusters *clusters, int32_t samples, struct room *room)
{
    const size_t n = (size_t)samples;
    clusters->first = room_take(room, n, sizeof *clusters->first);
    clusters->next = room_take(room, n, sizeof *clusters->next);
    clusters->keys = room_take(room, n, sizeof *clusters->keys);
    clusters->growing = room_take(room, n, sizeof *clusters->growing);
    clusters->twin = room_take(room, n, sizeof *clusters->twin);
    clusters->distance2 = room_take(room, n, sizeof *clusters->distance2);
    clusters->of = room_take(room, n, sizeof *clusters->of);
    clusters->n_cells = 16;
    while (clusters->n_cells < n)
        clusters->n_cells *= 2;
    clusters->cells = room_take(room, clusters->n_cells, sizeof *clusters->cells);
}

static int by_point(const void *a, const void *b)
{
    const struct split_key *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// Samples with the same point always merge, and before all others.
static void find_twins(struct split_clusters *c, const struct split_samples *samples)
{
    struct split_key *keys = c->keys;
    for (int32_t i = 0; i < samples->count; i++)
        keys[i] = (struct split_key){samples->input[i], samples->target[i], i};
    qsort(keys, (size_t)samples->count, sizeof *keys, by_point);
    for (int32_t k = 0; k < samples->count; k++) {
        const bool is_twin =
            k > 0 && keys[k].input == keys[k - 1].input && keys[k].target == keys[k - 1].target;
        c->twin[keys[k].index] = is_twin ? c->twin[keys[k - 1].index] : keys[k].index;
    }
}

static int32_t *cell_at(const struct split_clusters *c, int64_t column, int64_t line)
{
    const uint64_t hash =
        (uint64_t)column * 0x9E3779B97F4A7C15u + (uint64_t)line * 0xC2B2AE3D27D4EB4Fu;
    return &c->cells[(hash >> 32) & (c->n_cells - 1)];
}

static int32_t *cell_of(const struct split_clusters *c, int32_t cluster)
{
    const struct split_point *p = &c->growing[cluster].point;
    return cell_at(c, p->x / SPLIT_CLUSTER_DISTANCE, p->y / SPLIT_CLUSTER_DISTANCE);
}

static void start(struct split_clusters *c, const struct split_samples *samples)
{
    for (uint32_t k = 0; k < c->n_cells; k++)
        c->cells[k] = -1;
    for (int32_t i = 0; i < samples->count; i++) {
        c->of[i] = i;
        if (c->twin[i] != i)
            continue;
        struct split_cluster *g = &c->growing[i];
        *g = (struct split_cluster){.point = {samples->input[i], samples->target[i]},
                                    .next_point = -1,
                                    .last_point = i,
                                    .nearest = -1};
        int32_t *cell = cell_of(c, i);
        g->next_in_cell = *cell;
        *cell = i;
    }
}

// Returns the squared distance of the farthest points of two clusters; at least `end` if it is not below `end`.
static int64_t distance2(const struct split_clusters *c, int32_t a, int32_t b, int64_t end)
{
    int64_t most = 0;
    for (int32_t i = a; i >= 0 && most < end; i = c->growing[i].next_point)
        for (int32_t j = b; j >= 0 && most < end; j = c->growing[j].next_point) {
            const int64_t dx = c->growing[i].point.x - c->growing[j].point.x,
                          dy = c->growing[i].point.y - c->growing[j].point.y;
            most = dx * dx + dy * dy > most ? dx * dx + dy * dy : most;
        }
    return most;
}

// Returns one of the nine cells at and around a point. Close clusters have their lowest samples in such cells.
static int32_t *neighbour_cell(const struct split_clusters *c, struct split_point p, int k)
{
    return cell_at(c, p.x / SPLIT_CLUSTER_DISTANCE + k % 3 - 1,
                   p.y / SPLIT_CLUSTER_DISTANCE + k / 3 - 1);
}

// Finds the nearest cluster with a higher name.
static void find_nearest(struct split_clusters *c, int32_t cluster)
{
    struct split_cluster *g = &c->growing[cluster];
    int64_t least = FAR2;
    g->nearest = -1;
    for (int k = 0; k < 9; k++)
        for (int32_t i = *neighbour_cell(c, g->point, k); i >= 0;
             i = c->growing[i].next_in_cell) {
            if (i <= cluster)
                continue;
            const int64_t d = distance2(c, cluster, i, least + 1);
            if (d < least || (d == least && i < g->nearest)) {
                g->nearest = i;
                least = d;
            }
        }
    c->distance2[cluster] = (int32_t)least;
}

static void merge(struct split_clusters *c, int32_t a, int32_t b)
{
    struct split_cluster *into = &c->growing[a], *from = &c->growing[b];
    int32_t *link = cell_of(c, b);
    while (*link != b)
        link = &c->growing[*link].next_in_cell;
    *link = from->next_in_cell;
    c->growing[into->last_point].next_point = b;
    into->last_point = from->last_point;
    c->of[b] = a;
    c->distance2[b] = FAR2;
}

// Returns the cluster with the smallest distance to its nearest, of equal ones the first; -1 if no two clusters are
// close.
static int32_t closest(const struct split_clusters *c, int32_t samples)
{
    int32_t least = FAR2, i = 0;
    for (int32_t k = 0; k < samples; k++)
        least = c->distance2[k] < least ? c->distance2[k] : least;
    if (least == FAR2)
        return -1;
    while (c->distance2[i] != least)
        i++;
    return i;
}

// Finds the nearest clusters again, around a cluster, of all clusters whose nearest was a or b.
static void renew_around(struct split_clusters *c, struct split_point around, int32_t a,
                         int32_t b)
{
    for (int k = 0; k < 9; k++)
        for (int32_t i = *neighbour_cell(c, around, k); i >= 0; i = c->growing[i].next_in_cell)
            if (c->growing[i].nearest == a || c->growing[i].nearest == b)
                find_nearest(c, i);
}

// Merges until no two clusters are close. Merging never makes a cluster closer to the others, so only those that lost
// their nearest cluster can have another one.
static bool grow(struct split_clusters *c, int32_t samples, struct poll *poll)
{
    for (int32_t a = closest(c, samples); a >= 0; a = closest(c, samples)) {
        const int32_t b = c->growing[a].nearest;
        merge(c, a, b);
        find_nearest(c, a);
        renew_around(c, c->growing[a].point, a, b);
        renew_around(c, c->growing[b].point, a, b);
        if (poll_over_after(poll, (uint64_t)samples))
            return false;
    }
    return true;
}

// Lists the samples of every cluster in ascending order.
static void list(struct split_clusters *c, int32_t samples)
{
    int32_t *last = c->twin; // the last sample so far of a cluster, by its name
    c->count = 0;
    for (int32_t i = 0; i < samples; i++) {
        int32_t cluster = i;
        while (c->of[cluster] != cluster)
            cluster = c->of[cluster];
        c->of[i] = cluster;
        c->next[i] = -1;
        if (cluster == i)
            c->first[c->count++] = i;
        else
            c->next[last[cluster]] = i;
        last[cluster] = i;
    }
}

bool split_clusters_find(struct split_clusters *clusters, const struct split_samples *samples,
                         struct poll *poll)
{
    find_twins(clusters, samples);
    start(clusters, samples);
    for (int32_t i = 0; i < samples->count; i++)
        if (clusters->twin[i] == i) {
            find_nearest(clusters, i);
            if (poll_over(poll))
                return false;
        } else {
            clusters->of[i] = clusters->twin[i];
            clusters->distance2[i] = FAR2;
        }
    if (!grow(clusters, samples->count, poll))
        return false;
    list(clusters, samples->count);
    return true;
}

struct split_point split_clusters_centre(const struct split_clusters *clusters,
                                         const struct split_samples *samples, int32_t cluster)
{
    int64_t x = 0, y = 0, n = 0;
    for (int32_t i = clusters->first[cluster]; i >= 0; i = clusters->next[i], n++) {
        x += samples->input[i];
        y += samples->target[i];
    }
    return (struct split_point){x / n, y / n};
}
