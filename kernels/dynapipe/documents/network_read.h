// SPDX-License-Identifier: Apache-2.0
// Reads networks and links of a cluster from documents. A network is {"encoder_layers": 24, "decoder_layers": 24, "hidden":
// 1024, "element_bytes": 2}, or the description of a model as all commands take it; cost tables may hold one under
// "network". Links are {"node_devices": 8, "bandwidth_inside_gbps": 4800, "bandwidth_between_gbps": 200,
// "latency_inside_us": 10, "latency_between_us": 20, "memory_mb": 80000}, or the description of a cluster.
#pragma once

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/dynapipe/costs/network.h"
#include "ppsweep/fault.h"

struct cJSON;

// Returns the network that a document of cost tables holds; NULL: none.
const struct cJSON *network_of_costs(const struct cJSON *costs);

// Reads a network. Returns false with a fault.
bool network_read(const struct cJSON *root, struct network *network, struct pps_fault *fault);

// Reads the description of a model and its network. With encoder_layers and decoder_layers in place of num_layers, which are
// taken out of the document, it has cross attention. Returns false with a fault.
bool network_model_read(struct cJSON *root, struct modeldesc *model, struct network *network,
                        struct pps_fault *fault);

// Reads links and the memory of a device in MB (INFINITY: not given). Returns false with a fault.
bool network_links_read(const struct cJSON *root, struct network_links *links, double *memory,
                        struct pps_fault *fault);
