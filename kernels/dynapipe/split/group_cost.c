// SPDX-License-Identifier: Apache-2.0
// Computes the time and memory of a micro-batch from the cost of one layer, over the stages of the busiest device.
#include "kernels/dynapipe/split/group_cost.h"

#include <math.h>

// The stages of one device. An encoder and a decoder on one device are two chunks of half of its layers.
struct stages {
    double layers; // of a stage
    double encoders,
        decoders; // stages of each kind on a device; 0 of both: every device has one stage of one kind
    double chunks;
};

static struct stages stages_of(const struct split_pipeline *p)
{
    struct stages s = {.layers = p->layers, .chunks = p->chunks};
    if (p->has_decoder && p->devices == 1 && p->chunks == 1)
        s = (struct stages){.layers = p->layers / 2.0, .chunks = 2};
    if (!p->has_decoder)
        s.encoders = s.chunks;
    else if (s.chunks > 1)
        s.encoders = s.decoders = s.chunks / 2;
    return s;
}

// Sums a quantity over the stages of a device; the larger kind if a device has one stage of either kind.
static double over_stages(const struct stages *s, double encoder, double decoder)
{
    return s->encoders > 0 ? encoder * s->encoders + decoder * s->decoders
                           : fmax(encoder, decoder);
}

double split_state_of_first_device(const struct split_pipeline *pipeline,
                                   const struct split_state *state)
{
    const struct stages s = stages_of(pipeline);
    return state->embedding + s.layers * over_stages(&s, state->encoder, state->decoder);
}

bool split_group_price(const struct split_pipeline *pipeline, const struct split_costs *costs,
                       enum dynapipe_recompute recompute, struct split_group *group)
{
    struct split_layer_cost c = {0};
    if (!costs->cost(costs->self, recompute, group->rows, group->input, group->target, &c))
        return false;
    const struct stages s = stages_of(pipeline);
    if (!pipeline->has_decoder)
        c.decoder = c.decoder_stored = c.decoder_peak = 0;
    double encoder = s.layers * c.encoder, decoder = s.layers * c.decoder;
    *(group->target > 0 ? &decoder : &encoder) += c.postprocess;
    const double stored =
        over_stages(&s, c.encoder_stored, c.decoder_stored); // of a layer of each stage
    group->time = over_stages(&s, encoder, decoder);
    group->stored = s.layers * stored;
    group->peak = fmax(c.encoder_peak, c.decoder_peak) + (s.layers - 1) * stored;
    return true;
}

double split_longest_weight(const struct split_pipeline *pipeline)
{
    return (pipeline->devices - 1) / stages_of(pipeline).chunks;
}

double split_objective(const struct split_pipeline *pipeline, double longest, double sum)
{
    return split_longest_weight(pipeline) * longest + sum / pipeline->replicas;
}
