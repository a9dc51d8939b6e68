// SPDX-License-Identifier: Apache-2.0
// Shares what the readers of cost tables need: parameters that are averaged, and degrees that are listed.
#pragma once

#include "base/document/fault.h"
#include "kernels/dynapipe/costs/cost_tables.h"

// Sums of measured parameters, MB: embedding, encoder, decoder.
struct cost_parameters {
    double of[3];
    int32_t n[3];
};

// Sets the averages. Returns false if those of the embedding or the encoder are missing.
bool cost_parameters_set(const struct cost_parameters *sum, struct cost_tables *tables);

// The tensor-parallel degrees of a document.
struct cost_degrees {
    int32_t n, degree[64];
};

void cost_degrees_add(struct cost_degrees *degrees, int32_t degree);

// Fills a fault for a degree that is not there. Returns false.
bool cost_degrees_refuse(const struct cost_degrees *degrees, int32_t wanted,
                         const struct cJSON *root, struct pps_fault *fault);
