// SPDX-License-Identifier: Apache-2.0
// Holds the documents of an experiment: models, clusters and a training. They are read once and
// then constant.
#ifndef PPS_NDSEARCH_SHARED_H
#define PPS_NDSEARCH_SHARED_H

#include "base/document/fault.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"

#include <stdbool.h>

struct nd_shared {
    struct modeldesc *models;
    struct cluster *clusters; // n_clusters, at least one
    int n_clusters;
    struct training training;
};

// Without clusters, the result has the default cluster. Returns NULL when out of memory.
struct nd_shared *nd_shared_new(int n_models, int n_clusters);
void nd_shared_free(struct nd_shared *shared);

// Returns the member `part` of a document that describes a whole run; otherwise the document.
const struct cJSON *nd_document_part(const struct cJSON *document, const char *part);

#endif
