// SPDX-License-Identifier: Apache-2.0
// Assigns layers to devices and adds up the costs of stages.
#include "kernels/dynapipe/costs/network.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double network_transfer(const struct network_links *links, int32_t from, int32_t to, double mb)
{
    const bool inside = from / links->node_devices == to / links->node_devices;
    if (from == to)
        return 0;
    return (inside ? links->latency_inside : links->latency_between) +
           1e6 * (mb * 8 / 1000) /
               (inside ? links->bandwidth_inside : links->bandwidth_between);
}

// ---- assignments ----------------------------------------------------------------------------------

__attribute__((format(printf, 3, 4))) static bool refuse(char *text, size_t size,
                                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
    return false;
}

static bool check(const struct network *network, const int32_t *device_of_layer, char *text,
                  size_t size)
{
    const int32_t layers = network->encoders + network->decoders;
    int32_t seen = 0;
    for (int32_t l = 0; l < layers; l++) {
        if (device_of_layer[l] > seen)
            return refuse(text, size,
                          "layer %d is on device %d before all devices with smaller numbers "
                          "have a layer; number the devices in the order of their first layers",
                          l, device_of_layer[l]);
        seen += device_of_layer[l] == seen;
    }
    if (seen > 1 && network->encoders > 0 && network->decoders > 0 &&
        device_of_layer[network->encoders - 1] == device_of_layer[network->encoders])
        return refuse(text, size,
                      "device %d has the last encoder layer and the first decoder layer (layer "
                      "%d): a stage cannot have both; move one of them",
                      device_of_layer[network->encoders], network->encoders);
    return true;
}

static void measure(struct network_stages *stages)
{
    int32_t n[DYNAPIPE_DEVICES_MAX] = {0};
    stages->chunks = stages->layers = 0;
    for (int32_t s = 0; s < stages->stages; s++) {
        const int32_t layers = stages->first_layer[s + 1] - stages->first_layer[s],
                      chunks = ++n[stages->device_of[s]];
        stages->layers = layers > stages->layers ? layers : stages->layers;
        stages->chunks = chunks > stages->chunks ? chunks : stages->chunks;
    }
}

bool network_assign(const struct network *network, const int32_t *device_of_layer,
                    struct network_stages *stages, char *text, size_t size)
{
    const int32_t layers = network->encoders + network->decoders;
    if (!check(network, device_of_layer, text, size))
        return false;
    stages->devices = stages->stages = 0;
    for (int32_t l = 0; l < layers; l++) {
        if (device_of_layer[l] >= DYNAPIPE_DEVICES_MAX)
            return refuse(text, size, "layer %d: at most %d devices", l, DYNAPIPE_DEVICES_MAX);
        if (l == 0 || device_of_layer[l] != device_of_layer[l - 1]) {
            stages->first_layer[stages->stages] = l;
            stages->device_of[stages->stages++] = device_of_layer[l];
        }
        if (device_of_layer[l] == stages->devices)
            stages->devices++;
    }
    stages->first_layer[stages->stages] = layers;
    measure(stages);
    return true;
}

// Spreads n layers over stages first to end - 1 in the order of the layers.
static void spread(int32_t *device, int32_t n, int32_t first, int32_t end, int32_t devices)
{
    const int32_t stages = end - first;
    for (int32_t l = 0; l < n; l++)
        device[l] = (first + (int32_t)((int64_t)l * stages / n)) % devices;
}

bool network_spread(const struct network *network, int32_t devices, int32_t chunks,
                    int32_t *device_of_layer, char *text, size_t size)
{
    const int32_t layers = network->encoders + network->decoders, stages = devices * chunks;
    int32_t border = (int32_t)(((int64_t)stages * network->encoders + layers / 2) / layers);
    if (stages > layers)
        return refuse(text, size, "%d stages need at least as many layers, but there are %d",
                      stages, layers);
    if (network->decoders == 0 || stages == 1) {
        spread(device_of_layer, layers, 0, stages, devices);
        return true;
    }
    border = border < 1 ? 1 : border > stages - 1 ? stages - 1 : border;
    border = border > network->encoders ? network->encoders : border;
    border = stages - border > network->decoders ? stages - network->decoders : border;
    spread(device_of_layer, network->encoders, 0, border, devices);
    spread(device_of_layer + network->encoders, network->decoders, border, stages, devices);
    return true;
}

// ---- stages ---------------------------------------------------------------------------------------

int32_t network_tensors(const struct network *network, const struct network_stages *stages,
                        int32_t stage)
{
    return stages->first_layer[stage + 1] > network->encoders ? 2 : 1;
}

void network_state(const struct network *network, const struct network_stages *stages,
                   const struct cost_tables *tables, double factor, double *state)
{
    memset(state, 0, (size_t)stages->devices * sizeof *state);
    for (int32_t s = 0; s < stages->stages; s++)
        for (int32_t l = stages->first_layer[s]; l < stages->first_layer[s + 1]; l++) {
            const bool decoder = l >= network->encoders,
                       first = l == 0 || l == network->encoders;
            state[stages->device_of[s]] +=
                factor * ((decoder ? tables->decoder : tables->encoder) +
                          (first ? tables->embedding : 0));
        }
}

// Costs of the layers of one kind for a micro-batch, us and MB.
struct layer_costs {
    double forward, backward;
    double stored, peak; // of a forward
    double kept;         // of a layer while the forward of a later one runs
    double again;        // what the backward makes again, beside what is stored
};

