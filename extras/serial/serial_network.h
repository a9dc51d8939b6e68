// SPDX-License-Identifier: Apache-2.0
// A network with two hidden layers of rectified linear units, as the published project has two.
#pragma once

#include "kernels/common/plan/room.h"

enum { SERIAL_LAYERS = 3, SERIAL_WIDTH = 128 };

// Layer k has n[k] inputs and n[k + 1] outputs: n[k] * n[k + 1] weights, by input, then n[k + 1] biases. The
// layers follow one another in the parameters.
struct serial_network {
    int32_t n[SERIAL_LAYERS + 1]; // outputs are rounded up to a multiple of DENSE_LANES
    int32_t outputs;              // in use
    double *out[SERIAL_LAYERS];   // of each layer
    double *slope[SERIAL_LAYERS]; // gradient of the sums of each layer
};

// Takes the memory of a network. Returns the number of parameters, a multiple of DENSE_LANES.
size_t serial_network_take(struct serial_network *network, int32_t inputs, int32_t outputs,
                           struct room *room);

// Draws initial parameters, uniform in +- 1 / sqrt(inputs of the layer). `which`: number of the network.
void serial_network_start(const struct serial_network *network, uint64_t seed, uint32_t which,
                          double *parameter);

// Returns the outputs; the inputs must stay until serial_network_gradient.
const double *serial_network_run(struct serial_network *network, const double *parameter,
                                 const double *input);

// Adds the gradient with respect to the parameters for the last run. dout: [outputs].
void serial_network_gradient(struct serial_network *network, const double *parameter,
                             const double *input, const double *dout, double *gradient);
