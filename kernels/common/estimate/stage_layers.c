// SPDX-License-Identifier: Apache-2.0
// Distributes the remainder of layers / stages over stages.
#include "kernels/common/estimate/stage_layers.h"

int64_t nd_stage_layers(int64_t layers, int32_t stages, int32_t stage)
{
    int64_t base = layers / stages, left = layers % stages;
    if (left == 0)
        return base;
    bool more = stage == 0 || (stage <= stages - 2 && stage > stages - 1 - left);
    return more ? base + 1 : base;
}

bool nd_offsets(int64_t layers, int32_t stages, int32_t *offset)
{
    for (int32_t i = 0; i < stages; i++)
        offset[i] = (int32_t)(nd_stage_layers(layers, stages, i) - layers / stages);
    return layers % stages != 0;
}

// Two layers are put aside for the way up of device 0, which also has the last chunk of the way
// down: the head's device would otherwise be the one that waits.
bool nd_v_layers(int64_t layers, int32_t stages, int32_t *up, int32_t *down)
{
    if (stages < 2 || layers <= 2 * (int64_t)stages)
        return false;
    int64_t base = (layers - 2) / stages, left = (layers - 2) % stages;
    for (int32_t i = 0; i < stages; i++) {
        int32_t device = stages - 1 - i;
        int64_t both = i < left ? base + 1 : base;
        up[device] = (int32_t)(both / 2 + (device == 0 ? 2 : 0));
        down[i] = (int32_t)(both - both / 2);
    }
    return true;
}

bool nd_v_offsets(int64_t layers, int32_t stages, int32_t *up, int32_t *down, int64_t *base)
{
    if (!nd_v_layers(layers, stages, up, down))
        return false;
    *base = (layers - 2) / stages;
    for (int32_t i = 0; i < stages; i++) {
        up[i] -= (int32_t)*base;
        down[i] -= (int32_t)*base;
    }
    return true;
}
