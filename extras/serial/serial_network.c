// SPDX-License-Identifier: Apache-2.0
// Networks of the published project. Inputs and outputs of layers are often 0; zeros are skipped.
#include "extras/serial/serial_network.h"

#include "base/math/dense.h"
#include "kernels/schedule/noise/noise.h"

#include <math.h>
#include <string.h>

static int32_t rounded(int32_t n)
{
    return (n + DENSE_LANES - 1) / DENSE_LANES * DENSE_LANES;
}

static size_t weights_of(const struct serial_network *net, int k)
{
    return (size_t)net->n[k] * (size_t)net->n[k + 1];
}

// Returns where the parameters of a layer begin; layer SERIAL_LAYERS: their number.
static size_t place_of(const struct serial_network *net, int layer)
{
    size_t at = 0;
    for (int k = 0; k < layer; k++)
        at += weights_of(net, k) + (size_t)net->n[k + 1];
    return at;
}

size_t serial_network_take(struct serial_network *net, int32_t inputs, int32_t outputs,
                           struct room *room)
{
    *net = (struct serial_network){.n = {inputs, SERIAL_WIDTH, SERIAL_WIDTH, rounded(outputs)},
                                   .outputs = outputs};
    for (int k = 0; k < SERIAL_LAYERS; k++) {
        net->out[k] = room_take(room, (size_t)net->n[k + 1], sizeof(double));
        net->slope[k] = room_take(room, (size_t)net->n[k + 1], sizeof(double));
    }
    return place_of(net, SERIAL_LAYERS);
}

void serial_network_start(const struct serial_network *net, uint64_t seed, uint32_t which,
                          double *parameter)
{
    const size_t n = place_of(net, SERIAL_LAYERS);
    for (int k = 0; k < SERIAL_LAYERS; k++) {
        const double most = 1 / sqrt(net->n[k]);
        for (size_t i = place_of(net, k); i < place_of(net, k + 1); i++) {
            const struct noise_key key = {.kind = NOISE_OF_WEIGHTS,
                                          .stage = which,
                                          .item = (uint32_t)i};
            parameter[i] = most * (2 * noise_uniform(seed, &key, NOISE_JITTER) - 1);
        }
    }
    const int32_t last = net->n[SERIAL_LAYERS];
    for (size_t i = place_of(net, SERIAL_LAYERS - 1); i < n; i += (size_t)last)
        for (int32_t o = net->outputs; o < last; o++)
            parameter[i + (size_t)o] = 0;
}

const double *serial_network_run(struct serial_network *net, const double *parameter,
                                 const double *input)
{
    const struct dense *dense = dense_fastest();
    for (int k = 0; k < SERIAL_LAYERS; k++) {
        const int32_t n_in = net->n[k], n_out = net->n[k + 1];
        const double *x = k == 0 ? input : net->out[k - 1];
        double *y = net->out[k];
        memcpy(y, parameter + weights_of(net, k), (size_t)n_out * sizeof *y);
        for (int32_t i = 0; i < n_in; i++)
            if (x[i] != 0)
                dense->forward(1, n_out, x + i, parameter + (size_t)i * (size_t)n_out, y);
        for (int32_t o = 0; o < n_out && k + 1 < SERIAL_LAYERS; o++)
            y[o] = y[o] > 0 ? y[o] : 0;
        parameter += weights_of(net, k) + (size_t)n_out;
    }
    return net->out[SERIAL_LAYERS - 1];
}

// Adds the gradient of one layer with the slope of its sums.
static void add_gradient(const struct serial_network *net, int k, const double *x,
                         double *gradient)
{
    const struct dense *dense = dense_fastest();
    const int32_t n_out = net->n[k + 1];
    for (int32_t i = 0; i < net->n[k]; i++)
        if (x[i] != 0)
            dense->weights(1, n_out, x + i, net->slope[k],
                           gradient + (size_t)i * (size_t)n_out);
    double *bias = gradient + weights_of(net, k);
    for (int32_t o = 0; o < n_out; o++)
        bias[o] += net->slope[k][o];
}

void serial_network_gradient(struct serial_network *net, const double *parameter,
                             const double *input, const double *dout, double *gradient)
{
    const struct dense *dense = dense_fastest();
    double *top = net->slope[SERIAL_LAYERS - 1];
    memset(top, 0, (size_t)net->n[SERIAL_LAYERS] * sizeof *top);
    memcpy(top, dout, (size_t)net->outputs * sizeof *top);
    for (int k = SERIAL_LAYERS - 1; k >= 0; k--) {
        const size_t at = place_of(net, k);
        add_gradient(net, k, k == 0 ? input : net->out[k - 1], gradient + at);
        if (k == 0)
            break;
        double *below = net->slope[k - 1];
        memset(below, 0, (size_t)net->n[k] * sizeof *below);
        dense->inputs(net->n[k], net->n[k + 1], parameter + at, net->slope[k], below);
        for (int32_t i = 0; i < net->n[k]; i++)
            below[i] = net->out[k - 1][i] > 0 ? below[i] : 0;
    }
}
