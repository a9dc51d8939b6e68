// SPDX-License-Identifier: Apache-2.0
// Clusters micro-batches by Lloyd's algorithm.
#include "kernels/dynapipe/search/order_clusters.h"

#include <string.h>

enum { CLUSTERS_MAX = 4, FEATURES = 4, ROUNDS = 100 };

struct feature {
    double of[FEATURES]; // forward of the first and the last stage, backward likewise
};

int32_t order_clusters_of(int32_t count)
{
    return count <= 20 ? 4 : 3;
}

static struct feature feature_of(const struct plan_task *task, int32_t m)
{
    const struct micro_batches *b = task->of[DYNAPIPE_KEEP];
    const int64_t first = micro_batches_at(b, m, 0), last = first + b->stages - 1;
    return (struct feature){
        {b->forward[first], b->forward[last], b->backward[first], b->backward[last]}};
}

static double distance(const struct feature *a, const struct feature *b)
{
    double sum = 0;
    for (int k = 0; k < FEATURES; k++)
        sum += (a->of[k] - b->of[k]) * (a->of[k] - b->of[k]);
    return sum;
}

static int32_t nearest(const struct feature *centres,
                       int32_t n,
                       const struct feature *f,
                       double *d)
{
    int32_t best = 0;
    *d = distance(&centres[0], f);
    for (int32_t c = 1; c < n; c++) {
        const double to = distance(&centres[c], f);
        if (to < *d) {
            *d = to;
            best = c;
        }
    }
    return best;
}

// The first centre is the first micro-batch; each further one lies farthest from those before it.
static void place(const struct plan_task *task, int32_t clusters, struct feature *centres)
{
    centres[0] = feature_of(task, 0);
    for (int32_t c = 1; c < clusters; c++) {
        double most = -1;
        for (int32_t m = 0; m < task->of[DYNAPIPE_KEEP]->count; m++) {
            const struct feature f = feature_of(task, m);
            double d;
            nearest(centres, c, &f, &d);
            if (d > most) {
                most = d;
                centres[c] = f;
            }
        }
    }
}

static void centre(const struct plan_task *task,
                   int32_t clusters,
                   const int32_t *cluster,
                   struct feature *centres)
{
    struct feature sum[CLUSTERS_MAX];
    int32_t n[CLUSTERS_MAX] = {0};
    memset(sum, 0, sizeof sum);
    for (int32_t m = 0; m < task->of[DYNAPIPE_KEEP]->count; m++) {
        const struct feature f = feature_of(task, m);
        n[cluster[m]]++;
        for (int k = 0; k < FEATURES; k++)
            sum[cluster[m]].of[k] += f.of[k];
    }
    for (int32_t c = 0; c < clusters; c++)
        for (int k = 0; k < FEATURES && n[c] > 0; k++)
            centres[c].of[k] = sum[c].of[k] / n[c];
}

void order_clusters_find(const struct plan_task *task, int32_t clusters, int32_t *cluster)
{
    const int32_t count = task->of[DYNAPIPE_KEEP]->count;
    struct feature centres[CLUSTERS_MAX];
    bool changes = count > 0;
    if (changes)
        place(task, clusters, centres);
    for (int32_t m = 0; m < count; m++)
        cluster[m] = 0;
    for (int round = 0; round < ROUNDS && changes; round++) {
        changes = false;
        for (int32_t m = 0; m < count; m++) {
            const struct feature f = feature_of(task, m);
            double d;
            const int32_t to = nearest(centres, clusters, &f, &d);
            changes = changes || to != cluster[m];
            cluster[m] = to;
        }
        centre(task, clusters, cluster, centres);
        changes = changes || round == 0;
    }
}
