// SPDX-License-Identifier: Apache-2.0
// Holds the documents of an experiment: models, clusters, software stacks and a training. The kernel reads them
// once; then they are constant.
#pragma once

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"

// The `shared` object of the kernel.
struct nd_shared {
    struct modeldesc *models;
    struct cluster *clusters; // n_clusters, at least one
    int n_clusters;
    struct stack *stacks; // n_stacks; without one the training names its stack
    int n_stacks;
    struct training training;
};
