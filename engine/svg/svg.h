// SPDX-License-Identifier: Apache-2.0
// Writes SVG: shapes and escaped text. Lengths are in pixels, rounded to a hundredth. Text is
// 11 pixels high, sans-serif, unless a function takes a size. Writing errors show in `out`.
#pragma once

#include "base/text/status.h"

#include <stddef.h>
#include <stdio.h>

// ---- svg to png ---------------------------------------------------------------------------------

// Writes the PNG of what `draw` writes as SVG.
PPS_MUST_CHECK enum pps_status pps_svg_draw_png(enum pps_status (*draw)(void *self, FILE *out,
                                                                        struct pps_error *err),
                                                void *self, FILE *out, struct pps_error *err);

// ---- svg ----------------------------------------------------------------------------------------

enum pps_svg_anchor {
    PPS_SVG_START,
    PPS_SVG_MIDDLE,
    PPS_SVG_END,
};

struct pps_svg_box {
    double x, y, w, h;
};

void pps_svg_begin(FILE *out, double w, double h);

// Begins a picture of w by h pixels that viewers and printers show `scale` times as large, in a unit:
// "mm", or "" for pixels.
void pps_svg_begin_scaled(FILE *out, double w, double h, double scale, const char *unit);
void pps_svg_end(FILE *out);

// Returns the least of 1, 2 and 5 times a power of ten that is not below `least`: a distance of ticks.
// 1 if `least` is not a positive number.
double pps_svg_round_step(double least);

// Draws a filled box. Viewers show `hint` (or NULL) when the pointer is over the box.
void pps_svg_rect(FILE *out, struct pps_svg_box box, const char *fill, const char *hint);

// Draws a filled box with an outline.
void pps_svg_edged(FILE *out, struct pps_svg_box box, const char *fill, const char *stroke,
                   double width, const char *hint);

// Draw boxes of one colour as one shape, which takes less text than single boxes. Neighbours leave no
// gaps.
void pps_svg_path_begin(FILE *out, const char *fill);
void pps_svg_path_box(FILE *out, struct pps_svg_box box);
void pps_svg_path_end(FILE *out);

// Draws the outline of a box.
void pps_svg_frame(FILE *out, struct pps_svg_box box, const char *stroke, double width);

void pps_svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *stroke);

void pps_svg_dashed(FILE *out, double x1, double y1, double x2, double y2, const char *stroke,
                    double width);

// Draws a line through n points; xy: x and y in turn.
void pps_svg_polyline(FILE *out, const double *xy, size_t n, const char *stroke, double width,
                      const char *hint);

// Draws one line of text, vertically centred at y.
void pps_svg_text(FILE *out, double x, double y, enum pps_svg_anchor anchor, int size,
                  const char *fill, const char *text);

// Draws text at x in lines of at most `chars` bytes, split at blanks; longer words are split, too. The
// first line is centred at y, the others `step` below each other. Returns the number of lines; out NULL: draws
// nothing.
int pps_svg_lines(FILE *out, double x, double y, double step, size_t chars, int size,
                  const char *fill, const char *text);

// Defines a fill of diagonal lines, used as "url(#id)".
void pps_svg_hatch(FILE *out, const char *id, const char *stroke);
