// SPDX-License-Identifier: Apache-2.0
// Splits layers over pipeline stages without knowledge of their times.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Layers of `stage` under a one-way schedule: as equal as possible. Of r = layers mod stages left
// over, stage 0 has one and the rest go to stages - 2, stages - 3 ...: the last stage has the head.
int64_t nd_stage_layers(int64_t layers, int32_t stages, int32_t stage);

// The same as what each stage has beyond layers / stages: offset[stages]. false: all are 0, which
// files show as the scalar 0.
bool nd_offsets(int64_t layers, int32_t stages, int32_t *offset);

// Two chunks a device, the second in opposite direction. Both rows have `stages` entries: up[] by
// device, down[] by place on the way down, which begins at the last device.
// Layer counts; false (nothing written) for one stage, or where 2 * stages >= layers.
bool nd_v_layers(int64_t layers, int32_t stages, int32_t *up, int32_t *down);

// The same less *base = (layers - 2) / stages, as the original tool writes it.
bool nd_v_offsets(int64_t layers, int32_t stages, int32_t *up, int32_t *down, int64_t *base);
