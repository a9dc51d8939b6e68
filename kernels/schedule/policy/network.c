// SPDX-License-Identifier: Apache-2.0
// Computes the networks of a learned policy and their gradients.
#include "kernels/schedule/policy/network.h"

#include "base/math/dense.h"
#include "kernels/schedule/noise/noise.h"

#include <math.h>
#include <string.h>

// Where the parameters of a layer are.
struct layer {
    int n_in, n_out;
    int weight, bias; // first parameters
};

// Two hidden layers and an output. The first layer of the scores has the weights of a candidate first.
struct layers {
    struct layer hidden[2];
    int last, constant; // weights and bias of the output
};

struct plan {
    struct layers score, value;
    int beta, n;
};

struct network {
    struct network_shape shape;
    struct plan plan;
    const struct dense *dense;
    double *mean;      // [candidate]
    double *shared;    // [width 0]: of the first layer of the scores, without the candidate
    double *first;     // [n][width 0]: outputs of the first hidden layer
    double *second;    // [n][width 1]
    double *value[2];  // outputs of the hidden layers of the value
    double *slope[2];  // gradients of the sums of a layer
    double *in_shared; // gradient of `shared`
};

// ---- layout -------------------------------------------------------------------------------------

static int rounded(int n)
{
    return (n + DENSE_LANES - 1) / DENSE_LANES * DENSE_LANES;
}

static void place(struct layers *layers, const struct network_shape *shape, int n_in, int *n)
{
    for (int k = 0; k < 2; k++) {
        struct layer *layer = &layers->hidden[k];
        layer->n_in = k == 0 ? n_in : shape->width[0];
        layer->n_out = shape->width[k];
        layer->weight = *n;
        layer->bias = *n + layer->n_in * layer->n_out;
        *n = layer->bias + layer->n_out;
    }
    layers->last = *n;
    layers->constant = *n + shape->width[1];
    *n = layers->constant + DENSE_LANES;
}

static struct plan plan_of(const struct network_shape *shape)
{
    struct plan plan = {.n = 0};
    place(&plan.score, shape, 2 * shape->candidate + shape->state, &plan.n);
    place(&plan.value, shape, shape->candidate + shape->state, &plan.n);
    plan.beta = plan.n;
    plan.n = rounded(plan.n + 1);
    return plan;
}

int network_parameters(const struct network_shape *shape)
{
    return plan_of(shape).n;
}

double network_beta(const struct network_shape *shape, const double *parameters)
{
    return parameters[plan_of(shape).beta];
}

void network_set_beta(const struct network_shape *shape, double *parameters, double beta)
{
    parameters[plan_of(shape).beta] = beta;
}

double *network_last(const struct network_shape *shape, double *parameters)
{
    return parameters + plan_of(shape).score.last;
}

// Uniform in +- sqrt(6 / (inputs + outputs)).
static void start_layer(const struct layer *layer, uint64_t seed, double *parameters)
{
    const double most = sqrt(6.0 / (layer->n_in + layer->n_out));
    for (int k = layer->weight; k < layer->bias; k++) {
        const struct noise_key key = {.kind = NOISE_OF_WEIGHTS, .item = (uint32_t)k};
        parameters[k] = most * (2 * noise_uniform(seed, &key, 0) - 1);
    }
}

void network_start(const struct network_shape *shape, uint64_t seed, double beta,
                   double *parameters)
{
    const struct plan plan = plan_of(shape);
    memset(parameters, 0, (size_t)plan.n * sizeof *parameters);
    for (int k = 0; k < 2; k++) {
        start_layer(&plan.score.hidden[k], seed, parameters);
        start_layer(&plan.value.hidden[k], seed, parameters);
    }
    parameters[plan.beta] = beta;
}

void network_clear_value(const struct network_shape *shape, double *parameters)
{
    const struct plan plan = plan_of(shape);
    const int first = plan.value.hidden[0].weight;
    memset(parameters + first, 0, (size_t)(plan.beta - first) * sizeof *parameters);
}

struct network *network_take(const struct network_shape *shape, int n, struct room *room)
{
    const size_t size = sizeof(double),
                 width[2] = {(size_t)shape->width[0], (size_t)shape->width[1]};
    struct network *taken = room_take(room, 1, sizeof *taken), counted;
    struct network *net = taken != NULL ? taken : &counted;
    *net = (struct network){.shape = *shape, .plan = plan_of(shape), .dense = dense_fastest()};
    net->mean = room_take(room, (size_t)shape->candidate, size);
    net->shared = room_take(room, width[0], size);
    net->in_shared = room_take(room, width[0], size);
    net->first = room_take(room, (size_t)n * width[0], size);
    net->second = room_take(room, (size_t)n * width[1], size);
    for (int k = 0; k < 2; k++) {
        net->value[k] = room_take(room, width[k], size);
        net->slope[k] = room_take(room, width[k], size);
    }
    return taken;
}

// ---- outputs ------------------------------------------------------------------------------------

static void find_mean(struct network *net, const struct network_input *input)
{
    const int n = net->shape.candidate;
    memset(net->mean, 0, (size_t)n * sizeof *net->mean);
    for (int i = 0; i < input->n; i++)
        for (int k = 0; k < n; k++)
            net->mean[k] += input->candidate[i * n + k];
    for (int k = 0; k < n; k++)
        net->mean[k] /= input->n;
}

