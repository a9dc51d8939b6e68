// SPDX-License-Identifier: Apache-2.0
// Draws strategies as SVG: the timeline of all stages, and below it the memory of every stage over time with the
// limit as a dashed line. Two strategies are drawn side by side with equal axes.
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"
#include "kernels/balance/model/replay.h"

#include <stdbool.h>
#include <stdio.h>

struct balance_picture {
    const char *heading; // one line, as in "Automatic"
    const struct balance_layers *layers;
    const struct balance_shape *shape;
    const struct balance_strategy *strategy;
    struct balance_replay
        *replay;     // of the shape and open; drawing replays the strategy with it
    double limit_mb; // of a stage; INFINITY: no line
};

// Draws 1 or 2 pictures side by side, 1200 pixels wide each. Those narrower than half a pixel are joined, so that the
// size of the picture does not depend on the number of micro-batches. Returns false if memory runs out; writing errors
// show in `out`.
bool balance_picture_draw(const struct balance_picture *pictures, int n, FILE *out);

// Writes the picture as SVG, or as PNG if the path ends in .png. The file appears when it is complete.
// force: replace a file that exists.
PPS_MUST_CHECK enum pps_status balance_picture_write(const struct balance_picture *pictures,
                                                     int n, const char *path,
                                                     const struct pps_gate *gate,
                                                     struct pps_error *err);

// Writes the heading of a picture: model, layers, pipeline, limit and step time.
void balance_picture_heading(const char *name, const struct balance_layers *layers,
                             const struct balance_shape *shape, double limit_mb,
                             double makespan, char *text, size_t room);
