// SPDX-License-Identifier: Apache-2.0
// Allocates and frees the documents of an experiment.
#include "kernels/ndsearch/shared_documents.h"

#include "base/math/units.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static struct cluster default_cluster(void)
{
    struct cluster cluster = {.world_size = 8,
                              .node_devices = 8,
                              .hardware = *hardware_find("H100")};
    cluster.memory_limit =
        cluster.hardware.memory > 0 ? cluster.hardware.memory : 80 * UNITS_GIB;
    return cluster;
}

struct nd_shared *nd_shared_new(int n_models, int n_clusters)
{
    struct nd_shared *shared = calloc(1, sizeof *shared);
    if (shared == NULL)
        return NULL;
    shared->n_clusters = n_clusters > 0 ? n_clusters : 1;
    shared->models = calloc((size_t)n_models + 1, sizeof *shared->models);
    shared->clusters = calloc((size_t)shared->n_clusters, sizeof *shared->clusters);
    if (shared->models == NULL || shared->clusters == NULL) {
        nd_shared_free(shared);
        return NULL;
    }
    shared->clusters[0] = default_cluster();
    training_default(&shared->training);
    return shared;
}

void nd_shared_free(struct nd_shared *shared)
{
    if (shared == NULL)
        return;
    free(shared->models);
    free(shared->clusters);
    free(shared);
}

const struct cJSON *nd_document_part(const struct cJSON *document, const char *part)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(document, part);
    return cJSON_IsObject(member) ? member : document;
}
