// SPDX-License-Identifier: Apache-2.0
// The panels of a picture and what they share: the replay, the axes and the colours. Lengths are pixels.
#pragma once

#include "engine/svg/svg.h"
#include "planner/balance/report/picture.h"

#define PICTURE_INK   "#333333"
#define PICTURE_PALE  "#cccccc"
#define PICTURE_ALERT "#c0392b"

enum { PICTURE_TEXT = 11 }; // height

// A picture and the axes of its panels, which are those of both pictures side by side.
struct picture_view {
    const struct balance_picture *picture;
    struct balance_result result; // of its replay
    double end;                   // of the time axis
    double highest;               // of the memory axis, MiB
};

// The operations of a stage after a replay, in order of their start.
struct picture_stage {
    const struct operation *operations;
    const double *start, *end;
    int32_t n;
};
struct picture_stage picture_stage_of(const struct picture_view *view, int32_t stage);

static inline double picture_x(const struct picture_view *view, struct pps_svg_box box,
                               double time)
{
    return view->end > 0 ? box.x + box.w * time / view->end : box.x;
}

// Draws the frame of a panel, its title, and the ticks of its time axis.
void picture_panel(const struct picture_view *view, struct pps_svg_box box, const char *title,
                   FILE *out);

// Draws the blocks of all stages (picture_flow.c).
void picture_flow(const struct picture_view *view, struct pps_svg_box box, FILE *out);

// Draws the memory of all stages and the legend at the right (picture_memory.c). Returns false if memory runs out.
bool picture_memory(const struct picture_view *view, struct pps_svg_box box, FILE *out);
