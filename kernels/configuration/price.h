// SPDX-License-Identifier: Apache-2.0
// Prices the parts and the devices of a configuration: times, bytes and exchanges, without the order of the
// pipeline.
#pragma once

#include "kernels/common/estimate/replicas.h"
#include "kernels/common/plan/pipeline.h"
#include "kernels/configuration/step.h"

// The figures of a configuration that do not depend on its parts.
struct configuration_figures {
    struct nd_estimate estimate;
    struct layercost_set set;
    struct nd_sharing sharing;
    struct nd_replicas shards;
    double allocated; // bytes that the allocator takes for a byte of activations
};

void configuration_figures_of(struct configuration_figures *figures,
                              const struct configuration *configuration);

// Returns the parameters that have gradients, MTP modules included: all, or those of adapters.
double configuration_trained(const struct configuration *configuration);

// A part on one micro-batch, s.
struct configuration_part_price {
    double forward, backward; // with what is made again
    double weights;           // of the backward, the gradients of the weights
    double again;             // of the backward, what is made again
    double exchange[3];       // tp, ep, cp: of a forward and a backward, nothing made again
    double kept;              // bytes of activations, without what the allocator adds
    double kept_for_weights;  // of these, until the gradients of the weights
};

void configuration_price_part(struct configuration_part_price *price,
                              const struct configuration_figures *figures,
                              const struct configuration *configuration, int32_t part);

// Returns the time of a message of hidden states between the devices of neighbouring parts.
double configuration_price_message(const struct configuration_figures *figures,
                                   const struct configuration *configuration);

// Returns the time of the message between part k and the next one: behind modules that predict several tokens it has
// their outputs, too.
double configuration_price_message_of(const struct configuration_figures *figures,
                                      const struct configuration *configuration, int32_t k);

// Returns whether messages behind modules that predict several tokens are longer than others, because a module is before
// the last part.
bool configuration_sends_more(const struct configuration *configuration);

// Sets stages, links, fixed memory and limits of a pipeline with one stage for each part whose stages have
// devices. Stages run forwards and backwards; a family that splits backwards finds the gradients of the weights apart.
// rates: [devices * devices] for the links, which the pipeline then refers to; NULL: all messages are equal.
void configuration_price(struct pipeline *pipeline, const struct configuration_figures *figures,
                         const struct configuration *configuration, double *rates);

// Sets the memory of a device except for its activations, and what the allocator adds to them.
void configuration_price_device(double memory[CONFIGURATION_MEMORIES],
                                const struct configuration_figures *figures,
                                const struct configuration *configuration,
                                const struct pipeline *pipeline, int32_t device);

// Returns the cost of a kind of layer. The usual layers of a dense model are dense.
const struct layercost *configuration_layer_cost(const struct configuration_figures *figures,
                                                 enum configuration_kind kind);

// Returns the bytes of parameters, gradients and optimizer state of one layer on a device.
double configuration_layer_bytes(const struct configuration_figures *figures,
                                 enum configuration_kind kind);

// What a step takes besides its pipeline, s; stage: forward and backward of the longest device for one
// micro-batch.
struct configuration_rest {
    double replicas, optimizer, embedding;
};

// Returns what replicas exchange in a step, hidden or not.
struct nd_exchanges configuration_exchanges(const struct configuration_figures *figures,
                                            const struct configuration *configuration);

struct configuration_rest configuration_price_rest(const struct configuration_figures *figures,
                                                   const struct configuration *configuration,
                                                   double stage);
