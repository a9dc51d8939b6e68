// SPDX-License-Identifier: Apache-2.0
// Describes a network, the devices it is trained on, and which device has which layers; computes the costs of whole stages
// from those of layers. Times are in us, memory in MB (10^6 bytes).
#pragma once

#include "kernels/dynapipe/costs/cost_tables.h"

enum { NETWORK_LAYERS_MAX = 4096 };

struct network {
    int32_t encoders; // layers; all layers of a network without cross attention
    int32_t decoders; // layers with cross attention
    int32_t hidden;
    int32_t element_bytes; // of an activation: 2
};

// Links of a cluster; a node has `node_devices` neighbouring devices.
struct network_links {
    int32_t node_devices;
    double bandwidth_inside, bandwidth_between; // Gbit/s, in a node and between nodes
    double latency_inside, latency_between;     // us
};

// Returns the time of a transfer of `mb` between two devices; 0 on one device.
double network_transfer(const struct network_links *links, int32_t from, int32_t to, double mb);

// Which stage has which layers.
struct network_stages {
    int32_t devices, stages;
    int32_t device_of[DYNAPIPE_STAGES_MAX];
    int32_t first_layer[DYNAPIPE_STAGES_MAX + 1];
    int32_t chunks; // stages of the device with most of them
    int32_t layers; // of the largest stage
};

// Sets the stages from the device of every layer, encoders first: maximal runs of layers on one device. Devices appear
// for the first time in the order 0, 1, 2, ...; no stage has both encoders and decoders, unless there is one device.
// Returns false with a text.
bool network_assign(const struct network *network, const int32_t *device_of_layer,
                    struct network_stages *stages, char *text, size_t size);

// Writes the device of every layer of a regular assignment: `chunks` stages on each device, in turn. Layers are spread
// evenly, over encoders and decoders apart. Returns false with a text if there are too few layers.
bool network_spread(const struct network *network, int32_t devices, int32_t chunks,
                    int32_t *device_of_layer, char *text, size_t size);

// Returns how many tensors the output of a stage has: two from a decoder stage on.
int32_t network_tensors(const struct network *network, const struct network_stages *stages,
                        int32_t stage);

// Writes the state of every device: parameters, gradients and optimiser, [devices].
void network_state(const struct network *network, const struct network_stages *stages,
                   const struct cost_tables *tables, double factor, double *state);

// A micro-batch; lengths are padded.
struct network_shape {
    int32_t rows, input, target;
};

// Writes one micro-batch with a recomputation of all layers. Returns false if it is outside the tables. Transfers are those
// without recomputation. as_published: peaks are, too, and nothing is made again, as the published planner has it.
bool network_fill(const struct network *network, const struct network_stages *stages,
                  const struct network_links *links, const struct cost_tables *tables,
                  enum dynapipe_recompute recompute, bool as_published,
                  const struct network_shape *shape, int32_t micro_batch,
                  struct micro_batches *batches);
