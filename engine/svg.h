// SPDX-License-Identifier: Apache-2.0
// Writing SVG: shapes and escaped text, lengths in pixels to a hundredth. Writing errors show in
// `out`. Text is 11 pixels high, sans-serif, unless a function says otherwise.
#ifndef PPS_SVG_H
#define PPS_SVG_H

#include <stdio.h>

enum pps_svg_anchor {
    PPS_SVG_START,
    PPS_SVG_MIDDLE,
    PPS_SVG_END,
};

struct pps_svg_box {
    double x, y, w, h;
};

void pps_svg_begin(FILE *out, double w, double h);
void pps_svg_end(FILE *out);

// A filled box. `hint` (or NULL) is what viewers show when the pointer is over it.
void pps_svg_rect(FILE *out, struct pps_svg_box box, const char *fill, const char *hint);

// A box of lines only.
void pps_svg_frame(FILE *out, struct pps_svg_box box, const char *stroke, double width);

void pps_svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *stroke);

// One line of text, its middle at height y.
void pps_svg_text(FILE *out,
                  double x,
                  double y,
                  enum pps_svg_anchor anchor,
                  int size,
                  const char *fill,
                  const char *text);

// Defines a fill of diagonal lines, "url(#id)".
void pps_svg_hatch(FILE *out, const char *id, const char *stroke);

#endif