// Sets the memory. What a forward of a type needs was measured, or is what it stores and what it works with.
static bool look_up_memory(const struct cost_tables *t, enum dynapipe_recompute recompute,
                           bool decoder, const int32_t *at, struct layer_costs *c)
{
    const enum cost_quantity stored = decoder ? COST_DECODER_STORED : COST_ENCODER_STORED,
                             peak = decoder ? COST_DECODER_PEAK : COST_ENCODER_PEAK;
    double all, whole; // without recomputation
    if (!cost_tables_lookup(t, recompute, stored, at, &c->stored) ||
        !cost_tables_lookup(t, DYNAPIPE_KEEP, stored, at, &all) ||
        !cost_tables_lookup(t, DYNAPIPE_KEEP, peak, at, &whole))
        return false;
    if (!cost_tables_lookup(t, recompute, peak, at, &c->peak))
        c->peak = c->stored + whole - all;
    c->kept = c->stored;
    c->again = recompute == DYNAPIPE_KEEP ? 0 : fmax(whole - c->stored, 0);
    return true;
}

// The published planner takes the peaks without recomputation, and makes nothing again.
static bool look_up_published_peak(const struct cost_tables *t, bool decoder, const int32_t *at,
                                   struct layer_costs *c)
{
    struct layer_costs plain;
    if (!look_up_memory(t, DYNAPIPE_KEEP, decoder, at, &plain))
        return false;
    c->peak = plain.peak;
    c->kept = plain.kept;
    c->again = 0;
    return true;
}

static bool look_up(const struct cost_tables *t, enum dynapipe_recompute recompute,
                    bool as_published, bool decoder, const int32_t *at, struct layer_costs *c)
{
    const enum cost_quantity forward = decoder ? COST_DECODER_FORWARD : COST_ENCODER_FORWARD,
                             backward = decoder ? COST_DECODER_BACKWARD : COST_ENCODER_BACKWARD;
    const bool known = cost_tables_lookup(t, recompute, forward, at, &c->forward) &&
                       cost_tables_lookup(t, recompute, backward, at, &c->backward) &&
                       look_up_memory(t, recompute, decoder, at, c) &&
                       (!as_published || look_up_published_peak(t, decoder, at, c));
    c->forward *= 1000;
    c->backward *= 1000;
    return known;
}

// Adds the layers of a stage.
static void add_layers(const struct network *network, const struct network_stages *stages,
                       const struct layer_costs *kinds, int32_t s, int64_t at,
                       struct micro_batches *b)
{
    double kept = 0;
    b->forward[at] = b->backward[at] = b->stored[at] = 0;
    b->peak[at] = b->backward_peak[at] = 0;
    for (int32_t l = stages->first_layer[s]; l < stages->first_layer[s + 1]; l++) {
        const struct layer_costs *c = &kinds[l >= network->encoders];
        b->forward[at] += c->forward;
        b->backward[at] += c->backward;
        b->stored[at] += c->stored;
        b->peak[at] = fmax(b->peak[at], kept + c->peak);
        b->backward_peak[at] = fmax(b->backward_peak[at], c->again);
        kept += c->kept;
    }
}

// Sets the transfers across the boundary behind a stage: the input travels on behind decoders.
static void add_transfers(const struct network *network, const struct network_stages *stages,
                          const struct network_links *links, const struct network_shape *shape,
                          int32_t s, int64_t at, struct micro_batches *b)
{
    const bool decoder = stages->first_layer[s + 1] > network->encoders;
    const double tokens = (double)shape->rows *
                          ((double)shape->input + (decoder ? shape->target : 0)),
                 mb = tokens * network->hidden * network->element_bytes / 1e6;
    const bool last = s == stages->stages - 1;
    b->activation[at] =
        last ? 0 : network_transfer(links, stages->device_of[s], stages->device_of[s + 1], mb);
    b->gradient[at] = b->activation[at];
}

bool network_fill(const struct network *network, const struct network_stages *stages,
                  const struct network_links *links, const struct cost_tables *tables,
                  enum dynapipe_recompute recompute, bool as_published,
                  const struct network_shape *shape, int32_t micro_batch,
                  struct micro_batches *batches)
{
    const int32_t at[COST_AXES] = {shape->rows, shape->input, shape->target};
    struct layer_costs kinds[2] = {{.forward = 0}, {.forward = 0}};
    double forward, backward;
    if ((network->encoders > 0 &&
         !look_up(tables, recompute, as_published, false, at, &kinds[0])) ||
        (network->decoders > 0 &&
         !look_up(tables, recompute, as_published, true, at, &kinds[1])) ||
        !cost_tables_lookup(tables, recompute, COST_POSTPROCESS_FORWARD, at, &forward) ||
        !cost_tables_lookup(tables, recompute, COST_POSTPROCESS_BACKWARD, at, &backward))
        return false;
    for (int32_t s = 0; s < stages->stages; s++) {
        const int64_t place = micro_batches_at(batches, micro_batch, s);
        add_layers(network, stages, kinds, s, place, batches);
        add_transfers(network, stages, links, shape, s, place, batches);
    }
    const int64_t last = micro_batches_at(batches, micro_batch, stages->stages - 1);
    batches->forward[last] += 1000 * forward;
    batches->backward[last] += 1000 * backward;
    return true;
}