// Adds the part of a first layer that the mean and the state feed; `skip`: inputs before them.
static void add_common(const struct network *net, const struct layer *layer, int skip,
                       const double *parameters, const struct network_input *input,
                       double *sums)
{
    const double *weight = parameters + layer->weight + skip * layer->n_out;
    net->dense->forward(net->shape.candidate, layer->n_out, net->mean, weight, sums);
    weight += net->shape.candidate * layer->n_out;
    net->dense->forward(net->shape.state, layer->n_out, input->state, weight, sums);
}

static void run_second(const struct network *net, const struct layers *layers,
                       const double *parameters, const double *first, double *second)
{
    const struct layer *layer = &layers->hidden[1];
    memcpy(second, parameters + layer->bias, (size_t)layer->n_out * sizeof *second);
    net->dense->forward(layer->n_in, layer->n_out, first, parameters + layer->weight, second);
    dense_tanh(layer->n_out, second);
}

static double output_of(const struct layers *layers, const double *parameters,
                        const double *second)
{
    double sum = parameters[layers->constant];
    for (int o = 0; o < layers->hidden[1].n_out; o++)
        sum += second[o] * parameters[layers->last + o];
    return sum;
}

void network_scores(struct network *net, const double *parameters,
                    const struct network_input *input, double *score)
{
    const struct layers *layers = &net->plan.score;
    const struct layer *layer = &layers->hidden[0];
    const int candidate = net->shape.candidate;
    find_mean(net, input);
    memcpy(net->shared, parameters + layer->bias, (size_t)layer->n_out * sizeof(double));
    add_common(net, layer, candidate, parameters, input, net->shared);
    for (int i = 0; i < input->n; i++) {
        double *first = net->first + i * layer->n_out,
               *second = net->second + i * net->shape.width[1];
        memcpy(first, net->shared, (size_t)layer->n_out * sizeof *first);
        net->dense->forward(candidate, layer->n_out, input->candidate + i * candidate,
                            parameters + layer->weight, first);
        dense_tanh(layer->n_out, first);
        run_second(net, layers, parameters, first, second);
        score[i] = output_of(layers, parameters, second);
    }
    if (input->guide >= 0)
        score[input->guide] += parameters[net->plan.beta];
}

double network_value(struct network *net, const double *parameters,
                     const struct network_input *input)
{
    const struct layers *layers = &net->plan.value;
    const struct layer *layer = &layers->hidden[0];
    find_mean(net, input);
    memcpy(net->value[0], parameters + layer->bias, (size_t)layer->n_out * sizeof(double));
    add_common(net, layer, 0, parameters, input, net->value[0]);
    dense_tanh(layer->n_out, net->value[0]);
    run_second(net, layers, parameters, net->value[0], net->value[1]);
    return output_of(layers, parameters, net->value[1]);
}

// ---- gradients ----------------------------------------------------------------------------------

// Adds the gradient of the output and of the second layer; sets net->slope[0] to the gradient of the sums
// of the first layer.
static void go_back(struct network *net, const struct layers *layers, const double *parameters,
                    const double *first, const double *second, double dout, double *gradient)
{
    const struct layer *layer = &layers->hidden[1];
    double *slope = net->slope[1];
    gradient[layers->constant] += dout;
    for (int o = 0; o < layer->n_out; o++) {
        gradient[layers->last + o] += dout * second[o];
        slope[o] = dout * parameters[layers->last + o] * (1 - second[o] * second[o]);
        gradient[layer->bias + o] += slope[o];
    }
    net->dense->weights(layer->n_in, layer->n_out, first, slope, gradient + layer->weight);
    memset(net->slope[0], 0, (size_t)layer->n_in * sizeof(double));
    net->dense->inputs(layer->n_in, layer->n_out, parameters + layer->weight, slope,
                       net->slope[0]);
    for (int i = 0; i < layer->n_in; i++)
        net->slope[0][i] *= 1 - first[i] * first[i];
}

// Adds the gradient of the part of a first layer that the bias, the mean and the state feed.
static void add_common_gradient(const struct network *net, const struct layer *layer, int skip,
                                const struct network_input *input, const double *slope,
                                double *gradient)
{
    double *weight = gradient + layer->weight + skip * layer->n_out;
    for (int o = 0; o < layer->n_out; o++)
        gradient[layer->bias + o] += slope[o];
    net->dense->weights(net->shape.candidate, layer->n_out, net->mean, slope, weight);
    weight += net->shape.candidate * layer->n_out;
    net->dense->weights(net->shape.state, layer->n_out, input->state, slope, weight);
}

void network_gradient(struct network *net, const double *parameters,
                      const struct network_input *input, const double *dscore, double dvalue,
                      double *gradient)
{
    const struct layer *layer = &net->plan.score.hidden[0];
    const int candidate = net->shape.candidate, width = layer->n_out;
    memset(net->in_shared, 0, (size_t)width * sizeof *net->in_shared);
    for (int i = 0; i < input->n; i++) {
        go_back(net, &net->plan.score, parameters, net->first + i * width,
                net->second + i * net->shape.width[1], dscore[i], gradient);
        net->dense->weights(candidate, width, input->candidate + i * candidate, net->slope[0],
                            gradient + layer->weight);
        for (int o = 0; o < width; o++)
            net->in_shared[o] += net->slope[0][o];
    }
    add_common_gradient(net, layer, candidate, input, net->in_shared, gradient);
    if (input->guide >= 0)
        gradient[net->plan.beta] += dscore[input->guide];
    if (dvalue == 0)
        return;
    go_back(net, &net->plan.value, parameters, net->value[0], net->value[1], dvalue, gradient);
    add_common_gradient(net, &net->plan.value.hidden[0], 0, input, net->slope[0], gradient);
}
